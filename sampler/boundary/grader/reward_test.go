package grader_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/rollout"
)

// rewardGrader is the definition of a grader of a kind, with its source.
func rewardGrader(kind, source string, more map[string]any) string {
	all := map[string]any{"type": kind, "name": "mine", "source": source}
	for k, v := range more {
		all[k] = v
	}
	b, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// asked is an output with a conversation behind it.
func asked(row, text string) sampler.Output {
	it := &rollout.Item{ID: "q", Row: json.RawMessage(row)}
	return sampler.Output{Item: it, TraceID: "trace_x", Text: text, FinishReason: "stop", Messages: []rollout.Message{
		{Role: "assistant", ToolCalls: []rollout.ToolCall{{ID: "c1", Name: "search", Arguments: `{"q":"x"}`}}},
		{Role: "tool", Content: "found", ToolCallID: "c1"},
		{Role: "assistant", Content: "the recorded answer"},
	}}
}

const capital = `{"messages":[{"role":"user","content":"The capital?"}],"solution":"Paris","answer":"Paris","ground_truth":"Paris","info":{"weight":2},"task":"geo"}`

// rewardCase is a source and what it makes of the answer Paris.
type rewardCase struct {
	why, source string
	more        map[string]any
	row         string // capital when it is ""
	want        float64
	parts       map[string]float64
	kind, says  string // of a failure
}

func runRewards(t *testing.T, kind string, cases []rewardCase) {
	t.Helper()
	env := grader.Env{Python: interpreters(t)}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			g := open(t, rewardGrader(kind, c.source, c.more), env)
			if err := grader.Start(t.Context(), g); err != nil {
				t.Fatal(err)
			}
			row := c.row
			if row == "" {
				row = capital
			}
			got, err := g.Grade(t.Context(), asked(row, "Paris"))
			if c.kind != "" {
				e, ok := errors.AsType[*sampler.GradeError](err)
				if !ok || e.Kind != c.kind || !strings.Contains(e.Error(), c.says) || !strings.Contains(e.Error(), kind+" grader mine") || got.Reward != 0 {
					t.Fatalf("grade %+v, error %v; want no grade, of kind %s, that says %q", got, err, c.kind, c.says)
				}
				return
			}
			if err != nil || got.Reward != c.want {
				t.Fatalf("reward %v, error %v; want %v", got.Reward, err, c.want)
			}
			if d := cmp.Diff(c.parts, got.Parts); d != "" {
				t.Errorf("parts (-want +got):\n%s", d)
			}
		})
	}
}

