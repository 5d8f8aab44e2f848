package compare

import (
	"maps"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/message"
)

// AddVerdicts adds the verdicts of the two runs' own analyses; nil means that a verdict is unknown.
// If a gate about a grader made a run NO-GO, a note says that a higher reward may not mean a better
// policy; if it is the new run, the new policy is not better. If detectors marked rollouts, notes
// give the share on each side.
func (c *Comparison) AddVerdicts(base, new *analysis.Result) {
	b, n := c.Base.judged(base), c.New.judged(new)
	gates := message.Args{"base": message.Name(b), "new": message.Name(n)}
	first := []message.Text{}
	switch {
	case b != "" && n != "":
		first = append(first, bothUntrusted.With(gates))
	case b != "":
		first = append(first, baseUntrusted.With(gates))
	case n != "":
		first = append(first, newUntrusted.With(gates))
	}
	first = append(first, markedNotes(c.Base.Detectors, c.New.Detectors)...)
	c.Notes = append(first, c.Notes...)
	c.notBetter()
}

// judged stores a run's verdict and returns the gate about the grader that made it untrusted; "" if
// none did.
func (r *Side) judged(result *analysis.Result) string {
	if result == nil {
		return ""
	}
	r.Verdict, r.Untrusted = result.Verdict, UntrustedBy(result)
	if result.Reason != nil {
		r.Reason = *result.Reason
	}
	return r.Untrusted
}

// UntrustedBy returns the gate about the grader that makes a run NO-GO, preferably the deciding
// gate; "" if there is none.
func UntrustedBy(r *analysis.Result) string {
	const grader = "grader."
	if r.Verdict != analysis.NoGo {
		return ""
	}
	if r.Reason != nil && strings.HasPrefix(*r.Reason, grader) {
		return *r.Reason
	}
	for _, f := range r.Findings {
		if f.Status == analysis.Fail && f.Severity == analysis.Blocking && strings.HasPrefix(f.Gate, grader) {
			return f.Gate
		}
	}
	return ""
}

// UntrustedGates returns the failed gates of the runs' own verdicts that make a grader
// untrustworthy: a higher reward then does not mean a better policy.
func (c *Comparison) UntrustedGates() []string {
	var gates []string
	for _, gate := range []string{c.Base.Untrusted, c.New.Untrusted} {
		if gate != "" && !slices.Contains(gates, gate) {
			gates = append(gates, gate)
		}
	}
	return gates
}

// hacks compares the share of rollouts that each detector of both runs marks.
func (c *comparer) hacks() []analysis.Difference {
	detectors := make(map[string]bool)
	for _, it := range c.new {
		for name := range it.Marks {
			detectors[name] = true
		}
	}
	var out []analysis.Difference
	for _, name := range slices.Sorted(maps.Keys(detectors)) {
		v := c.collect(func(it *collect.RunItem) (float64, float64, int, bool) {
			return it.Marks[name].Mean(), 0, it.Marks[name].N, false
		})
		if len(v.base) > 0 && len(v.new) > 0 {
			out = append(out, c.difference(name, "share", v, &unitRange))
		}
	}
	return out
}

// markedNotes returns notes on what detectors marked on either side, the base's detectors first.
func markedNotes(base, new []collect.DetectorMarks) []message.Text {
	var notes []message.Text
	find := func(list []collect.DetectorMarks, name string) (collect.DetectorMarks, bool) {
		i := slices.IndexFunc(list, func(d collect.DetectorMarks) bool { return d.Detector == name })
		if i < 0 {
			return collect.DetectorMarks{}, false
		}
		return list[i], true
	}
	for _, b := range base {
		n, both := find(new, b.Detector)
		switch {
		case b.Marked+n.Marked == 0:
		case both:
			notes = append(notes,
				bothMarked.With(message.Args{
					"detector": message.Name(b.Detector), "base": message.Share(b.Share),
					"new": message.Share(n.Share),
				}))
		default:
			notes = append(notes,
				baseMarked.With(message.Args{"detector": message.Name(b.Detector), "base": message.Share(b.Share)}))
		}
	}
	for _, n := range new {
		if _, both := find(base, n.Detector); !both && n.Marked > 0 {
			notes = append(notes,
				newMarked.With(message.Args{"detector": message.Name(n.Detector), "new": message.Share(n.Share)}))
		}
	}
	return notes
}

// Why a higher reward may not mean a better policy.
var (
	bothUntrusted = message.New("compare.both_untrusted", "a higher reward may not mean a better policy: both runs "+
		"are NO-GO because of their grader (base {base}, new {new})")
	baseUntrusted = message.New("compare.base_untrusted",
		"a higher reward may not mean a better policy: the base run is NO-GO because of its grader ({base})")
	newUntrusted = message.New("compare.new_untrusted",
		"a higher reward may not mean a better policy: the new run is NO-GO because of its grader ({new})")

	bothMarked = message.New("compare.both_marked",
		"the detector “{detector}” marks {base} of the rollouts as hacks in the base run and {new} in the new one")
	baseMarked = message.New("compare.base_marked", "the detector “{detector}” marks {base} of the rollouts as "+
		"hacks in the base run; it did not check those of the new one")
	newMarked = message.New("compare.new_marked", "the detector “{detector}” marks {new} of the rollouts as hacks "+
		"in the new run; it did not check those of the base run")
)
