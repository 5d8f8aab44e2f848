package chart

import (
	"cmp"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/shift"
)

// shiftFeatures and shiftPairs limit how many rows one picture shows.
const (
	shiftFeatures = 8
	shiftPairs    = 20
)

// The answers of a comparison of two splits; a single feature is not judged.
var (
	shiftAlike   = seen{ringLook, message.New("chart.shift.same", "not shown to differ")}
	shiftHints   = seen{cautionLook, message.New("chart.caution", "caution")}
	shiftDiffers = seen{badLook, message.New("chart.differ", "differ")}
	shiftSingle  = seen{singleLook, message.New("chart.shift.single", "single feature")}
)

// shiftRow is one comparison of two splits.
type shiftRow struct {
	dotRow
	by, a, b string
	p        string   // of the classifier
	decides  string   // the corrected p of the deciding test
	fail     *float64 // the threshold of its gate
	answer   seen
}

// drawShift shows how well a classifier distinguishes each pair of splits, then the single features
// that differ most.
func drawShift(r *analysis.Result) (Figure, error) {
	l := r.Lang
	switch {
	case r.Shift == nil:
		return noData(l, "chart.shift.no_items", "the items themselves are not known, so splits cannot be compared")
	case len(r.Shift.Crossings) == 0:
		return noData(l, "chart.shift.one_split",
			"there is only one split: set data.train and data.eval to compare them")
	}
	pairs, features := shiftRows(r)
	if len(pairs)+len(features) == 0 {
		return noData(l, "chart.shift.no_pair", "no two splits have anything that can be compared")
	}
	var d dotRows
	limits := false
	group := func(head string, sound float64, list []shiftRow) {
		if len(list) == 0 {
			return
		}
		first := len(d.list) + 1
		d.list = append(d.list, dotRow{name: head, head: true})
		d.lines = append(d.lines, rowLine{sound, first, first + len(list) - 1, soundLine})
		for i, v := range list {
			if v.fail != nil {
				limits = true
				d.lines = append(d.lines, rowLine{*v.fail, first + i, first + i, limitLine})
			}
			d.list = append(d.list, v.dotRow)
		}
	}
	group(l.Text("chart.shift.all", "all features at once: AUC, 0.5 = cannot tell them apart"), 0.5,
		pairs)
	group(l.Text("chart.shift.each", "one feature at a time, farthest apart first: 0 = alike"), 0, features)
	f := d.figure(l.Text("chart.shift.axis", "AUC; below, D or Cramér's V"), -0.012,
		1.005, 0.19, 14)
	f.Height = max(Height, f.Height)
	f.Table.Head = heads(l, "chart.head.compared", "compared", "chart.head.splits", "splits", "chart.head.measure",
		"measure", "chart.head.value", "value", "chart.head.p", "p", "chart.head.p_decides", "p that decides",
		"chart.head.answer", "answer", "chart.head.what_tells_them_apart", "what tells them apart")
	f.Title = l.Text("chart.shift.none", "No two splits are shown to differ in any of these")
	index := slices.IndexFunc(pairs, func(v shiftRow) bool { return v.answer == shiftDiffers })
	if index >= 0 {
		f.Title = l.Say("chart.shift.distinguished", "%s and %s are distinguished by %s (AUC %s)", pairs[index].a,
			pairs[index].b, pairs[index].by, message.Digits(pairs[index].value))
	} else if index = slices.IndexFunc(pairs, func(v shiftRow) bool { return v.answer == shiftHints }); index >= 0 {
		f.Title = l.Say("chart.shift.distinguishable", "%s and %s can be distinguished by %s (AUC %s)", pairs[index].a,
			pairs[index].b, pairs[index].by, message.Digits(pairs[index].value))
	}
	var crossings []string
	for _, x := range r.Shift.Crossings {
		crossings = append(crossings, l.Say("chart.shift.pair", "%s (n = %s) against %s (n = %s)", x.A,
			message.Whole(x.RowsA), x.B, message.Whole(x.RowsB)))
	}
	f.Subtitle = strings.Join(crossings, l.Text("sign.list", ", ")) +
		l.Say("chart.shift.lines", "; lines: %s intervals; p of the test that decides, Holm over all; that of the "+
			"classifier is in the table; single features are descriptive", message.Percent(r.Confidence))
	f.Legend = append([]Entry{{l.Text("chart.shift.alike", "no difference"), upright(soundLine)}},
		d.legend(l, shiftDiffers, shiftHints, shiftAlike, shiftSingle)...)
	if limits {
		f.Legend = append(f.Legend, Entry{l.Text("chart.nogo.beyond", "NO-GO beyond"), upright(limitLine)})
	}
	return f, nil
}

