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

// maxRemote is the maximum number of remote parts that one grading asks at the same time.
const maxRemote = 8

// result is the grade or the error of one part.
type result struct {
	part  *child
	grade sampler.Grade
	err   error
	done  bool // grade is valid
}

// Grade grades with every part and computes the formula. If a part has no grade, the output has
// none. A Grade returned with an error still has the judges' usage. Each part is retried on its
// own, so a failure does not repeat another part's request.
//
// Local parts come first, one after the other: if one fails, no request is made. Then all remote
// parts run at the same time, up to maxRemote. A grading thus takes as long as its slowest judge,
// not as long as all of them together, and sampling.grader_timeout means the same for one grader
// and for several. A remote part that fails does not cancel the others: their requests are paid
// for, and their tokens must be counted. They all end when ctx does.
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

// ask grades with one part.
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

// compute returns the formula's value. All parts must have a grade.
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
			valuesOf(results))
	}
	grade.Reward, grade.Parts = reward, parts
	return grade, nil
}

// valuesOf lists the rewards that the formula was computed from.
func valuesOf(results []*result) string {
	texts := make([]string, len(results))
	for i, r := range results {
		texts[i] = fmt.Sprintf("%s = %v", r.part.name, r.grade.Reward)
	}
	return strings.Join(texts, ", ")
}

// used returns a grade with the total usage of the judges.
func used(results []*result) (sum sampler.Grade) {
	for _, r := range results {
		sum = total(sum, r.grade)
	}
	return sum
}

// total adds the judges' usage of two grades. A figure that one of them did not report is missing
// from the sum.
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

// decide returns the error of the grading, nil if no part failed. It is the error that says most
// about a retry: fatal errors first, then others that a retry does not fix, then temporary ones,
// of which the one with the longest wait. The other failed parts are named.
func decide(results []*result) error {
	var worst *result
	var also []string
	for _, r := range results {
		switch {
		case r.err == nil:
		case worst == nil:
			worst = r
		case moreSevere(r.err, worst.err):
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

// moreSevere reports whether decide prefers a to b.
func moreSevere(a, b error) bool {
	rankA, waitA := severity(a)
	rankB, waitB := severity(b)
	return rankA > rankB || rankA == rankB && waitA > waitB
}

func severity(err error) (rank int, wait time.Duration) {
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
