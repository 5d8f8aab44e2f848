package grader_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
	processes "gonogo/sampler/boundary/internal/process"
	"gonogo/sampler/endpoint"
)

// commandGrader is the definition of a grader that runs a script of the shell.
func commandGrader(script string, more map[string]any) string {
	all := map[string]any{"type": "command", "name": "mine", "command": []string{"/bin/sh", "-c", script}}
	for k, v := range more {
		all[k] = v
	}
	b, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// openCommand opens one that is closed at the end of the test.
func openCommand(t *testing.T, raw string, env grader.Env) *grader.Command {
	t.Helper()
	if !processes.Supported {
		t.Skip("this system runs no commands")
	}
	g := open(t, raw, env).(*grader.Command)
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

func TestCommandPrintsANumber(t *testing.T) {
	lines := map[string]any{"lines": true}
	for _, c := range []struct {
		why, script string
		more        map[string]any
		want        float64
		parts       map[string]float64
		times       int
	}{
		{"a number", "cat >/dev/null; echo 0.25", nil, 0.25, nil, 1},
		{"without reading what it is given", "echo 1", nil, 1, nil, 1},
		{"with words on standard error", "echo thinking >&2; echo 1", nil, 1, nil, 1},
		{"an object with a score", `echo '{"score": 0.5}'`, nil, 0.5, nil, 1},
		{"an object with parts", `printf '{"score": 0.5,\n "parts": {"style": 1}}\n'`, nil, 0.5, map[string]float64{"style": 1}, 1},
		{"what it is handed", `read x; case "$x" in '{"sample":{'*'"output_text":"Paris"'*'"item":{"answer":  "Paris","messages":[]},"trace_id":"trace_x"}') echo 1;; *) echo 0;; esac`, nil, 1, nil, 1},
		{"the trace id in the environment", `test "$GONOGO_TRACE_ID" = trace_x && echo 1 || echo 0`, nil, 1, nil, 1},
		{"without the model's key", `test -z "$MODEL_KEY" && test -n "$GRADER_KEY" && echo 1 || echo 0`, nil, 1, nil, 1},
		{"what it leaves behind holds nobody up", "sleep 60 & echo 1", nil, 1, nil, 1},
		{"a line for each line", echoID(`while read x; do answer '"score":0.5,"parts":{"style":1}'; done`), lines, 0.5, map[string]float64{"style": 1}, 4},
		{"a process that ends after each line is started again", echoID(`read x; answer '"score":0.5'`), lines, 0.5, nil, 4},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Setenv("MODEL_KEY", "planted")
			t.Setenv("GRADER_KEY", "its own")
			g := openCommand(t, commandGrader(c.script, c.more), grader.Env{Without: []string{"MODEL_KEY"}})
			for range c.times {
				got, err := g.Grade(t.Context(), output("Paris"))
				if err != nil || got.Reward != c.want || cmp.Diff(c.parts, got.Parts) != "" {
					t.Fatalf("grade %+v, error %v; want %v and parts %v", got, err, c.want, c.parts)
				}
			}
		})
	}
}

