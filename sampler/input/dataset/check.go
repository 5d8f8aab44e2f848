package dataset

import (
	"cmp"
	"fmt"
	"slices"

	"gonogo/sampler/rollout"
)

// maxShown is how many different objections to rows of a file are listed under one rule.
const maxShown = 10

// Rule is a requirement on the data, from a platform or from common sense. It checks rows, files,
// or all files together.
type Rule struct {
	Name, Doc string

	hosted bool // advice for platforms that take the body of a job only

	limit func(Target) Limit                               // nil: advice that applies everywhere and never blocks
	row   func(it *row, limit Limit) string                // returns what is wrong with the row; "" if nothing is
	file  func(f *File, rows []row, limit Limit) string    // returns what is wrong with the file
	files func(files []*File, limit Limit) (*File, string) // returns what is wrong with the files together
}

// Rules lists the rules that Check applies, in the order in which they are shown.
func Rules() []Rule { return slices.Concat(limitRules(), fieldRules()) }

// Check returns the objections of the target, and of any trainer, to the files: the Problems found
// while loading, then those of Rules, sorted by split and line. A Problem is blocking if it breaks
// a verified rule of the target; the others are advice.
func Check(files []*File, target Target) []rollout.Problem {
	var found []rollout.Problem
	rules := Rules()
	for _, f := range files {
		found = append(found, f.Problems...)
		rows := decodeRows(f)
		for _, r := range rules {
			found = append(found, r.check(f, rows, target)...)
		}
	}
	for _, r := range rules {
		limit, on := r.applies(target)
		if !on || r.files == nil {
			continue
		}
		if f, why := r.files(files, limit); why != "" {
			p := rollout.Problem{Rule: r.Name, Message: why, Blocking: limit.Verified}
			if f != nil {
				p.Split, p.File = f.Split, f.base()
			}
			found = append(found, p)
		}
	}
	order := rollout.Splits()
	slices.SortStableFunc(found, func(a, b rollout.Problem) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Split), slices.Index(order, b.Split)),
			cmp.Compare(a.Line, b.Line))
	})
	return found
}

// applies returns the rule's limit for the target, and whether the rule applies to it.
func (r Rule) applies(t Target) (Limit, bool) {
	if r.limit == nil {
		return Limit{}, !r.hosted || t.TakesJob
	}
	limit := r.limit(t)
	return limit, limit.Value != 0
}

// check applies the rule to one file.
func (r Rule) check(f *File, rows []row, t Target) []rollout.Problem {
	limit, on := r.applies(t)
	if !on {
		return nil
	}
	var found []rollout.Problem
	add := func(line int, why string) {
		if limit.Source != "" {
			why += " (" + limit.Source + ")"
		}
		found = append(found, rollout.Problem{
			Split: f.Split, File: f.base(), Line: line, Rule: r.Name, Message: why,
			Blocking: limit.Verified,
		})
	}
	if r.file != nil {
		if why := r.file(f, rows, limit); why != "" {
			add(0, why)
		}
	}
	if r.row == nil {
		return found
	}
	lines := make(map[string][]int) // by objection
	var whys []string
	bad, more, next := 0, 0, 0
	for i := range rows {
		why := r.row(&rows[i], limit)
		if why == "" {
			continue
		}
		bad++
		switch had := lines[why]; {
		case had == nil && len(whys) == maxShown:
			if more++; next == 0 {
				next = rows[i].item.Line
			}
			continue
		case had == nil:
			whys = append(whys, why)
		}
		lines[why] = append(lines[why], rows[i].item.Line)
	}
	for _, why := range whys {
		add(lines[why][0], why+inLines(lines[why]))
	}
	if more > 0 {
		add(next, fmt.Sprintf("and %d more rows like the %d above; this is the next", more, bad-more))
	}
	return found
}

// inLines says how many rows an objection is about, and where the first are; "" for one row.
func inLines(lines []int) string {
	const few = 3
	if len(lines) == 1 {
		return ""
	}
	text := fmt.Sprintf(": %d rows, in lines %d", len(lines), lines[0])
	for i, line := range lines[1:min(len(lines), few)] {
		if i+2 == len(lines) {
			text += " and"
		} else {
			text += ","
		}
		text += fmt.Sprintf(" %d", line)
	}
	if len(lines) > few {
		text += ", …"
	}
	return text
}
