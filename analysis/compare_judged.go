package analysis

import (
	"fmt"
	"gonogo/analysis/message"
	"slices"
	"strings"
)

// Judged takes over what the two runs' own analyses decided; nil is a run whose
// verdict is not known. Where a gate about the grader made a run NO-GO, a note says
// that a higher reward is no better policy, and a new run that improved by such a
// grader's rewards is not better. Where detectors marked rollouts, notes say how
// many on either side.
func (c *Comparison) Judged(base, new *Result) {
	switch b, n := c.Base.judged(base), c.New.judged(new); {
	case b != "" && n != "":
		c.Notes = append(c.Notes, fmt.Sprintf(bothUntrusted, b, n))
	case b != "":
		c.Notes = append(c.Notes, fmt.Sprintf(baseUntrusted, b))
	case n != "":
		c.Notes = append(c.Notes, fmt.Sprintf(newUntrusted, n))
	}
	c.Notes = append(c.Notes, markedNotes(c.Base.Detectors, c.New.Detectors)...)
	c.notBetter()
}

// judged keeps a run's verdict and returns the gate about the grader that decided
// it; "" where none did.
func (r *ComparedRun) judged(result *Result) string {
	if result == nil {
		return ""
	}
	r.Verdict = result.Verdict
	if result.Reason != nil {
		r.Reason = *result.Reason
	}
	return r.untrusted()
}

// untrusted returns the gate for which the run's grader is not to be trusted.
func (r *ComparedRun) untrusted() string {
	if r.Verdict == NoGo && strings.HasPrefix(r.Reason, "grader.") {
		return r.Reason
	}
	return ""
}

// Untrusted returns the gates by which the runs' own verdicts say that their
// graders are not to be trusted, so that a higher reward is no better policy.
func (c *Comparison) Untrusted() []string {
	var gates []string
	for _, gate := range []string{c.Base.untrusted(), c.New.untrusted()} {
		if gate != "" && !slices.Contains(gates, gate) {
			gates = append(gates, gate)
		}
	}
	return gates
}

// marks counts what the detectors marked, by their names.
func (c *collector) marks() []ComparedDetector {
	var out []ComparedDetector
	for _, name := range sortedNames(c.audit.marks) {
		d := ComparedDetector{Detector: name}
		for _, m := range c.audit.marks[name] {
			d.Rollouts += one(!m.failed)
			d.Marked += one(m.marked)
		}
		if d.Rollouts > 0 {
			d.Share = float64(d.Marked) / float64(d.Rollouts)
			out = append(out, d)
		}
	}
	return out
}

// marked counts a detector's marks among the valid rollouts of one item.
func (c *collector) marked() map[itemKey]map[string]told {
	out := make(map[itemKey]map[string]told)
	for name, marks := range c.audit.marks {
		for _, m := range marks {
			if m.failed {
				continue
			}
			at := itemKey{m.key.Split, m.key.Item}
			if out[at] == nil {
				out[at] = make(map[string]told)
			}
			t := out[at][name]
			t.add(float64(one(m.marked)))
			out[at][name] = t
		}
	}
	return out
}

// hacks compares the share of rollouts that each detector of both runs marks.
func (c *comparer) hacks() []Difference {
	detectors := make(map[string]bool)
	for _, it := range c.new {
		for name := range it.hacks {
			detectors[name] = true
		}
	}
	var out []Difference
	for _, name := range sortedNames(detectors) {
		v := c.collect(func(it *sideItem) (float64, float64, int, bool) {
			share, _ := it.hacks[name].mean()
			return share, 0, it.hacks[name].n, false
		})
		if len(v.base) > 0 && len(v.new) > 0 {
			out = append(out, c.difference(name, "share", v, &unitRange))
		}
	}
	return out
}

// markedNotes tells what detectors marked on either side, the base's first.
func markedNotes(base, new []ComparedDetector) []string {
	var notes []string
	find := func(list []ComparedDetector, name string) (ComparedDetector, bool) {
		i := slices.IndexFunc(list, func(d ComparedDetector) bool { return d.Detector == name })
		if i < 0 {
			return ComparedDetector{}, false
		}
		return list[i], true
	}
	for _, b := range base {
		n, both := find(new, b.Detector)
		switch {
		case b.Marked+n.Marked == 0:
		case both:
			notes = append(notes, fmt.Sprintf(bothMarked, b.Detector, message.Percent(b.Share), message.Percent(n.Share)))
		default:
			notes = append(notes, fmt.Sprintf(baseMarked, b.Detector, message.Percent(b.Share)))
		}
	}
	for _, n := range new {
		if _, both := find(base, n.Detector); !both && n.Marked > 0 {
			notes = append(notes, fmt.Sprintf(newMarked, n.Detector, message.Percent(n.Share)))
		}
	}
	return notes
}
