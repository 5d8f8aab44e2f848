package judge_test

import (
	"fmt"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/price"
	"gonogo/sampler/rollout"

	"github.com/google/go-cmp/cmp"
)

func dollars(x float64) *float64 { return &x }

// priced are 4 items x 2 rollouts of 1,000 input tokens, 400 of them cached,
// 100 + 10·item output tokens, one call of search and 36 seconds; every second
// one was graded by a judge with 200 tokens in and 10 out.
func priced() []string {
	var lines []string
	for i := range 4 {
		for j := range 2 {
			judge := ""
			if j == 1 {
				judge = `"judge":{"input_tokens":200,"output_tokens":10},"judge_calls":1,`
			}
			lines = append(lines, fmt.Sprintf(`{"item":"q%d","sample":%d,"outcome":"graded","reward":%d,%s"elapsed_s":36,"usage":{"input_tokens":1000,"cached_tokens":400,"output_tokens":%d},"calls":[{"turn":0,"name":"search","arguments":"{}","status":"ok"}]}`,
				i, j, j, judge, 100+10*i))
		}
	}
	return lines
}

func TestPlanMoney(t *testing.T) {
	model := price.Token{Input: dollars(2), CachedInput: dollars(0.5), Output: dollars(8)}
	judge := price.Token{Input: dollars(10), Output: dollars(40)}
	// A rollout: (600·2 + 400·0.5 + 115·8)/1e6 = 0.00232; the judge: half of (200·10 + 10·40)/1e6 = 0.0012.
	tests := []struct {
		about   string
		prices  price.Prices
		rollout float64 // mean US dollars a rollout; 0: unknown
		warning string
	}{
		{"no prices", price.Prices{}, 0, "prices.model_input and prices.model_output are not set"},
		{"no output price", price.Prices{Model: price.Token{Input: dollars(2)}}, 0, "prices.model_output"},
		{"a judge without a price: the sum would be too small", price.Prices{Model: model}, 0, "prices.judge_input"},
		{"model and judge", price.Prices{Model: model, Judge: judge}, 0.00232 + 0.0012, ""},
		{"cached tokens at the full price", price.Prices{Model: price.Token{Input: dollars(2), Output: dollars(8)}, Judge: judge}, 0.00292 + 0.0012, ""},
		{"and tools", price.Prices{Model: model, Judge: judge, ToolCall: dollars(0.001)}, 0.00352 + 0.001, ""},
		{"a tool with a price of its own", price.Prices{Model: model, Judge: judge, ToolCall: dollars(5), Tools: map[string]float64{"search": 0.002}}, 0.00352 + 0.002, ""},
	}
	for _, test := range tests {
		t.Run(test.about, func(t *testing.T) {
			s := analysis.DefaultSettings()
			s.GroupSize, s.BatchSize, s.Prices = 4, 2, test.prices
			p := analyze(t, s, priced()).Plan
			if test.rollout == 0 {
				if p.PerStep.USD.Known() || !strings.Contains(message.Clauses(p.PerStep.USD.Warnings...).String(), test.warning) {
					t.Errorf("%v %q, want none and %q", p.PerStep.USD.Value, p.PerStep.USD.Warnings, test.warning)
				}
				return
			}
			near(t, "a step of 2 groups of 4", p.PerStep.USD.Value, 8*test.rollout)
			near(t, "an epoch of 4 items", p.PerEpoch.USD.Value, 16*test.rollout)
			if low, high := p.PerStep.USD.Low, p.PerStep.USD.High; low == nil || high == nil || !(*low < 8*test.rollout && 8*test.rollout < *high) {
				t.Errorf("no range around %g: %v to %v", 8*test.rollout, low, high)
			}
		})
	}
}

// An hour that has a price pays for the model's tokens, not for the judge's.
func TestPlanMoneyByTheHour(t *testing.T) {
	s := analysis.DefaultSettings()
	s.GroupSize, s.BatchSize = 4, 2
	s.Prices = price.Prices{TrainingHour: dollars(100), Judge: price.Token{Input: dollars(10), Output: dollars(40)}}
	p := analyze(t, s, priced()).Plan
	near(t, "a step: 36 s and 8 gradings", p.PerStep.USD.Value, 1+8*0.0012)
	near(t, "an epoch: two steps", p.PerEpoch.USD.Value, 2+16*0.0012)
	if w := message.Clauses(p.PerStep.USD.Warnings...).String(); !strings.Contains(w, "at least") {
		t.Errorf("warnings %q do not say that it is the least", w)
	}
}

