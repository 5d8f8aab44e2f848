package chart

import (
	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"

	"gonum.org/v1/plot"
)

// groupEnds is how many groups a picture shows of each end of the order.
const groupEnds = 12

// groups are the changes within groups of items of one kind, and what is said of
// them.
type groups struct {
	kind, one, many       string // category, "1 category", "%s categories"
	unnamed, alone, still string // why there is nothing, and that none moved
	of                    func(*compare.Split) *compare.Breakdown
	asked                 func(*compare.Comparison) bool
}

var (
	categoryGroups = groups{
		"category", "1 category", "%s categories",
		"the items carry no category to tell them apart by: name it in their rows", "every category has only one item, which shows nothing",
		"No category is shown to have lost or gained",
		func(sc *compare.Split) *compare.Breakdown { return sc.Categories }, func(c *compare.Comparison) bool {
			_, sc, ok := Compared(c)
			return !ok || sc.Categories != nil || sc.Families == nil // one of the two says why there is nothing
		},
	}
	familyGroups = groups{
		"family", "1 family", "%s families",
		"the items carry no family to tell them apart by: name it in their rows", "every family has only one item, which shows nothing",
		"No family is shown to have lost or gained",
		func(sc *compare.Split) *compare.Breakdown { return sc.Families }, func(c *compare.Comparison) bool {
			_, sc, ok := Compared(c)
			return ok && sc.Families != nil
		},
	}
)

// draw shows all items and then the groups at both ends.
func (g groups) draw(c *compare.Comparison, sc *compare.Split) (Figure, error) {
	l, b := c.Lang, g.of(sc)
	switch {
	case b == nil:
		return noData(l, g.unnamed)
	case len(b.Groups) == 0:
		return noData(l, g.alone)
	}
	var d dotRows
	add := func(name string, e stat.Estimate, base, new *float64, direction string, hidden bool) {
		cells := []string{name, message.Whole(e.Items), message.DigitsOf(base), message.DigitsOf(new), Change(e.Value, e.Low, e.High)}
		d.list = append(d.list, changeRow(name, e, direction, false, cells, hidden))
	}
	add(l.Text("all items"), sc.Reward.Estimate, sc.Reward.Base, sc.Reward.New, sc.Reward.Direction, false)
	up, down, hidden := 0, 0, max(0, len(b.Groups)-2*groupEnds)
	for i, one := range b.Groups {
		up += b2i(one.Direction == "up")
		down += b2i(one.Direction == "down")
		add(one.Group, one.Estimate, one.Base, one.New, one.Direction, i >= groupEnds && i < groupEnds+hidden)
	}
	f := d.changes(l.Text("mean reward, new - base"), 0.17, []float64{-c.Delta, c.Delta}, band(c.Delta), zeroRule())
	f.Table.Head = []string{l.Text(g.kind), l.Text("items"), l.Text("base"), l.Text("new"), l.Text("new - base")}
	f.Title = l.Say("%s lost and %s gained, of %s", message.Whole(down), message.Whole(up), g.count(len(b.Groups), l))
	if up+down == 0 {
		f.Title = l.Text(g.still)
	}
	bars, between, leftOut := "", "", ""
	if b.Groups[0].Low != nil || sc.Reward.Low != nil {
		bars = l.Say("bars: %s", intervalsAt(l, c.Confidence, sc.Reward.Estimate))
	}
	if hidden > 0 {
		between = l.Say("%s between these in the table only", g.count(hidden, l))
	}
	if b.LeftOut > 0 {
		leftOut = l.Say("%s of one item, or too many to list, left out", g.count(b.LeftOut, l))
	}
	f.Subtitle = phrases(l, over(c), bars, l.Say("lost and gained by sign flips, %s", l.Text(b.Correction)), between, leftOut)
	f.Legend = d.legend(l, seen{gainLook, "gained"}, seen{badLook, "lost"}, seen{ringLook, "neither is shown"})
	f.Brief = d.legend(l, seen{gainLook, "gained"}, seen{badLook, "lost"}, seen{ringLook, "neither"})
	if c.Delta > 0 {
		f.Legend = append(f.Legend, Entry{l.Say("within ± %s: does not matter", message.Digits(c.Delta)), []plot.Thumbnailer{band(0)}})
	}
	return f, nil
}

// count is "1 category", "12 categories".
func (g groups) count(n int, l message.Language) string {
	if n == 1 {
		return l.Text(g.one)
	}
	return l.Say(g.many, message.Whole(n))
}

// changeRow is a change in a row. worse says that more is the worse.
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

// changes draws changes around zero, over an axis that shows the values too; room
// is the share of the width that the texts right of them take.
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
