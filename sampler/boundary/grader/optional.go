package grader

import (
	"context"
	"errors"
	"fmt"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// The interfaces below are optional and found by type assertion. A grader that holds processes or
// connections also implements io.Closer. A multi grader forwards all of them to its parts.

// Checker is a grader that can report before sampling that it cannot grade an item, for example
// because a template names a field that the row does not have.
type Checker interface {
	CheckItem(*rollout.Item) error
}

// CheckItems returns an error that lists the items that the grader cannot grade, the first five
// of many. It returns nil if the grader is not a Checker.
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

// Reader is a grader that knows which keys of sample it reads, such as output_text. Each is listed
// once.
type Reader interface {
	Reads() []string
}

// Starter is a grader that must be checked before anything is sampled, because something
// it needs on this machine, such as an interpreter, may be missing.
type Starter interface {
	Start(ctx context.Context) error
}

// Describer is a grader that knows more about itself than its definition shows. The function Info
// fills in kind, name and hash.
type Describer interface {
	Info() rollout.GraderInfo
}

// Referrer is a grader that knows the templates that it compares outputs with. They do not read
// sample.
type Referrer interface {
	References() []Template
}

// Ranger is a grader whose rewards have known bounds.
type Ranger interface {
	Range() (low, high float64)
}

// Warner is a grader with warnings that do not prevent grading: a key that is accepted and does
// nothing, a metric that is an approximation, or something that it noticed while grading.
type Warner interface {
	Warnings() []string
}

// SessionReader is a grader whose address or command contains session variables. SessionReads
// lists their names, each once.
type SessionReader interface {
	SessionReads() []string
}

// SessionReads returns the session variables that the grader reads; nil for a grader that needs
// no session.
func SessionReads(g sampler.Grader) []string {
	if e, ok := g.(SessionReader); ok {
		return e.SessionReads()
	}
	return nil
}

// GroupSize returns how many outputs of an item the grader compares; 0 for one that grades each by
// itself.
func GroupSize(g sampler.Grader) int {
	switch g := g.(type) {
	case *Reward:
		return g.group
	case *Multi:
		size := 0
		for _, p := range g.parts {
			size = max(size, GroupSize(p.grader))
		}
		return size
	}
	return 0
}

// Start checks what the grader needs on this machine. It returns at once for a grader that needs nothing.
func Start(ctx context.Context, g sampler.Grader) error {
	if s, ok := g.(Starter); ok {
		return s.Start(ctx)
	}
	return nil
}

// References returns the templates that the grader compares outputs with; nil if unknown.
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
