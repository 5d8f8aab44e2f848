package chart

import (
	"fmt"
	"math"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/report/internal/glyph"
	"gonogo/sampler/rollout"

	"gonum.org/v1/plot/vg/draw"
)

// The names of the thresholds in Result.Thresholds.
const (
	informativeGroups  = "signal.informative.groups" // of the whole training
	informativeCaution = "signal.informative.caution"
)

func drawInformative(r *analysis.Result, split rollout.Split, s *analysis.SplitResult) (Figure, error) {
	l := r.Lang
	g := informativeCurves(l, s)
	if len(g.exact.x) == 0 && len(g.bracket.x) == 0 {
		return noData(l, "chart.informative.single",
			"two samples per item are needed to see whether a group's rewards differ")
	}
	p := newPlot(l.Text("chart.informative.size", "group size"),
		l.Text("chart.informative.share", "informative groups"))
	shareAxis(p)
	first, last := g.span()
	if len(g.bracket.x) > 0 {
		p.Add(g.bracket)
	}
	kAxis(p, first, last, 16)
	size := float64(r.GroupSize)
	avoid := slices.Concat(around(g.exact, size), around(g.bracket, size), around(g.fits.band, size))
	grouped := size >= first && size <= last && last > first
	thresholds := informativeThresholds(r, g, grouped && p.X.Norm(size) < labelReach)
	for _, t := range thresholds {
		avoid = append(avoid, t.value, t.value+0.05)
	}
	if grouped {
		p.Add(groupRule(r, avoid...))
	}
	p.Add(g.fits.plotters()...)
	p.Add(g.raw, g.exact)
	for _, t := range thresholds {
		p.Add(t)
	}
	f := Figure{Plot: p, Table: g.table(l, s)}
	f.Title = l.Text("chart.informative.heading", "Informative groups against group size")
	lower, upper := s.SignalAt(r.GroupSize)
	if lower != nil && upper != nil {
		low, high := message.Percent(*lower.Teaches().Value), message.Percent(*upper.Teaches().Value)
		f.Title = l.Say("chart.informative.at", "At group size %d, %s of groups teach something", r.GroupSize, low)
		if low != high {
			f.Title = l.Say("chart.informative.between",
				"At group size %d, between %s and %s of groups teach something", r.GroupSize, low, high)
		}
	}
	f.Subtitle = counted(l, split, s)
	exact := func(e analysis.Signal) bool { return e.Bound == "exact" && e.Known() }
	if i := slices.IndexFunc(s.Signal, exact); i >= 0 {
		f.Subtitle += l.Text("chart.band", "; band: ") + intervals(r, s.Signal[i].Teaches())
	}
	f.Subtitle += g.fits.caption(l, message.Percent)
	name := func(words string, v curve) {
		if len(v.x) > 0 {
			f.addEntry(words, v)
		}
	}
	if len(g.raw.x) == 0 {
		name(l.Text("chart.measured", "measured"), g.exact)
	} else {
		name(l.Text("chart.measured.net", "measured, net of grader noise"), g.exact)
		name(l.Text("chart.measured.noisy", "with grader noise"), g.raw)
	}
	f.Brief = slices.Clone(f.Legend)
	name(l.Text("chart.possible.range", "possible range beyond the samples"), g.bracket)
	if len(g.bracket.x) > 0 {
		f.Brief = append(f.Brief, f.Legend[len(f.Legend)-1])
		if len(f.Brief) > 2 || len(g.fits.models) > 0 && len(f.Brief) > 1 {
			f.Brief[len(f.Brief)-1].Label = l.Text("chart.possible", "possible")
		}
	}
	f.Brief = append(f.Brief, g.fits.brief()...)
	f.Legend = append(f.Legend, g.fits.legend(r)...)
	return f, nil
}

func (g signals) table(l message.Language, s *analysis.SplitResult) Table {
	fitHeads, curves := g.fits.columns()
	noise := []string(nil)
	if len(g.raw.x) > 0 {
		noise, curves = heads(l, "chart.head.with_grader_noise", "with grader noise"), append([]curve{g.raw}, curves...)
	}
	low, high := g.low, g.high
	items := map[float64]string{}
	for _, e := range s.Signal {
		if e.Known() {
			items[float64(e.GroupSize)] = message.Whole(e.Items)
		}
	}
	marks := columnsAt(append([]curve{g.exact, low, high}, curves...), func(x float64) []string {
		cells := []string{message.Digits(x), g.exact.percentCell(x), ""}
		_, _, _, measured := g.exact.at(x)
		lo, least, _, ok := low.at(x)
		if hi, _, most, too := high.at(x); ok && too && !measured {
			if cells[2] = message.Percent(lo); message.Percent(hi) != cells[2] {
				cells[2] += " – " + message.Percent(hi)
			}
			cells[2] += fmt.Sprintf(" [%s, %s]", message.Percent(least), message.Percent(most)) // the edges of the band
		}
		for _, v := range curves {
			cells = append(cells, v.percentCell(x))
		}
		return append(cells, items[x])
	})
	return Table{
		Columns: true,
		Head: slices.Concat(heads(l, "chart.head.group_size", "group size", "chart.head.measured", "measured",
			"chart.head.possible_range", "possible range"), noise, fitHeads, heads(l, "chart.head.items", "items")),
		Marks: marks,
	}
}

