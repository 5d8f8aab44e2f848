package grader

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"gonogo/sampler/rollout"
)

// A multi grader reports what its parts report, and names a part by its key in graders.

// CheckItem reports the first part that cannot grade the item.
func (g *Multi) CheckItem(it *rollout.Item) error {
	for _, p := range g.parts {
		if c, ok := p.grader.(Checker); ok {
			if err := c.CheckItem(it); err != nil {
				return fmt.Errorf("part %s: %w", p.name, err)
			}
		}
	}
	return nil
}

// Reads lists the keys of sample that the parts read.
func (g *Multi) Reads() []string {
	var lists [][]string
	for _, p := range g.parts {
		if r, ok := p.grader.(Reader); ok {
			lists = append(lists, r.Reads())
		}
	}
	return union(lists...)
}

// SessionReads lists the session variables that the parts read.
func (g *Multi) SessionReads() []string {
	var lists [][]string
	for _, p := range g.parts {
		lists = append(lists, SessionReads(p.grader))
	}
	return union(lists...)
}

// References lists the templates that the parts compare outputs with, each once.
func (g *Multi) References() []Template {
	var all []Template
	for _, p := range g.parts {
		for _, t := range References(p.grader) {
			if !slices.ContainsFunc(all, func(u Template) bool { return u.source == t.source }) {
				all = append(all, t)
			}
		}
	}
	return all
}

// Start checks what the parts need on this machine.
func (g *Multi) Start(ctx context.Context) error {
	for _, p := range g.parts {
		if err := Start(ctx, p.grader); err != nil {
			return fmt.Errorf("part %s: %w", p.name, err)
		}
	}
	return nil
}

// Close closes the parts.
func (g *Multi) Close() error {
	var errs []error
	for _, p := range g.parts {
		if c, ok := p.grader.(io.Closer); ok {
			if err := c.Close(); err != nil {
				errs = append(errs, fmt.Errorf("part %s: %w", p.name, err))
			}
		}
	}
	return errors.Join(errs...)
}

// Info returns the formula; its parts in the order in which it reads them, followed by those that
// it does not read; and the gates (see formula.Formula.Gates).
func (g *Multi) Info() rollout.GraderInfo {
	return rollout.GraderInfo{
		Formula: g.source, Parts: append(g.formula.Names(), g.unread()...), Gates: g.formula.Gates(g.bounds),
	}
}

// bounds returns the range of a part's rewards; infinite if unknown.
func (g *Multi) bounds(name string) (low, high float64) {
	for _, p := range g.parts {
		if r, ok := p.grader.(Ranger); ok && p.name == name {
			return r.Range()
		}
	}
	return math.Inf(-1), math.Inf(1)
}

// unread lists the parts that the formula does not read.
func (g *Multi) unread() []string {
	var names []string
	for _, p := range g.parts {
		if !slices.Contains(g.formula.Names(), p.name) {
			names = append(names, p.name)
		}
	}
	return names
}

// Warnings reports parts without effect, and the parts' own warnings.
func (g *Multi) Warnings() []string {
	var warn []string
	for _, name := range g.unread() {
		warn = append(warn, fmt.Sprintf("multi: the formula does not read %s, which is graded but does not "+
			"change the reward; if it fails, the output has no grade", name))
	}
	for _, p := range g.parts {
		for _, text := range Warnings(p.grader) {
			warn = append(warn, fmt.Sprintf("part %s: %s", p.name, text))
		}
	}
	return warn
}

// Choices says how the formula is interpreted, and lists the parts' choices.
func (g *Multi) Choices() map[string]string {
	choices := map[string]string{
		"multi formula": "^ groups to the right and binds tighter than a sign; a step without a finite value, such " +
			"as a division by zero, leaves the output without a grade",
		"multi part": "a part without a grade leaves the output without one",
	}
	if g.invalid {
		choices["multi invalid_grade"] = "ignored: its meaning is not documented, and an output without a grade " +
			"stays without one"
	}
	for _, p := range g.parts {
		for question, choice := range Choices(p.grader) {
			choices[question] = choice
		}
	}
	return choices
}
