package chart

import (
	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"

	"gonum.org/v1/plot"
)

// groupEnds is how many groups a picture shows at each end of the order.
const groupEnds = 12

// groups describes one way to group items, with its words and its changes.
type groups struct {
	kind                  message.Def // category
	unnamed, alone, still message.Def // two reasons to draw nothing, and the title if no group moved
	breakdown             func(*compare.Split) *compare.Breakdown
	asked                 func(*compare.Comparison) bool
	label                 func(*analysis.ItemResult) string
}

var (
	categoryGroups = groups{
		message.New("chart.category", "category"),
		message.New("chart.category.unnamed", "the items have no category: name it in their rows"),
		message.New("chart.category.alone", "every category has only one item, which shows nothing"),
		message.New("chart.category.still", "No category clearly lost or gained"),
		func(sc *compare.Split) *compare.Breakdown { return sc.Categories }, func(c *compare.Comparison) bool {
			_, sc, ok := ComparedSplit(c)
			return !ok || sc.Categories != nil || sc.Families == nil // without both, this one says why
		},
		func(it *analysis.ItemResult) string { return it.Category },
	}
	familyGroups = groups{
		message.New("chart.family", "family"),
		message.New("chart.family.unnamed", "the items have no family: name it in their rows"),
		message.New("chart.family.alone", "every family has only one item, which shows nothing"),
		message.New("chart.family.still", "No family clearly lost or gained"),
		func(sc *compare.Split) *compare.Breakdown { return sc.Families }, func(c *compare.Comparison) bool {
			_, sc, ok := ComparedSplit(c)
			return ok && sc.Families != nil
		},
		func(it *analysis.ItemResult) string { return it.Family },
	}
)

// draw shows all items together, then the groups at both ends of the order.
func (g groups) draw(c *compare.Comparison, sc *compare.Split) (Figure, error) {
	l, b := c.Lang, g.breakdown(sc)
	switch {
	case b == nil:
		return noData(l, g.unnamed.ID, g.unnamed.English)
	case len(b.Groups) == 0:
		return noData(l, g.alone.ID, g.alone.English)
	}
	var d dotRows
	add := func(name string, e stat.Estimate, base, latest *float64, direction string, hidden bool) {
		cells := []string{
			name, message.Whole(e.Items), message.DigitsOf(base), message.DigitsOf(latest),
			message.Difference(e.Value, e.Low, e.High),
		}
		d.list = append(d.list, changeRow(name, e, direction, false, cells, hidden))
	}
	add(l.Text("chart.all_items", "all items"), sc.Reward.Estimate, sc.Reward.Base, sc.Reward.New,
		sc.Reward.Direction, false)
	up, down, hidden := 0, 0, max(0, len(b.Groups)-2*groupEnds)
	for i, one := range b.Groups {
		up += b2i(one.Direction == "up")
		down += b2i(one.Direction == "down")
		add(one.Group, one.Estimate, one.Base, one.New, one.Direction, i >= groupEnds && i < groupEnds+hidden)
	}
	f := d.changes(l.Text("chart.groups.axis", "mean reward, new - base"), 0.17, []float64{-c.Delta, c.Delta},
		band(c.Delta), zeroRule())
	f.Table.Head = []string{
		g.kind.In(l), l.Text("chart.items", "items"), l.Text("chart.base", "base"),
		l.Text("chart.new", "new"), l.Text("chart.groups.change", "new - base"),
	}
	f.Title = l.Say("chart.groups.moved", "%s lost and %s gained, of %s", message.Whole(down), message.Whole(up),
		g.count(len(b.Groups), l))
	if up+down == 0 {
		f.Title = g.still.In(l)
	}
	bars := l.Say("chart.bars", "bars: %s", intervalsAt(l, c.Confidence, sc.Reward.Estimate))
	leftOut := l.Say("chart.groups.left_out", "%s left out: only one item, or too many to list", g.count(b.LeftOut, l))
	f.Subtitle = phrases(l, over(c), when(b.Groups[0].Low != nil || sc.Reward.Low != nil, bars),
		l.Say("chart.groups.flips", "lost and gained by sign flips, %s", compare.Holm.In(l)), g.between(l, hidden),
		when(b.LeftOut > 0, leftOut))
	f.Legend = d.legend(l, groupGained, groupLost, seen{ringLook, groupNeither})
	f.Brief = d.legend(l, groupGained, groupLost, seen{ringLook, groupNeitherBrief})
	if c.Delta > 0 {
		f.addEntry(l.Say("chart.groups.delta", "within ± %s: does not matter", message.Digits(c.Delta)), bandMark)
	}
	return f, nil
}

// How a group changed.
var (
	groupGained       = seen{gainLook, message.New("chart.gained", "gained")}
	groupLost         = seen{badLook, message.New("chart.lost", "lost")}
	groupNeither      = message.New("chart.groups.neither", "no clear change")
	groupNeitherBrief = message.New("chart.neither", "neither")
)

// count returns "1 category", "12 categories".
func (g groups) count(n int, l message.Language) string {
	return l.Count(n, g.kind.English)
}

// between says how many groups between the two ends are in the table only; "" if none.
func (g groups) between(l message.Language, hidden int) string {
	return when(hidden > 0,
		l.Say("chart.groups.between", "%s between these in the table only", g.count(hidden, l)))
}

// changeRow returns the row of a change. worse reports whether an increase is bad.
func changeRow(name string, e stat.Estimate, direction string, worse bool, cells []string, hidden bool) dotRow {
	d := dotRow{name: name, look: ringLook, cells: cells, hidden: hidden}
	switch {
	case direction == "up" && !worse, direction == "down" && worse:
		d.look, d.strong = gainLook, true
	case direction == "up" || direction == "down":
		d.look = badLook
	}
	d.place(e)
	d.text = message.Signed(d.value)
	return d
}

// changes draws changes around zero, on an axis that includes values. room is the share of the
// width for the texts on the right.
func (d dotRows) changes(axis string, room float64, values []float64, under ...plot.Plotter) Figure {
	lo, hi := d.span(append(values, 0)...)
	if lo == hi {
		lo, hi = -0.01, 0.01
	}
	pad := (hi - lo) * 0.04
	f := d.figure(axis, lo-pad, hi+pad, room, 20, under...)
	f.Height = max(Height*0.75, f.Height)
	return f
}
