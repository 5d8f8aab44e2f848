package sampler

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// grading is what one grading came to, all its tries together.
type grading struct {
	Grade
	retries int
}

// grade has an output graded. The error is ctx's, the *endpoint.Error that ends
// the run, or why there is no grade: gradeKind returns its kind. What a judge
// used is reported also with an error.
func (s *session) grade(ctx context.Context, by *endpoint.Caller, out Output) (g grading, err error) {
	name := "grade"
	if out.Regrade > 0 {
		name += "/" + strconv.Itoa(out.Regrade)
	}
	out.Caller = by
	out.Request = endpoint.Request{Endpoint: endpoint.Grader, Name: name, Timeout: s.cfg.GraderTimeout}
	g.Grade, g.retries, err = out.GradeBy(ctx, s.b.Grader)
	if err == nil {
		err = finite(g.Grade)
	}
	if err == nil {
		err = s.fit(&g.Grade, out.Item)
	}
	s.despair(out.Item, err)
	return g, err
}

// hopeless is how many items a grader must fail on, while it grades none,
// before it is taken for one that never will.
const hopeless = 10

// despair halts a run whose grader gives no grade at all for a reason of its
// own, such as a formula that divides by zero: rollouts cost money. An
// endpoint that does not work is given up by itself.
func (s *session) despair(it *rollout.Item, err error) {
	if err == nil {
		s.misfit.fits()
		return
	}
	kind, own := errors.AsType[*GradeError](err)
	if _, failed := endpoint.AsFailure(err); !own || failed || kind.Kind == KindRange {
		return
	}
	if kind.Kind == KindBatch {
		s.halt.stop(&GraderFailedError{Err: err})
		return
	}
	if n := s.misfit.refused(it); n >= hopeless {
		s.halt.stop(&GraderFailedError{Items: n, Err: err})
	}
}

// GraderFailedError ends a run whose grader graded nothing, or cannot grade an output
// at all.
type GraderFailedError struct {
	Items int   // different items that it failed on; 0 when it cannot grade one by itself
	Err   error // the last failure
}

// Error names the last failure and what to do.
func (e *GraderFailedError) Error() string {
	if e.Items == 0 {
		return fmt.Sprintf("%v; then grade the recorded rollouts again; nothing is lost", e.Err)
	}
	return fmt.Sprintf("the grader failed on all of %d items: %v; correct the grader, then grade the recorded "+
		"rollouts again; nothing is lost", e.Items, e.Err)
}

// Unwrap returns the last failure.
func (e *GraderFailedError) Unwrap() error { return e.Err }

// finite refuses a grade that is not a number.
func finite(g Grade) error {
	if math.IsNaN(g.Reward) || math.IsInf(g.Reward, 0) {
		return &GradeError{KindNotANumber, fmt.Errorf("the grader's reward is %v, not a finite number", g.Reward)}
	}
	for name, part := range g.Parts {
		if math.IsNaN(part) || math.IsInf(part, 0) {
			return &GradeError{KindNotANumber, fmt.Errorf("the grader's part %q is %v, not a finite number", name,
				part)}
		}
	}
	return nil
}

// rounding is the share of the reward range by which a grade may lie outside of
// it: sums of weighted parts do not always end exactly at 1. Such a grade is
// taken for the bound.
const rounding = 1e-9

// fit refuses a grade outside the reward range. It halts a run of which no
// grade fits: nothing useful would come, and rollouts cost money. If the range is assumed, it
// halts the run at the first such grade, and keeps the grade.
func (s *session) fit(g *Grade, it *rollout.Item) error {
	if s.cfg.RewardRange == nil {
		return nil
	}
	lo, hi := s.cfg.RewardRange[0], s.cfg.RewardRange[1]
	slack := rounding * (hi - lo)
	if g.Reward >= lo-slack && g.Reward <= hi+slack {
		g.Reward = min(max(g.Reward, lo), hi)
		return nil
	}
	e := &RangeError{Value: g.Reward, Range: *s.cfg.RewardRange, Item: it.ID, Assumed: s.cfg.RangeAssumed}
	if e.Assumed {
		s.halt.stop(e)
		return nil
	}
	if n := s.misfit.refused(it); n >= misfits {
		end := *e
		end.Items = n
		s.halt.stop(&end)
	}
	return &GradeError{KindRange, e}
}

// misfits is how many items must get a grade that does not fit before all do.
const misfits = 3

// RangeError is a grade outside the reward range. With Items set it ends a run: no
// grade was in the range.
type RangeError struct {
	Value float64
	Range [2]float64 // Config.RewardRange
	Item  string     // that got the value
	Items int        // different items whose grades did not fit, while none did; 0 when it is about one grade

	Assumed bool // Config.RangeAssumed: it ends a run whose records keep the grade
}

// Error names the value, the range and its key, with a value that has room for the grade.
func (e *RangeError) Error() string {
	text := fmt.Sprintf("the grader gave %g, outside reward_range [%g, %g]", e.Value, e.Range[0], e.Range[1])
	set := fmt.Sprintf("set reward_range to what the grader can give, such as [%g, %g]", min(e.Range[0], e.Value),
		max(e.Range[1], e.Value))
	switch {
	case e.Assumed:
		return fmt.Sprintf("%s, the default, to item %s: %s, or correct the grader", text, e.Item, set)
	case e.Items == 0:
		return text + ": " + set
	}
	return fmt.Sprintf("%s, to item %s, and no valid grade to any of %d items: %s, or correct the grader, then "+
		"grade the recorded rollouts again; nothing is lost", text, e.Item, e.Items, set)
}

// rangeCheck detects a grader that never gives a usable grade.
type rangeCheck struct {
	mu    sync.Mutex       // guards what follows
	done  bool             // one could
	items map[itemKey]bool // that got none, before that
}

func (m *rangeCheck) fits() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done, m.items = true, nil
}

// refused returns how many items got no grade that can be used while none did.
func (m *rangeCheck) refused(it *rollout.Item) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.done {
		return 0
	}
	if m.items == nil {
		m.items = make(map[itemKey]bool)
	}
	m.items[keyOf(it)] = true
	return len(m.items)
}
