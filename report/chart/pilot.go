package chart

import (
	"math"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/pilot"
	"gonogo/report/internal/glyph"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Pilots lists the charts of the first steps of a training.
func Pilots() []Spec[*pilot.Result] {
	return []Spec[*pilot.Result]{{
		Name:      "pilot",
		OnRewards: true,
		Doc: "What the first steps of a training have changed: the reward of its rollouts minus that of the base run " +
			"on the same items, over the last ten steps, and the change on eval where checkpoints were sampled. " +
			"Paired by item, the noise of which items a step showed cancels.",
		Read: "A line whose whole band is above zero is a training reward that rises, a square whose whole interval is " +
			"above zero is eval that rises with it, and the mark on top of a look is its verdict.",
		Draw: drawPilot,
	}}
}

// The marks of a pilot.
var (
	evalLine  = curve{line: draw.LineStyle{Color: Orange, Width: 1.4}}
	evalLook  = look{Orange, draw.BoxGlyph{}}
	lookLine  = draw.LineStyle{Color: Steel, Width: 0.9, Dashes: dotted}
	pilotZero = rule{line: draw.LineStyle{Color: Ink, Width: 0.8}}

	answerLooks = map[analysis.Verdict]look{
		analysis.Go: gainLook, analysis.NoGo: badLook, analysis.Undecided: {Amber, glyph.Ring{Paper: Paper}},
	}
)

// pilotRows is about how many steps the table lists.
const pilotRows = 300

// firstSteps draws a pilot. All differences are shares of the reward range.
type firstSteps struct {
	*pilot.Result
	withheld message.Text // why the training reward is not shown
	line     []pilot.Point
	evals    []pilot.Point
	looks    []int // steps of the planned looks
	end      int   // last step of the axis
}

func drawPilot(r *pilot.Result) (Figure, error) {
	d := firstStepsOf(r)
	switch {
	case len(d.line)+len(d.evals) > 0:
	case len(r.Curves) > 0:
		return drawCurve(r)
	case !d.withheld.IsEmpty():
		return noDataOf(r.Lang.Say("chart.pilot.withheld_all", "the training reward is withheld and eval was not sampled: %s",
			d.withheld.In(r.Lang)))
	default:
		return noData(r.Lang, "chart.pilot.none", "no step of the log could be compared with the base run")
	}
	p := newPlot(r.Lang.Text("chart.pilot.step", "step"),
		r.Lang.Text("chart.pilot.axis", "change of reward"))
	d.axes(p)
	segments := d.segments(p.Y.Min, p.Y.Max)
	least := d.least()
	p.Add(pilotZero, least)
	for _, s := range segments {
		p.Add(s)
	}
	p.Add(d)
	return Figure{Plot: p, Caption: d.caption(segments, least), Table: d.table()}, nil
}

func noDataOf(why string) (Figure, error) { return Figure{}, &NoData{Why: why} }

// firstStepsOf collects what can be drawn. If the newest look withholds the training reward, no step
// of it is drawn.
func firstStepsOf(r *pilot.Result) firstSteps {
	d := firstSteps{Result: r, looks: r.LookSteps}
	share := func(x *float64) *float64 {
		if x == nil {
			return nil
		}
		return new(*x / r.Width())
	}
	if l := r.Newest(); l != nil {
		d.withheld = l.Reward.Withheld
	}
	for _, q := range r.Steps {
		d.end = max(d.end, q.Step)
		if d.withheld.IsEmpty() && q.Value != nil && q.Low != nil && q.High != nil {
			d.line = append(d.line, pilot.Point{Step: q.Step, Value: share(q.Value), Low: share(q.Low), High: share(q.High)})
		}
	}
	for i := range r.Looks {
		if e := r.Looks[i].Eval; e != nil && e.Known() {
			d.evals = append(d.evals, pilot.Point{Step: e.Step, Value: share(e.Value), Low: share(e.Low), High: share(e.High)})
			d.end = max(d.end, e.Step)
		}
	}
	const ahead, least = 2, 40
	far := max(least, ahead*d.end)
	for _, step := range d.looks {
		if step <= far {
			d.end = max(d.end, step)
		}
	}
	return d
}

// axes makes X span the log and the looks that are near, and Y all values, their intervals and the
// threshold. The intervals of the first steps, over few items, may leave the plot.
func (d firstSteps) axes(p *plot.Plot) {
	first := 1
	if len(d.Steps) > 0 {
		first = d.Steps[0].Step
	}
	pad := math.Max(0.5, 0.015*float64(d.end-first))
	p.X.Min, p.X.Max = float64(first)-pad, float64(max(d.end, first+1))+pad
	p.X.Tick.Marker = between(roundTicks{Want: 10, Whole: true}, float64(first), float64(d.end))
	all := noReach()
	all.add(0, pilot.LeastGain)
	var widths []float64
	for _, q := range d.line {
		all.add(*q.Value)
		widths = append(widths, *q.High-*q.Low)
	}
	slices.Sort(widths)
	for _, q := range d.line {
		if *q.High-*q.Low <= 2*widths[len(widths)/2] {
			all.add(*q.Low, *q.High)
		}
	}
	for _, q := range d.evals {
		all.addKnown(q.Value, q.Low, q.High)
	}
	room := 0.06 * (all.high - all.low)
	p.Y.Min, p.Y.Max = all.low-room, all.high+2.5*room
	p.Y.Tick.Marker = between(roundTicks{Want: 5}, all.low-room, all.high+room)
}

// segments returns the line and its band, interrupted at steps without a value and cut at low and
// high.
func (d firstSteps) segments(low, high float64) []curve {
	var list []curve
	at := 0 // in Steps
	for _, q := range d.line {
		adjoins := at < len(d.Steps) && d.Steps[at].Step == q.Step
		for at < len(d.Steps) && d.Steps[at].Step < q.Step {
			at++
		}
		at++
		if !adjoins || len(list) == 0 {
			c := mainCurve
			c.radius = 1.6
			list = append(list, c)
		}
		c := &list[len(list)-1]
		c.x, c.y = append(c.x, float64(q.Step)), append(c.y, *q.Value)
		c.lo, c.hi = append(c.lo, math.Max(low, *q.Low)), append(c.hi, math.Min(high, *q.High))
	}
	return list
}

// least is the line of the difference from which a GO may come.
func (firstSteps) least() rule {
	return rule{value: pilot.LeastGain, line: draw.LineStyle{Color: Green, Width: 0.8, Dashes: dashed}}
}

// Plot implements plot.Plotter. It draws the looks and the points on eval.
func (d firstSteps) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for i, step := range d.looks {
		x := tx(float64(step))
		if step > d.end {
			continue
		}
		c.StrokeLine2(lookLine, x, c.Min.Y, x, c.Max.Y)
		if i < len(d.Looks) {
			answerLooks[d.Looks[i].Verdict.Answer].draw(&c, vg.Point{X: x, Y: c.Max.Y - 3.5})
		}
	}
	for _, q := range d.evals {
		x := tx(float64(q.Step))
		if q.Low != nil && q.High != nil {
			c.StrokeLine2(evalLine.line, x, ty(*q.Low), x, ty(*q.High))
		}
		evalLook.draw(&c, vg.Point{X: x, Y: ty(*q.Value)})
	}
}