// signals are the curves of the share of groups that teach: net of grader noise if it is known, as
// the gate judges it.
type signals struct {
	exact     curve // at group sizes up to the number of samples
	raw       curve // the same with grader noise; empty if they do not differ
	bracket   curve // beyond: a band that includes the intervals of its ends, and a line if both ends are equal
	low, high curve // the ends of the bracket
	fits      far
}

func informativeCurves(l message.Language, s *analysis.SplitResult) signals {
	g := signals{exact: mainCurve}
	low, high := map[int]stat.Estimate{}, map[int]stat.Estimate{}
	differ, last := false, stat.Estimate{}
	for _, e := range s.Signal {
		if !e.Known() || e.GroupSize < 1 {
			continue
		}
		net := e.Teaches()
		switch e.Bound {
		case "lower":
			low[e.GroupSize] = net
		case "upper":
			high[e.GroupSize] = net
		default:
			g.exact.add(float64(e.GroupSize), net)
			last = net
			g.raw.x, g.raw.y = append(g.raw.x, float64(e.GroupSize)), append(g.raw.y, *e.Value)
			differ = differ || message.Percent(*net.Value) != message.Percent(*e.Value)
		}
	}
	if !differ {
		g.raw = curve{}
	}
	if n := len(g.exact.x); n > 0 && len(low) > 0 {
		// The bracket starts at the last measured point.
		low[int(g.exact.x[n-1])], high[int(g.exact.x[n-1])] = last, last
	}
	var sizes []int
	for k := range low {
		if _, ok := high[k]; ok {
			sizes = append(sizes, k)
		}
	}
	slices.Sort(sizes)
	for _, k := range sizes {
		g.low.add(float64(k), low[k])
		g.high.add(float64(k), high[k])
		g.bracket.x = append(g.bracket.x, float64(k))
	}
	g.bracket.lo, g.bracket.hi = g.low.lo, g.high.hi
	if slices.Equal(g.low.y, g.high.y) {
		g.bracket.y, g.bracket.line = g.low.y, draw.LineStyle{Color: Steel, Width: 1, Dashes: dashed}
	}
	g.raw.line = draw.LineStyle{Color: tint(Blue, 0.5), Width: 0.9}
	g.bracket.band = tint(Steel, 0.12)
	g.bracket.hatch = glyph.Hatch{Color: tint(Steel, 0.55), Width: 0.5, Space: 4.5}
	end := math.Inf(1)
	if n := len(g.bracket.x); n > 1 {
		end = g.bracket.x[n-1]
	}
	g.fits = beyond(l, s, analysis.InformativeGroups, g.exact, end)
	return g
}

func (v *curve) add(x float64, e stat.Estimate) {
	y, lo, hi := spanOf(e)
	v.put(x, y, lo, hi)
}

func (v *curve) put(x, y, lo, hi float64) {
	v.x, v.y, v.lo, v.hi = append(v.x, x), append(v.y, y), append(v.lo, lo), append(v.hi, hi)
}

// span returns the smallest and the largest group size drawn.
func (g signals) span() (first, last float64) {
	all := noReach()
	for _, v := range []curve{g.exact, g.bracket, g.fits.band} {
		all.add(v.x...)
	}
	return all.low, all.high
}

// labelReach is the largest share of the plot's width that the label of a threshold takes at one
// end.
const labelReach = 0.5

// informativeThresholds returns the lines of both thresholds. Their labels are on the left unless
// the measured curve or the group size line passes there and the right end is free. ruled reports
// whether the group size line is in the left part.
func informativeThresholds(r *analysis.Result, g signals, ruled bool) []rule {
	labelLeft := func(level float64) bool {
		if !g.exact.free(level, 0, 3) {
			return false
		}
		return !ruled || !g.exact.free(level, 3, len(g.exact.x)) || !g.bracket.free(level, 0, len(g.bracket.x)) ||
			!g.fits.band.free(level, 0, len(g.fits.band.x))
	}
	var list []rule
	if v := threshold(r, informativeCaution); v != nil {
		words := r.Lang.Say("chart.caution.below", "caution below %s", message.Percent(*v))
		list = append(list, rule{value: *v, label: words, left: labelLeft(*v), line: cautionLine})
	}
	if v := threshold(r, informativeGroups); v != nil && r.Plan != nil && r.Plan.Groups > 0 {
		share := min(1, *v/float64(r.Plan.Groups))
		words := r.Lang.Say("chart.nogo.below", "NO-GO below %s", message.Percent(share))
		list = append(list, rule{value: share, label: words, left: labelLeft(share), line: limitLine})
	}
	if len(list) == 2 && list[0].left == list[1].left {
		keepApart(&list[0], &list[1])
	}
	return list
}

// keepApart keeps the labels of two lines at one end from touching, on a scale from 0 to 1.
func keepApart(a, b *rule) {
	const label = 0.12 // its height in a low picture
	if a.value > b.value {
		a, b = b, a
	}
	switch {
	case b.value-a.value >= label:
	case a.value >= label:
		a.below = true
	default:
		a.left = !a.left
	}
}

// free reports whether the points of the curve from from to before to keep clear of a label at a
// level.
func (v curve) free(level float64, from, to int) bool {
	for i := from; i < min(to, len(v.x)); i++ {
		if v.lo[i] < level+0.07 && v.hi[i] > level-0.01 {
			return false
		}
	}
	return true
}
