package report

import (
	"bytes"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/report/reporttest"
	"gonogo/sampler/rollout"
)

// withBurst is a Result with a rehearsal in which one tool failed, told with
// markup.
func withBurst(t *testing.T) *analysis.Result {
	t.Helper()
	r := reporttest.Load(t, "go")
	known := func(x float64) stat.Estimate {
		return stat.Estimate{Value: &x, Low: stat.FiniteOrNil(x * 0.9), High: stat.FiniteOrNil(x * 1.1), N: 400, Items: 128}
	}
	size, low, high := 16, 8, 32
	r.Burst = &analysis.Burst{
		Rollouts: 128, BatchSize: &size, GroupSize: 8, Split: rollout.Train, Bursts: 1, Retries: 3, Lost: stat.Share(12, 128, 0.95), LostBy: map[string]int{"tool search": 12},
		FirstFailure: &analysis.FirstFailure{After: 1.25, Endpoint: "tool search", Kind: "status 503"},
		Endpoints: []analysis.BurstEndpoint{
			{
				BurstEndpoint: rollout.BurstEndpoint{Name: "tool search"}, Requests: 400, Failed: 60, Refused: 3, P50: known(0.2), P95: known(0.8), P99: known(0.9), Max: stat.FiniteOrNil(1.1),
				Errors:  []analysis.BurstError{{Kind: "status 503", Count: 60, Share: 0.15, Example: "<b>full</b>\x1b[31m"}},
				Load:    []analysis.LoadPoint{{Size: 1, Rollouts: 32, P95: known(0.2)}, {Size: 128, Rollouts: 128, Failed: 60, P95: known(0.8)}},
				Doubles: analysis.Doubling{At: stat.FiniteOrNil(19.5), Low: &low, High: &high, Base: stat.FiniteOrNil(0.2), Times: stat.FiniteOrNil(4)},
			},
			{BurstEndpoint: rollout.BurstEndpoint{Name: "grader"}, Requests: 116, P50: known(0.05), P95: known(0.06), P99: known(0.07), Load: []analysis.LoadPoint{{Size: 1, Rollouts: 32, P95: known(0.05)}}, Doubles: analysis.Doubling{Base: stat.FiniteOrNil(0.05), Times: stat.FiniteOrNil(1.1)}},
		},
		Wire:      analysis.BurstWire{Answers: 900, Departing: 400, By: map[string]int{rollout.NoCallID: 400}},
		Crosstalk: analysis.Crosstalk{Answers: 900}, Repeats: stat.Share(3, 60, 0.95), Notes: []message.Text{message.Verbatim("tool drop is not called")},
	}
	return r
}

// forReaders writes a page in each format that people read as text, white space
// and escapes left out.
func forReaders(t *testing.T, p *RunPage, look func(format, text, flat string)) {
	t.Helper()
	for _, format := range []string{"text", "markdown-full", "html"} {
		text := string(write(t, format, p))
		look(format, text, strings.Join(strings.Fields(strings.ReplaceAll(text, "\\", "")), " "))
	}
}

func TestABurstInEveryFormat(t *testing.T) {
	p := NewRunPage(withBurst(t), Options{Dir: "my-run", All: true})
	forReaders(t, p, func(format, text, flat string) {
		for _, want := range []string{"A training step of 16 items with 8 rollouts each", "19.5 [8, 32]", "not reached", "9.4 % [4.9 %, 15.8 %]", "after 1.25 s, tool search: status 503", "no_call_id 400", "Tool drop is not called.", "0.8 (60 failed)"} {
			if !strings.Contains(flat, want) {
				t.Errorf("%s does not say %q", format, want)
			}
		}
		if format != "text" && strings.Contains(text, "<b>full") || strings.Contains(text, "\x1b[31m") {
			t.Errorf("%s: markup of an answer is markup on the page", format)
		}
	})
	var b bytes.Buffer
	if err := WriteBurst(&b, p); err != nil || !strings.Contains(b.String(), "ENDPOINTS UNDER A TRAINING STEP'S LOAD") {
		t.Errorf("by itself: %v\n%s", err, b.String())
	}
}

func TestARunWithoutABurstSaysNothingOfIt(t *testing.T) {
	p := NewRunPage(reporttest.Load(t, "go"), Options{})
	if list := section(p.Doc(), "burst"); len(list) > 0 {
		t.Errorf("it says %+v", list)
	}
	for _, f := range p.Figures {
		if f.Name == "endpoint_load" {
			t.Error("it has a picture of a burst")
		}
	}
}