// caption says what the newest look found.
func (d firstSteps) caption(segments []curve, least rule) Caption {
	l, v := d.Lang, d.Verdict
	var c Caption
	newest := d.Newest()
	withheld, reward, eval, next := "", "", "", ""
	if newest == nil {
		c.Title = capitalize(v.Reason.In(l))
	} else {
		c.Title = l.Say("chart.pilot.found", "%s at step %s: %s", v.Answer, message.Whole(v.Step), v.Reason.In(l))
	}
	if !d.withheld.IsEmpty() {
		withheld = l.Say("chart.pilot.withheld", "training reward not shown: %s", d.withheld.In(l))
	} else if newest != nil && newest.Reward.Known() {
		reward = l.Say("chart.pilot.reward_n", "training reward %s: %s, n = %s", d.signed(newest.Reward.Value),
			l.Count(newest.Reward.Items, "item"), l.Count(newest.Reward.N, "rollout"))
	}
	if e := d.newestEval(); e != nil {
		eval = l.Say("chart.pilot.eval_n", "eval %s: %s, n = %s", d.signed(e.Value), l.Count(e.Items, "item"),
			l.Count(e.N, "rollout"))
	}
	if d.NextLook != nil && v.Answer == analysis.Undecided {
		next = l.Say("chart.pilot.next", "next look at step %s", message.Whole(*d.NextLook))
	}
	c.Subtitle = phrases(l, withheld, reward, eval, next,
		l.Text("chart.pilot.intervals", "paired, 95 % t intervals"),
		when(d.Width() != 1, l.Text("chart.pilot.shares", "shares of the reward range")))
	name := func(words, brief string, thumbs ...plot.Thumbnailer) {
		c.Legend, c.Brief = append(c.Legend, Entry{words, thumbs}), append(c.Brief, Entry{brief, thumbs})
	}
	if len(segments) > 0 {
		name(l.Text("chart.pilot.line", "training reward, last ten steps"), l.Text("chart.pilot.line_short", "training"),
			segments[0])
	}
	if len(d.evals) > 0 {
		name(l.Text("chart.pilot.eval", "eval"), l.Text("chart.pilot.eval", "eval"), bare(evalLook))
	}
	for _, answer := range []analysis.Verdict{analysis.Go, analysis.NoGo, analysis.Undecided} {
		if slices.ContainsFunc(d.Looks, func(k pilot.Look) bool { return k.Verdict.Answer == answer }) {
			name(l.Say("chart.pilot.answer", "look: %s", answer), string(answer), rule{upward: true, line: lookLine},
				bare(answerLooks[answer]))
		}
	}
	if len(d.looks) > len(d.Looks) && d.looks[len(d.Looks)] <= d.end {
		words := l.Text("chart.pilot.planned", "planned look")
		name(words, words, rule{upward: true, line: lookLine})
	}
	value := message.Signed(pilot.LeastGain)
	name(l.Say("chart.pilot.least", "%s: what a GO needs", value), value, least)
	return c
}

