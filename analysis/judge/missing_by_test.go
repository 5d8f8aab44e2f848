package judge_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// failingBy is a run of 40 items × 8 whose items earn 1 with their own probability, and
// whose rollouts fail with the probability that fails gives them. With again, failed
// rollouts are made again until they succeed.
func failingBy(seed uint64, again bool, fails func(item int, earns float64) float64) []string {
	rng := rand.New(rand.NewPCG(seed, 7))
	var out []string
	for i := range 40 {
		earns := rng.Float64()
		for j := range 8 {
			reward, attempt := 0, 0
			if rng.Float64() < earns {
				reward = 1
			}
			failed := rng.Float64() < fails(i, earns)
			for ; failed && again; failed = rng.Float64() < fails(i, earns) {
				attempt++
			}
			if failed {
				out = append(out, fmt.Sprintf(`{"item":"q%d","sample":%d,"outcome":"tool","error":"status 503"}`, i, j))
			} else {
				out = append(out, fmt.Sprintf(`{"item":"q%d","sample":%d,"attempt":%d,"reward":%d}`, i, j, attempt, reward))
			}
		}
	}
	return out
}

// notRandom is the caution that failures are not random; "" without one.
func notRandom(r *analysis.Result) string {
	for _, f := range analysis.ByFact(r.Findings) {
		if f.Gate == "infra.failures" && f.Severity == analysis.Advisory && f.Status == analysis.Fail && strings.Contains(f.Title.String(), "not random") {
			return f.Title.String()
		}
	}
	return ""
}

func TestFailuresThatAreNotRandomAreNamed(t *testing.T) {
	quick := analysis.DefaultSettings()
	quick.Boot = 20
	for _, c := range []struct {
		why                string
		again              bool
		fails              func(item int, earns float64) float64
		want, lacks        string
		byItem, goesReward bool
	}{
		{"a few items fail, whatever they earn", false, few, "they depend on the item (p < 0.001): 4 of 40 items had ", "earn", true, false},
		{"they are made again until they succeed", true, few, "they depend on the item (p < 0.001): 4 of 40 items had ", "earn", true, false},
		{"hard items fail", false, hard, "items that fail more earn less", "too low", true, true},
		{"hard items fail and are made again", true, hard, "so the mean is likely too high", "too low", true, true},
		{"easy items fail", false, func(_ int, earns float64) float64 { return 0.8 * earns * earns }, "so the mean is likely too low", "too high", true, true},
	} {
		r := analyze(t, quick, failingBy(3, c.again, c.fails))
		by, said := r.Splits[rollout.Train].MissingBy, notRandom(r)
		if by == nil || by.Item.P == nil || by.Reward.P == nil {
			t.Errorf("%s: not tested: %+v", c.why, by)
			continue
		}
		if !strings.Contains(said, c.want) || strings.Contains(said, c.lacks) {
			t.Errorf("%s: %q, want %q and not %q", c.why, said, c.want, c.lacks)
		}
		if (*by.Item.P < 0.01) != c.byItem || (*by.Reward.P < 0.01) != c.goesReward {
			t.Errorf("%s: p %g and %g", c.why, *by.Item.P, *by.Reward.P)
		}
		if c.why[:5] == "a few" && slices.ContainsFunc(by.Items, func(id string) bool { return !slices.Contains([]string{"q0", "q8", "q16", "q24", "q32"}, id) }) {
			t.Errorf("%s: items are %v", c.why, by.Items)
		}
		if m := r.Splits[rollout.Train].Missing; by.Lost != m.Tool+m.Repeated || c.again != (m.Tool == 0) {
			t.Errorf("%s: %d lost of %+v", c.why, by.Lost, m)
		}
		for _, f := range analysis.ByFact(r.Findings) {
			if said := f.Title.In(message.Chinese); strings.Contains(said, "not random") || strings.Contains(said, "they depend") {
				t.Errorf("%s: in English: %s", c.why, said)
			}
		}
	}
}

func few(item int, _ float64) float64 {
	if item%8 == 0 {
		return 0.6
	}
	return 0
}

func hard(_ int, earns float64) float64 { return 0.8 * (1 - earns) * (1 - earns) }

// Both tests are at 1 %: of 200 runs whose failures are random at most 5 % may be named,
// which 10 false alarms are. Without failures, and with fewer than 5, nothing is tested.
func TestLongRandomFailuresAreNotNamed(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	quick := analysis.DefaultSettings()
	quick.Boot = 20
	named := 0
	for seed := range uint64(200) {
		r := analyze(t, quick, failingBy(seed, seed%2 == 0, func(int, float64) float64 { return 0.06 }))
		if notRandom(r) != "" {
			named++
		}
	}
	if t.Logf("%d of 200", named); named > 10 {
		t.Errorf("%d of 200 runs are named", named)
	}
	lost := failingBy(1, false, func(int, float64) float64 { return 0 })
	for i := range 4 {
		lost[i] = fmt.Sprintf(`{"item":"q0","sample":%d,"outcome":"model_api","error":"status 503"}`, i)
	}
	if r := analyze(t, quick, lost); r.Splits[rollout.Train].MissingBy != nil || notRandom(r) != "" {
		t.Error("4 failures are tested")
	}
}
