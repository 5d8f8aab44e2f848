package grader_test

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/rollout"
)

// specimen is a kind at work, in its own definition and in one that fails.
type specimen struct {
	raw       string // earns the answer Paris 1
	templates bool   // raw reads {{item.answer}}
	fails     string // a definition that gives no grade
}

// pythonKinds need an interpreter.
var pythonKinds = []string{"python", "trl", "verifiers", "verl", "openrlhf", "ms_swift", "eval_protocol", "lambda"}

// specimens has one for each kind, by name.
func specimens(t *testing.T) (map[string]specimen, grader.Env) {
	t.Helper()
	b, env := serve(t)
	b.tell("/grade", says(200, `{"score":1}`))
	b.tell("/broken", says(200, `{"score":"1"}`))
	b.tell("judge-1", says(200, answers(`{"steps":[],"result":1}`)))
	b.tell("judge-2", says(200, answers(`{"steps":[],"result":"a"}`)))
	b.tell("judge-3", says(200, answers("1")))
	reading := func(raw string) string {
		return strings.Replace(raw, `"content":"{{sample.output_text}}"`, `"content":"{{item.answer}}? {{sample.output_text}}"`, 1)
	}
	refusing := func(raw string) string {
		return strings.NewReplacer("judge-1", "judge-3", "judge-2", "judge-3").Replace(raw)
	}
	similar := `{"type":"text_similarity","input":"{{sample.output_text}}","reference":"{{item.answer}}","evaluation_metric":"fuzzy_match"}`
	unknown := strings.NewReplacer("item.answer", "item.anwser")
	all := map[string]specimen{
		"string_check":    {exact, true, unknown.Replace(exact)},
		"text_similarity": {similar, true, unknown.Replace(similar)},
		"score_model":     {reading(judged), true, refusing(judged)},
		"label_model":     {reading(label), true, refusing(label)},
		"multi":           {multiOf("a*b", "a", exact, "b", b.endpoint("/grade")), true, multiOf("a/(1-b)", "a", exact, "b", b.endpoint("/grade"))},
		"endpoint":        {b.endpoint("/grade"), false, b.endpoint("/broken")},
		"python":          {pythonGrader("def grade(sample, item):\n    return float(sample['output_text'] == item['answer'])"), false, pythonGrader("def grade(sample, item):\n    return 1/0")},
	}
	for kind, sources := range map[string][2]string{
		"trl":           {"def f(completions, answer, **kwargs):\n    return [float(c[-1]['content'] == a) for c, a in zip(completions, answer)]", "def f(completions, **kwargs): return [None]"},
		"verifiers":     {"async def f(completion, answer):\n    return float(completion[-1]['content'] == answer)", "def f(completion): return 1/0"},
		"verl":          {"def compute_score(data_source, solution_str, ground_truth, extra_info=None):\n    return {'score': float(solution_str == ground_truth), 'acc': True}", "def compute_score(data_source, solution_str, ground_truth, extra_info): return None"},
		"openrlhf":      {"def reward_func(queries, prompts, labels):\n    return {'rewards': [float(q[len(p):] == l) for q, p, l in zip(queries, prompts, labels)]}", "def reward_func(queries, prompts, labels): return {'rewards': None}"},
		"ms_swift":      {"class Right:\n    def __call__(self, completions, answer, **kwargs):\n        return [float(c == a) for c, a in zip(completions, answer)]", "def f(completions, **kwargs): return [None]"},
		"eval_protocol": {"def f(row):\n    row.evaluation_result = {'score': float(row.last_assistant_message().content == 'Paris')}\n    return row", "def f(row): return row"},
		"lambda":        {"def lambda_handler(event, context):\n    return [{'id': s['id'], 'aggregate_reward_score': float(s['messages'][-1]['content'] == s['answer'])} for s in event]", "def lambda_handler(event, context): return []"},
	} {
		all[kind] = specimen{rewardGrader(kind, sources[0], nil), false, rewardGrader(kind, sources[1], nil)}
	}
	all["command"] = specimen{
		`{"type":"command","command":["/bin/sh","-c","grep -q '\"output_text\":\"Paris\"' && echo 1 || echo 0"]}`, false,
		`{"type":"command","command":["/bin/sh","-c","echo no answer >&2; exit 3"]}`,
	}
	if _, err := exec.LookPath("python3"); err == nil {
		env.Python = interpreters(t)
	} else {
		t.Log("no python3 on this machine: its kinds are left out")
		for _, kind := range pythonKinds {
			delete(all, kind)
		}
	}
	return all, env
}

