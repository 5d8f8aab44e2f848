package grader_test

import (
	"errors"
	"strings"
	"testing"

	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
)

// tensor is a value with the methods of a tensor or of a number of numpy that the adapters use.
const tensor = `
class Tensor:
    def __init__(self, x): self.x = x
    def tolist(self): return self.x
    def __float__(self): return float(self.x)
    def __len__(self): return len(self.x)
    def __getitem__(self, i): return Tensor(self.x[i])
`

// prepared is a row as verl's scripts prepare it (examples/data_preprocess/gsm8k.py of verl 0.9.1).
const prepared = `{"data_source":"openai/gsm8k","prompt":[{"role":"user","content":"The capital?"}],"ability":"geo","reward_model":{"style":"rule","ground_truth":"Paris"},"extra_info":{"split":"train","index":3,"answer":"#### Paris"}}`

func TestVerl(t *testing.T) {
	runRewards(t, "verl", []rewardCase{
		{why: "what the naive manager passes", want: 1, row: prepared, source: `
def compute_score(data_source, solution_str, ground_truth, extra_info=None):
    assert data_source == "openai/gsm8k" and extra_info["index"] == 3
    assert extra_info["num_turns"] == 4 and extra_info["rollout_reward_scores"] == {}, extra_info
    return float(solution_str == ground_truth)
`},
		{why: "a dict, whose other numbers are parts", want: -1, parts: map[string]float64{"acc": 0, "length": 5}, row: prepared, source: tensor + `
def compute_score(data_source, solution_str, ground_truth, extra_info):
    return {"score": Tensor(-1), "acc": False, "length": Tensor(5), "pred": solution_str, "missing": None, "odd": float("nan")}
`},
		{why: "keyword arguments of the configuration", want: 0.25, row: prepared, more: map[string]any{"function": "mine", "reward_kwargs": map[string]any{"partial": 0.25, "data_source": "mine"}}, source: `
async def mine(data_source, solution_str, ground_truth, extra_info, partial, **kwargs):
    return partial if data_source == "mine" else 0.0
`},
		{why: "lists of one for the batch manager", want: 0.5, parts: map[string]float64{"acc": 1}, row: prepared, source: `
def compute_score(data_sources, solution_strs, ground_truths, extra_infos):
    return [{"score": (s == g) / 2, "acc": s == g} for s, g in zip(solution_strs, ground_truths)]
`},
		{why: "a row that verl has not prepared", want: 1, source: `
def compute_score(data_source, solution_str, ground_truth, extra_info):
    return float((data_source, solution_str, ground_truth, sorted(extra_info)) == ("", "Paris", "Paris", ["num_turns", "rollout_reward_scores"]))
`},
		{why: "extra_info as text", kind: sampler.KindVariable, says: "extra_info of the row is a str", row: `{"messages":[],"extra_info":"{}"}`, source: "def compute_score(**kwargs): return 1.0"},
		{why: "None", kind: sampler.KindNotANumber, says: "compute_score gave None", source: "def compute_score(**kwargs): return None"},
		{why: "NaN", kind: sampler.KindNotANumber, says: "compute_score gave nan", source: "def compute_score(**kwargs): return {'score': float('nan')}"},
		{why: "a dict without a score", kind: sampler.KindNotANumber, says: "compute_score returned no score; there are acc", source: "def compute_score(**kwargs): return {'acc': 1.0}"},
		{why: "a bare number of the batch form", kind: sampler.KindNotANumber, says: "compute_score returned a float: it must return a list", source: "def compute_score(data_sources, solution_strs, ground_truths, extra_infos): return 1.0"},
		{why: "a score that is called invalid", kind: sampler.KindReported, says: "the result reports an error", source: "def compute_score(**kwargs): return {'score': 0.0, 'error': 'the sandbox is down'}"},
		{why: "an exception", kind: sampler.KindRuntime, says: "KeyError: 'index' (line 1", source: "def compute_score(extra_info, **kwargs): return extra_info['index']"},
	})
}

