package chart

import (
	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

func tableFailures(r *analysis.Result) Table {
	splits, names := endedSplits(r), failureNames(r.Lang)
	t := Table{Head: heads(r.Lang, "how it ended", "split", "rollouts", "share", "counts")}
	for i, o := range failureOutcomes() {
		counts := "at the bottom of the range"
		if o.Missing() {
			counts = "in no mean"
		}
		for j, f := range splits {
			y, half := failureRow(i, j, len(splits))
			share := f.share(o)
			t.Marks = append(t.Marks, Mark{
				Cells: []string{names[i], string(f.split), message.Whole(f.count[o]), message.Percent(share), r.Lang.Text(counts)},
				X1:    share, Y0: y - half, Y1: y + half, Dots: []Dot{{share, y}},
			})
		}
	}
	return t
}

func tableVariants(r *analysis.Result) Table {
	words := map[analysis.VariantAnswer]string{
		analysis.Gains: "gains", analysis.Loses: "loses", analysis.NoDifference: "no difference that matters", analysis.Untold: "cannot tell",
	}
	t := Table{Head: heads(r.Lang, "variant", "variant - base", "answer")}
	for i, v := range variantDotsOf(r).list {
		t.Marks = append(t.Marks, Mark{
			Cells: []string{v.name, message.Interval(&v.value, &v.low, &v.high), r.Lang.Text(words[v.answer])},
			X0:    v.low, X1: v.high, Y0: row(i) - 0.5, Y1: row(i) + 0.5, Dots: []Dot{{v.value, row(i)}},
		})
	}
	return t
}

func tableEndpointLoad(r *analysis.Result) Table {
	t := Table{Columns: true, Head: heads(r.Lang, "rollouts at once")}
	var curves []curve
	for _, l := range loadsOf(r) {
		t.Head, curves = append(t.Head, r.Lang.Say("%s, P95 s", l.name)), append(curves, l.curve)
	}
	t.Marks = columnsAt(curves, func(x float64) []string {
		cells := []string{message.Digits(x)}
		for _, v := range curves {
			cells = append(cells, v.cell(x))
		}
		return cells
	})
	return t
}

func tableGraderAudit(r *analysis.Result) Table {
	must := map[rollout.Expectation]string{
		rollout.Bottom: "deserves nothing", rollout.Top: "is right", rollout.Same: "only looks different",
	}
	words := map[came]string{held: "held", holed: "hole", shifted: "moved"}
	t := Table{Head: heads(r.Lang, "probe", "the answer", "result", "share of items", "counted")}
	groups, _ := auditGroups(r)
	for _, g := range groups {
		for i, p := range g.probes {
			y, share := row(g.first+1+i), float64(p.Above)/float64(p.Items)
			if p.Accept.Known() {
				share = *p.Accept.Value
			}
			t.Marks = append(t.Marks, Mark{
				Cells: []string{p.Probe, r.Lang.Text(must[p.Expect]), r.Lang.Text(words[whatCame(p)]), message.Interval(&share, p.Accept.Low, p.Accept.High), r.Lang.Say("%s of %s", message.Whole(p.Above), message.Whole(p.Items))},
				X1:    1, Y0: y - 0.5, Y1: y + 0.5, Dots: []Dot{{share, y}},
			})
		}
	}
	return t
}