func TestTRL(t *testing.T) {
	runRewards(t, "trl", []rewardCase{
		{why: "messages and columns as TRL hands them", want: 1, source: `
def correctness(prompts, completions, solution, **kwargs):
    assert prompts == [[{"role": "user", "content": "The capital?"}]], prompts
    assert completions[0][-1] == {"role": "assistant", "content": "Paris"}, completions
    assert completions[0][0]["tool_calls"][0]["function"]["name"] == "search"
    assert len(completions[0]) == 3 and kwargs["task"] == ["geo"]
    return [float(c[-1]["content"] == s) for c, s in zip(completions, solution)]
`},
		{why: "texts where the prompt is one", want: 5, row: `{"prompt":"The capital?","messages":[]}`, source: `
def length(prompts, completions, **kwargs):
    assert prompts == ["The capital?"] and "prompt" not in kwargs
    return [float(len(c)) for c in completions]
`},
		{why: "texts where they are asked for", want: 1, more: map[string]any{"format": "standard"}, source: `
def f(prompts, completions, **kwargs):
    return [prompts == ["The capital?"] and completions == ["Paris"]]
`},
		{why: "several functions by weight", want: 1.1, parts: map[string]float64{"right": 1, "short": 0.5}, source: `
def right(completions, **kwargs): return [1.0]
async def short(completions, **kwargs): return [0.5]
`, more: map[string]any{"functions": []string{"right", "short"}, "weights": []float64{1, 0.2}}},
		{why: "None leaves a function out", want: 1, parts: map[string]float64{"right": 1}, source: `
def right(completions, **kwargs): return [1.0]
def coding(completions, **kwargs): return [None]
`, more: map[string]any{"functions": []string{"right", "coding"}}},
		{why: "a function without **kwargs gets what it names", want: 1, source: `
def f(completions, solution): return [solution == ["Paris"]]
`},
		{why: "what the trainer hands beside", want: 1, source: `
def f(completions, trainer_state, log_metric, log_extra, **kwargs):
    log_metric("x", 1.0)
    log_extra("y", ["z"])
    return [1.0 if trainer_state.global_step == 0 else 0.0]
`},
		{why: "a number of another library", want: 0.25, source: `
class Scalar:
    def __float__(self): return 0.25
def f(completions, **kwargs): return [Scalar()]
`},
		{why: "a callable that is no function", want: 1, more: map[string]any{"function": "reward"}, source: `
import functools
def make(bonus, completions, **kwargs): return [bonus]
reward = functools.partial(make, 1.0)
`},
		{why: "None from all is no zero", kind: sampler.KindNotANumber, says: "every function gave None", source: "def f(completions, **kw): return [None]"},
		{why: "NaN", kind: sampler.KindNotANumber, says: "f gave nan", source: "def f(completions, **kw): return [float('nan')]"},
		{why: "a text", kind: sampler.KindNotANumber, says: "f gave the str '1'", source: "def f(completions, **kw): return ['1']"},
		{why: "a bare number", kind: sampler.KindNotANumber, says: "f returned a float: it must return a list", source: "def f(completions, **kw): return 1.0"},
		{why: "too many", kind: sampler.KindNotANumber, says: "f returned 2 rewards for 1 completion", source: "def f(completions, **kw): return [1.0, 2.0]"},
		{why: "an exception with its line", kind: sampler.KindRuntime, says: "ZeroDivisionError: division by zero (line 1, in f", source: "def f(completions, **kw): return [1 / 0]"},
		{why: "a column that the row does not have", kind: sampler.KindVariable, says: "f wants gold, and there is no such column of the row; there are answer,", source: "def f(completions, gold, **kw): return [1.0]"},
	})
}

// taskSource has Tasks as verifiers 0.4.0 knows them, with as much of the package as
// they need; .ci/peers/verifiers has the same with the package itself.
const taskSource = `
import sys, types
vf = sys.modules["verifiers.v1"] = types.ModuleType("verifiers.v1")
class Plain:
    def __init__(self, **kw): self.__dict__.update(kw)
class Data(Plain):
    @classmethod
    def model_validate(cls, row): return cls(**row)
class Trace(Plain):
    rewards = metrics = None
    @property
    def reward(self): return sum(r.score * r.weight for r in self.rewards.values())
vf.MessageNode = vf.TraceTask = vf.AgentInfo = vf.AgentConfig = Plain
vf.Trace = Trace
def reward(f): f.reward = True; return f
class Task:
    def __init__(self, data): self.data = data
    @classmethod
    def data_type(cls): return Data
    def hooks(self): return []
    async def score(self, trace):
        names = [k for k in vars(type(self)) if hasattr(getattr(self, k), "reward")]
        trace.rewards = {k: Plain(score=await getattr(self, k)(trace), weight=0.5) for k in names}
        trace.metrics = {"turns": float(sum(n.sampled for n in trace.nodes))}
class Right(Task):
    @reward
    async def correct(self, trace): return float(trace.nodes[-1].message["content"] == self.data.answer)
    @reward
    async def called(self, trace): return float(any(n.message.get("tool_calls") and n.message["tool_calls"][0]["name"] for n in trace.nodes))
class Remote(Task):
    @reward
    async def correct(self, trace, runtime): return 1.0
class Bare(Task): pass
def loose(self, trace): return 1.0
`