func TestListedPrices(t *testing.T) {
	const openai = "api.openai.com"
	mine, err := price.Parse([]byte(`{"prices": [{"model": "gpt-5", "as_of": "2026-11-01", "input": 0, "output": 1}]}`))
	if err != nil {
		t.Fatal(err)
	}
	list := price.Builtin()
	tests := []struct {
		about, model, host string
		list               price.List
		hour, input        *float64
	}{
		// WIRE: published, by the hour of the core training loop.
		{"a name with a date", "o4-mini-2025-04-16", openai, list, dollars(100), dollars(1.1)},
		{"training has one price everywhere, tokens have not", "o4-mini", "localhost:8000", list, dollars(100), nil},
		{"a longer name is another model", "gpt-5-mini", openai, list, nil, dollars(0.25)},
		{"one that is not listed", "gpt-5-pro", openai, list, nil, nil},
		{"no hyphen", "o4-minimal", openai, list, nil, nil},
		{"a hyphen alone", "o4-mini-", openai, list, nil, nil},
		{"no name", "", openai, list, nil, nil},
		{"open weights have no price", "gpt-oss-20b", "localhost", list, nil, nil},
		{"a list of one's own goes before", "gpt-5", openai, mine.Before(list), nil, dollars(0)},
		{"and leaves the others", "gpt-5-mini", openai, mine.Before(list), nil, dollars(0.25)},
	}
	for _, test := range tests {
		t.Run(test.about, func(t *testing.T) {
			hour, source := test.list.Training(test.model, test.host)
			tokens := test.list.Tokens(test.model, test.host)
			if diff := cmp.Diff([]*float64{test.hour, test.input}, []*float64{hour, tokens.Input}); diff != "" {
				t.Errorf("hour and input (-want +got):\n%s", diff)
			}
			if (hour != nil) != strings.Contains(source, "as of 20") || tokens.Known() != strings.Contains(tokens.Source, "as of 20") {
				t.Errorf("sources %q and %q: each price has its date", source, tokens.Source)
			}
		})
	}
}

func TestPriceListsRefused(t *testing.T) {
	for about, text := range map[string]string{
		"no JSON":                  `prices`,
		"an unknown key":           `{"prices": [{"model": "m", "as_of": "2026-01-01", "inptu": 1, "output": 1}]}`,
		"no model":                 `{"prices": [{"as_of": "2026-01-01", "input": 1, "output": 1}]}`,
		"no date":                  `{"prices": [{"model": "m", "input": 1, "output": 1}]}`,
		"input alone":              `{"prices": [{"model": "m", "as_of": "2026-01-01", "input": 1}]}`,
		"no price":                 `{"prices": [{"model": "m", "as_of": "2026-01-01"}]}`,
		"a negative price":         `{"prices": [{"model": "m", "as_of": "2026-01-01", "input": 1, "output": -1}]}`,
		"something after the list": `{"prices": []} {}`,
	} {
		if _, err := price.Parse([]byte(text)); err == nil {
			t.Errorf("%s is accepted", about)
		}
	}
}

func TestPricesRefused(t *testing.T) {
	s := analysis.DefaultSettings()
	s.Prices.Tools = map[string]float64{"search": -1}
	if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "prices.tools.search") {
		t.Errorf("error %v, want one that names prices.tools.search", err)
	}
}

func TestRolloutPrice(t *testing.T) {
	in, out := int64(1_000_000), int64(500_000)
	rec := &rollout.Record{Usage: rollout.Usage{Input: &in, Output: &out}, Calls: []rollout.Call{{Name: "search"}, {Name: "search", Status: rollout.CallMalformed}}}
	p := price.Prices{Model: price.Token{Input: dollars(2), Output: dollars(8)}, ToolCall: dollars(0.25)}
	usd, ok := p.Rollout(rec)
	near(t, "a million in, half a million out, one call that counts", &usd, 6.25)
	if !ok {
		t.Error("not ok")
	}
	rec.JudgeCalls = 1
	if _, ok := p.Rollout(rec); ok {
		t.Error("a judge without a price is priced")
	}
}

func TestPlanSpeaksTrainersWords(t *testing.T) {
	r, _ := extrapolated(t, 100, 4, func(s *analysis.Settings) { s.GroupSize = 16 }, coinsOf(0.2, 2, 0.3))
	text := message.Clauses(r.Plan.Assumptions...).String()
	for _, want := range []string{"num_generations=16", "rollout.n=16", "16 rollouts per example", "compute_multiplier", "not published", "fit reaches it by", "fit does not reach it"} {
		if !strings.Contains(text, want) {
			t.Errorf("the plan does not say %q:\n%s", want, text)
		}
	}
}
