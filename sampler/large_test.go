package sampler_test

import (
	"strings"
	"testing"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// narrow is a sink with no room for what one item's rollouts say.
type narrow struct {
	list
	item string
}

func (n *narrow) Append(r *rollout.Record) error {
	if r.Item == n.item && r.Answer != "" {
		return &rollout.TooLargeError{Bytes: 70 << 20, Most: rollout.MaxLine}
	}
	return n.list.Append(r)
}

func TestARecordThatIsTooLargeIsMissingDataAndTheRunGoesOn(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		sink := &narrow{item: "q1"}
		stats, err := w.sample(t.Context(), nil, 5, 2, sink)
		w.check(err)
		if stats.Recorded != 10 || stats.Outcomes[rollout.Graded] != 8 || stats.Outcomes[rollout.ToolFailed] != 2 {
			t.Errorf("%d recorded, outcomes %v", stats.Recorded, stats.Outcomes)
		}
		for _, r := range sink.records {
			if r.Item != "q1" {
				continue
			}
			if r.Kind != sampler.KindTooLarge || !strings.Contains(r.Error, "70.0 MB are more than the 64 MB") || !strings.Contains(r.Error, "sampling.max_steps") {
				t.Errorf("%s: %s", r.Kind, r.Error)
			}
			if r.Reward != nil || len(r.Messages) > 0 || r.Usage.Output == nil || r.Turns == 0 || r.TraceID == "" {
				t.Errorf("reward %v, %d messages, %d turns, usage %+v, trace %q", r.Reward, len(r.Messages), r.Turns, r.Usage, r.TraceID)
			}
		}
	})
}
