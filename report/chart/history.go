package chart

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gonogo/analysis"
	"gonogo/analysis/history"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/report/internal/glyph"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// NightMarks is the name of the chart of all nights by their answers.
const NightMarks = "history_nights"

// Histories lists the charts of a history: its nights by their answers, and one for each series
// that is not zero on every night, except those of a single tool or a single part of the reward.
// name returns the display name of a series.
func Histories(h *history.History, name func(string) string) []Spec[*history.History] {
	out := []Spec[*history.History]{{
		Name: NightMarks,
		Doc: h.Lang.Say("chart.history.nights.doc", "A mark for each night, by its answer; a ring is a night whose "+
			"items differ from the newest good night's. A dotted line is a night whose settings differ from those "+
			"of the night before."),
		Read: "Marks that leave the upper row are nights that regressed or could not be judged.",
		Draw: drawNights,
		Only: func(h *history.History) bool { return len(h.Nights) > 0 },
	}}
	for i := range h.Series {
		s := trend{&h.Series[i], name(h.Series[i].Name)}
		if strings.Contains(s.Name, ":") ||
			!slices.ContainsFunc(s.Points, func(p history.Point) bool { return p.Value != 0 }) {
			continue
		}
		out = append(out, Spec[*history.History]{
			Name: "history_" + s.Name,
			Doc: h.Lang.Say("chart.nights.about", "Night by night: %s. A band is where the next night should fall, "+
				"and its line is the level between two changes. "+
				"A solid vertical line is a change, its interval shaded; a dotted one is a night whose "+
				"settings differ from those of the night before.", s.called),
			Read: "A new band above or below the last is a change that chance does not explain; look at what " +
				"changed at its line.",
			Draw: s.draw,
		})
	}
	return out
}

// trend draws one series. Night i is at X = i.
type trend struct {
	*history.Series
	called string // its display name
}

// The marks of a history.
var (
	changeLine = draw.LineStyle{Color: Amber, Width: 1.5}
	madeLine   = draw.LineStyle{Color: Steel, Width: 0.9, Dashes: dotted}
	levelLine  = draw.LineStyle{Color: Blue, Width: 1.2}
)

func (s trend) draw(h *history.History) (Figure, error) {
	if len(s.Points) == 0 {
		return noData(h.Lang, "chart.nights.none", "no night has a value")
	}
	p := newPlot(h.Lang.Text("chart.night", "night"), h.Lang.Text("history.unit."+s.Unit, s.Unit))
	nightAxis(p, h)
	s.span(p)
	placed := 0
	for _, c := range s.changes(h) {
		p.Add(bars{
			list: []bar{{float64(c.First) - 0.5, float64(c.Last) + 0.5, p.Y.Min, p.Y.Max}},
			fill: tint(Amber, 0.16),
		})
	}
	for _, l := range s.Levels {
		p.Add(levelBand(s.shown(l)))
	}
	for _, m := range madeNights(h) {
		m.drop = vg.Length(placed%3) * 10
		p.Add(m)
		placed++
	}
	for _, c := range s.changes(h) {
		p.Add(rule{
			value: float64(c.Night) - 0.5, upward: true, left: true, drop: vg.Length(placed%3) * 10,
			label: h.Lang.Text("chart.change", "change"), line: changeLine,
		})
		placed++
	}
	p.Add(s.dots(h))
	return Figure{Plot: p, Caption: s.caption(h), Table: s.table(h)}, nil
}

// nightAxis makes X count the nights.
func nightAxis(p *plot.Plot, h *history.History) {
	p.X.Min, p.X.Max = -0.6, math.Max(float64(len(h.Nights)-1), 1)+0.6
	p.X.Tick.Marker = nightTicks{Nights: h.Nights, Lang: h.Lang, Most: 8}
}

// span makes Y cover everything that is drawn, with room above for the labels.
func (s trend) span(p *plot.Plot) {
	all := noReach()
	for i := range s.Points {
		q := &s.Points[i]
		all.addKnown(&q.Value, q.Low, q.High)
	}
	for _, l := range s.Levels {
		l = s.shown(l)
		all.addKnown(l.NightLow, l.NightHigh)
	}
	low, high := all.low, all.high
	if s.Unit != "reward" && low < 0 {
		low = 0 // no share, count or time is negative
	}
	room := (high - low) * 0.06
	if room <= 0 {
		room = math.Max(math.Abs(high)*0.05, 1e-6)
	}
	p.Y.Min, p.Y.Max = low-room, high+5.5*room
	if s.Unit != "reward" && p.Y.Min < 0 {
		p.Y.Min = 0
	}
	p.Y.Tick.Marker = roundTicks{Want: 5}
	if s.Unit == "share" {
		p.Y.Tick.Marker = percentTicks(roundTicks{Want: 5})
	}
}

func (s trend) changes(h *history.History) []history.Change {
	return slices.DeleteFunc(slices.Clone(h.Changes), func(c history.Change) bool { return c.Series != s.Name })
}

// bandNights is the number of nights from which a level has a band: fewer say little about where one
// more would be.
const bandNights = 5

