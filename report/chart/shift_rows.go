package chart

import (
	"cmp"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/shift"
)

// shiftGrade is what a comparison says.
type shiftGrade int

const (
	alike shiftGrade = iota
	hints
	differs
	single = shiftGrade(-1) // one feature: shown, not judged
)

// shiftDot is one comparison of two splits.
type shiftDot struct {
	name, by, a, b   string
	measure          string
	value, low, high float64
	fail, caution    *float64 // thresholds of its gate
	p                string
	grade            shiftGrade
	top              string // what tells them apart
}

// shiftGroup is the comparisons of one measure, below each other.
type shiftGroup struct {
	head  string
	sound float64 // where splits stand that do not differ
	first int     // row of its head
	dots  []shiftDot
}

// shiftFeatures and shiftWholes are how many rows one picture shows.
const (
	shiftFeatures = 8
	shiftWholes   = 20
)

// shiftGroups are what a classifier makes of each two splits as a whole, then
// the single features that differ most.
func shiftGroups(r *analysis.Result) []shiftGroup {
	if r.Shift == nil {
		return nil
	}
	whole := shiftGroup{head: r.Lang.Text("all features at once: AUC of a classifier, 0.5 = cannot tell them apart"), sound: 0.5}
	part := shiftGroup{head: r.Lang.Text("one feature at a time, the farthest apart first: 0 = alike")}
	for i := range r.Shift.Pairs {
		pair := &r.Shift.Pairs[i]
		if !pair.Effect.Known() {
			continue
		}
		d := shiftDotOf(r, pair)
		switch {
		case pair.Test == shift.C2ST && pair.About.None() && len(whole.dots) < shiftWholes:
			d.judge(r, pair)
			whole.dots = append(whole.dots, d)
		case (pair.Test == shift.Kolmogorov || pair.Test == shift.ChiSquare) && !pair.About.None():
			about := pair.About.In(r.Lang)
			d.grade, d.by, d.name = single, about, about
			if len(r.Shift.Crossings) > 1 {
				d.name += r.Lang.Text(", ") + d.a + " – " + d.b
			}
			part.dots = append(part.dots, d)
		}
	}
	slices.SortStableFunc(part.dots, func(a, b shiftDot) int { return cmp.Compare(b.value, a.value) })
	part.dots = part.dots[:min(len(part.dots), shiftFeatures)]
	var groups []shiftGroup
	at := 0
	for _, g := range []shiftGroup{whole, part} {
		if len(g.dots) > 0 {
			g.first = at
			groups = append(groups, g)
			at += len(g.dots) + 1
		}
	}
	return groups
}

// shiftAbout names what is compared, and the gate that judges it.
func shiftAbout(on string) (words, gate string) {
	switch on {
	case analysis.OnLastUser:
		return "last user message", "shift"
	case analysis.OnPrompt:
		return "whole prompt", ""
	case analysis.OnFields:
		return "fields of the rows", "shift"
	case analysis.OnReward:
		return "rewards", "shift"
	case analysis.OnTools:
		return "use of tools", "shift"
	}
	return on, ""
}

func shiftDotOf(r *analysis.Result, pair *analysis.ShiftPair) shiftDot {
	d := shiftDot{a: string(pair.A), b: string(pair.B), value: *pair.Effect.Value}
	if len(pair.Top) > 0 {
		d.top = pair.Top[0].In(r.Lang)
	}
	about, _ := shiftAbout(pair.On)
	d.by = r.Lang.Text(about)
	d.name = d.by
	if len(r.Shift.Crossings) > 1 {
		d.name += r.Lang.Text(", ") + d.a + " – " + d.b
	}
	d.measure = map[string]string{shift.C2ST: "AUC", shift.Kolmogorov: "Kolmogorov–Smirnov D", shift.ChiSquare: "Cramér's V"}[pair.Test]
	d.low, d.high = d.value, d.value
	if pair.Effect.Low != nil && pair.Effect.High != nil {
		d.low, d.high = *pair.Effect.Low, *pair.Effect.High
	}
	return d
}

// judge says what the gate makes of it: the classifier's AUC, and the p of the
// one test that decides.
func (d *shiftDot) judge(r *analysis.Result, pair *analysis.ShiftPair) {
	var p *float64
	for _, other := range r.Shift.Pairs {
		if other.Primary && other.A == pair.A && other.B == pair.B && other.On == pair.On {
			p = other.PHolm
		}
	}
	if p == nil {
		return
	}
	d.p = "= " + message.Digits(*p)
	if *p < 0.001 {
		d.p = "< 0.001"
	}
	_, name := shiftAbout(pair.On)
	d.fail = threshold(r, name)
	if d.fail != nil {
		clear := analysis.ClearShift
		d.caution = &clear
	}
	sure, likely := threshold(r, name+".p"), threshold(r, name+".caution.p")
	switch {
	case d.fail != nil && sure != nil && d.low > *d.fail && *p < *sure:
		d.grade = differs
	case likely != nil && *p < *likely:
		d.grade = hints
	}
}
