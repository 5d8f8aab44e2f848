package compare

import (
	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// The errors of the runs' graders by people's labels: of rollouts, and of texts that the audits had
// graded.
const (
	falseAccepts     = "false_accepts"
	falseRejects     = "false_rejects"
	falseAcceptsText = "false_accepts_of_texts"
	falseRejectsText = "false_rejects_of_texts"
)

// graderErrors compares how often the runs' graders err, by the labels of both runs; nil if a run has
// none, or none that say right or wrong. It needs no common items: the errors are the grader's.
func graderErrors(p pairing, s analysis.Settings) []analysis.Difference {
	var out []analysis.Difference
	add := func(accepts, rejects string, of func(*collect.RunItem) stat.Verdicts) {
		base, new := sideBySide(p, of)
		accept, reject := stat.ErrorChange(base, new, s.Confidence)
		b, n := stat.ErrorsOf(base, s.Confidence), stat.ErrorsOf(new, s.Confidence)
		for _, d := range []analysis.Difference{
			{Name: accepts, Estimate: accept, Base: b.FalseAccept.Value, New: n.FalseAccept.Value},
			{Name: rejects, Estimate: reject, Base: b.FalseReject.Value, New: n.FalseReject.Value},
		} {
			if !d.Known() {
				continue
			}
			d.Unit, d.Better, d.Change = message.UnitShare, "down", "unclear"
			d.Direction = direction(d.Estimate, nil, false, 0, s.Confidence)
			switch delta := s.Thresholds.At(analysis.CompareDelta); {
			case d.Direction == "up":
				d.Change = "worse"
			case d.Direction == "down":
				d.Change = "better"
			case *d.Low >= -delta && *d.High <= delta:
				d.Change = "same"
			}
			out = append(out, d)
		}
	}
	add(falseAccepts, falseRejects, func(it *collect.RunItem) stat.Verdicts { return it.Verdicts })
	add(falseAcceptsText, falseRejectsText, func(it *collect.RunItem) stat.Verdicts { return it.Texts })
	return out
}

// sideBySide returns what is known about each item of either run, in the same order.
func sideBySide(p pairing, of func(*collect.RunItem) stat.Verdicts) (base, new []stat.Verdicts) {
	inNew := byID(p.new)
	for _, b := range p.base {
		base = append(base, of(b))
		if n := inNew[b.ID]; n != nil {
			new = append(new, of(n))
			delete(inNew, b.ID)
		} else {
			new = append(new, stat.Verdicts{})
		}
	}
	for _, n := range p.new {
		if inNew[n.ID] != nil {
			base, new = append(base, stat.Verdicts{}), append(new, of(n))
		}
	}
	return base, new
}

// drifted returns a note for each error of the grader that has certainly changed.
func (sc *Split) drifted(split rollout.Split) []message.Text {
	var notes []message.Text
	for _, d := range sc.Errors {
		if d.Direction == "unclear" {
			continue
		}
		notes = append(notes, graderDrift[d.Name].With(message.Args{
			"split": message.Name(split), "base": message.Share(*d.Base), "new": message.Share(*d.New),
			"change": message.Name(message.DifferenceIn(d.Unit, d.Value, d.Low, d.High)),
		}))
	}
	return notes
}

// What labels show about a grader that has changed.
var graderDrift = map[string]message.Def{
	falseAccepts: message.New("compare.drift.accepts", "on {split}, by the labels, the grader now accepts {new} of "+
		"the wrong outputs, {base} before ({change}): the reward is not on the same scale"),
	falseRejects: message.New("compare.drift.rejects", "on {split}, by the labels, the grader now rejects {new} of "+
		"the right outputs, {base} before ({change}): the reward is not on the same scale"),
	falseAcceptsText: message.New("compare.drift.text_accepts", "on {split} the grader now accepts {new} of the "+
		"labelled texts that are wrong, {base} before ({change}): the reward is not on the same scale"),
	falseRejectsText: message.New("compare.drift.text_rejects", "on {split} the grader now rejects {new} of the "+
		"labelled texts that are right, {base} before ({change}): the reward is not on the same scale"),
}
