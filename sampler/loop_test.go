package sampler_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/rollout"
)

func TestOutcomes(t *testing.T) {
	const missing = -1
	for _, c := range []struct {
		why    string
		setup  func(*world)
		want   rollout.Outcome
		reward float64 // missing when there is none
		err    string  // part of the record's error
		finish rollout.Finish
	}{
		{"a graded answer", func(w *world) { w.model = script(wants("search"), says("42")) }, rollout.Graded, 1, "", rollout.FinishStop},
		{"a grader may answer with reward", func(w *world) { w.grade = func(gradeRequest) reply { return reply{body: `{"reward":0.25}`} } }, rollout.Graded, 0.25, "", rollout.FinishStop},
		{"a grade outside of every range is kept for the analysis", func(w *world) { w.grade = func(gradeRequest) reply { return reply{body: `{"score":7}`} } }, rollout.Graded, 7, "", rollout.FinishStop},
		{"a refusal", func(w *world) {
			w.model = script(reply{body: `{"status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"I won't"}]}]}`})
		}, rollout.NoAnswer, missing, "refused: I won't", rollout.FinishRefusal},
		{"an empty message", func(w *world) { w.model = script(says("  \n")) }, rollout.NoAnswer, missing, "empty", rollout.FinishEmpty},
		{"cut off at the token limit", func(w *world) {
			w.model = script(reply{body: `{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"message","content":[{"type":"output_text","text":"4"}]}]}`})
		}, rollout.NoAnswer, missing, "cut off: max_output_tokens", rollout.FinishLength},
		{"reasoning alone does not loop for ever", func(w *world) {
			w.model = script(reply{body: `{"status":"completed","output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]}]}`})
		}, rollout.NoAnswer, missing, "neither a message nor a tool call", rollout.FinishEmpty},
		{"the rollout outgrew the model's context", func(w *world) {
			w.model = script(wants("search"), reply{status: 400, body: `{"error":{"code":"context_length_exceeded","message":"too long"}}`})
		}, rollout.NoAnswer, missing, "context_length_exceeded", rollout.FinishLength},
		{"max_steps with nothing said", func(w *world) { w.cfg.MaxSteps = 4; w.model = script(wants("search")) }, rollout.StepLimit, missing, "max_steps of 4", rollout.FinishStop},
		{"max_steps with something said is graded", func(w *world) { w.cfg.MaxSteps = 4; w.model = script(turn("perhaps 41", "search")) }, rollout.StepLimit, 1, "max_steps of 4", rollout.FinishStop},
		{"max_tool_calls", func(w *world) { w.cfg.MaxToolCalls = 2; w.model = script(wants("search")) }, rollout.StepLimit, missing, "max_tool_calls of 2", rollout.FinishStop},
		{"a model that fails for good", func(w *world) { w.model = script(fails(500)) }, rollout.ModelAPI, missing, "status 500: broken", ""},
		{"a response that the server broke off", func(w *world) {
			w.model = script(reply{body: `{"status":"incomplete","incomplete_details":{"reason":"aborted"},"output":[{"type":"message","content":[{"type":"output_text","text":"4"}]}]}`})
		}, rollout.ModelAPI, missing, "the server broke it off", ""},
		{"a model that hangs up", func(w *world) { w.model = script(reply{hangUp: true}) }, rollout.ModelAPI, missing, "EOF", ""},
		{"an error in an answer of status 200", func(w *world) { w.model = script(reply{body: `{"error":{"message":"upstream"}}`}) }, rollout.ModelAPI, missing, "upstream", ""},
		{"a bad request is not repeated and is the model endpoint's", func(w *world) { w.model = script(fails(400)) }, rollout.ModelAPI, missing, "status 400", ""},
		{"a tool that fails for good", func(w *world) {
			w.model = script(wants("search"), says("42"))
			w.tool = func(toolRequest) reply { return fails(503) }
		}, rollout.ToolFailed, missing, "call search", ""},
		{"a tool that hangs up", func(w *world) {
			w.model = script(wants("search"), says("42"))
			w.tool = func(toolRequest) reply { return reply{hangUp: true} }
		}, rollout.ToolFailed, missing, "EOF", ""},
		{"a tool whose answer is not JSON", func(w *world) {
			w.model = script(wants("search"), says("42"))
			w.tool = func(toolRequest) reply { return reply{body: "<html>"} }
		}, rollout.ToolFailed, missing, "is not a JSON object", ""},
		{"a tool that refuses is shown to the model", func(w *world) {
			w.model = script(wants("search"), says("42"))
			w.tool = func(toolRequest) reply { return fails(400) }
		}, rollout.Graded, 1, "", rollout.FinishStop},
		{"a grader that fails for good", func(w *world) { w.grade = func(gradeRequest) reply { return fails(500) } }, rollout.GraderFailed, missing, "status 500", rollout.FinishStop},
		{"a grade that is not a number is not a zero", func(w *world) { w.grade = func(gradeRequest) reply { return reply{body: `{"score":NaN}`} } }, rollout.GraderFailed, missing, "NaN", rollout.FinishStop},
		{"a null grade is not a zero", func(w *world) { w.grade = func(gradeRequest) reply { return reply{body: `{"score":null}`} } }, rollout.GraderFailed, missing, "no \"score\"", rollout.FinishStop},
		{"grading fails after the step limit", func(w *world) {
			w.cfg.MaxSteps = 2
			w.model = script(turn("41", "search"))
			w.grade = func(gradeRequest) reply { return fails(500) }
		}, rollout.GraderFailed, missing, "max_steps of 2 reached; then grading failed", rollout.FinishStop},
		{"the rollout's own timeout is the fault of what it waits for", func(w *world) {
			w.cfg.RolloutTimeout = time.Minute
			w.model = script(wants("search"), says("42"))
			w.tool = func(toolRequest) reply { return reply{wait: time.Hour, body: `{"output":""}`} }
		}, rollout.ToolFailed, missing, "did not end within 1m0s", ""},
	} {
		t.Run(c.why, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				c.setup(w)
				r, err := w.rollout()
				w.check(err)
				if r.Finish != c.finish {
					t.Errorf("the last reply ended with %q, want %q", r.Finish, c.finish)
				}
				if r.Outcome != c.want || !strings.Contains(r.Error, c.err) || c.err == "" && r.Error != "" {
					t.Errorf("outcome %s, error %q; want %s, %q", r.Outcome, r.Error, c.want, c.err)
				}
				switch {
				case c.reward == missing && r.Reward != nil:
					t.Errorf("reward %v, want none", *r.Reward)
				case c.reward != missing && (r.Reward == nil || *r.Reward != c.reward):
					t.Errorf("reward %v, want %v", r.Reward, c.reward)
				}
				if ids := w.traceIDs(); !slices.Equal(ids, []string{r.TraceID}) {
					t.Errorf("trace ids %v were seen, want %s alone", ids, r.TraceID)
				}
			})
		})
	}
}

