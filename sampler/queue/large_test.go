package queue_test

import (
	"context"
	"strings"
	"testing"

	"gonogo/sampler"
	"gonogo/sampler/queue"
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
	text := strings.Repeat("text ", rollout.MaxLine/5+1)
	s.w.says = func(m sampler.Model) sampler.Model { return talker{m, "q3", text} }
	k := new(sink)
	stats := check(s.sample(t.Context(), nil, makeJobs(10), k))(t)
	if stats.Recorded != 10 || stats.Outcomes[rollout.Graded] != 9 || s.twice > 0 {
		t.Errorf("%d recorded, outcomes %v, %d paid twice", stats.Recorded, stats.Outcomes, s.twice)
	}
	for _, r := range k.list() {
		if large := r.Kind == sampler.KindTooLarge; large != (r.Item == "q3") || large && (r.Outcome != rollout.ToolFailed || !strings.Contains(r.Error, "64.1 MB are more than the 64 MB") || r.Usage.Output == nil) {
			t.Errorf("%s is %s, %s: %s", r.Item, r.Outcome, r.Kind, r.Error)
		}
	}
}

// An item that no message can hold is found before anything is paid for it.
func TestAnItemThatIsTooLargeDoesNotTravel(t *testing.T) {
	t.Parallel()
	item := func(row, shown int) *rollout.Item {
		return &rollout.Item{
			ID: "q", Split: rollout.Train, Row: []byte(`{"messages":[],"more":"` + strings.Repeat("x", row) + `"}`),
			Messages: []rollout.Message{{Role: "user", Content: strings.Repeat("x", shown)}},
		}
	}
	for name, c := range map[string]struct {
		item *rollout.Item
		want string
	}{
		"a usual one":                        {item(100, 100), ""},
		"a large one":                        {item(5<<20, 5<<20), ""},
		"one whose row nothing has room for": {item(rollout.MaxLine, 100), "64.1 MB are more than the 64 MB that can travel"},
		"one that a variant makes too large": {item(5<<20, 61<<20), "66.1 MB are more than the 64 MB that can travel"},
	} {
		err := queue.Travels(c.item)
		if c.want == "" && err != nil {
			t.Errorf("%s: %v", name, err)
		} else if c.want != "" {
			says(t, err, c.want)
		}
	}
}