func TestCommandFailuresAreNoNumbers(t *testing.T) {
	short := map[string]any{"timeout": "300ms"}
	shortLines := map[string]any{"timeout": "300ms", "lines": true}
	for _, c := range []struct {
		why, script string
		more        map[string]any
		kind, says  string
	}{
		{"an exit code, with what it said", "echo 1; echo no answer key >&2; exit 3", nil, sampler.KindServer, "exit status 3; it printed: no answer key"},
		{"a program that kills itself", "kill -9 $$", nil, sampler.KindServer, "signal: killed"},
		{"nothing", "true", nil, sampler.KindMalformed, "it printed nothing"},
		{"words", "echo score: 1", nil, sampler.KindMalformed, "neither a number nor a JSON object with a score: score: 1"},
		{"two numbers", "echo 1; echo 2", nil, sampler.KindMalformed, "1 2"},
		{"NaN", "echo nan", nil, sampler.KindNotANumber, "not a finite number"},
		{"null", "echo null", nil, sampler.KindNotANumber, "null, which is not a number"},
		{"an object with an error", `echo '{"score": 0, "error": "the judge is down"}'`, nil, sampler.KindReported, "the judge is down"},
		{"a part that is not a number", `echo '{"score": 0, "parts": {"a": null}}'`, nil, sampler.KindNotANumber, "the part a is null"},
		{"without an end", "yes 11111111", nil, sampler.KindMalformed, "more than 1048576 bytes"},
		{"hung, with children", "echo waiting >&2; sleep 60 & sleep 60", short, sampler.KindTimeout, "no grade within 300ms (timeout): it was killed; it printed: waiting"},
		{"a closed output, and on", "exec >&-; sleep 60", short, sampler.KindTimeout, "no grade within 300ms"},
		{"a line that does not come", "sleep 60", shortLines, sampler.KindTimeout, "no grade within 300ms"},
		{"two lines for one", echoID(`while read x; do printf '{"id":"%s","score":1}\n2\n' $(id); done`), shortLines, sampler.KindMalformed, "more than one line"},
		{"a number alone, as an answer to a line", `while read x; do echo 0.5; done`, shortLines, sampler.KindMalformed, `it printed 0.5 without its request's id: print {"id": asked["id"], "score": 0.5} for each line`},
		{"another request's id", `while read x; do echo '{"id":"1","score":0.5}'; done`, shortLines, sampler.KindMalformed, "with another request's id"},
		{"a grade that is none, with its id", echoID(`while read x; do answer '"score":null'; done`), shortLines, sampler.KindMalformed, "no \"score\""},
		{"an end without a line", "read x; exit 4", shortLines, sampler.KindServer, "exit status 4"},
	} {
		t.Run(c.why, func(t *testing.T) {
			g := openCommand(t, commandGrader(c.script, c.more), grader.Env{})
			begun := time.Now()
			got, err := g.Grade(t.Context(), output("Paris"))
			if e, ok := errors.AsType[*sampler.GradeError](err); !ok || e.Kind != c.kind || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "command grader mine") || got.Reward != 0 {
				t.Errorf("grade %+v, error of kind %q: %v; want kind %s that says %q", got, kindOf(err), err, c.kind, c.says)
			}
			if d := time.Since(begun); d > 10*time.Second {
				t.Errorf("it took %v", d)
			}
			if _, again := endpoint.AsFailure(err); again {
				t.Errorf("it is tried again: %v", err)
			}
		})
	}
}

// echoID puts two functions before a script of the shell: id prints the id of the
// request in x, and answer an object with it and what it is given.
func echoID(script string) string {
	return `id() { rest=${x#*\"id\":\"}; echo "${rest%%\"*}"; }
answer() { echo "{\"id\":\"$(id)\",$1}"; }
` + script
}

// A stray line costs its grading alone: the process is replaced, and no later
// output gets the grade of an earlier one.
func TestCommandWithAStrayLine(t *testing.T) {
	for _, c := range []struct{ why, stray string }{
		{"a number", "echo 1"},
		{"words", "echo DEBUG"},
		{"an object without an id", `echo '{"score":1}'`},
		{"another id", `echo '{"id":"x","score":1}'`},
	} {
		t.Run(c.why, func(t *testing.T) {
			script := `n=0; while read x; do n=$((n+1)); if [ $n = 3 ]; then ` + c.stray + `; sleep 0.05; fi; case "$x" in *right*) answer '"score":1';; *) answer '"score":0';; esac; done`
			g := openCommand(t, commandGrader(echoID(script), map[string]any{"lines": true, "processes": 1}), grader.Env{})
			failed := 0
			for i := range 12 {
				text, want := "wrong", 0.0
				if i%2 == 0 {
					text, want = "right", 1
				}
				got, err := g.Grade(t.Context(), output(text))
				switch {
				case err != nil && kindOf(err) == sampler.KindMalformed:
					failed++
				case err != nil || got.Reward != want:
					t.Errorf("grading %d: %+v, %v; want %v", i, got, err, want)
				}
			}
			if failed != 4 {
				t.Errorf("%d gradings failed; every third is answered late, by 12 gradings that is 4", failed)
			}
		})
	}
}

func TestCommandAsksForAnotherTry(t *testing.T) {
	g := openCommand(t, commandGrader("exit 75", nil), grader.Env{})
	_, err := g.Grade(t.Context(), output("Paris"))
	if f, ok := endpoint.AsFailure(err); !ok || !f.Temporary {
		t.Errorf("exit code 75: %v", err)
	}
}