func TestOpenRLHF(t *testing.T) {
	runRewards(t, "openrlhf", []rewardCase{
		{why: "what its executor passes", want: 1, parts: map[string]float64{"brief": 5, "right": 1}, source: tensor + `
def reward_func(queries, prompts, labels, **kwargs):
    assert (queries, prompts, labels) == (["The capital?\nParis"], ["The capital?\n"], ["Paris"]), (queries, prompts, labels)
    right = [float(q[len(p):] == l) for q, p, l in zip(queries, prompts, labels)]
    return {"rewards": Tensor(right), "scores": Tensor(right), "extra_logs": {"right": Tensor(right), "brief": 5, "said": "Paris"}}
`},
		{why: "a prompt that is a text, and a field of labels", want: 2, row: `{"prompt":"The capital?","answer":"Rome","gold":[1,2]}`, more: map[string]any{"label_key": "gold"}, source: `
def reward_func(queries, prompts, labels):
    return {"rewards": len(labels[0]) if queries == ["The capital?Paris"] else 0}
`},
		{why: "label before the reference", want: 1, row: `{"messages":[],"answer":"Rome","label":"Paris"}`, source: "def reward_func(queries, prompts, labels): return {'rewards': [labels == ['Paris']]}"},
		{why: "a tensor, as older versions took it", want: 0.5, source: tensor + "def reward_func(queries, prompts, labels): return Tensor([0.5])"},
		{why: "a list", want: 0.5, more: map[string]any{"function": "mine"}, source: "def mine(queries, prompts, labels): return [0.5]"},
		{why: "no rewards", kind: sampler.KindNotANumber, says: "reward_func returned no rewards; there are scores", source: "def reward_func(queries, prompts, labels): return {'scores': 1.0}"},
		{why: "None", kind: sampler.KindNotANumber, says: "reward_func gave None", source: "def reward_func(queries, prompts, labels): return None"},
		{why: "two rewards", kind: sampler.KindNotANumber, says: "reward_func returned 2 rewards for 1 query", source: "def reward_func(queries, prompts, labels): return {'rewards': [1.0, 0.0]}"},
		{why: "an exception, which OpenRLHF only logs", kind: sampler.KindRuntime, says: "ZeroDivisionError", source: "def reward_func(queries, prompts, labels): return 1 / 0"},
	})
}

// orm is as much of swift.rewards as a plugin of ms-swift uses (swift/rewards/orm.py of 4.6.0).
const orm = `
class ORM:
    def __init__(self, args=None, **kwargs): self.args = args
    def __call__(self, **kwargs): raise NotImplementedError
orms = {}
`

func TestSwift(t *testing.T) {
	runRewards(t, "ms_swift", []rewardCase{
		{why: "a class that is registered", want: 1, more: map[string]any{"function": "external_right"}, source: orm + `
class Right(ORM):
    def __call__(self, completions, solution, **kwargs):
        assert completions == ["Paris"] and kwargs["task"] == ["geo"] and kwargs["finish_reason"] == ["stop"]
        assert kwargs["is_truncated"] == [False] and kwargs["trainer_state"].global_step == 0
        assert [m["role"] for m in kwargs["messages"][0]] == ["user", "assistant", "tool", "assistant"]
        return [float(c == s) for c, s in zip(completions, solution)]
orms["external_right"] = Right
`},
		{why: "classes and a function by weight", want: 1.3, parts: map[string]float64{"Right": 1, "brief": 0.5, "Close": 0.25}, source: orm + `
class Right(ORM):
    def __call__(self, completions, **kwargs): return [1.0]
class Close(ORM):
    def __init__(self, args, **kwargs): self.least = args.least
    async def __call__(self, completions, **kwargs): return [self.least]
def brief(texts, **kwargs): return [0.5]
`, more: map[string]any{"functions": []string{"Right", "brief", "Close"}, "weights": []float64{1, 0.2, 0.8}, "args": map[string]any{"least": 0.25}}},
		{why: "the source's only class", want: 1, source: "class Right:\n    def __call__(self, completions, **kwargs): return [1.0]"},
		{why: "None leaves a function out", want: 1, parts: map[string]float64{"a": 1}, source: "def a(completions, **kw): return [1.0]\ndef b(completions, **kw): return [None]", more: map[string]any{"functions": []string{"a", "b"}}},
		{why: "None from all, which is a 0 in ms-swift", kind: sampler.KindNotANumber, says: "every function gave None", source: "def f(completions, **kw): return [None]"},
		{why: "a column that the row does not have", kind: sampler.KindVariable, says: "f cannot be called with the completions and the row's columns, which are answer, finish_reason,", source: "def f(completions, gold, **kw): return [1.0]"},
		{why: "no **kwargs, which ms-swift needs", kind: sampler.KindVariable, says: "got an unexpected keyword argument", source: "def f(completions, solution): return [1.0]"},
		{why: "an argument of the trainer that is read late", kind: sampler.KindRuntime, says: "the trainer's max_len is not known here: set it under args", source: orm + "class F(ORM):\n    def __call__(self, completions, **kw): return [self.args.max_len]\n", more: map[string]any{"function": "F"}},
		{why: "too many", kind: sampler.KindNotANumber, says: "f returned 2 rewards for 1 completion", source: "def f(completions, **kw): return [1.0, 2.0]"},
	})
}

