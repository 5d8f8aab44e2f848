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

// grading is the result of one grading, all its tries together.
type grading struct {
	Grade
	retries int
}

// grade has an output graded. The error is ctx's, the *endpoint.Error that ends the run, or why
// there is no grade: gradeKind returns its kind. The judge's usage is reported also with an error.
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

// hopeless is how many items a grader must fail on, without grading any, before the run gives up on
// it.
const hopeless = 10

// despair halts a run whose grader gives no grade at all for a reason of its own, such as a formula
// that divides by zero, since rollouts cost money. An endpoint that does not work ends the run
// through its breaker.
func (s *session) despair(it *rollout.Item, err error) {
	if err == nil {
		s.misfit.fits()
		return
	}
	kind, ok := errors.AsType[*GradeError](err)
	if _, failed := endpoint.AsFailure(err); !ok || failed || kind.Kind == KindRange {
		return
	}
	if kind.Kind == KindBatch {
		s.halt.stop(&GraderFailedError{Err: err})
		return
	}
	s.misfit.refused(it, func(n int) {
		if n >= hopeless {
			s.halt.stop(&GraderFailedError{Items: n, Err: err})
		}
	})
}

// GraderFailedError ends a run whose grader has graded nothing, or cannot grade a single output.
type GraderFailedError struct {
	Items int   // different items that it failed on; 0 if it cannot grade an output on its own
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

// finite rejects a grade that is not a finite number.
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

// rounding is the share of the reward range by which a grade may lie outside it and is then set to
// the bound: sums of weighted parts do not always end exactly at 1.
const rounding = 1e-9

// fit rejects a grade outside the reward range. If the range is assumed, it halts the run at the
// first such grade and keeps the grade. Otherwise it halts the run once misfits items have got only
// such grades: nothing useful would come, and rollouts cost money.
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
	s.misfit.refused(it, func(n int) {
		if n >= misfits {
			end := *e
			end.Items = n
			s.halt.stop(&end)
		}
	})
	return &GradeError{KindRange, e}
}

// misfits is how many items must get a grade outside the range, while none gets one inside, to halt
// the run.
const misfits = 3

// RangeError reports a grade outside the reward range. With Items set it ends a run: no grade was
// inside.
type RangeError struct {
	Value float64
	Range [2]float64 // Config.RewardRange
	Item  string     // the item that got the value
	Items int        // different items whose grades were all outside; 0 if the error is about one grade

	Assumed bool // Config.RangeAssumed: the error ends a run whose records keep the grade
}

// Error names the value, the range and its key, and says what the range is.
func (e *RangeError) Error() string {
	text := fmt.Sprintf("the grader gave %g, outside reward_range [%g, %g]", e.Value, e.Range[0], e.Range[1])
	const set = "set reward_range to the lowest and highest reward that it can ever give"
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
	mu    sync.Mutex       // guards the fields below
	done  bool             // a grade was usable
	items map[itemKey]bool // items that got no usable grade before that
}

func (m *rangeCheck) fits() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done, m.items = true, nil
}

// refused notes that an item got no usable grade. Unless any grade was usable, it calls then with the
// number of items that have got none, one call after the other, so that the first to reach a limit
// ends the run.
func (m *rangeCheck) refused(it *rollout.Item, then func(items int)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.done {
		return
	}
	if m.items == nil {
		m.items = make(map[itemKey]bool)
	}
	m.items[keyOf(it)] = true
	then(len(m.items))
}