// TestEveryKindGrades holds all kinds to what sampler.Grader promises.
func TestEveryKindGrades(t *testing.T) {
	all, env := specimens(t)
	for _, kind := range grader.Kinds() {
		if kind.Name == "agent" {
			continue // a reward that comes with the rollout: TestTheRewardThatAnAgentReports
		}
		s, ok := all[kind.Name]
		if !ok && !slices.Contains(pythonKinds, kind.Name) {
			t.Errorf("no specimen of %s", kind.Name)
		}
		if !ok {
			continue
		}
		t.Run(kind.Name, func(t *testing.T) {
			g := open(t, s.raw, env)
			if err := grader.Start(t.Context(), g); err != nil {
				t.Fatal(err)
			}
			out := output("Paris")
			first, err := g.Grade(t.Context(), out)
			if err != nil || first.Reward != 1 {
				t.Fatalf("grade %+v, error %v; want 1", first, err)
			}
			second, err := g.Grade(t.Context(), out)
			if d := cmp.Diff(first, second); d != "" || err != nil {
				t.Errorf("the same output again: error %v (-first +second):\n%s", err, d)
			}
			var group errgroup.Group
			for range 8 {
				group.Go(func() error {
					got, err := g.Grade(t.Context(), out)
					if d := cmp.Diff(first, got); d != "" {
						t.Errorf("the same output, several at once (-first +got):\n%s", d)
					}
					return err
				})
			}
			if err := group.Wait(); err != nil {
				t.Errorf("several at once: %v", err)
			}
			if r, ok := g.(grader.Ranger); ok {
				if low, high := r.Range(); low >= high || first.Reward < low || first.Reward > high {
					t.Errorf("reward %v lies outside the range %v to %v", first.Reward, low, high)
				}
			}
			checkItems(t, g, s.templates)
			if info := grader.Info(json.RawMessage(s.raw), g); info.Kind != kind.Name || len(info.Hash) != 64 {
				t.Errorf("info %+v", info)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if grade, err := g.Grade(ctx, out); !errors.Is(err, context.Canceled) || grade.Reward != 0 {
				t.Errorf("a canceled grading: grade %+v, error %v", grade, err)
			}
		})
		t.Run(kind.Name+" fails", func(t *testing.T) {
			grade, err := open(t, s.fails, env).Grade(t.Context(), output("Paris"))
			if err == nil || grade.Reward != 0 || grade.Parts != nil || kindOf(err) == "" || kindOf(err) == sampler.KindOther {
				t.Errorf("grade %+v, error of kind %q: %v; want an error with a kind and no number", grade, kindOf(err), err)
			}
		})
	}
}

// checkItems expects a kind with templates to refuse a row that lacks a field.
func checkItems(t *testing.T, g sampler.Grader, templates bool) {
	t.Helper()
	checker, ok := g.(grader.Checker)
	if ok != templates {
		t.Errorf("checks items: %v; has templates: %v", ok, templates)
	}
	if !ok {
		return
	}
	if err := checker.CheckItem(output("").Item); err != nil {
		t.Errorf("a row that has the field: %v", err)
	}
	lacks := &rollout.Item{Row: json.RawMessage(`{"anwser":"Paris","question":"?"}`)}
	if err := checker.CheckItem(lacks); err == nil || !strings.Contains(err.Error(), "the row has no {{item.answer}}; its fields are anwser, question; did you mean anwser?") {
		t.Errorf("a row that lacks the field: %v", err)
	}
	out := output("Paris")
	out.Item = lacks
	if grade, err := g.Grade(t.Context(), out); kindOf(err) != sampler.KindVariable || grade.Reward != 0 {
		t.Errorf("a row that lacks the field: grade %+v, error of kind %q: %v", grade, kindOf(err), err)
	}
}

func TestInfoNamesADefinitionNotItsLayout(t *testing.T) {
	hash := func(raw string) string { return grader.Info(json.RawMessage(raw), nil).Hash }
	const base = `{"type":"endpoint","url":"https://u:p@x.com/grade?key=1","headers":{"Authorization":"Bearer a"},"rate_limit":10}`
	for _, c := range []struct {
		why, raw string
		same     bool
	}{
		{"another order and spaces", `{ "rate_limit": 10, "headers": {"Authorization":"Bearer a"}, "url":"https://u:p@x.com/grade?key=1", "type":"endpoint" }`, true},
		{"another spelling of a number", strings.Replace(base, "10}", "10.0}", 1), true},
		{"another key in a header", strings.Replace(base, "Bearer a", "Bearer b", 1), true},
		{"another key in the URL", strings.Replace(base, "u:p@x.com/grade?key=1", "x.com/grade?key=2", 1), true},
		{"another URL", strings.Replace(base, "x.com", "y.com", 1), false},
		{"another header", strings.Replace(base, "Authorization", "X-Key", 1), false},
		{"another number", strings.Replace(base, "10}", "11}", 1), false},
	} {
		if same := hash(c.raw) == hash(base); same != c.same {
			t.Errorf("%s: the same hash %v, want %v", c.why, same, c.same)
		}
	}
	if a, b := hash(multiOf("token", "token", exact)), hash(multiOf("token", "token", named)); a == b {
		t.Error("a part whose name speaks of a credential is left out of the hash")
	}
	if info := grader.Info(json.RawMessage(`{"type":"string_check","name":"n"}`), nil); info.Kind != "string_check" || info.Name != "n" {
		t.Errorf("info %+v", info)
	}
}
