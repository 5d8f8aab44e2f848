package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/history"
	"gonogo/analysis/message"
	"gonogo/report/block"
	"gonogo/report/chart"
	"gonogo/report/internal/junit"
)

// HistoryPage is the page of a history.
type HistoryPage struct {
	common
	h *history.History
	w *historyWords // in the history's language
}

// NewHistoryPage makes the page of h, in the language of h.
func NewHistoryPage(h *history.History, opt Options) *HistoryPage {
	w := message.In(h.Lang, "report.history", historyEnglish)
	p := &HistoryPage{common: newPage(opt, h.Lang), h: h, w: &w}
	p.Title = w.Title
	p.Answer, p.Sentence = p.newest()
	p.Figures, p.empty = drawnOf(chart.Histories(h, w.seriesName), h)
	return p
}

// Doc returns the page in blocks, as every format writes it.
func (x *HistoryPage) Doc() *block.Doc {
	if x.doc == nil {
		x.doc = x.nights()
	}
	return x.doc
}

func (x *HistoryPage) nights() *block.Doc {
	h, w, d := x.h, x.w, x.frame(x.Answer)
	d.Words.Rest, d.Head = fmt.Sprintf(w.Rest, x.directory("DIR")), []string{x.Title}
	d.About = x.lastModels()
	verdict := block.Verdict{Answer: x.Answer, Tone: block.Unknown, Reason: x.Sentence}
	if n := len(h.Nights); n > 0 {
		verdict.Tone = verdictTone(verdictOf(h.Nights[n-1].ExitCode))
		d.Brief = []block.Block{block.Note{Texts: []string{x.span()}, Muted: true}}
	}
	d.Brief = append(d.Brief, verdict)
	if len(h.Notes) > 0 {
		d.Brief = append(d.Brief, block.Note{
			Lead: w.Notes, Texts: x.Words.notes(h.Notes), Points: true,
			Tone: block.Caution,
		})
	}
	trends := x.trends()
	for _, name := range append([]string{chart.NightMarks}, trends...) {
		height := trendHeight
		if name == chart.NightMarks {
			height = 0
		}
		d.Brief = append(d.Brief, small(x.figures(func(f chart.Figure) bool { return f.Name == name }), height)...)
	}
	if x.searched() {
		d.Brief = append(d.Brief, block.Heading(w.Changes))
		d.Brief = append(d.Brief, x.changes()...)
	}
	var unusual, made []string
	for _, u := range h.Unusual {
		unusual = append(unusual,
			capital(fmt.Sprintf(w.IsUnusual, w.seriesName(u.Series), message.DigitsIn(u.Unit, &u.Value),
				message.IntervalIn(u.Unit, nil, u.Low, u.High), pEquals(&u.P)))+w.Signs.Stop)
	}
	if len(unusual) > 0 {
		d.Brief = append(d.Brief, block.Note{Lead: w.Unusual, Texts: unusual, Points: true})
	}
	for _, m := range h.Made {
		made = append(made, w.Signs.Named(x.night(m.Night), madeText(m, w)))
	}
	d.Rest = append(d.Rest,
		block.Section{ID: "nights", Title: w.Nights, Depth: block.Folded, Blocks: filled(x.nightsGrid())},
		block.Section{ID: "series", Title: w.AllSeries, Depth: block.Folded, Blocks: filled(x.seriesGrids()...)},
		block.Section{
			ID: "pictures", Title: w.Pictures, Depth: block.Annex,
			Blocks: x.figures(func(f chart.Figure) bool {
				return f.Name != chart.NightMarks &&
					!slices.Contains(trends, f.Name)
			}),
		},
		block.Section{ID: "made", Title: w.Made, Depth: block.Folded, Blocks: points(made)},
		block.Section{ID: "method", Title: w.Method, Depth: block.Folded, Blocks: points([]string{
			fmt.Sprintf(w.Methods[0], message.Percent(1-h.Confidence)),
			fmt.Sprintf(w.Methods[1], message.Percent(h.Confidence)), w.Methods[2],
		})},
	)
	return d
}

// searched reports whether there were enough nights to search for a change.
func (x *HistoryPage) searched() bool {
	return slices.ContainsFunc(x.h.Series, func(s history.Series) bool { return s.P != nil })
}

// trendHeight is the height of the trends at the top.
const trendHeight = chart.Height * 0.9

