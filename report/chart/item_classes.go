package chart

import (
	"image/color"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func drawItemClasses(r *analysis.Result) (*plot.Plot, error) {
	splits := classedSplits(r)
	if len(splits) == 0 {
		return nil, noData(r.Lang, "no item has a reward")
	}
	names := make([]string, len(splits))
	for i, split := range splits {
		names[i] = r.Lang.Say("%s (%s)", split, r.Lang.Count(classTotal(r.Splits[split]), "item"))
	}
	p := newPlot(r.Lang.Text("share of items"), "")
	horizontal(p, names)
	for _, class := range analysis.ClassNames() {
		p.Add(classBars(r, splits, class))
	}
	p.Add(segmentLabels{r, splits})
	p.X.Min, p.X.Max = 0, 1.005
	p.X.Tick.Marker = percentTicks{between{ticks{want: 5}, 0, 1}}
	return p, nil
}

func captionItemClasses(r *analysis.Result) Caption {
	split, s, _ := Shown(r)
	total := classTotal(s)
	l := r.Lang
	c := Caption{
		Title:    l.Text("What the rewards of each item look like"),
		Subtitle: l.Text("classes as seen in these samples: with more samples a dead, saturated or flat item may turn out mixed"),
	}
	if total > s.Classes.Counts[analysis.Unclassed] {
		share := func(class string) string { return message.Percent(float64(s.Classes.Counts[class]) / float64(total)) }
		c.Title = l.Say("%s of %s items are mixed, %s never succeed, %s always do", share(analysis.Mixed), split, share(analysis.Dead), share(analysis.Saturated))
	} else {
		c.Title = l.Text("Items sampled once cannot be classed")
	}
	words := map[string]string{
		analysis.Dead: "dead: all at the bottom", analysis.Saturated: "saturated: all at the top",
		analysis.Flat: "flat: all equal, in between", analysis.Mixed: "mixed: rewards differ", analysis.Unclassed: "sampled once",
	}
	for _, class := range analysis.ClassNames() {
		if present(r, class) {
			c.Legend = append(c.Legend, Entry{l.Text(words[class]), []plot.Thumbnailer{classBars(r, nil, class)}})
		}
	}
	return c
}

// classedSplits lists the splits that have items with rewards.
func classedSplits(r *analysis.Result) []rollout.Split {
	var list []rollout.Split
	for _, split := range rollout.Splits() {
		if s := r.Splits[split]; s != nil && classTotal(s) > 0 {
			list = append(list, split)
		}
	}
	return list
}

// present reports whether any split has an item of the class.
func present(r *analysis.Result, class string) bool {
	for _, s := range r.Splits {
		if s != nil && s.Classes.Counts[class] > 0 {
			return true
		}
	}
	return false
}

func classTotal(s *analysis.SplitResult) int {
	total := 0
	for _, class := range analysis.ClassNames() {
		total += s.Classes.Counts[class]
	}
	return total
}

// segments calls each with the span of every class of a split that has items.
func segments(s *analysis.SplitResult, each func(class string, from, to float64, n int)) {
	total, from := float64(classTotal(s)), 0.0
	for _, class := range analysis.ClassNames() {
		n := s.Classes.Counts[class]
		to := from + float64(n)/total
		if n > 0 {
			each(class, from, to, n)
		}
		from = to
	}
}

func classBars(r *analysis.Result, splits []rollout.Split, class string) bars {
	b := bars{fill: classFill(class)}
	switch class {
	case analysis.Flat:
		b.hatch = hatch{color: Muted, width: 0.6, space: 3.5}
	case analysis.Saturated:
		b.hatch = hatch{color: Orange, width: 0.6, space: 3.5, back: true}
	}
	for i, split := range splits {
		segments(r.Splits[split], func(c string, from, to float64, _ int) {
			if c == class {
				b.list = append(b.list, bar{from, to, row(i) - 0.32, row(i) + 0.32})
			}
		})
	}
	return b
}

func classFill(class string) color.Color {
	switch class {
	case analysis.Dead:
		return Charred
	case analysis.Saturated:
		return tint(Orange, 0.30)
	case analysis.Flat:
		return Grid
	case analysis.Mixed:
		return Sky
	}
	return tint(Axis, 0.35)
}

// segmentLabels writes its count into every segment, and above one that has
// no room for it.
type segmentLabels struct {
	r      *analysis.Result
	splits []rollout.Split
}

// Plot implements plot.Plotter.
func (l segmentLabels) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for i, split := range l.splits {
		free := c.Min.X // above the row, from here on
		segments(l.r.Splits[split], func(class string, from, to float64, n int) {
			sty := styleOn(p, 8.5, true, Ink)
			sty.XAlign, sty.YAlign = draw.XCenter, draw.YCenter
			at := vg.Point{X: tx((from + to) / 2), Y: ty(row(i))}
			if w := sty.Width(message.Whole(n)); w+6 > tx(to)-tx(from) {
				at = vg.Point{X: max(at.X, free+w/2+2), Y: ty(row(i)+0.32) + 6.5}
				free = at.X + w/2 + 2
			} else if class == analysis.Dead {
				sty.Color = Paper
			}
			c.FillText(sty, at, message.Whole(n))
		})
	}
}