func shiftRows(r *analysis.Result) (pairs, features []shiftRow) {
	l := r.Lang
	for i := range r.Shift.Pairs {
		pair := &r.Shift.Pairs[i]
		if !pair.Effect.Known() {
			continue
		}
		v := shiftRow{a: string(pair.A), b: string(pair.B), answer: shiftAlike}
		about, gate := shiftAbout(l, pair.On)
		v.by = about
		v.place(pair.Effect)
		v.text = message.Digits(v.value)
		measure := map[string]string{
			shift.C2ST: "AUC", shift.Kolmogorov: "Kolmogorov–Smirnov D",
			shift.ChiSquare: "Cramér's V",
		}[pair.Test]
		one := pair.Test == shift.Kolmogorov || pair.Test == shift.ChiSquare
		verdict, top := "", ""
		switch {
		case pair.Test == shift.C2ST && pair.About.IsEmpty() && len(pairs) < shiftPairs:
			v.judge(r, pair, gate)
			verdict = v.answer.words.In(l)
		case one && !pair.About.IsEmpty():
			v.answer, v.by = shiftSingle, pair.About.In(l)
		default:
			continue
		}
		if v.name = v.by; len(r.Shift.Crossings) > 1 {
			v.name += l.Text("sign.list", ", ") + v.a + " – " + v.b
		}
		if len(pair.Top) > 0 {
			top = pair.Top[0].In(l)
		}
		if v.decides != "" {
			v.text += ", p " + v.decides
		}
		v.look, v.strong = v.answer.look, v.answer == shiftDiffers
		v.cells = []string{
			v.by, v.a + " – " + v.b, measure, message.Interval(&v.value, &v.low, &v.high),
			strings.TrimPrefix(v.p, "= "), strings.TrimPrefix(v.decides, "= "), verdict, top,
		}
		if one {
			features = append(features, v)
		} else {
			pairs = append(pairs, v)
		}
	}
	slices.SortStableFunc(features, func(a, b shiftRow) int { return cmp.Compare(b.value, a.value) })
	return pairs, features[:min(len(features), shiftFeatures)]
}

// shiftAbout returns the words for what is compared, and the gate that judges it; "" if none does.
func shiftAbout(l message.Language, on string) (words, gate string) {
	switch on {
	case analysis.OnLastUser:
		return l.Text("chart.feature.user", "last user message"), "shift"
	case analysis.OnPrompt:
		return l.Text("chart.feature.prompt", "whole prompt"), ""
	case analysis.OnFields:
		return l.Text("chart.feature.fields", "fields of the rows"), "shift"
	case analysis.OnReward:
		return l.Text("chart.feature.rewards", "rewards"), "shift"
	case analysis.OnTools:
		return l.Text("chart.feature.tools", "use of tools"), "shift"
	}
	return on, ""
}

func shownP(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return "= " + message.Digits(p)
}

// judge sets the answer of the gate from the classifier's AUC and the p of the deciding test.
func (v *shiftRow) judge(r *analysis.Result, pair *analysis.ShiftPair, gate string) {
	var p *float64
	for _, other := range r.Shift.Pairs {
		if other.Primary && other.A == pair.A && other.B == pair.B && other.On == pair.On {
			p = other.PHolm
		}
	}
	if pair.P != nil {
		v.p = shownP(*pair.P)
	}
	if p == nil {
		return
	}
	v.decides = shownP(*p)
	v.fail = threshold(r, gate)
	sure, likely := threshold(r, gate+".p"), threshold(r, gate+".caution.p")
	switch {
	case v.fail != nil && sure != nil && v.low > *v.fail && *p < *sure:
		v.answer = shiftDiffers
	case likely != nil && *p < *likely:
		v.answer = shiftHints
	}
}