func TestRecordHoldsTheWholeRollout(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.model = script(turn("Let me look.", `search {"q":"a"}`, `cat {"q":"b"}`), says("42"))
		w.tool = func(r toolRequest) reply {
			if string(r.Item) != `{"messages":[{"role":"user","content":"q0"}],"answer":  "42"}` {
				t.Errorf("the item was not handed over verbatim: %s", r.Item)
			}
			a := gives("out " + r.Name)
			if r.Name == "search" { // the first call ends last: outputs stay in call order
				a.wait = time.Second
			}
			return a
		}
		begin := time.Now()
		r, err := w.rollout()
		w.check(err)
		one := 1.0
		n := func(n int64) *int64 { return &n }
		id := "trace_"
		if !strings.HasPrefix(r.TraceID, id) {
			t.Errorf("trace id %q", r.TraceID)
		}
		want := &rollout.Record{
			Item: "q0", Split: rollout.Train, Source: rollout.Live, Outcome: rollout.Graded, Reward: &one, Category: "c", Family: "f",
			Finish: rollout.FinishStop, Answer: "42", Turns: 2, TraceID: r.TraceID, Started: begin, Elapsed: rollout.Seconds(time.Second),
			Usage: rollout.Usage{Input: n(20), Output: n(10), Reasoning: n(4), Cached: n(2)},
			Messages: []rollout.Message{
				{Role: "assistant", Content: "Let me look.", ToolCalls: []rollout.ToolCall{{ID: "c0", Name: "search", Arguments: `{"q":"a"}`}, {ID: "c1", Name: "cat", Arguments: `{"q":"b"}`}}},
				{Role: "tool", ToolCallID: "c0", Name: "search", Content: "out search"},
				{Role: "tool", ToolCallID: "c1", Name: "cat", Content: "out cat"},
				{Role: "assistant", Content: "42"},
			},
			Calls: []rollout.Call{
				{ID: "c0", Name: "search", Arguments: `{"q":"a"}`, Output: "out search", OutputBytes: 10, Status: rollout.CallOK, HTTPStatus: 200, Elapsed: rollout.Seconds(time.Second)},
				{ID: "c1", Name: "cat", Arguments: `{"q":"b"}`, Output: "out cat", OutputBytes: 7, Status: rollout.CallOK, HTTPStatus: 200},
			},
		}
		if d := cmp.Diff(want, r); d != "" {
			t.Errorf("record (-want +got):\n%s", d)
		}
	})
}