// trends names the first pictures: the reward, then the series that changed last, then the standard
// series of every run; at most four.
func (x *HistoryPage) trends() []string {
	names := []string{"history_" + history.Reward}
	last := slices.Clone(x.h.Changes)
	slices.SortStableFunc(last, func(a, b history.Change) int { return b.Night - a.Night })
	for _, c := range last {
		names = append(names, "history_"+c.Series)
	}
	for _, s := range []string{"tool_calls", "output_tokens", "latency", "turns"} {
		names = append(names, "history_"+s)
	}
	var out []string
	for _, name := range names {
		if len(out) < 4 && x.drawn(name) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// lastModels names the model of the newest night, after the one before it if it has changed.
func (x *HistoryPage) lastModels() string {
	var names []string
	for _, n := range x.h.Nights {
		if last := len(names) - 1; n.Model != "" && (last < 0 || names[last] != n.Model) {
			names = append(names, n.Model)
		}
	}
	return x.models(names[max(0, len(names)-2):]...)
}

// span gives the number of nights, and their first and last.
func (x *HistoryPage) span() string {
	switch n := len(x.h.Nights); n {
	case 1:
		return fmt.Sprintf(x.w.One, x.Words.Lang.Count(1, "night"), x.night(0))
	default:
		return fmt.Sprintf(x.w.Span, x.Words.Lang.Count(n, "night"), x.night(0), x.night(n-1))
	}
}

// newest returns the answer of the newest night, and its reason.
func (x *HistoryPage) newest() (answer, why string) {
	n := len(x.h.Nights)
	if n == 0 {
		return x.w.NoNight, x.w.None
	}
	mark := &x.h.Nights[n-1]
	why = fmt.Sprintf(x.w.Newest, x.night(n-1), mark.ExitCode)
	if !mark.Sentence.IsEmpty() {
		why = x.Words.say(mark.Sentence) + x.w.Signs.Space + why
	}
	return capital(nightAnswer(mark, x.w)), why
}

// verdictOf returns the verdict with an exit code.
func verdictOf(code int) analysis.Verdict {
	for _, v := range []analysis.Verdict{analysis.Go, analysis.NoGo} {
		if v.ExitCode() == code {
			return v
		}
	}
	return analysis.Undecided
}

// seriesName returns the title of a series; a series unknown to this version keeps its own name.
func (w *historyWords) seriesName(name string) string {
	kind, part, named := strings.Cut(name, ":")
	switch form, ok := w.SeriesNames[kind]; {
	case ok && named:
		return fmt.Sprintf(form, id(part))
	case ok:
		return form
	}
	return id(name)
}

func (x *HistoryPage) night(i int) string { return id(x.h.Nights[i].Name) }

// changes list the nights on which something changed, each with all its changes.
func (x *HistoryPage) changes() []block.Block {
	var list []block.Block
	for rest := x.h.Changes; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Night == rest[0].Night {
			n++
		}
		list, rest = append(list, x.changesAt(rest[:n])), rest[n:]
	}
	if list == nil {
		list = append(list, block.Note{Texts: []string{x.w.NoChange}})
	}
	return list
}

// mostChanges is the maximum number of changes of one night that are described.
const mostChanges = 6

// changesAt describes the changes of one night, those of the setup, and those near it.
func (x *HistoryPage) changesAt(same []history.Change) block.Note {
	w := x.w
	out := block.Note{Lead: fmt.Sprintf(w.From, x.night(same[0].Night)), Points: true}
	var made, here, with []string
	for i := range same {
		c := &same[i]
		here = append(here, c.Series)
		if i < mostChanges {
			out.Texts = append(out.Texts, x.change(c))
		}
		for _, m := range c.Made {
			if text := fmt.Sprintf(w.MadeOn, madeText(m, w), x.night(m.Night)); !slices.Contains(made, text) {
				made = append(made, text)
			}
		}
	}
	for i := range same {
		for _, name := range same[i].With {
			if title := w.seriesName(name); !slices.Contains(here, name) && !slices.Contains(with, title) {
				with = append(with, title)
			}
		}
	}
	if more := len(same) - mostChanges; more > 0 {
		out.Texts = append(out.Texts, fmt.Sprintf(w.MoreChanges, message.Whole(more), w.AllSeries))
	}
	if made == nil {
		out.Texts = append(out.Texts, w.NothingMade)
	} else {
		out.Texts = append(out.Texts, fmt.Sprintf(w.MadeThere, strings.Join(made, w.Signs.Semicolon)))
	}
	if with != nil {
		out.Texts = append(out.Texts, fmt.Sprintf(w.ChangedToo, strings.Join(with, w.Signs.List)))
	}
	return out
}

// change describes how a series changed at one point.
func (x *HistoryPage) change(c *history.Change) string {
	w := x.w
	move := message.DifferenceIn(c.Unit, &c.Difference, c.Low, c.High)
	text := fmt.Sprintf(w.Change, w.seriesName(c.Series), message.DigitsIn(c.Unit, &c.Before),
		message.DigitsIn(c.Unit, &c.After), move)
	if c.First != c.Last {
		text += fmt.Sprintf(w.Between, x.night(c.First), x.night(c.Last), message.Percent(x.h.Confidence))
	}
	return capital(text) + w.Signs.Semicolon + pEquals(&c.P) + w.Signs.Stop
}

func madeText(m history.SettingChange, w *historyWords) string {
	value := func(s string) string {
		if s == "" {
			return w.WasUnset
		}
		return id(s)
	}
	return fmt.Sprintf(w.MadeText, id(m.Key), value(m.Before), value(m.After))
}

// seriesGrids returns a table for each kind of series.
func (x *HistoryPage) seriesGrids() []Grid {
	var list []Grid
	for _, kind := range history.Kinds() {
		list = append(list, x.seriesGrid(kind))
	}
	return list
}

// seriesGrid shows the values of a kind of series on the newest night.
func (x *HistoryPage) seriesGrid(kind string) Grid {
	w := x.w
	g := Grid{Title: w.Kinds[kind], Head: w.SeriesHead, Spare: []int{2, 3, 3}}
	for _, s := range x.h.Series {
		if s.Kind != kind {
			continue
		}
		newest, row := s.Points[len(s.Points)-1], []string{w.seriesName(s.Name), "–", "–", "–", "–", w.Untested}
		if newest.Night == len(x.h.Nights)-1 {
			row[1] = message.IntervalIn(s.Unit, &newest.Value, newest.Low, newest.High)
		}
		if n := len(s.Levels); n > 0 {
			l := s.Levels[n-1]
			row[2], row[3] = x.night(l.From), message.IntervalIn(s.Unit, &l.Value, l.Low, l.High)
			if l.NightLow != nil {
				row[4] = message.IntervalIn(s.Unit, nil, l.NightLow, l.NightHigh)
			}
		}
		switch {
		case s.PHolm != nil:
			row[5] = pValue(s.PHolm)
		case !s.Why.IsEmpty():
			row[5] = x.Words.say(s.Why)
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// nightsGrid lists the nights, the newest last.
func (x *HistoryPage) nightsGrid() Grid {
	w := x.w
	g := Grid{Words: true, Head: w.NightsHead}
	rewards := make(map[int]string)
	for _, s := range x.h.Series {
		if s.Name != history.Reward {
			continue
		}
		for _, at := range s.Points {
			rewards[at.Night] = message.Interval(&at.Value, at.Low, at.High)
		}
	}
	for i := range x.h.Nights {
		var made []string
		for _, m := range x.h.Made {
			if m.Night == i && !slices.Contains(made, m.Kind) {
				made = append(made, x.h.Lang.Text("history.made."+m.Kind, strings.ReplaceAll(m.Kind, "_", " ")))
			}
		}
		reward := rewards[i]
		if reward == "" {
			reward = "–"
		}
		g.Rows = append(g.Rows, []string{
			x.night(i), nightAnswer(&x.h.Nights[i], w), reward,
			strings.Join(made, w.Signs.List),
		})
	}
	return g
}

// nightAnswer returns the answer of a night: of its comparison, and of the trend.
func nightAnswer(n *history.NightSummary, w *historyWords) string {
	answer, known := w.Answers[n.Answer]
	switch {
	case n.Answer == "":
		answer = w.First
	case !known:
		answer = id(string(n.Answer))
	}
	if n.ExitCode == analysis.NoGo.ExitCode() && n.Answer.ExitCode() != n.ExitCode {
		answer += w.Signs.Comma + w.Trend
	}
	if n.Accepted {
		answer += w.Signs.Comma + w.Accepted
	}
	return answer
}

// writeNightsJUnit writes a test case for the newest night, and one for each series: a failure if
// the night regressed, an error if that is unknown. A series that changed passes and mentions the
// change: its meaning depends on the intention.
func writeNightsJUnit(w io.Writer, x *HistoryPage) error {
	s := junit.Suite{Name: "gonogo nightly", Hostname: "localhost", Time: "0"}
	if n := len(x.h.Nights); n > 0 {
		newest := &x.h.Nights[n-1]
		one := junit.Case{Class: "gonogo.nightly", Name: "night", Time: "0"}
		text := x.Words.named(x.Answer, x.Sentence)
		settle(&one, verdictOf(newest.ExitCode), &junit.Message{Type: x.Answer, Message: text, Text: text})
		s.Timestamp = antTime(newest.Time)
		s.Cases = append(s.Cases, one)
	}
	for _, series := range x.h.Series {
		one := junit.Case{Class: "gonogo.nightly." + series.Kind, Name: x.w.seriesName(series.Name), Time: "0"}
		for i := range x.h.Changes {
			if c := &x.h.Changes[i]; c.Series == series.Name {
				one.Out = &junit.Text{Text: x.w.Signs.Named(fmt.Sprintf(x.w.From, x.night(c.Night)), x.change(c))}
			}
		}
		s.Cases = append(s.Cases, one)
	}
	return s.Write(w)
}