// signed formats a difference as a share of the reward range, to three decimals.
func (d firstSteps) signed(x *float64) string {
	return message.Signed(math.Round(1000**x/d.Width()) / 1000)
}

func (d firstSteps) newestEval() *pilot.Difference {
	for i := range slices.Backward(d.Looks) {
		if e := d.Looks[i].Eval; e != nil && e.Known() {
			return e
		}
	}
	return nil
}

// table lists the steps; of a long log those of looks, and as many of the others as fit.
func (d firstSteps) table() Table {
	l := d.Lang
	t := Table{Columns: true, Head: heads(l, "chart.pilot.step", "step", "chart.pilot.line_short", "training",
		"chart.pilot.eval", "eval", "chart.pilot.look", "look")}
	cells := map[int][]string{}
	dots := map[int][]Dot{}
	put := func(step, column int, text string) {
		if cells[step] == nil {
			cells[step] = []string{message.Whole(step), "", "", ""}
		}
		cells[step][column] = text
	}
	every := len(d.line)/pilotRows + 1
	for i, q := range d.line {
		if i%every == 0 || slices.Contains(d.looks, q.Step) {
			put(q.Step, 1, message.Difference(q.Value, q.Low, q.High))
			dots[q.Step] = append(dots[q.Step], Dot{float64(q.Step), *q.Value})
		}
	}
	for _, q := range d.evals {
		put(q.Step, 2, message.Difference(q.Value, q.Low, q.High))
		dots[q.Step] = append(dots[q.Step], Dot{float64(q.Step), *q.Value})
	}
	for i, step := range d.looks {
		if step > d.end {
			continue
		}
		text := l.Text("chart.pilot.planned", "planned look")
		if i < len(d.Looks) {
			text = string(d.Looks[i].Verdict.Answer)
		}
		put(step, 3, text)
	}
	steps := make([]int, 0, len(cells))
	for step := range cells {
		steps = append(steps, step)
	}
	slices.Sort(steps)
	for i, step := range steps {
		x0, x1 := float64(step)-0.5, float64(step)+0.5
		if i > 0 {
			x0 = float64(steps[i-1]+step) / 2
		}
		if i < len(steps)-1 {
			x1 = float64(step+steps[i+1]) / 2
		}
		t.Marks = append(t.Marks, upMark(cells[step], x0, x1, dots[step]...))
	}
	return t
}

// drawCurve shows a curve that a trainer logged, of the reward if there is one.
func drawCurve(r *pilot.Result) (Figure, error) {
	l := r.Lang
	i := max(0, slices.IndexFunc(r.Curves, func(c pilot.Curve) bool { return strings.Contains(c.Name, "reward") }))
	logged := r.Curves[i]
	v := curve{line: mainCurve.line, glyph: mainCurve.glyph, radius: 1.6}
	all := noReach()
	t := Table{Columns: true, Head: heads(l, "chart.pilot.step", "step", "chart.pilot.logged", "as logged")}
	for k, step := range logged.Steps {
		if y := logged.Values[k]; !math.IsNaN(y) && !math.IsInf(y, 0) {
			v.x, v.y = append(v.x, float64(step)), append(v.y, y)
			all.add(y)
		}
	}
	if len(v.x) == 0 {
		return noData(l, "chart.pilot.none", "no step of the log could be compared with the base run")
	}
	p := newPlot(l.Text("chart.pilot.step", "step"), l.Text("chart.pilot.logged", "as logged"))
	first, last := slices.Min(v.x), slices.Max(v.x)
	p.X.Min, p.X.Max = first-0.5, math.Max(last, first+1)+0.5
	p.X.Tick.Marker = between(roundTicks{Want: 10, Whole: true}, first, last)
	room := 0.08 * (all.high - all.low)
	if room <= 0 {
		room = math.Max(1e-6, 0.1*math.Abs(all.high))
	}
	p.Y.Min, p.Y.Max = all.low-room, all.high+room
	p.Y.Tick.Marker = roundTicks{Want: 5}
	p.Add(v)
	t.Marks = columnsAt([]curve{v}, func(x float64) []string { return cellsAt(x, []curve{v}) })
	f := Figure{Plot: p, Table: t}
	f.Title = l.Say("chart.pilot.curve", "%s as the trainer logged it: not paired with the base run", logged.Name)
	f.Subtitle = l.Text("chart.pilot.curve_about",
		"its noise includes which items a step showed, so it decides nothing; log the rollouts for a verdict")
	return f, nil
}
