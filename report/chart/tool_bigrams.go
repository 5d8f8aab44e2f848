package chart

import (
	"cmp"
	"fmt"
	"image/color"
	"maps"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/report/internal/lettering"
	"gonogo/sampler/rollout"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// bigramTools is how many rows and columns one matrix has; the last one pools the remaining tools.
const bigramTools = 12

func drawToolBigrams(r *analysis.Result, split rollout.Split, s *analysis.SplitResult) (Figure, error) {
	l, m := r.Lang, bigramsOf(r.Lang, s)
	switch {
	case m.total == 0 && s.Tools.Max == 0 && len(s.Tools.ByTool) == 0:
		return noData(l, "chart.pairs.untraced",
			"no trace of tool calls was recorded with these rollouts, or none called a tool")
	case m.total == 0:
		return noData(l, "chart.pairs.none", "no rollout made a second tool call")
	}
	p := newPlot(l.Text("chart.pairs.next", "the next call"), l.Text("chart.pairs.call", "a call"))
	p.Add(m)
	n := len(m.names)
	rows := make([]string, n)
	for i := range rows {
		rows[i] = m.label(i)
	}
	p.Y.Min, p.Y.Max = row(n-1)-0.5, 1.1
	p.Y.Tick.Marker = rowTicks(rows)
	p.X.Min, p.X.Max = -0.5, float64(n)-0.5
	p.X.Tick.Marker = plot.ConstantTicks(nil)
	p.X.LineStyle.Width = 0
	const around, pitch vg.Length = 118, 26
	f := Figure{
		Plot: p, Height: max(Height*0.85, around+pitch*vg.Length(n+1)),
		Table: Table{Head: heads(l, "chart.head.after", "after", "chart.head.comes", "comes", "chart.head.times",
			"times", "chart.head.share_of_what_follows", "share of what follows")},
	}
	again, top := 0, struct{ from, to int }{}
	for i, counts := range m.n {
		for j, times := range counts {
			if times == 0 {
				continue
			}
			if i == j && !m.isRest(i) {
				again += times
			}
			if times > m.n[top.from][top.to] {
				top.from, top.to = i, j
			}
			share := message.Percent(float64(times) / float64(m.after[i]))
			f.Table.Marks = append(f.Table.Marks, Mark{
				Cells: []string{m.names[i], m.names[j], message.Whole(times), share},
				X0:    float64(j) - 0.5, X1: float64(j) + 0.5, Y0: row(i) - 0.5, Y1: row(i) + 0.5,
			})
		}
	}
	first, share := visibleName(m.names[top.from]), message.Percent(float64(again)/float64(m.total))
	if top.from == top.to {
		f.Title = l.Say("chart.pairs.again", "%s is called again and again: %s of next calls go to the same tool",
			first, share)
	} else {
		f.Title = l.Say("chart.pairs.after",
			"After %s comes %s most often; %s of next calls go to the same tool again", first,
			visibleName(m.names[top.to]), share)
	}
	f.Subtitle = l.Say("chart.pairs.about",
		"%s: n = %s of a call and the next; as counted, no interval; in brackets: share of what follows that tool",
		split, l.Count(m.total, "pair"))
	if e := s.Tools.Repeats; e.Known() {
		f.Subtitle += l.Say("chart.pairs.repeats", "; calls equal to an earlier one, arguments and all: %s",
			percentInterval(e))
	}
	f.addEntry(l.Count(m.most, "time"), shade(1))
	if m.most > 1 {
		f.addEntry(l.Text("chart.pairs.half", "half as often"), shade(0.5))
	}
	f.addEntry(l.Text("chart.never", "never"), shade(0))
	f.addEntry(l.Text("chart.pairs.same", "the same tool again"), diagonal{})
	return f, nil
}

// bigrams counts which tool was called right after which. Rows and columns are the tools, the
// busiest first.
type bigrams struct {
	names []string
	n     [][]int
	after []int // sums of rows
	most  int
	total int
	rest  bool // the last name is that of several tools
}

func bigramsOf(l message.Language, s *analysis.SplitResult) bigrams {
	type pair struct {
		from, to string
		n        int
	}
	var pairs []pair
	busy := map[string]int{}
	for key, n := range s.Tools.Bigrams {
		if from, to, ok := splitBigram(key, s.Tools.ByTool); ok && n > 0 {
			pairs = append(pairs, pair{from, to, n})
			busy[from] += n
			busy[to] += n
		}
	}
	var m bigrams
	m.names = slices.SortedFunc(maps.Keys(busy), func(a, b string) int {
		return cmp.Or(cmp.Compare(busy[b], busy[a]), cmp.Compare(a, b))
	})
	index := map[string]int{}
	for i, name := range m.names {
		index[name] = min(i, bigramTools-1)
	}
	if more := len(m.names) - bigramTools; more > 0 {
		m.names, m.rest = append(m.names[:bigramTools-1], l.Count(more+1, "other tool")), true
	}
	m.after = make([]int, len(m.names))
	for range m.names {
		m.n = append(m.n, make([]int, len(m.names)))
	}
	for _, p := range pairs {
		i, j := index[p.from], index[p.to]
		m.n[i][j] += p.n
		m.after[i] += p.n
		m.total += p.n
		m.most = max(m.most, m.n[i][j])
	}
	for i, name := range m.names {
		m.names[i] = cmp.Or(name, l.Text("chart.calls.unnamed", "(without a name)"))
	}
	return m
}

// splitBigram splits "a>b". The name of a tool may contain a ">", so it looks for two tools that
// were called.
func splitBigram(key string, tools map[string]analysis.ToolStat) (from, to string, ok bool) {
	for i := range key {
		if key[i] != '>' {
			continue
		}
		_, a := tools[key[:i]]
		_, b := tools[key[i+1:]]
		if a && b {
			return key[:i], key[i+1:], true
		}
	}
	return strings.Cut(key, ">")
}

func (m bigrams) isRest(i int) bool { return m.rest && i == len(m.names)-1 }

func (m bigrams) label(i int) string { return fmt.Sprintf("%d  %s", i+1, m.names[i]) }

// Plot implements plot.Plotter.
func (m bigrams) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	cell := func(i, j int) vg.Rectangle {
		return rectangle(tx(float64(j)-0.5)+1, ty(row(i)-0.5)+1, tx(float64(j)+0.5)-1, ty(row(i)+0.5)-1)
	}
	room := cell(0, 0).Size().X - 4
	m.plotHead(c, p, tx, ty, room)
	for i := range m.names {
		for j := range m.names {
			share := float64(m.n[i][j]) / float64(m.most)
			shade(share).fill(&c, cell(i, j))
			if i == j {
				diagonal{}.stroke(&c, cell(i, j))
			}
			if m.n[i][j] > 0 {
				m.plotCount(c, p, cell(i, j), i, j, share)
			}
		}
	}
}

