package chart

import (
	"math"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// cost is a quantity of a rollout, to plot rewards against.
type cost struct {
	quantity string
	axis     message.Def // below the plot
	what     message.Def // "tool calls": the words after "more"
	without  message.Def // the reason if there is nothing to draw
}

var (
	callCost = cost{
		analysis.CostCalls, message.New("chart.cost.calls", "tool calls of a rollout"),
		message.New("chart.against.tool_calls", "tool calls"),
		message.New("chart.calls.untraced", "no trace of tool calls was recorded with these rollouts"),
	}
	tokenCost = cost{
		analysis.CostTokens, message.New("chart.cost.tokens", "tokens of a rollout, in and out"),
		message.New("chart.against.tokens", "tokens"),
		message.New("chart.cost.no_tokens", "no server reported how many tokens these rollouts took"),
	}
	latencyCost = cost{
		analysis.CostLatency, message.New("chart.cost.time", "wall time of a rollout, seconds"),
		message.New("chart.against.time", "time"),
		message.New("chart.cost.no_time", "no rollout records how long it took"),
	}
)

func (q cost) chart(name, doc, read string) Chart {
	return Chart{Name: name, Doc: doc, Read: read, Draw: ofSplit(q.draw), OnRewards: true}
}

// name returns the words for the quantity in a title.
func (q cost) name(l message.Language) string { return q.what.In(l) }

// values returns the numbers of the quantity; nil if there are none.
func (q cost) values(s *analysis.SplitResult) *analysis.RewardByCost {
	for i, a := range s.Against {
		if a.Quantity == q.quantity && len(a.Bins) > 0 {
			return &s.Against[i]
		}
	}
	return nil
}

func (q cost) draw(r *analysis.Result, split rollout.Split, s *analysis.SplitResult) (Figure, error) {
	l, a := r.Lang, q.values(s)
	if a == nil {
		return noData(l, q.without.ID, q.without.English)
	}
	if a.Bins[0].From == a.Bins[len(a.Bins)-1].To {
		return noData(l, "chart.cost.same", "the same in every rollout")
	}
	p := newPlot(q.axis.In(l), l.Text("chart.mean_reward", "mean reward"))
	dots := costDotsOf(a)
	low, high := extent(curve{y: dots.y, lo: dots.lo, hi: dots.hi})
	rewardAxis(p, r, low, high)
	if !dots.wide {
		p.Y.Max += 0.14 * (p.Y.Max - p.Y.Min) // room for the numbers of rollouts
	}
	from, to := a.Bins[0].From, a.Bins[len(a.Bins)-1].To
	limit, limited := q.limit(r)
	within := limited && limit >= from/2 && limit <= to*2 // near enough to be on the axis without squeezing the data
	if within {
		from, to = math.Min(from, limit), math.Max(to, limit)
	}
	q.span(l, p, from, to)
	if s.Reward.Value != nil {
		p.Add(meanLine(*s.Reward.Value))
	}
	if within {
		p.Add(rule{
			value: limit, upward: true, label: l.Say("chart.limit.seconds", "limit %s s", message.Digits(limit)),
			avoid: dots.near(limit),
			line:  draw.LineStyle{Color: Ink, Width: 0.8, Dashes: dashed},
		})
	}
	p.Add(dots)
	f := Figure{Plot: p, Table: q.table(l, a), Caption: q.caption(r, split, s, a, dots)}
	if limited && !within {
		f.Subtitle += l.Say("chart.limit.beyond", "; the limit of %s s is beyond the axis", message.Digits(limit))
	}
	return f, nil
}

// limit returns the configured limit of the quantity, and false if there is none.
func (q cost) limit(r *analysis.Result) (float64, bool) {
	x := r.Thresholds.ByName()[analysis.TimeLimit.Name]
	return x, q.quantity == analysis.CostLatency && x > 0
}

// span makes X cover the quantity: linear for calls, and for values that are within a factor of 20
// or include zero; else logarithmic, which the axis label then says.
func (q cost) span(l message.Language, p *plot.Plot, from, to float64) {
	if q.quantity == analysis.CostCalls {
		callAxis(p, from, to)
		return
	}
	if from > 0 && to/from > 20 {
		logarithmic(p)
		p.X.Tick.Marker = plot.TickerFunc(roundDecades)
		p.X.Label.Text += l.Text("chart.logarithmic", " (logarithmic)")
		p.X.Min, p.X.Max = from/1.1, to*1.1
		return
	}
	whole := q.quantity != analysis.CostLatency
	pad := math.Max((to-from)*0.03, to*0.005)
	if whole {
		pad = math.Max(pad, 1)
	}
	p.X.Min, p.X.Max = from-pad, to+pad
	p.X.Tick.Marker = between(roundTicks{Want: 6, Whole: whole}, from-pad, to+pad)
}

func (q cost) caption(r *analysis.Result, split rollout.Split, s *analysis.SplitResult, a *analysis.RewardByCost,
	dots costDots,
) Caption {
	l := r.Lang
	what := q.name(l)
	c := Caption{Title: l.Say("chart.cost.unclear", "It is unclear whether rollouts with more %s earn more", what)}
	if w := a.Within; w.Known() && w.Low != nil && w.High != nil {
		switch {
		case *w.Low > 0:
			c.Title = l.Say("chart.cost.more", "Within items, rollouts with more %s earn more", what)
		case *w.High < 0:
			c.Title = l.Say("chart.cost.less", "Within items, rollouts with more %s earn less", what)
		default:
			c.Title = l.Say("chart.cost.unrelated", "Within items, no clear relation between %s and reward", what)
		}
	}
	if words := limitTitle(l, a.Limit); words != "" {
		c.Title = words
	}
	c.Subtitle = l.Say("chart.cost.about", "%s: %s, n = %s", split, l.Count(a.Items, "item"), l.Count(a.N, "rollout"))
	if len(dots.x) > 0 {
		c.Subtitle += l.Text("chart.lines", "; lines: ") + intervals(r, dots.largest)
	}
	if k := a.Limit; k != nil && k.Difference.Known() {
		c.Subtitle += l.Say("chart.limit.difference", "; at the limit minus below it %s (%s, n = %s)",
			correlation(k.Difference), l.Count(k.Difference.Items, "item"), message.Whole(k.Difference.N))
		if k.Within.Known() {
			c.Subtitle += l.Say("chart.limit.correlation", "; correlation within items below the limit %s",
				correlation(k.Within))
		}
	} else if a.Within.Known() {
		c.Subtitle += l.Say("chart.cost.correlation", "; correlation within items %s", correlation(a.Within))
	}
	if a.Pooled.Known() && a.Limit == nil {
		c.Subtitle += l.Say("chart.cost.overall", ", over all rollouts %s", correlation(a.Pooled))
	}
	label := l.Text("chart.cost.counts", "mean over the items that have such rollouts; above: how many rollouts")
	if dots.wide {
		label = l.Text("chart.cost.bars",
			"mean over the items that have such rollouts; bar: from the least to the most of them")
	}
	c.addEntry(label, dots)
	if s.Reward.Value != nil {
		c.addEntry(l.Say("chart.mean.all", "mean of all: %s", message.Digits(*s.Reward.Value)), meanLine(0))
	}
	return c
}

// limitTitle returns a title for a run in which some rollouts reach the limit of tool calls: those
// at the limit earn less or more than others, or how reward depends on calls below it, or that
// neither is shown. It returns "" if that is unknown.
func limitTitle(l message.Language, k *analysis.RewardAtLimit) string {
	if k == nil || !k.Difference.Known() || k.Reached.Value == nil || k.Below.Value == nil {
		return ""
	}
	limit, reached, others := message.Digits(k.At), message.Fixed(*k.Reached.Value, 2), message.Fixed(*k.Below.Value, 2)
	slope := signOf(k.Within)
	switch step := signOf(k.Difference); {
	case step < 0 && slope < 0:
		return l.Say("chart.limit.cutoff_less", "Rollouts that reach the limit of %s earn %s, others on the same "+
			"items %s; below it, more calls earn less too", limit, reached, others)
	case step < 0:
		return l.Say("chart.limit.cutoff",
			"Cut off by the budget: rollouts that reach the limit of %s earn %s, others on the same items %s", limit,
			reached, others)
	case step > 0:
		return l.Say("chart.limit.reached",
			"Rollouts that reach the limit of %s earn %s, others on the same items %s", limit, reached, others)
	case slope < 0:
		return l.Say("chart.limit.less", "Below the limit of %s, rollouts with more tool calls earn less", limit)
	case slope > 0:
		return l.Say("chart.limit.more", "Below the limit of %s, rollouts with more tool calls earn more", limit)
	}
	return l.Say("chart.limit.unrelated",
		"No clear relation between tool calls and reward, below the limit of %s or at it", limit)
}

// signOf returns the sign that the whole interval has, or 0.
func signOf(e stat.Estimate) int {
	switch {
	case e.Low == nil || e.High == nil:
		return 0
	case *e.Low > 0:
		return 1
	case *e.High < 0:
		return -1
	}
	return 0
}

func (q cost) table(l message.Language, a *analysis.RewardByCost) Table {
	t := Table{Columns: true, Head: heads(l, q.axis.ID, q.axis.English, "chart.head.mean_reward", "mean reward",
		"chart.head.items", "items", "chart.head.rollouts", "rollouts")}
	for i, b := range a.Bins {
		name := message.Digits(b.From)
		if b.To > b.From {
			name += " – " + message.Digits(b.To)
		}
		m := upMark([]string{
			name, message.Interval(b.Reward.Value, b.Reward.Low, b.Reward.High),
			message.Whole(b.Reward.Items), message.Whole(b.Reward.N),
		}, b.From-0.5, b.To+0.5)
		if i > 0 {
			m.X0 = (a.Bins[i-1].To + b.From) / 2
		}
		if i < len(a.Bins)-1 {
			m.X1 = (b.To + a.Bins[i+1].From) / 2
		}
		if b.Reward.Value != nil {
			m.Dots = []Dot{{b.Middle, *b.Reward.Value}}
		}
		t.Marks = append(t.Marks, m)
	}
	return t
}

// correlation writes a correlation with two decimals, which is as precise as it gets.
func correlation(e stat.Estimate) string {
	if e.Low == nil || e.High == nil {
		return message.Fixed(*e.Value, 2)
	}
	return message.Fixed(*e.Value, 2) + " [" + message.Fixed(*e.Low, 2) + ", " + message.Fixed(*e.High, 2) + "]"
}

func meanLine(value float64) rule {
	return rule{value: value, line: draw.LineStyle{Color: Muted, Width: 0.9, Dashes: dashed}}
}

// costDots draws a dot for each bin, with a vertical line for its interval and a horizontal one for
// its span.
type costDots struct {
	x, from, to, y, lo, hi []float64
	n                      []int         // rollouts
	largest                stat.Estimate // of the bin with the most rollouts
	wide                   bool          // some bin spans more than one value
}

func costDotsOf(a *analysis.RewardByCost) costDots {
	var d costDots
	for _, b := range a.Bins {
		if b.Reward.Value == nil {
			continue
		}
		if b.Reward.N > d.largest.N {
			d.largest = b.Reward
		}
		v, lo, hi := spanOf(b.Reward)
		d.x, d.from, d.to = append(d.x, b.Middle), append(d.from, b.From), append(d.to, b.To)
		d.y, d.lo, d.hi, d.n = append(d.y, v), append(d.lo, lo), append(d.hi, hi), append(d.n, b.Reward.N)
		d.wide = d.wide || b.To > b.From
	}
	return d
}

// near returns the values of Y of the nearest dots to the left and right of x, with their
// intervals.
func (d costDots) near(x float64) []float64 {
	var left, right []float64
	for i := range d.x { // ascending
		cover := []float64{d.lo[i], d.y[i], d.hi[i]}
		if d.x[i] <= x {
			left = cover
		} else if right == nil {
			right = cover
		}
	}
	return append(left, right...)
}

var (
	costSpan     = draw.LineStyle{Color: Sky, Width: 3.2}
	costInterval = draw.LineStyle{Color: Steel, Width: 1.1}
)

// Plot implements plot.Plotter.
func (d costDots) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for i := range d.x {
		if d.to[i] > d.from[i] {
			c.StrokeLine2(costSpan, tx(d.from[i]), ty(d.y[i]), tx(d.to[i]), ty(d.y[i]))
		}
	}
	for i, x := range d.x {
		c.StrokeLine2(costInterval, tx(x), ty(d.lo[i]), tx(x), ty(d.hi[i]))
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: Blue, Radius: 2.6, Shape: draw.CircleGlyph{}},
			vg.Point{X: tx(x), Y: ty(d.y[i])})
	}
	if !d.wide {
		d.plotCounts(c, p, tx)
	}
}

// plotCounts writes the number of rollouts of each dot at the top, unless it would overlap the
// number before it; the table has all.
func (d costDots) plotCounts(c draw.Canvas, p *plot.Plot, tx func(float64) vg.Length) {
	sty := styleOn(p, false, Muted)
	sty.XAlign = draw.XCenter
	free := c.Min.X
	for i, x := range d.x {
		text := message.Whole(d.n[i])
		half := sty.Width(text) / 2
		if tx(x)-half < free || tx(x)+half > c.Max.X {
			continue
		}
		c.FillText(sty, vg.Point{X: tx(x), Y: c.Max.Y}, text)
		free = tx(x) + half + 4
	}
}

// Thumbnail implements plot.Thumbnailer.
func (d costDots) Thumbnail(c *draw.Canvas) {
	mid := c.Center()
	if d.wide {
		c.StrokeLine2(costSpan, c.Min.X, mid.Y, c.Max.X, mid.Y)
	}
	c.StrokeLine2(costInterval, mid.X, c.Min.Y, mid.X, c.Max.Y)
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: Blue, Radius: 2.6, Shape: draw.CircleGlyph{}}, mid)
}
