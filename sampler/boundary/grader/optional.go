package grader

import (
	"context"
	"errors"
	"fmt"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// A grader may do more than grade: what follows is found by type assertion. One
// that holds processes or connections also implements io.Closer. A grader made
// of others hands all of it on to them.

// Checker is a grader that can say before sampling that it cannot grade an
// item: a template names a field that the row does not have.
type Checker interface {
	CheckItem(*rollout.Item) error
}

// CheckItems lists the items that the grader cannot grade, if it is a Checker, and of many the
// first ones.
func CheckItems(g sampler.Grader, items []rollout.Item) error {
	checker, ok := g.(Checker)
	if !ok {
		return nil
	}
	const listed = 5
	var errs []error
	more := 0
	for i := range items {
		err := checker.CheckItem(&items[i])
		switch {
		case err == nil:
		case len(errs) < listed:
			errs = append(errs, fmt.Errorf("%s:%d: %w", items[i].File, items[i].Line, err))
		default:
			more++
		}
	}
	switch more {
	case 0:
	case 1:
		errs = append(errs, errors.New("and 1 more row"))
	default:
		errs = append(errs, fmt.Errorf("and %d more rows", more))
	}
	return errors.Join(errs...)
}

// Reader is a grader that knows which keys of sample it reads, such as
// output_text, each named once.
type Reader interface {
	Reads() []string
}

// Starter is a grader that must be checked before anything is sampled, because something
// it needs on this machine, such as an interpreter, may be missing.
type Starter interface {
	Start(ctx context.Context) error
}

// Describer is a grader that knows more of itself than its definition shows.
// Kind, name and hash are for Info to fill in.
type Describer interface {
	Info() rollout.GraderInfo
}

// Referrer is a grader that knows the templates of its references, which it compares
// outputs with. They do not read sample.
type Referrer interface {
	References() []Template
}

// Ranger is a grader whose rewards are known to be between two bounds.
type Ranger interface {
	Range() (low, high float64)
}

// Warner is a grader with warnings that do not prevent grading: a key that is accepted
// and does nothing, a metric that is an approximation, or, after gradings, what was seen
// in them.
type Warner interface {
	Warnings() []string
}

// SessionReader is a grader whose address contains session variables: their names,
// each once.
type SessionReader interface {
	SessionReads() []string
}

// SessionReads returns the session variables that the grader reads; none for a grader that needs no session.
func SessionReads(g sampler.Grader) []string {
	if e, ok := g.(SessionReader); ok {
		return e.SessionReads()
	}
	return nil
}

// Start checks what the grader needs on this machine. It returns at once for a grader that needs nothing.
func Start(ctx context.Context, g sampler.Grader) error {
	if s, ok := g.(Starter); ok {
		return s.Start(ctx)
	}
	return nil
}

// References returns the templates that the grader compares outputs with; none if unknown.
func References(g sampler.Grader) []Template {
	if r, ok := g.(Referrer); ok {
		return r.References()
	}
	return nil
}

// Warnings returns the grader's warnings, each sentence once.
func Warnings(g sampler.Grader) []string {
	if w, ok := g.(Warner); ok {
		return w.Warnings()
	}
	return nil
}
