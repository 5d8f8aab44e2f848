package chart

import (
	"gonogo/analysis"
	"gonogo/analysis/message"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// variantRows is how many variants one picture shows; the table has all.
const variantRows = 40

// variantLooks are the looks of the answers for a variant.
var variantLooks = []seen{
	{gainLook, message.New("chart.gains", "gains")},
	{badLook, message.New("chart.loses", "loses")},
	{evenLook, message.New("chart.variants.same", "no difference that matters")},
	{ringLook, message.New("chart.answer.unclear", "cannot tell")},
}

// drawVariants shows the variants that can be compared, in the order of the ranking.
func drawVariants(r *analysis.Result) (Figure, error) {
	l, v := r.Lang, r.Variants
	if v == nil {
		return noData(l, "chart.variants.none", "the run has no variants: list some under variants in gonogo.yaml")
	}
	answers := map[analysis.VariantAnswer]int{
		analysis.Gains: 0, analysis.Loses: 1, analysis.NoDifference: 2,
		analysis.CannotTell: 3,
	}
	var d dotRows
	gains := 0
	for i := range v.Ranked {
		one := &v.Ranked[i]
		gains += b2i(one.Answer == analysis.Gains)
		sp := v.Ranking(one)
		if sp == nil || !sp.Reward.Known() {
			continue
		}
		is := variantLooks[answers[one.Answer]]
		row := dotRow{
			name: one.Name, look: is.look, text: message.Signed(*sp.Reward.Value),
			strong: one.Answer == analysis.Gains, hidden: len(d.list) >= variantRows,
			cells: []string{one.Name, message.Interval(sp.Reward.Value, sp.Reward.Low, sp.Reward.High), is.words.In(l)},
		}
		row.place(sp.Reward.Estimate)
		d.list = append(d.list, row)
	}
	if len(d.list) == 0 {
		return noData(l, "chart.variants.incomplete",
			"no variant could be compared: run the same command again to make the missing rollouts")
	}
	hoped := rule{value: v.Hoped, upward: true, line: draw.LineStyle{Color: Orange, Width: 1, Dashes: dashed}}
	under := []plot.Plotter{band(v.Delta), zeroRule()}
	if v.Hoped > 0 {
		under = append(under, hoped)
	}
	f := d.changes(l.Text("chart.variants.axis", "variant minus base, mean reward"), 0.17,
		[]float64{-v.Delta, v.Delta, v.Hoped}, under...)
	f.Table.Head = heads(l, "chart.head.variant", "variant", "chart.head.variant_base", "variant - base",
		"chart.head.answer", "answer")
	all := l.Count(len(v.Ranked), "variant")
	switch gains {
	case 0:
		f.Title = l.Say("chart.variants.no_gain", "None of %s is shown to gain on the base", all)
	case 1:
		f.Title = l.Say("chart.variants.gain", "The variant %s gains %s without any training", d.list[0].name,
			message.Digits(d.list[0].value))
	default:
		f.Title = l.Say("chart.variants.gains", "%s of %s gain on the base without any training",
			message.Whole(gains), all)
	}
	sp := v.Ranking(&v.Ranked[0])
	f.Subtitle = l.Say("chart.variants.about", "%s: %s, paired, n = %s; bars: %s; p corrected for %s", *v.Split,
		l.Count(sp.Reward.Items, "item"), l.Count(sp.Reward.N, "rollout"), intervals(r, sp.Reward.Estimate), all)
	if hidden := len(v.Ranked) - d.drawn(); hidden > 0 {
		f.Subtitle += l.Say("chart.table.more", "; %s in the table only", l.Count(hidden, "variant"))
	}
	f.Legend = d.legend(l, variantLooks...)
	if v.Delta > 0 {
		f.addEntry(l.Say("chart.within", "within ± %s", message.Digits(v.Delta)), bandMark)
	}
	if v.Hoped > 0 {
		f.addEntry(l.Say("chart.variants.hoped", "gain hoped for from training: %s", message.Digits(v.Hoped)), hoped)
	}
	return f, nil
}