// plotHead names the columns, or only numbers them if one of the names does not fit.
func (m bigrams) plotHead(c draw.Canvas, p *plot.Plot, tx, ty func(float64) vg.Length, room vg.Length) {
	sty := styleOn(p, false, Muted)
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YCenter
	named := true
	for i := range m.names {
		named = named && sty.Width(lettering.Drawable(m.label(i), sty)) <= room
	}
	for i := range m.names {
		text := message.Whole(i + 1)
		if named {
			text = lettering.Drawable(m.label(i), sty)
		}
		c.FillText(sty, vg.Point{X: tx(float64(i)), Y: ty(0.8)}, lettering.Fit(text, sty, room+3))
	}
}

// plotCount writes how often a pair occurred, and its share if there is room.
func (m bigrams) plotCount(c draw.Canvas, p *plot.Plot, r vg.Rectangle, i, j int, share float64) {
	sty := styleOn(p, false, Ink)
	if share > 0.62 {
		sty.Color = Paper
	}
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YCenter
	room := r.Size().X - 3
	text := message.Whole(m.n[i][j])
	if long := text + " (" + wholePercent(float64(m.n[i][j])/float64(m.after[i])) + ")"; sty.Width(long) <= room {
		text = long
	} else if sty.Width(text) > room {
		return // the table has it
	}
	c.FillText(sty, vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y+r.Max.Y)/2 + 1}, text)
}

// wholePercent writes a share without decimals; one above zero is never "0 %".
func wholePercent(share float64) string {
	if share > 0 && share < 0.01 {
		return "< 1 %"
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// shade is a share of the largest number, from paper to blue: a single hue that darkens evenly,
// also in grey.
type shade float64

func (s shade) color() color.Color {
	if s <= 0 {
		return tint(Grid, 0.45)
	}
	return tint(Blue, 0.10+0.90*float64(s))
}

func (s shade) fill(c *draw.Canvas, r vg.Rectangle) {
	c.FillPolygon(Paper, corners(r)) // hides the grid
	c.FillPolygon(s.color(), corners(r))
}

// Thumbnail implements plot.Thumbnailer.
func (s shade) Thumbnail(c *draw.Canvas) { s.fill(c, c.Rectangle) }

// diagonal frames the cells of a tool followed by itself.
type diagonal struct{}

func (diagonal) stroke(c *draw.Canvas, r vg.Rectangle) {
	c.StrokeLines(draw.LineStyle{Color: Orange, Width: 1.4}, append(corners(r), r.Min))
}

// Thumbnail implements plot.Thumbnailer.
func (d diagonal) Thumbnail(c *draw.Canvas) { d.stroke(c, c.Rectangle) }