func TestVerifiers(t *testing.T) {
	rubric := `
import logging
class Rubric:
    logger = logging.getLogger("verifiers.rubrics.rubric.Rubric")
    async def score_rollout(self, state):
        state["reward"], state["metrics"] = REWARD, {"right": 1.0, "turns": float(state["turn"])}
        if state["reward"] == 0: self.logger.error("Error calling reward function right: no answer")
class Old:
    async def score_rollout(self, prompt, completion, answer, state, score_sem):
        async with score_sem:
            return {"reward": float(completion[-1]["content"] == answer), "metrics": {}}
class Environment:
    rubric = Rubric()
def load_environment(): return Environment()
rubric, old, number = Rubric(), Old(), 5
`
	runRewards(t, "verifiers", []rewardCase{
		{why: "what a function names", want: 1, source: `
async def correct(completion, answer, prompt, state, info, task) -> float:
    assert prompt[0]["role"] == "user" and info["weight"] == 2 and task == "geo"
    assert state["completion"] is completion and state["turn"] == 2
    return 1.0 if completion[-1]["content"] == answer else 0.0
`},
		{why: "a parser where the source has none", want: 1, source: "def f(parser, completion, answer, **kwargs): return float(parser.parse_answer(completion) == answer)"},
		{why: "the source's own parser", want: 7, more: map[string]any{"function": "f"}, source: `
class P:
    def parse_answer(self, completion): return 7
parser = P()
def f(parser, completion): return parser.parse_answer(completion)
`},
		{why: "a field of the row", want: 1, source: "def f(completion, solution): return float(solution == 'Paris')"},
		{why: "info as JSON text", want: 3, row: `{"messages":[],"info":"{\"a\": 3}"}`, source: "def f(info): return info['a']"},
		{why: "functions by weight", want: 1.2, parts: map[string]float64{"a": 1, "b": 1}, source: "def a(state): return 1\ndef b(state): return True", more: map[string]any{"functions": []string{"a", "b"}, "weights": []float64{1, 0.2}}},
		{why: "an exception is not the 0 that verifiers takes it for", kind: sampler.KindRuntime, says: "KeyError: 'gold' (line 1", source: "def f(info): return info['gold']"},
		{why: "None", kind: sampler.KindNotANumber, says: "f gave None", source: "def f(state): pass"},
		{why: "a Rubric", want: 1, parts: map[string]float64{"right": 1, "turns": 2}, source: "REWARD = 1.0\n" + rubric, more: map[string]any{"rubric": "rubric"}},
		{why: "an environment's Rubric", want: 1, parts: map[string]float64{"right": 1, "turns": 2}, source: "REWARD = 1.0\n" + rubric, more: map[string]any{"rubric": "load_environment"}},
		{why: "a Rubric that is called by name", want: 1, source: rubric, more: map[string]any{"rubric": "old"}},
		{why: "a 0 that a Rubric gives for an exception", kind: sampler.KindReported, says: "Error calling reward function right: no answer", source: "REWARD = 0\n" + rubric, more: map[string]any{"rubric": "rubric"}},
		{why: "a Task", want: 1, parts: map[string]float64{"correct": 1, "called": 1, "turns": 2}, row: `{"messages":[{"role":"user","content":"The capital?"}],"task":{"answer":"Paris"}}`, source: taskSource, more: map[string]any{"task": "Right"}},
		{why: "a Rubric without a reward", kind: sampler.KindNotANumber, says: "the rubric gave None", source: "REWARD = None\n" + rubric, more: map[string]any{"rubric": "rubric"}},
	})
}