func TestTheModelIsShownItsMistakes(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.model = script(wants("serch {}", "search [1]", "search {broken", "search ", `search {"q":1}`), says("42"))
		var got []string
		inner := w.model
		w.model = func(r modelRequest) reply {
			got = r.Outputs
			return inner(r)
		}
		var sent []string
		w.tool = func(r toolRequest) reply {
			w.mu.Lock()
			defer w.mu.Unlock()
			sent = append(sent, r.Arguments)
			return gives("fine")
		}
		r, err := w.rollout()
		w.check(err)
		want := []string{
			`Error: there is no tool "serch"; the tools are: cat, search`,
			`Error: the arguments of "search" are not a JSON object`, `Error: the arguments of "search" are not a JSON object`,
			"fine", "fine",
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("what the model was shown (-want +got):\n%s", d)
		}
		var status []rollout.CallStatus
		for _, c := range r.Calls {
			status = append(status, c.Status)
		}
		if d := cmp.Diff([]rollout.CallStatus{rollout.CallMalformed, rollout.CallMalformed, rollout.CallMalformed, rollout.CallOK, rollout.CallOK}, status); d != "" {
			t.Errorf("status (-want +got):\n%s", d)
		}
		slices.Sort(sent)
		if d := cmp.Diff([]string{`{"q":1}`, `{}`}, sent); d != "" {
			t.Errorf("the well-formed calls that reached the tool (-want +got):\n%s", d)
		}
		if r.Outcome != rollout.Graded {
			t.Errorf("outcome %s: mistakes must not end a rollout", r.Outcome)
		}
	})
}

func TestAFailedCallDoesNotStopTheOthers(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.model = script(wants("search", "cat"), says("42"))
		w.tool = func(r toolRequest) reply {
			if r.Name == "search" {
				return fails(500)
			}
			a := gives("fine")
			a.wait = time.Minute
			return a
		}
		r, err := w.rollout()
		w.check(err)
		if r.Outcome != rollout.ToolFailed || len(r.Calls) != 2 {
			t.Fatalf("outcome %s with %d calls, want tool with 2", r.Outcome, len(r.Calls))
		}
		if c := r.Calls[0]; c.Status != rollout.CallFailed || c.Retries != 3 || c.HTTPStatus != 500 || r.Retries != 3 {
			t.Errorf("the failed call: %+v; the record counts %d retries", c, r.Retries)
		}
		if c := r.Calls[1]; c.Status != rollout.CallOK || c.Output != "fine" {
			t.Errorf("the other call: %+v", c)
		}
	})
}

func TestCallsOfOneTurnRunAtMostEightAtOnce(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		calls := make([]string, 20)
		for i := range calls {
			calls[i] = "search"
		}
		// A call before opens the tool's endpoint, which lets the very first
		// request in alone.
		w.model = script(wants("search"), wants(calls...), says("42"))
		w.tool = func(toolRequest) reply { a := gives("x"); a.wait = time.Second; return a }
		r, err := w.rollout()
		w.check(err)
		if w.busiest() != 8 || len(r.Calls) != 21 {
			t.Errorf("%d calls ran at once and %d were recorded, want 8 and 21", w.busiest(), len(r.Calls))
		}
		if got, want := time.Duration(r.Elapsed), 4*time.Second; got != want {
			t.Errorf("the rollout took %v, want %v: one call, then 20 by 8 at a time", got, want)
		}
	})
}

func TestLimitsAreExact(t *testing.T) {
	for _, c := range []struct {
		why             string
		steps, maxCalls int
		model           func(modelRequest) reply
		turns, calls    int
		outcome         rollout.Outcome
	}{
		{"an answer on the last step counts", 3, 0, script(wants("search"), says("42")), 2, 1, rollout.Graded},
		{"the step after is not made", 2, 0, script(wants("search"), says("42")), 1, 1, rollout.StepLimit},
		{"calls that would pass the limit are not made", 3, 0, script(wants("search", "search", "search")), 1, 0, rollout.StepLimit},
		{"an answer after the last allowed call counts", 0, 1, script(wants("search"), says("42")), 2, 1, rollout.Graded},
		{"a turn that would pass max_tool_calls makes none of its calls", 0, 2, script(wants("search"), wants("search", "search")), 2, 1, rollout.StepLimit},
	} {
		t.Run(c.why, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.cfg.MaxSteps, w.cfg.MaxToolCalls, w.model = c.steps, c.maxCalls, c.model
				r, err := w.rollout()
				w.check(err)
				if r.Turns != c.turns || len(r.Calls) != c.calls || r.Outcome != c.outcome || w.count("tool") != c.calls {
					t.Errorf("%d turns, %d calls (%d arrived), outcome %s; want %d, %d, %s", r.Turns, len(r.Calls), w.count("tool"), r.Outcome, c.turns, c.calls, c.outcome)
				}
			})
		})
	}
}