// The batch forms of verl and ms-swift are refused where they compare outputs, as TRL's are.
func TestBatchFormsRefuseComparison(t *testing.T) {
	env := grader.Env{Python: interpreters(t)}
	for kind, sources := range map[string][2]string{
		"verl": {
			"def compute_score(solution_strs, **kwargs): return [1.0 / solution_strs.count(s) for s in solution_strs]",
			"def compute_score(solution_strs, **kwargs): return [float(len(s)) for s in solution_strs]",
		},
		"ms_swift": {
			"def f(completions, **kwargs): return [1.0 / completions.count(c) for c in completions]",
			"def f(completions, **kwargs): return [float(len(c)) for c in completions]",
		},
	} {
		for i, source := range sources {
			_, err := open(t, rewardGrader(kind, source, nil), env).Grade(t.Context(), asked(capital, "Paris"))
			if compares := i == 0; compares != (kindOf(err) == sampler.KindBatch) || !compares && err != nil {
				t.Errorf("%s: %s: %v", kind, source, err)
			}
			if e, ok := errors.AsType[*sampler.GradeError](err); ok && !strings.Contains(e.Error(), "gives a completion 1 alone and 0.5 in a batch") {
				t.Errorf("%s: %v", kind, e)
			}
		}
	}
}

// Functions that compare the outputs of a group get the group, and give the reward of the output at its
// place.
func TestFunctionsGetTheGroup(t *testing.T) {
	env := grader.Env{Python: interpreters(t)}
	const rank = "[float(sum(len(c) > len(d) for d in texts)) for c in texts]"
	for kind, source := range map[string]string{
		"trl":      "def f(completions, **kwargs):\n    texts = [c[-1]['content'] for c in completions]\n    return " + rank,
		"verl":     "def compute_score(solution_strs, **kwargs):\n    texts = solution_strs\n    return " + rank,
		"ms_swift": "def f(completions, **kwargs):\n    texts = completions\n    return " + rank,
		"verifiers": "def text(c): return c if isinstance(c, str) else c[-1]['content']\ndef rank(completions, states):\n    texts = [text(c) for c in completions]\n    return " + rank +
			"\ndef alone(completion): return 10.0 * len(text(completion))",
		"eval_protocol": "def f(rows):\n    texts = [r.last_assistant_message().content for r in rows]\n    for r, x in zip(rows, " + rank +
			"):\n        r['evaluation_result'] = {'score': x}\n    return rows\nf._metainfo = {'mode': 'groupwise'}",
	} {
		more := map[string]any{"group": 4}
		if kind == "verifiers" {
			more["functions"] = []string{"rank", "alone"}
		}
		g := open(t, rewardGrader(kind, source, more), env)
		if n := grader.GroupSize(g); n != 4 {
			t.Errorf("%s: the group size is %d, want 4", kind, n)
		}
		var group []sampler.Output
		for _, text := range []string{"four", "one", "three", "sixteen"} {
			group = append(group, asked(capital, text))
		}
		for place, want := range []float64{1, 0, 2, 3} { // outputs that are shorter
			out := group[place]
			out.Group, out.Place = group, place
			if kind == "verifiers" {
				want += 10 * float64(len(out.Text))
			}
			if grade, err := g.Grade(t.Context(), out); err != nil || grade.Reward != want {
				t.Errorf("%s: %q earns %v, error %v, want %v", kind, out.Text, grade.Reward, err, want)
			}
		}
	}
}

// Parts of a multi grader that compare groups agree on their size.
func TestPartsAgreeOnTheGroup(t *testing.T) {
	env := grader.Env{Python: interpreters(t)}
	part := func(n any) string {
		return rewardGrader("trl", "def f(completions, **kwargs): return [float(len(completions)) for c in completions]", map[string]any{"group": n})
	}
	one := `{"type": "string_check", "name": "s", "input": "{{sample.output_text}}", "reference": "Paris", "operation": "eq"}`
	g := open(t, `{"type": "multi", "graders": {"a": `+part(3)+`, "b": `+one+`}, "calculate_output": "a + b"}`, env)
	if n := grader.GroupSize(g); n != 3 {
		t.Errorf("the group size is %d, want 3", n)
	}
	out := asked(capital, "Paris")
	out.Group = []sampler.Output{out, asked(capital, "Rome"), asked(capital, "Bern")}
	if grade, err := g.Grade(t.Context(), out); err != nil || grade.Reward != 4 {
		t.Errorf("%v, error %v, want 4: three outputs, and 1 for the right one", grade.Reward, err)
	}
	_, err := grader.New(grader.Kinds(), []byte(`{"type": "multi", "graders": {"a": `+part(3)+`, "b": `+part(4)+`}, "calculate_output": "a + b"}`), env)
	if err == nil || !strings.Contains(err.Error(), "group is 3, and 4 in another part") {
		t.Errorf("error %v", err)
	}
	_, err = grader.New(grader.Kinds(), []byte(`{"type": "multi", "graders": {"a": `+part(3)+`, "b": {"type": "command", "command": ["check", "{{session.id}}"]}}, "calculate_output": "a + b"}`), env)
	if err == nil || !strings.Contains(err.Error(), "works in the session of a rollout, which has ended") {
		t.Errorf("error %v", err)
	}
}