func TestEvalProtocol(t *testing.T) {
	runRewards(t, "eval_protocol", []rewardCase{
		{why: "a row that is given back", want: 1, parts: map[string]float64{"style": 0.5}, source: `
def test_capital(row):
    assert row.messages[0].content == "The capital?" and row.input_metadata.dataset_info["solution"] == "Paris"
    score = float(row.last_assistant_message().content == row.ground_truth)
    row.evaluation_result = {"score": score, "metrics": {"style": {"score": 0.5}, "odd": {"score": 1, "is_score_valid": False}}}
    return row
`},
		{why: "a decorated test, as its package leaves it", want: 0.5, more: map[string]any{"function": "test_x", "arguments": map[string]any{"threshold": 0.5}}, source: `
def original(rows, threshold):
    rows[0].evaluation_result = {"score": threshold}
    return rows
async def test_x(*args, **kwargs): raise RuntimeError("run by pytest")
test_x._origin_func, test_x._metainfo = original, {"mode": "all"}
`},
		{why: "a number alone", want: 0.5, source: "async def f(row): return 0.5"},
		{why: "a score that is called invalid", kind: sampler.KindReported, says: "f calls its score invalid: no verdict", source: "def f(row): return {'score': 0.0, 'is_score_valid': False, 'reason': 'no verdict'}"},
		{why: "an error beside a score", kind: sampler.KindReported, says: "judge is down", source: "def f(row): return {'score': 0.0, 'error': 'judge is down'}"},
		{why: "a row without a result", kind: sampler.KindMalformed, says: "f gave the row no evaluation_result", source: "def f(row): return row"},
		{why: "an exception", kind: sampler.KindRuntime, says: "AssertionError", source: "def f(row): assert False"},
	})
}

// A reward that depends on the other completions of its batch is not a reward of one
// completion: graded alone it would be another one than in training.
func TestTRLRefusesRewardsOverABatch(t *testing.T) {
	env := grader.Env{Python: interpreters(t)}
	const texts = "    texts = [c[-1]['content'] for c in completions]\n"
	for _, c := range []struct {
		why, source string
		refusedAt   int // the grading; 0 is never
	}{
		{"how often a text is there", "def f(completions, **kwargs):\n" + texts + "    return [1.0 / texts.count(t) for t in texts]", 1},
		{"the length less its mean", "def f(completions, **kwargs):\n" + texts + "    return [len(t) - sum(map(len, texts)) / len(texts) for t in texts]", 2},
		{"the longest of all", "def f(completions, **kwargs):\n" + texts + "    return [float(len(t) == max(map(len, texts))) for t in texts]", 3},
		{"its own text alone", "def f(completions, **kwargs):\n" + texts + "    return [float(len(t)) for t in texts]", 0},
		{"chance", "import random\ndef f(completions, **kwargs): return [random.random() for c in completions]", 0},
		{"one completion at a time, or an error", "def f(completions, **kwargs):\n    assert len(completions) == 1\n    return [1.0]", 0},
	} {
		t.Run(c.why, func(t *testing.T) {
			g := open(t, rewardGrader("trl", c.source, nil), env)
			for i, text := range []string{"Rome", "Paris, France", "Bonn"} {
				_, err := g.Grade(t.Context(), asked(capital, text))
				refused := kindOf(err) == sampler.KindBatch && strings.Contains(err.Error(), "f gives a completion")
				if want := i+1 == c.refusedAt; refused != want || err != nil && !refused {
					t.Fatalf("grading %d: %v, want it refused: %v", i+1, err, want)
				}
				if refused {
					return
				}
			}
		})
	}
}

func BenchmarkTRL(b *testing.B) {
	env := grader.Env{Python: manyInterpreters(b)}
	g, err := grader.New(grader.Kinds(), json.RawMessage(rewardGrader("trl", "def f(completions, solution, **kwargs):\n    return [float(s in c[-1]['content']) for c, s in zip(completions, solution)]\n", nil)), env)
	if err != nil {
		b.Fatal(err)
	}
	grade(b, g)
}

