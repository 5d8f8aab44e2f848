package judge_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/sampler/rollout"
)

// rolloutsOf are 40 items with 10 rollouts each: calls and reward are those of the
// sample of an item.
func rolloutsOf(course func(item, sample int) (calls int, reward float64)) []string {
	var out []string
	for i := range 40 {
		for k := range 10 {
			calls, reward := course(i, k)
			made := make([]string, calls)
			for c := range made {
				made[c] = fmt.Sprintf(`{"name":"search","arguments":"{\"q\":%d}","turn":%d}`, c, c)
			}
			out = append(out, fmt.Sprintf(`{"item":"q%d","sample":%d,"reward":%g,"turns":%d,"usage":{"input_tokens":90,"output_tokens":%d},"calls":[%s]}`,
				i, k, reward, calls+1, 100*(calls+1), strings.Join(made, ",")))
		}
	}
	return out
}

// factOf is the finding, or the fact of a finding, of that id on train.
func factOf(t *testing.T, r *analysis.Result, id string) analysis.Fact {
	t.Helper()
	for _, f := range r.Findings {
		for _, fact := range append([]analysis.Fact{f.Fact}, f.Others...) {
			if fact.ID == id {
				return fact
			}
		}
	}
	t.Fatalf("no fact %s", id)
	return analysis.Fact{}
}

// One rollout of ten makes 20 calls where the others make 4: too many of them, unless
// they earn more. Seven calls are few, whatever the median.
func TestALongTailOfRolloutsIsJudgedByWhatItEarns(t *testing.T) {
	tail := func(long int, earns float64) func(int, int) (int, float64) {
		return func(i, k int) (int, float64) {
			reward := 0.4 + 0.02*float64((i+3*k)%10)
			if k < i%3 {
				return long, math.Min(1, reward+earns)
			}
			return 4, reward
		}
	}
	for _, c := range []struct {
		name string
		of   func(int, int) (int, float64)
		want analysis.Status
		says string
	}{
		{"they earn less", tail(20, -0.3), analysis.Fail, "9.8 % of rollouts are far longer than the others, with more than 12 calls or 15 turns, and they earn less"},
		{"they earn the same", tail(20, 0), analysis.Fail, "it is not clear that they earn more"},
		{"they earn more", tail(20, 0.3), analysis.Pass, "but they earn more"},
		{"the tail is gone", tail(5, 0), analysis.Pass, "0 % of rollouts"},
		{"few calls are never many", func(i, k int) (int, float64) {
			_, reward := tail(7, -0.3)(i, k)
			return 1 + 6*(k%3/2), reward
		}, analysis.Pass, "0 % of rollouts"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := factOf(t, analyze(t, analysis.DefaultSettings(), rolloutsOf(c.of)), "tools.long")
			if f.Status != c.want || !strings.Contains(f.Title.String(), c.says) {
				t.Errorf("%v: %s; want %v with %q", f.Status, f.Title.String(), c.want, c.says)
			}
			if (f.Status == analysis.Fail) != (len(f.Items) > 0) {
				t.Errorf("%v names the items %v", f.Status, f.Items)
			}
		})
	}
}

// A limit of k calls leaves the rewards of rollouts with up to k and takes the others
// to the bottom, which is said of each item's mean; by hand, for the rewards are
// those of the samples alone.
func TestWhatALimitWouldLeave(t *testing.T) {
	r := analyze(t, analysis.DefaultSettings(), rolloutsOf(func(_, k int) (int, float64) { return k, float64(k) / 10 }))
	s := r.Splits[rollout.Train]
	if len(s.WhatIf) != 2 || s.WhatIf[0].Quantity != analysis.CostCalls || s.WhatIf[1].Quantity != analysis.CapTokens {
		t.Fatalf("calls and output tokens are known: %+v", s.WhatIf)
	}
	w := s.WhatIf[0]
	if len(w.Caps) != 10 || w.GroupSize != 8 || w.N != 400 || w.Items != 40 || w.Limit != nil {
		t.Fatalf("%d caps, groups of %d, n = %d of %d items, limit %v", len(w.Caps), w.GroupSize, w.N, w.Items, w.Limit)
	}
	for k, c := range w.Caps {
		want := 0.0 // the sum of 0, 0.1 … k/10, over ten samples
		for i := range k + 1 {
			want += float64(i) / 100
		}
		if c.At != float64(k) || math.Abs(*c.Reward.Value-want) > 1e-12 || math.Abs(*c.Cut.Value-float64(9-k)/10) > 1e-12 || math.Abs(*c.Change.Value-(want-0.45)) > 1e-12 {
			t.Errorf("at %g: reward %g, cut %g, change %g; want %g, %g, %g", c.At, *c.Reward.Value, *c.Cut.Value, *c.Change.Value, want, float64(9-k)/10, want-0.45)
		}
	}
	if first, last := w.Caps[0], w.Caps[9]; *first.Informative.Value != 0 || *last.Informative.Value != *informativeAt(t, s, 8) {
		t.Errorf("informative groups: %g without a call, %g at the loosest limit; want 0 and %g", *first.Informative.Value, *last.Informative.Value, *informativeAt(t, s, 8))
	}
	if c, ok := w.Tightest(r.Range()); !ok || c.At != 9 { // 8 calls cost 0.09
		t.Errorf("the tightest limit that costs next to nothing is %g", c.At)
	}
	tokens := s.WhatIf[1]
	if last := tokens.Caps[len(tokens.Caps)-1]; last.At != 1000 || *last.Cut.Value != 0 || *last.Change.Value != 0 {
		t.Errorf("the loosest limit of tokens is %g and cuts %g", last.At, *last.Cut.Value)
	}
	if !slices.IsSortedFunc(tokens.Caps, func(a, b analysis.Cap) int { return int(a.At - b.At) }) {
		t.Error("limits of tokens are not in order")
	}
}

func informativeAt(t *testing.T, s *analysis.SplitResult, size int) *float64 {
	t.Helper()
	for _, e := range s.Signal {
		if e.GroupSize == size {
			return e.Informative
		}
	}
	t.Fatalf("no groups of %d", size)
	return nil
}

// A rollout without a grade is missing, not cut off; one whose course nothing tells is
// left out.
func TestWhatIfCountsRolloutsThatTellTheirCourse(t *testing.T) {
	lines := rolloutsOf(func(_, k int) (int, float64) { return k, 1 })
	lines[3] = `{"item":"q0","sample":3,"outcome":"tool","error":"down"}`
	lines[4] = `{"item":"q0","sample":4,"reward":1}`
	w := analyze(t, analysis.DefaultSettings(), lines).Splits[rollout.Train].WhatIf[0]
	if last := w.Caps[len(w.Caps)-1]; w.N != 398 || *last.Reward.Value != 1 || *last.Cut.Value != 0 {
		t.Errorf("n = %d, reward %g, cut %g without a limit", w.N, *last.Reward.Value, *last.Cut.Value)
	}
	same := rolloutsOf(func(_, k int) (int, float64) { return 2, float64(k % 2) })
	if got := analyze(t, analysis.DefaultSettings(), same).Splits[rollout.Train].WhatIf; got != nil {
		t.Errorf("rollouts that all take the same have nothing to cut: %+v", got)
	}
}