// What a hung grader has started is gone with it, and a broken-off one as well.
func TestCommandLeavesNoProcess(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "pid")
	g := openCommand(t, commandGrader("setsid sh -c 'echo $$ >"+mark+"; sleep 60' & sleep 60", nil), grader.Env{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var b []byte
	go func() { // broken off once the child is there
		defer cancel()
		for t.Context().Err() == nil && !bytes.HasSuffix(b, []byte("\n")) {
			time.Sleep(5 * time.Millisecond)
			b, _ = os.ReadFile(mark) // it may not be there yet
		}
	}()
	if _, err := g.Grade(ctx, output("Paris")); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	<-ctx.Done()
	stat, err := os.ReadFile(filepath.Join("/proc", strings.TrimSpace(string(b)), "stat"))
	if err == nil && !strings.Contains(string(stat), ") Z ") {
		t.Errorf("process %s is still there: %s", b, stat)
	}
}

func TestCommandStartTellsBeforeSampling(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"grade.sh": 0o755, "plain.sh": 0o644} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\necho 1\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ program, says string }{
		{"./grade.sh", ""},
		{"sh", ""},
		{"./plain.sh", "make it executable (chmod +x)"},
		{"./grad.sh", "there is no ./grad.sh"},
		{"no-such-program", "looked up on PATH"},
	} {
		raw, _ := json.Marshal(map[string]any{"type": "command", "command": []string{c.program}})
		g := openCommand(t, string(raw), grader.Env{Dir: dir})
		err := grader.Start(t.Context(), g)
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: error %v, want one that says %q", c.program, err, c.says)
		}
		if c.program == "./grade.sh" {
			if got, err := g.Grade(t.Context(), output("x")); err != nil || got.Reward != 1 {
				t.Errorf("%s: %+v, %v", c.program, got, err)
			}
		}
	}
}

