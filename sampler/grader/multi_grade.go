package grader

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// maxRemote bounds the parts of one grading that are asked at once.
const maxRemote = 8

// result is what one part gave.
type result struct {
	part  *child
	grade sampler.Grade
	err   error
	done  bool // there is a grade
	kept  bool // an earlier try of this grading got it, and told what it used
}

// Grade grades by every part and computes the formula. A part without a grade leaves the
// whole without one. A Grade returned with an error still has the judges' usage. The
// parts' grades are kept in out.Kept, so another try needs only the rest.
//
// Parts that ask no one come first, one after the other: one that fails then
// costs no request. All parts that ask a server follow at once, so a
// grading takes as long as its slowest judge, not as all of them together, and
// so that sampling.grader_timeout means the same for one grader and for several.
// One that fails does not end the others: what they were asked is paid for, what
// they answer is kept, and their tokens have to be counted. They end together
// when ctx does.
func (g *Multi) Grade(ctx context.Context, out sampler.Output) (sampler.Grade, error) {
	results := g.begin(out.Kept)
	defer keep(out.Kept, results)
	out.Kept = nil // it is the whole's, not the parts'
	for _, r := range results {
		if r.done || r.part.remote {
			continue
		}
		if r.ask(ctx, out); r.err != nil {
			return total(results), decide(results)
		}
	}
	if err := askRemote(ctx, out, results); err != nil {
		return total(results), err
	}
	if err := decide(results); err != nil {
		return total(results), err
	}
	return g.compute(results)
}

// begin is a result for every part, with what an earlier try has got.
func (g *Multi) begin(kept map[string]sampler.Grade) []*result {
	results := make([]*result, len(g.parts))
	for i := range g.parts {
		r := &result{part: &g.parts[i]}
		r.grade, r.kept = kept[r.part.name]
		r.done = r.kept
		results[i] = r
	}
	return results
}

// keep notes what another try need not ask for again.
func keep(kept map[string]sampler.Grade, results []*result) {
	for _, r := range results {
		if kept != nil && r.done {
			kept[r.part.name] = r.grade
		}
	}
}

// askRemote has all parts that ask a server grade at once, when each endpoint
// lets a request pass. Failures are in the results; the error is about the
// wait.
func askRemote(ctx context.Context, out sampler.Output, results []*result) error {
	var group errgroup.Group
	group.SetLimit(maxRemote)
	for _, r := range results {
		if r.done {
			continue
		}
		if err := r.pace(ctx); err != nil {
			return err
		}
	}
	for _, r := range results {
		if r.done {
			continue
		}
		group.Go(func() error {
			r.ask(ctx, out)
			return nil
		})
	}
	return group.Wait()
}

// ask has one part grade.
func (r *result) ask(ctx context.Context, out sampler.Output) {
	if r.err = ctx.Err(); r.err != nil {
		return
	}
	r.grade, r.err = r.part.grader.Grade(ctx, out)
	if v := r.grade.Reward; r.err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		r.err = failed(sampler.KindNotANumber, "the reward is %v, not a finite number", v)
	}
	r.done = r.err == nil
}

// pace waits until an endpoint lets a request pass: a queue of our own making,
// which is not a failure of its.
func (r *result) pace(ctx context.Context) error {
	pacer, ok := r.part.grader.(sampler.Pacer)
	if !ok {
		return nil
	}
	resume := sampler.PauseClock(ctx)
	defer resume()
	if err := pacer.Wait(ctx); err != nil {
		return fmt.Errorf("part %s: %w", r.part.name, err)
	}
	return nil
}

// compute is the formula's value, when all parts have one.
func (g *Multi) compute(results []*result) (sampler.Grade, error) {
	grade := total(results)
	values := make([]float64, len(results))
	parts := make(map[string]float64, len(results))
	for i, r := range results {
		values[i] = r.grade.Reward
		parts[r.part.name] = r.grade.Reward
		grade.Clipped = grade.Clipped || r.grade.Clipped
	}
	reward, err := g.formula.Eval(values)
	if err != nil {
		return total(results), failed(sampler.KindFormula, "calculate_output %s: %w, with %s", brief(g.source), err, given(results))
	}
	grade.Reward, grade.Parts = reward, parts
	return grade, nil
}

// given lists what a formula was computed from.
func given(results []*result) string {
	texts := make([]string, len(results))
	for i, r := range results {
		texts[i] = fmt.Sprintf("%s = %v", r.part.name, r.grade.Reward)
	}
	return strings.Join(texts, ", ")
}

// total sums up what judges used in this try.
func total(results []*result) sampler.Grade {
	var sum sampler.Grade
	told := 0
	for _, r := range results {
		if r.kept || r.grade.JudgeCalls == 0 && r.grade.Usage == (rollout.Usage{}) {
			continue
		}
		sum.JudgeCalls += r.grade.JudgeCalls
		if told++; told == 1 {
			sum.Usage = r.grade.Usage
		} else {
			sum.Usage = plus(sum.Usage, r.grade.Usage)
		}
	}
	return sum
}

// plus adds up tokens. What one did not report is not reported for both.
func plus(a, b rollout.Usage) rollout.Usage {
	add := func(a, b *int64) *int64 {
		if a == nil || b == nil {
			return nil
		}
		sum := *a + *b
		return &sum
	}
	return rollout.Usage{
		Input: add(a.Input, b.Input), Output: add(a.Output, b.Output),
		Reasoning: add(a.Reasoning, b.Reasoning), Cached: add(a.Cached, b.Cached),
	}
}

// decide is the failure of the whole: that of the part which says most about
// another try. One that no try fixes comes before one that may pass, of those
// the one that asks for the longest wait. The others are named.
func decide(results []*result) error {
	var worst *result
	var also []string
	for _, r := range results {
		switch {
		case r.err == nil:
		case worst == nil:
			worst = r
		case graver(r.err, worst.err):
			also = append(also, worst.part.name)
			worst = r
		default:
			also = append(also, r.part.name)
		}
	}
	switch {
	case worst == nil:
		return nil
	case len(also) == 0:
		return fmt.Errorf("part %s: %w", worst.part.name, worst.err)
	}
	return fmt.Errorf("part %s: %w; no grade of %s either", worst.part.name, worst.err, strings.Join(also, ", "))
}

// graver reports whether a says more about another try than b.
func graver(a, b error) bool {
	rankA, waitA := gravity(a)
	rankB, waitB := gravity(b)
	return rankA > rankB || rankA == rankB && waitA > waitB
}

func gravity(err error) (rank int, wait time.Duration) {
	f, ok := sampler.AsFailure(err)
	switch {
	case !ok:
		return 1, 0
	case f.Fatal:
		return 2, 0
	case !f.Temporary:
		return 1, 0
	}
	return 0, f.RetryAfter
}
