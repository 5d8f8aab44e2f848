package sampler_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gonogo/sampler"
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

func TestARecordFromElsewhereHasATrace(t *testing.T) {
	r := rollout.Record{Item: "a", Split: rollout.Eval, Sample: 3}
	if got := sampler.OutputOf(nil, &r).TraceID; got != sampler.TraceID(0, rollout.Eval, "a", 3, 0) {
		t.Errorf("trace id %q", got)
	}
}