func TestRewardKindsRefuse(t *testing.T) {
	env := grader.Env{Python: interpreters(t)}
	for _, c := range []struct{ why, raw, says string }{
		{"a key that is misspelt", `{"type":"trl","source":"x","wieghts":[1]}`, `unknown key "wieghts"`},
		{"weights that are no list", `{"type":"trl","source":"x","weights":1}`, `"weights" cannot be a number`},
		{"no file", `{"type":"trl"}`, "file is missing"},
		{"a file that nobody read", `{"type":"trl","file":"rewards.py"}`, "rewards.py was not read"},
		{"function and functions", `{"type":"trl","source":"x","function":"a","functions":["b"]}`, "are both set"},
		{"a function twice", `{"type":"trl","source":"x","functions":["a","a"]}`, "is listed twice"},
		{"a name that is none", `{"type":"trl","source":"x","function":"a b"}`, "not a name of a function"},
		{"too few weights", `{"type":"verifiers","source":"x","functions":["a","b"],"weights":[1]}`, "there are 1 for 2"},
		{"a format that is none", `{"type":"trl","source":"x","format":"chat"}`, "standard, which passes texts"},
		{"two functions for verl", `{"type":"verl","source":"x","functions":["a","b"]}`, "the trainer calls one function: name it with function"},
		{"a weight for OpenRLHF", `{"type":"openrlhf","source":"x","weights":[1]}`, "which has no weight"},
		{"too few weights for ms-swift", `{"type":"ms_swift","source":"x","functions":["a","b"],"weights":[1]}`, "there are 1 for 2"},
		{"a Task and a Rubric", `{"type":"verifiers","source":"x","rubric":"r","task":"t"}`, "rubric and task exclude each other"},
		{"a Rubric with weights", `{"type":"verifiers","source":"x","rubric":"r","weights":[1]}`, "rubric defines its own functions and weights"},
		{"no command", `{"type":"command"}`, "command is missing"},
		{"a command as one text", `{"type":"command","command":"./grade.sh"}`, `"command" cannot be a string`},
		{"a time without a unit", `{"type":"command","command":["x"],"timeout":"30"}`, "a time with its unit"},
		{"no time", `{"type":"command","command":["x"],"timeout":"0s"}`, "a time with its unit"},
		{"a session for many", `{"type":"command","command":["x","{{session.port}}"],"lines":true}`, "with lines a process grades many"},
	} {
		if _, err := grader.New(grader.Kinds(), json.RawMessage(c.raw), env); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", c.why, err, c.says)
		}
	}
	for _, c := range []struct{ why, raw, says string }{
		{"no such function", rewardGrader("trl", "def f(completions, **kw): return [1.0]", map[string]any{"function": "g"}), "it defines no function g"},
		{"a method of a Task of verifiers", rewardGrader("verifiers", "async def f(self, trace, runtime): return 1.0", nil), "f takes runtime, self, trace: it is a method of a Task, whose name goes under task"},
		{"a Task that wants the runtime", rewardGrader("verifiers", taskSource, map[string]any{"task": "Remote"}), "correct of Remote takes the runtime of the rollout, which is gone when it is graded"},
		{"a Task without a reward", rewardGrader("verifiers", taskSource, map[string]any{"task": "Bare"}), "Bare has no method under @vf.reward"},
		{"a Task that is none", rewardGrader("verifiers", taskSource, map[string]any{"task": "loose"}), "loose is a function: it must be a Task of verifiers"},
		{"one of several is to be named", rewardGrader("trl", "def f(completions): 1\ndef g(completions): 1", nil), "name those to be called; it defines f, g"},
		{"token ids", rewardGrader("trl", "def f(completion_ids, **kw): return [1.0]", nil), "token ids are not known here"},
		{"a function over a group", rewardGrader("verifiers", "def f(completions, answers): return [1.0]", nil), "it compares a group of rollouts, whose size goes under group"},
		{"a Rubric over a group", rewardGrader("verifiers", "x = 5", map[string]any{"rubric": "x", "group": 4}), "group is for functions"},
		{"a group for a function of one output", rewardGrader("verl", "def compute_score(**kwargs): return 1.0", map[string]any{"group": 4}), "group is for the batch form"},
		{"a group for a test of a row", rewardGrader("eval_protocol", "def f(row): pass", map[string]any{"group": 4}), "f takes a row: group is for one that takes rows"},
		{"a function that verl cannot call", rewardGrader("verl", "def compute_score(solution_str, ground_truth): return 1.0", nil), "cannot be called as verl calls it, with data_source, solution_str, ground_truth, extra_info: got an unexpected keyword argument 'data_source'"},
		{"a batch function that verl cannot call", rewardGrader("verl", "def compute_score(solution_strs, ground_truths): return 1.0", nil), "with data_sources, solution_strs, ground_truths, extra_infos: got an unexpected"},
		{"an argument that verl is not told", rewardGrader("verl", "def compute_score(threshold, **kwargs): return 1.0", nil), "missing a required argument: 'threshold'; other arguments go under reward_kwargs"},
		{"another name than verl's", rewardGrader("verl", "def score(**kwargs): return 1.0", nil), "it defines no function compute_score"},
		{"a function that OpenRLHF cannot call", rewardGrader("openrlhf", "def reward_func(queries, labels): return {}", nil), "cannot be called as OpenRLHF calls it, with queries, prompts and labels: too many positional arguments"},
		{"a class that reads an argument", rewardGrader("ms_swift", "class Cosine:\n    def __init__(self, args=None): self.n = args.cosine_max_len\n    def __call__(self, completions, **kw): return [1.0]", nil), "Cosine cannot be made: the trainer's cosine_max_len is not known here: set it under args"},
		{"token ids for ms-swift", rewardGrader("ms_swift", "def f(completions, response_token_ids, **kw): return [1.0]", nil), "token ids are not known here"},
		{"one of several classes", rewardGrader("ms_swift", "class A:\n    def __call__(self, completions): pass\ndef g(completions): pass", nil), "name those to be called; it defines A, g"},
		{"no such class", rewardGrader("ms_swift", "orms = {}", map[string]any{"function": "right"}), "it defines no function right"},
		{"no Rubric", rewardGrader("verifiers", "x = 5", map[string]any{"rubric": "x"}), "x is a int: it must be a Rubric"},
		{"no row", rewardGrader("eval_protocol", "def f(sample): pass", nil), "has no parameter row"},
		{"a test over a group", rewardGrader("eval_protocol", "def f(rows): pass\nf._metainfo = {'mode': 'groupwise'}", nil), "the size of the group goes under group"},
		{"a module that is not there", rewardGrader("verifiers", "import verifiers_of_nobody as vf\ndef f(state): return 1", nil), "no module verifiers_of_nobody (line 1"},
	} {
		if err := grader.Start(t.Context(), open(t, c.raw, env)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", c.why, err, c.says)
		}
	}
}
