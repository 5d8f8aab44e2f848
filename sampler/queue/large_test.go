package queue_test

import (
	"context"
	"strings"
	"testing"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// talker says more about one item than can be kept.
type talker struct {
	sampler.Model
	item, text string
}

func (m talker) Reply(ctx context.Context, r sampler.Request) (sampler.Reply, error) {
	reply, err := m.Model.Reply(ctx, r)
	if r.Item.ID == m.item {
		reply.Reasoning = m.text
	}
	return reply, err
}

func TestARecordThatIsTooLargeToTravelIsMissingDataAndTheRunGoesOn(t *testing.T) {
	t.Parallel()
	s := external(t, 2)
	s.room = 1 << 20
	text := strings.Repeat("text ", s.room/5+1)
	s.w.says = func(m sampler.Model) sampler.Model { return talker{m, "q3", text} }
	k := new(sink)
	stats := check(s.sample(t.Context(), nil, makeJobs(10), k))(t)
	if stats.Recorded != 10 || stats.Outcomes[rollout.Graded] != 9 || s.twice > 0 {
		t.Errorf("%d recorded, outcomes %v, %d paid twice", stats.Recorded, stats.Outcomes, s.twice)
	}
	for _, r := range k.list() {
		if large := r.Kind == sampler.KindTooLarge; large != (r.Item == "q3") || large && (r.Outcome != rollout.ToolFailed || !strings.Contains(r.Error, "1.1 MB are more than the 1 MB") || r.Usage.Output == nil) {
			t.Errorf("%s is %s, %s: %s", r.Item, r.Outcome, r.Kind, r.Error)
		}
	}
}
