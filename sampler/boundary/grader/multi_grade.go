package grader

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
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
}

// Grade grades by every part and computes the formula. A part without a grade leaves the
// whole without one. A Grade returned with an error still has the judges' usage. Each
// part is repeated by itself, so a failure costs no other part's request.
//
// Parts that ask no one come first, one after the other: one that fails then
// costs no request. All parts that ask a server follow at once, so a
// grading takes as long as its slowest judge, not as all of them together, and
// so that sampling.grader_timeout means the same for one grader and for several.
// One that fails does not end the others: what they were asked is paid for, and
// their tokens have to be counted. They end together when ctx does.
func (g *Multi) Grade(ctx context.Context, out sampler.Output) (sampler.Grade, error) {
	results := make([]*result, len(g.parts))
	for i := range g.parts {
		results[i] = &result{part: &g.parts[i]}
	}
	for _, r := range results {
		if r.part.remote {
			continue
		}
		if r.ask(ctx, out); r.err != nil {
			return used(results), decide(results)
		}
	}
	var group errgroup.Group
	group.SetLimit(maxRemote)
	for _, r := range results {
		if r.done {
			continue
		}
		group.Go(func() error {
			r.ask(ctx, out)
			return nil
		})
	}
	_ = group.Wait() // failures are in the results
	if err := decide(results); err != nil {
		return used(results), err
	}
	return g.compute(results)
}

// ask has one part grade.
func (r *result) ask(ctx context.Context, out sampler.Output) {
	if r.err = ctx.Err(); r.err != nil {
		return
	}
	out.Request.Name += "/" + r.part.name
	r.grade, _, r.err = out.GradeBy(ctx, r.part.grader)
	if v := r.grade.Reward; r.err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		r.err = failed(sampler.KindNotANumber, "the reward is %v, not a finite number", v)
	}
	r.done = r.err == nil
}

// compute is the formula's value, when all parts have one.
func (g *Multi) compute(results []*result) (sampler.Grade, error) {
	grade := used(results)
	values := make([]float64, len(results))
	parts := make(map[string]float64, len(results))
	for i, r := range results {
		values[i] = r.grade.Reward
		parts[r.part.name] = r.grade.Reward
		grade.Clipped = grade.Clipped || r.grade.Clipped
	}
	reward, err := g.formula.Eval(values)
	if err != nil {
		return used(results), failed(sampler.KindFormula, "calculate_output %s: %w, with %s", brief(g.source), err,
			given(results))
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

// used sums up what judges used.
func used(results []*result) (sum sampler.Grade) {
	for _, r := range results {
		sum = total(sum, r.grade)
	}
	return sum
}

// total adds what judges used for another grade. What one did not report is not
// reported for both.
func total(sum, more sampler.Grade) sampler.Grade {
	usage, calls := more.Usage, sum.JudgeCalls+more.JudgeCalls
	switch {
	case more.JudgeCalls == 0 && more.Usage == (rollout.Usage{}):
		usage = sum.Usage
	case sum.JudgeCalls > 0 || sum.Usage != (rollout.Usage{}):
		usage = sum.Usage.Plus(more.Usage)
	}
	return sampler.Grade{Usage: usage, JudgeCalls: calls}
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
	f, ok := endpoint.AsFailure(err)
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
