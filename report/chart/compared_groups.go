package chart

import (
	"math"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
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

func (g groups) draw(c *compare.Comparison) (*plot.Plot, error) {
	sc, err := comparedItems(c)
	if err != nil {
		return nil, err
	}
	switch b := g.of(sc); {
	case b == nil:
		return nil, &NoData{Why: c.Lang.Text(g.unnamed)}
	case len(b.Groups) == 0:
		return nil, &NoData{Why: c.Lang.Text(g.alone)}
	}
	return changesPlot(c.Lang.Text("mean reward, new - base"), g.rows(c, sc), 0.17), nil
}

// rows are all items and then the groups at both ends.
func (g groups) rows(c *compare.Comparison, sc *compare.Split) variantDots {
	d := variantDots{delta: c.Delta}
	d.list = append(d.list, changeDot(c.Lang.Text("all items"), sc.Reward.Estimate, sc.Reward.Direction, false))
	for _, row := range g.shown(sc) {
		d.list = append(d.list, changeDot(row.Group, row.Estimate, row.Direction, false))
	}
	return d
}

func (g groups) shown(sc *compare.Split) []compare.GroupDifference {
	list := g.of(sc).Groups
	if len(list) <= 2*groupEnds {
		return list
	}
	return append(append([]compare.GroupDifference{}, list[:groupEnds]...), list[len(list)-groupEnds:]...)
}

func (g groups) caption(c *compare.Comparison) Caption {
	_, sc, _ := Compared(c)
	b, up, down := g.of(sc), 0, 0
	for _, row := range b.Groups {
		up += b2i(row.Direction == "up")
		down += b2i(row.Direction == "down")
	}
	l := c.Lang
	title := l.Say("%s lost and %s gained, of %s", message.Whole(down), message.Whole(up), g.count(len(b.Groups), l))
	if up+down == 0 {
		title = l.Text(g.still)
	}
	bars, between, leftOut := "", "", ""
	if b.Groups[0].Low != nil || sc.Reward.Low != nil {
		bars = l.Say("bars: %s", intervalsAt(l, c.Confidence, sc.Reward.Estimate))
	}
	if n := len(b.Groups) - len(g.shown(sc)); n > 0 {
		between = l.Say("%s between these in the table only", g.count(n, l))
	}
	if b.LeftOut > 0 {
		leftOut = l.Say("%s of one item, or too many to list, left out", g.count(b.LeftOut, l))
	}
	d := g.rows(c, sc)
	brief := d
	brief.delta = 0
	gained, lost := l.Text("gained"), l.Text("lost")
	return Caption{
		Title:    title,
		Subtitle: phrases(l, over(c), bars, l.Say("lost and gained by sign flips, %s", l.Text(b.Correction)), between, leftOut),
		Legend:   changeLegend(d, gained, lost, l.Text("neither is shown"), l),
		Brief:    changeLegend(brief, gained, lost, l.Text("neither"), l),
	}
}

// count is "1 category", "12 categories".
func (g groups) count(n int, l message.Language) string {
	if n == 1 {
		return l.Text(g.one)
	}
	return l.Say(g.many, message.Whole(n))
}

func (g groups) height(c *compare.Comparison) vg.Length {
	_, sc, _ := Compared(c)
	return rowsHeight(len(g.rows(c, sc).list))
}

func (g groups) table(c *compare.Comparison) Table {
	_, sc, _ := Compared(c)
	d := g.rows(c, sc)
	l := c.Lang
	t := Table{Head: []string{l.Text(g.kind), l.Text("items"), l.Text("base"), l.Text("new"), l.Text("new - base")}}
	add := func(i int, name string, e stat.Estimate, base, new *float64) {
		t.Marks = append(t.Marks, changeMark(d, i, []string{name, message.Whole(e.Items), message.DigitsOf(base), message.DigitsOf(new), Change(e.Value, e.Low, e.High)}))
	}
	add(0, l.Text("all items"), sc.Reward.Estimate, sc.Reward.Base, sc.Reward.New)
	list, drawn := g.of(sc).Groups, len(g.shown(sc))
	for i, one := range list {
		switch between := len(list) - drawn; {
		case between == 0 || i < groupEnds:
			add(i+1, one.Group, one.Estimate, one.Base, one.New)
		case i >= groupEnds+between:
			add(i+1-between, one.Group, one.Estimate, one.Base, one.New)
		default: // not drawn: its place is the line between the two ends
			y := row(groupEnds) - 0.5
			cells := []string{one.Group, message.Whole(one.Items), message.DigitsOf(one.Base), message.DigitsOf(one.New), Change(one.Value, one.Low, one.High)}
			t.Marks = append(t.Marks, Mark{Cells: cells, X0: d.list[groupEnds].low, X1: d.list[groupEnds].high, Y0: y, Y1: y})
		}
	}
	return t
}

// changeDot is a change with its interval in a row. worse says that more is
// the worse.
func changeDot(name string, e stat.Estimate, direction string, worse bool) variantDot {
	d := variantDot{name: name, answer: analysis.Untold}
	switch {
	case direction == "up" && !worse, direction == "down" && worse:
		d.answer = analysis.Gains
	case direction == "up" || direction == "down":
		d.answer = analysis.Loses
	}
	if e.Value != nil {
		d.value, d.low, d.high = *e.Value, *e.Value, *e.Value
	}
	if e.Low != nil && e.High != nil {
		d.low, d.high = *e.Low, *e.High
	}
	return d
}

// changesPlot draws changes below each other; room is the share of the width
// that the texts right of them take.
func changesPlot(axis string, d variantDots, room float64) *plot.Plot {
	p := newPlot(axis, "")
	names := make([]string, len(d.list))
	lo, hi := math.Min(0, -d.delta), math.Max(0, d.delta)
	for i, v := range d.list {
		names[i] = v.name
		lo, hi = min(lo, v.low), max(hi, v.high)
	}
	if lo == hi {
		lo, hi = -0.01, 0.01
	}
	horizontal(p, names)
	p.Add(d)
	pad := (hi - lo) * 0.04
	p.X.Min, p.X.Max = lo-pad, hi+pad+(hi-lo)*room
	p.X.Tick.Marker = between{ticks{want: 7}, lo - pad, hi + pad}
	return p
}

func changeLegend(d variantDots, gained, lost, neither string, l message.Language) []Entry {
	var list []Entry
	for _, e := range []struct {
		answer analysis.VariantAnswer
		label  string
	}{{analysis.Gains, gained}, {analysis.Loses, lost}, {analysis.Untold, neither}} {
		for _, v := range d.list {
			if v.answer == e.answer {
				list = append(list, Entry{e.label, []plot.Thumbnailer{variantSample{e.answer}}})
				break
			}
		}
	}
	if d.delta > 0 {
		list = append(list, Entry{l.Say("within ± %s: does not matter", message.Digits(d.delta)), []plot.Thumbnailer{band{}}})
	}
	return list
}

// changeMark is the place of a row.
func changeMark(d variantDots, i int, cells []string) Mark {
	v := d.list[i]
	return Mark{Cells: cells, X0: v.low, X1: v.high, Y0: row(i) - 0.5, Y1: row(i) + 0.5, Dots: []Dot{{v.value, row(i)}}}
}

// rowsHeight gives every row its room.
func rowsHeight(rows int) vg.Length {
	const around, pitch vg.Length = 118, 20
	return max(Height*0.75, around+pitch*vg.Length(rows))
}