func TestUsageThatOneTurnDoesNotTellIsUnknown(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		silent := says("42")
		silent.body = strings.Replace(silent.body, ","+usage, `,"usage":null`, 1)
		w.model = script(wants("search"), silent)
		r, err := w.rollout()
		w.check(err)
		if r.Usage != (rollout.Usage{}) {
			b, _ := json.Marshal(r.Usage)
			t.Errorf("usage %s, want unknown", b)
		}
	})
}

func TestJudgeUsage(t *testing.T) {
	judge := func(result, usage string) reply {
		return reply{body: `{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"{\"result\":` + result + `}"}]}]` + usage + `}`}
	}
	const counts = `,"usage":{"input_tokens":100,"output_tokens":20}`
	told := judge("1", counts)
	hundred, twenty := int64(100), int64(20)
	known := rollout.Usage{Input: &hundred, Output: &twenty}
	lost := told
	lost.wait = time.Hour
	for _, c := range []struct {
		why     string
		replies []reply
		calls   int
		want    rollout.Usage
		outcome rollout.Outcome
	}{
		{"a judge that tells", []reply{told}, 1, known, rollout.Graded},
		{"a judge that does not tell used tokens all the same", []reply{judge("1", "")}, 1, rollout.Usage{}, rollout.Graded},
		{"a refusal of the server used none", []reply{fails(429), fails(503), told}, 1, known, rollout.Graded},
		{"an answer that was lost used some", []reply{lost, told}, 2, rollout.Usage{}, rollout.Graded},
		{"a connection that broke may have used some", []reply{{hangUp: true}, told}, 2, rollout.Usage{}, rollout.Graded},
		{"an answer that is none may have used some", []reply{{body: `{"error":"upstream"}`}, told}, 2, rollout.Usage{}, rollout.Graded},
		{"an answer without a number used tokens", []reply{judge("null", counts)}, 1, known, rollout.GraderFailed},
		{"answers that were all lost", []reply{lost}, 4, rollout.Usage{}, rollout.GraderFailed},
	} {
		t.Run(c.why, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.judge = func(n int) reply { return c.replies[min(n, len(c.replies)-1)] }
				sink := &list{}
				stats, err := w.sample(t.Context(), nil, 1, 1, sink)
				w.check(err)
				r := sink.records[0]
				unknown := 0
				if c.want == (rollout.Usage{}) {
					unknown = 1
				}
				if r.Outcome != c.outcome || r.JudgeCalls != c.calls || stats.TokensUnknown != unknown {
					t.Errorf("outcome %s after %d judge calls, tokens of %d rollouts unknown; want %s, %d, %d (%s)", r.Outcome, r.JudgeCalls, stats.TokensUnknown, c.outcome, c.calls, unknown, r.Error)
				}
				if d := cmp.Diff(c.want, r.Judge); d != "" {
					t.Errorf("judge usage (-want +got):\n%s", d)
				}
			})
		})
	}
	inWorld(t, func(t *testing.T, w *world) {
		sink := &list{}
		stats, err := w.sample(t.Context(), nil, 1, 1, sink)
		w.check(err)
		if r := sink.records[0]; r.JudgeCalls != 0 || stats.TokensUnknown != 0 || stats.Tokens != 15 {
			t.Errorf("%d judge calls, %d tokens: a grader that is no model uses none", r.JudgeCalls, stats.Tokens)
		}
	})
}

func TestMessageBeforeACallIsNotFinal(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		last := `{"type":"message","content":[{"type":"output_text","text":"42"}]}`
		call := `{"type":"function_call","call_id":"x","name":"search","arguments":"{}"}`
		w.model = script(turn("first", "search"), reply{body: `{"status":"completed","output":[` + call + `,` + last + `]}`})
		r, err := w.rollout()
		w.check(err)
		if r.Answer != "42" || len(r.Calls) != 1 {
			t.Errorf("answer %q after %d calls; want 42 after 1: a message that no call follows is final, and calls beside it are not made", r.Answer, len(r.Calls))
		}
	})
}