// shown returns a level as it is drawn: without a band if it has too few nights.
func (s trend) shown(l history.Level) history.Level {
	nights := 0
	for _, q := range s.Points {
		nights += b2i(q.InTrend && q.Night >= l.From && q.Night <= l.To)
	}
	if nights < bandNights {
		l.NightLow, l.NightHigh = nil, nil
	}
	return l
}

// levelBand draws the nights of one level.
func levelBand(l history.Level) curve {
	from, to := float64(l.From)-0.4, float64(l.To)+0.4
	v := curve{x: []float64{from, to}, y: []float64{l.Value, l.Value}, line: levelLine, band: tint(Blue, 0.14)}
	if l.NightLow != nil && l.NightHigh != nil {
		v.lo, v.hi = []float64{*l.NightLow, *l.NightLow}, []float64{*l.NightHigh, *l.NightHigh}
	}
	return v
}

// madeNights marks the nights that were made differently from the night before with the kinds of
// differences. If there are more than a dozen they have no labels: the page lists them.
func madeNights(h *history.History) []rule {
	kinds := make(map[int][]string)
	for _, m := range h.Made {
		if kind := h.Lang.Text("history.made."+m.Kind,
			strings.ReplaceAll(m.Kind, "_", " ")); !slices.Contains(kinds[m.Night], kind) {
			kinds[m.Night] = append(kinds[m.Night], kind)
		}
	}
	var out []rule
	for i := range h.Nights {
		if kinds[i] == nil {
			continue
		}
		r := rule{value: float64(i), upward: true, line: madeLine}
		if len(kinds) <= 12 {
			r.label = strings.Join(kinds[i], h.Lang.Text("sign.list", ", "))
		}
		out = append(out, r)
	}
	return out
}

func (s trend) caption(h *history.History) Caption {
	l, newest := h.Lang, s.Points[len(s.Points)-1]
	value := message.Interval(&newest.Value, newest.Low, newest.High)
	c := Caption{Title: l.Say("sign.named", "%s: %s", capitalize(s.called), value)}
	if newest.Night < len(h.Nights)-1 {
		c.Title = l.Say("chart.nights.last", "%s: %s when it was last known", capitalize(s.called), value)
	}
	found := s.changes(h)
	if n := len(found); n > 0 {
		last := found[n-1]
		c.Title = l.Say("chart.nights.went", "%s went from %s to %s around %s", capitalize(s.called),
			message.Digits(last.Before), message.Digits(last.After), nightTime(h, last.Night))
	}
	rollouts := 0
	for _, p := range s.Points {
		rollouts += p.N
	}
	tested := ""
	switch {
	case s.PHolm != nil:
		tested = l.Say("chart.nights.test", "test of no change: p = %s, corrected over the series",
			message.Digits(*s.PHolm))
	case !s.Why.IsEmpty():
		tested = l.Say("chart.nights.untested", "not tested for changes: %s", s.Why.In(l))
	}
	c.Subtitle = phrases(l, l.Say("chart.nights.n", "%s, n = %s", l.Count(len(s.Points), "night"),
		message.Whole(rollouts)), l.Say("chart.nights.lines", "lines at points: %s intervals",
		message.Percent(h.Confidence)), tested)
	c.Legend = s.dots(h).legend(l)
	c.Brief = slices.Clone(c.Legend)
	name := func(words, brief string, thumbs ...plot.Thumbnailer) {
		c.Legend, c.Brief = append(c.Legend, Entry{words, thumbs}), append(c.Brief, Entry{brief, thumbs})
	}
	banded := slices.ContainsFunc(s.Levels, func(l history.Level) bool { return s.shown(l).NightLow != nil })
	switch level := l.Text("chart.level", "level"); {
	case banded:
		name(l.Text("chart.nights.level", "level, and range for the next night"), level,
			levelBand(history.Level{NightLow: new(float64), NightHigh: new(float64)}))
	case len(s.Levels) > 0:
		name(level, level, levelBand(history.Level{}))
	}
	if len(found) > 0 {
		name(l.Text("chart.nights.change", "change, and its interval"), l.Text("chart.change", "change"),
			bars{fill: tint(Amber, 0.16)}, rule{upward: true, line: changeLine})
	}
	if len(h.Made) > 0 {
		c.addEntry(l.Text("chart.nights.made", "settings changed"), rule{upward: true, line: madeLine})
	}
	return c
}

// capitalize returns s with its first letter in upper case.
func capitalize(s string) string {
	if s == "" {
		return s
	}
	_, size := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:size]) + s[size:]
}

func (s trend) table(h *history.History) Table {
	t := Table{
		Head:    []string{h.Lang.Text("chart.night", "night"), s.called, h.Lang.Text("chart.n", "n")},
		Columns: true,
	}
	for _, q := range s.Points {
		x := float64(q.Night)
		cells := []string{h.Nights[q.Night].Name, message.Interval(&q.Value, q.Low, q.High), message.Whole(q.N)}
		t.Marks = append(t.Marks, upMark(cells, x-0.5, x+0.5, Dot{x, q.Value}))
	}
	return t
}

