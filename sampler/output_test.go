package sampler_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/rollout"
)

// witness hands outputs on to a grader and keeps what it saw.
type witness struct {
	sampler.Grader
	saw []sampler.Output
}

func (w *witness) Grade(ctx context.Context, out sampler.Output) (sampler.Grade, error) {
	w.saw = append(w.saw, out)
	return w.Grader.Grade(ctx, out)
}

// What is graded again must be what was graded at first.
func TestARecordHoldsWhatItsGraderWasShown(t *testing.T) {
	thinking := func(summary, then string) reply {
		return reply{body: `{"status":"completed","output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"` + summary + `"}]},` + then + `],` + usage + `}`}
	}
	call := `{"type":"function_call","call_id":"c0","name":"search","arguments":"{}"}`
	text := `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"perhaps <41> & é"}]}`
	for _, c := range []struct {
		why       string
		setup     func(*world)
		finish    string
		reasoning string
		outcome   rollout.Outcome
	}{
		{"an answer", func(w *world) { w.model = script(thinking("one", call), thinking("two", text)) }, "stop", "two", rollout.Graded},
		{"an answer without reasoning after a turn with some", func(w *world) { w.model = script(thinking("one", call), says("42")) }, "stop", "", rollout.Graded},
		{"a limit reached after tools ran", func(w *world) { w.cfg.MaxSteps = 2; w.model = script(thinking("one", text+","+call)) }, "tool_calls", "one", rollout.StepLimit},
		{"a limit that the next calls would pass", func(w *world) { w.cfg.MaxToolCalls = 1; w.model = script(thinking("one", text+","+call)) }, "tool_calls", "one", rollout.StepLimit},
		{"a grader that failed", func(w *world) { w.grade = func(gradeRequest) reply { return fails(400) } }, "stop", "", rollout.GraderFailed},
		{"a grader that failed after a limit", func(w *world) {
			w.cfg.MaxSteps = 2
			w.model = script(thinking("one", text+","+call))
			w.grade = func(gradeRequest) reply { return fails(400) }
		}, "tool_calls", "one", rollout.GraderFailed},
	} {
		t.Run(c.why, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				c.setup(w)
				items := makeItems(1)
				b := w.serve()
				saw := &witness{Grader: b.Grader}
				b.Grader = saw
				made, err := sampler.Rehearse(t.Context(), w.cfg, 1, sampler.Rollout{Item: &items[0]}, b)
				w.check(err)
				line, err := json.Marshal(made)
				w.check(err)
				var read rollout.Record
				w.check(json.Unmarshal(line, &read))
				if len(saw.saw) != 1 || made.Outcome != c.outcome {
					t.Fatalf("graded %d times, outcome %s (%s)", len(saw.saw), made.Outcome, made.Error)
				}
				was, again := saw.saw[0], sampler.OutputOf(&items[0], &read)
				if was.Again || again.Again != (read.Reward != nil) {
					t.Errorf("graded before: %v at first, then %v", was.Again, again.Again)
				}
				was.Again = again.Again
				if d := cmp.Diff(was, again, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(sampler.Output{}, "Caller", "Request")); d != "" {
					t.Errorf("output (-graded +read again):\n%s", d)
				}
				if was.FinishReason != c.finish || was.Reasoning != c.reasoning || was.Text == "" {
					t.Errorf("finish reason %q, reasoning %q, text %q", was.FinishReason, was.Reasoning, was.Text)
				}
			})
		})
	}
}

// What an agent reports about its reward outlives the process, until a grader has seen it.
func TestAReportedRewardIsKeptUntilItIsGraded(t *testing.T) {
	failure := &sampler.GradeError{Kind: sampler.KindNotANumber, Err: errors.New("the environment gave nan")}
	for _, c := range []struct {
		why     string
		done    sampler.AgentResult
		outcome rollout.Outcome
		reward  float64
		kind    string
	}{
		{"a reward with parts", sampler.AgentResult{Output: "42", Rewards: []float64{0.5}, Parts: map[string]float64{"style": 0.5, "length": 0}}, rollout.Graded, 0.5, ""},
		{"a reward without an answer", sampler.AgentResult{Rewards: []float64{0.25}}, rollout.Graded, 0.25, ""},
		{"a reward at a limit", sampler.AgentResult{Limit: "max_turns", Rewards: []float64{1}}, rollout.StepLimit, 1, ""},
		{"a reward that could not be computed", sampler.AgentResult{NoReward: failure}, rollout.GraderFailed, 0, failure.Kind},
		{"no reward and no answer", sampler.AgentResult{}, rollout.NoAnswer, 0, ""},
	} {
		t.Run(c.why, func(t *testing.T) {
			cfg, it := sampler.DefaultConfig(), &rollout.Item{ID: "a", Split: rollout.Train}
			a := &toldAgent{done: c.done, heard: sampler.ModelTraffic{Turns: 1, Finish: rollout.FinishStop}}
			rec, err := sampler.Rehearse(t.Context(), cfg, 1, sampler.Rollout{Item: it},
				sampler.Boundaries{Agent: a, ModelProxy: a, Grader: grader.AgentReward{}})
			if err != nil {
				t.Fatal(err)
			}
			graded := c.outcome == rollout.Graded || c.outcome == rollout.StepLimit
			if rec.Outcome != c.outcome || rec.Kind != c.kind || (rec.Reward != nil) != graded || graded && *rec.Reward != c.reward {
				t.Errorf("outcome %s, kind %q, reward %v; want %s, %q, %v", rec.Outcome, rec.Kind, rec.Reward, c.outcome, c.kind, c.reward)
			}
			for _, kind := range []string{rollout.KindUngraded, sampler.KindRange, sampler.KindReported} {
				held := *rec
				held.Outcome, held.Kind, held.Reward = rollout.GraderFailed, kind, nil
				line, err := json.Marshal(held)
				if err != nil {
					t.Fatal(err)
				}
				var read rollout.Record
				if err := json.Unmarshal(line, &read); err != nil {
					t.Fatal(err)
				}
				out := sampler.OutputOf(it, &read)
				want := sampler.Output{
					Rewards: c.done.Rewards, Parts: c.done.Parts, NoReward: c.done.NoReward,
					Again: c.done.NoReward != nil && kind != rollout.KindUngraded, // it failed before
				}
				got := sampler.Output{Rewards: out.Rewards, Parts: out.Parts, NoReward: out.NoReward, Again: out.Again}
				if d := cmp.Diff(want, got, cmp.Comparer(func(a, b *sampler.GradeError) bool { return fmt.Sprint(a) == fmt.Sprint(b) })); d != "" {
					t.Errorf("after %s the grader is shown (-reported +read):\n%s", kind, d)
				}
			}
		})
	}
}

func TestARecordFromElsewhereHasATrace(t *testing.T) {
	r := rollout.Record{Item: "a", Split: rollout.Eval, Sample: 3}
	if got := sampler.OutputOf(nil, &r).TraceID; got != sampler.TraceID(0, rollout.Eval, "a", 3, 0) {
		t.Errorf("trace id %q", got)
	}
}