func BenchmarkCommand(b *testing.B) {
	for _, c := range []struct{ name, raw string }{
		{"process", commandGrader("echo 1", nil)},
		{"lines", commandGrader(`while read -r x; do id=${x#*\"id\":\"}; echo "{\"id\":\"${id%%\"*}\",\"score\":1}"; done`, map[string]any{"lines": true})},
	} {
		b.Run(c.name, func(b *testing.B) {
			g, err := grader.New(grader.Kinds(), json.RawMessage(c.raw), grader.Env{})
			if err != nil {
				b.Fatal(err)
			}
			defer g.(*grader.Command).Close()
			grade(b, g)
		})
	}
}

// grade has eight at once graded, again and again.
func grade(b *testing.B, g sampler.Grader) {
	b.Helper()
	out := asked(capital, "Paris")
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := g.Grade(b.Context(), out); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "grades/s")
}

// The event and the result are those of Amazon Bedrock's User Guide, "Setting up reward functions for
// Amazon Nova models" and "for open-weight models".
func TestLambda(t *testing.T) {
	runRewards(t, "lambda", []rewardCase{
		{why: "the event of Bedrock", want: 0.9, parts: map[string]float64{"accuracy": 1, "format": 0.5}, source: `
def lambda_handler(event, context):
    return lambda_grader(event)

def lambda_grader(samples):
    out = []
    for s in samples:
        assert s["messages"][0] == {"role": "user", "content": "The capital?"}, s
        assert s["messages"][-1] == {"role": "assistant", "content": "Paris"}, s
        assert s["info"] == {"weight": 2} and "prompt" not in s
        out.append({"id": s["id"], "aggregate_reward_score": 0.9, "metrics_list": [
            {"name": "accuracy", "value": float(s["messages"][-1]["content"] == s["solution"]), "type": "Metric"},
            {"name": "format", "value": 0.5, "type": "Reward"}]})
    return out
`},
		{why: "a handler of another name, and a row with an id", want: 1, more: map[string]any{"handler": "handle", "lambda_arn": "arn:aws:lambda:us-east-1:123456789012:function:grade"}, row: `{"id":7,"prompt":"The capital?","messages":[]}`, source: `
def handle(event, context):
    assert event[0]["messages"][0]["content"] == "The capital?", event
    assert context.get_remaining_time_in_millis() > 0
    return [{"id": event[0]["id"], "aggregate_reward_score": 1 if event[0]["id"] == "7" else 0}]
`},
		{why: "no score", kind: "not_a_number", says: "returned no aggregate_reward_score; there are id, reward", source: `
def lambda_handler(event, context): return [{"id": event[0]["id"], "reward": 1}]
`},
		{why: "no result", kind: "not_a_number", says: "must return a list with one object for each sample", source: `
def lambda_handler(event, context): return []
`},
		{why: "the result of another sample", kind: "not_a_number", says: "and was given", source: `
def lambda_handler(event, context): return [{"id": "other", "aggregate_reward_score": 1}]
`},
		{why: "an error next to a score", kind: "reported_error", says: "the result reports an error: judge down", source: `
def lambda_handler(event, context): return [{"id": event[0]["id"], "aggregate_reward_score": 0, "errorMessage": None, "Error": "judge down"}]
`},
		{why: "NaN", kind: "not_a_number", says: "not a finite float", source: `
def lambda_handler(event, context): return [{"id": event[0]["id"], "aggregate_reward_score": float("nan")}]
`},
	})
	for raw, want := range map[string]string{
		`{"type":"lambda","lambda_arn":"arn:aws:lambda:us-east-1:123456789012:function:grade"}`: "name the Python file of its handler by file",
		`{"type":"lambda"}`:                "file is missing",
		`{"type":"lambda","functions":[]}`: `unknown key "functions"`,
	} {
		if _, err := grader.New(grader.Kinds(), json.RawMessage(raw), grader.Env{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want %q", raw, err, want)
		}
	}
}