// nightLooks are how nights are drawn: by their answer, or as not comparable with the newest good
// night.
var nightLooks = []seen{
	{look{Blue, draw.CircleGlyph{}}, message.New("chart.good", "good")},
	{look{Orange, draw.SquareGlyph{}}, message.New("chart.answer.unclear", "cannot tell")},
	{look{Red, glyph.Diamond{}}, message.New("chart.regressed", "regressed")},
	{look{Muted, glyph.Ring{Paper: Paper}}, message.New("chart.nights.uncompared", "other items: not compared")},
}

// nightDots draws the nights of a series with their intervals.
type nightDots []nightDot

type nightDot struct {
	x, y, low, high float64
	kind            int // index into nightLooks
}

func (s trend) dots(h *history.History) nightDots {
	var d nightDots
	for _, q := range s.Points {
		y, low, high := spanOf(stat.Estimate{Value: &q.Value, Low: q.Low, High: q.High})
		dot := nightDot{float64(q.Night), y, low, high, 3}
		if q.InTrend {
			dot.kind = nightKind(&h.Nights[q.Night])
		}
		d = append(d, dot)
	}
	return d
}

// nightKind returns the index of the answer of a night in the first three nightLooks.
func nightKind(n *history.NightSummary) int {
	switch {
	case n.Good:
		return 0
	case n.ExitCode == analysis.NoGo.ExitCode():
		return 2
	}
	return 1
}

// drawNights draws a row of marks for each answer, the good nights at the top.
func drawNights(h *history.History) (Figure, error) {
	l, n := h.Lang, len(h.Nights)
	p := newPlot("", "")
	nightAxis(p, h)
	p.Y.Min, p.Y.Max = -2.6, 0.6
	var rows plot.ConstantTicks
	for kind, e := range nightLooks[:3] {
		rows = append(rows, plot.Tick{Value: row(kind), Label: e.words.In(l)})
	}
	p.Y.Tick.Marker = rows
	for _, m := range madeNights(h) {
		m.label = ""
		p.Add(m)
	}
	var dots nightDots
	counts, f := [3]int{}, Figure{Plot: p, Height: stripHeight}
	f.Table = Table{Head: []string{l.Text("chart.night", "night"), l.Text("chart.answer", "answer")}, Columns: true}
	for i := range h.Nights {
		night, x := &h.Nights[i], float64(i)
		kind := nightKind(night)
		counts[kind]++
		y := row(kind)
		dot := nightDot{x, y, y, y, kind}
		if !night.InTrend {
			dot.kind = 3
		}
		dots = append(dots, dot)
		cells := []string{night.Name, nightLooks[kind].words.In(l)}
		f.Table.Marks = append(f.Table.Marks, upMark(cells, x-0.5, x+0.5, Dot{x, y}))
	}
	p.Add(dots)
	since := n
	for since > 0 && !h.Nights[since-1].Good {
		since--
	}
	f.Title = l.Say("chart.nights.good", "%s: %s good, %s cannot tell, %s regressed", l.Count(n, "night"),
		message.Whole(counts[0]), message.Whole(counts[1]), message.Whole(counts[2]))
	if since < n {
		f.Title = phrases(l, f.Title, l.Say("chart.nights.bad", "none good since %s", nightTime(h, since)))
	}
	return f, nil
}

// nightTime returns the date of a night, with its time of day if there are several nights on that
// day.
func nightTime(h *history.History, i int) string {
	date := h.Nights[i].Time
	day, nights := date.Format(time.DateOnly), 0
	for k := range h.Nights {
		nights += b2i(h.Nights[k].Time.Format(time.DateOnly) == day)
	}
	label := date.Format(h.Lang.Text("date.long", "2 Jan 2006"))
	if nights > 1 {
		label += date.Format(" 15:04")
	}
	return label
}

// stripHeight is the height of a chart that only has rows of marks and an axis.
const stripHeight = Height * 0.46

// Plot implements plot.Plotter.
func (d nightDots) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	radius := max(1, min(2.8, 0.3*(tx(1)-tx(0))))
	for _, q := range d {
		line, look := Steel, nightLooks[q.kind].look
		if q.kind == 3 {
			line = Axis
		}
		c.StrokeLine2(draw.LineStyle{Color: line, Width: min(0.8, radius/2)}, tx(q.x), ty(q.low), tx(q.x), ty(q.high))
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: look.Color, Radius: radius, Shape: look.Shape},
			vg.Point{X: tx(q.x), Y: ty(q.y)})
	}
}

// legend names the kinds of nights that occur.
func (d nightDots) legend(l message.Language) []Entry {
	var out []Entry
	for kind, e := range nightLooks {
		if slices.ContainsFunc(d, func(q nightDot) bool { return q.kind == kind }) {
			out = append(out, entry(e.words.In(l), bare(e.look)))
		}
	}
	return out
}

// bare is a legend dot without a line.
type bare look

// Thumbnail implements plot.Thumbnailer.
func (b bare) Thumbnail(c *draw.Canvas) { look(b).draw(c, c.Center()) }
