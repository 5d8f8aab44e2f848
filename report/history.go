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
	"gonogo/report/markdown"
	"gonogo/report/text"
)

// HistoryPage is everything a history says, in the order it is said. Its texts
// are safe to show: what stems from data has been made visible.
type HistoryPage struct {
	Options
	History *history.History

	Title   string
	Span    string // how many nights, and from when to when
	Notes   []string
	Changes []NightChange
	Unusual []string
	Made    []string
	Series  []Grid // one for each kind
	Nights  Grid
	Figures []chart.Figure
	Method  []string

	words *historyWords // in the language of the history
	page  *Page         // what it shares with the page of a run
}

// NightChange is a night where something changed.
type NightChange struct {
	Text    string
	Details []string // what else changed there
}

// NewHistory makes the page of h, in the language of h.
func NewHistory(h *history.History, opt Options) *HistoryPage {
	said := message.In(h.Lang, "report.history", historyEnglish)
	w := &said
	p := &HistoryPage{Options: opt, History: h, Title: w.Title, Span: w.None, words: w}
	p.page = &Page{Options: opt, Words: wordsIn(h.Lang)}
	p.Version = visible(p.Version)
	if n := len(h.Nights); n == 1 {
		p.Span = fmt.Sprintf(w.One, w.Night.of(1), p.night(0))
	} else if n > 1 {
		p.Span = fmt.Sprintf(w.Span, w.Night.of(n), p.night(0), p.night(n-1))
	}
	for _, note := range h.Notes {
		p.Notes = append(p.Notes, p.page.Words.Capital(prose(note.In(h.Lang)))+w.Signs.Stop)
	}
	for i := range h.Changes {
		p.Changes = append(p.Changes, p.change(&h.Changes[i], w))
	}
	for _, u := range h.Unusual {
		p.Unusual = append(p.Unusual, capital(fmt.Sprintf(w.IsUnusual, w.seriesName(u.Series), message.Digits(u.Value), message.Interval(nil, u.Low, u.High), pEquals(&u.P)))+w.Signs.Stop)
	}
	for _, m := range h.Made {
		p.Made = append(p.Made, w.Signs.named(p.night(m.Night), madeText(m, w)))
	}
	for _, kind := range history.Kinds() {
		if g := p.seriesGrid(kind, w); len(g.Rows) > 0 {
			p.Series = append(p.Series, g)
		}
	}
	p.Nights = p.nightsGrid(w)
	for _, s := range chart.Histories(h, w.seriesName) {
		p.Figures = append(p.Figures, chart.Render(s, h))
	}
	p.page.Figures, p.page.Result = p.Figures, &analysis.Result{Lang: h.Lang}
	p.Method = []string{fmt.Sprintf(w.Methods[0], message.Percent(1-h.Confidence)), fmt.Sprintf(w.Methods[1], message.Percent(h.Confidence)), w.Methods[2]}
	return p
}

// nights is what a command calls the history by.
func (p *HistoryPage) nights() string {
	if p.Dir == "" {
		return "DIR"
	}
	return argument(p.Dir)
}

// Doc is the page in blocks, as every format writes it.
func (p *HistoryPage) Doc() *block.Doc {
	w := p.words
	d := p.page.doc(p.page.Words, p.Title, "")
	d.Words.Rest, d.Head = fmt.Sprintf(w.Rest, p.nights()), []string{p.Title}
	d.Brief = []block.Block{block.Note{Texts: []string{p.Span}, Muted: true}}
	if newest := p.newest(); newest != nil {
		d.Answer, d.Subject = newest.Answer, newest.Text
		d.Brief = append(d.Brief, block.Verdict{Answer: newest.Answer, Tone: newest.Tone, Reason: newest.Text})
	}
	if len(p.Notes) > 0 {
		d.Brief = append(d.Brief, block.Note{Lead: w.Notes, Texts: p.Notes, Points: true, Tone: block.Caution})
	}
	top := p.trends()
	for _, f := range p.page.figures(func(f chart.Figure) bool { return slices.Contains(top, f.Name) }) {
		small := f.(block.Figure)
		small.Brief, small.Height = true, trendHeight
		d.Brief = append(d.Brief, small)
	}
	if len(p.Nights.Rows) > 0 {
		d.Brief = append(d.Brief, block.Heading(w.Changes))
		for _, c := range p.Changes {
			d.Brief = append(d.Brief, block.Note{Lead: c.Text, Texts: c.Details, Points: true})
		}
		if len(p.Changes) == 0 {
			d.Brief = append(d.Brief, block.Note{Texts: []string{w.NoChange}})
		}
	}
	if len(p.Unusual) > 0 {
		d.Brief = append(d.Brief, block.Note{Lead: w.Unusual, Texts: p.Unusual, Points: true})
	}
	for i, g := range p.Series {
		title := g.Title
		g.Title = ""
		d.Rest = append(d.Rest, block.Section{ID: fmt.Sprintf("series-%d", i), Title: title, Blocks: []block.Block{g}})
	}
	d.Rest = append(d.Rest, block.Section{ID: "pictures", Title: w.Pictures, Blocks: p.page.figures(func(f chart.Figure) bool { return !slices.Contains(top, f.Name) })})
	if len(p.Nights.Rows) > 0 {
		g := p.Nights
		g.Title = ""
		d.Rest = append(d.Rest, block.Section{ID: "nights", Title: w.Nights, Blocks: []block.Block{g}})
	}
	d.Rest = append(d.Rest,
		block.Section{ID: "made", Title: w.Made, Depth: block.Folded, Blocks: points(p.Made)},
		block.Section{ID: "method", Title: w.Method, Depth: block.Folded, Blocks: points(p.Method)},
	)
	return d
}

// trendHeight is how high the trends on top are.
const trendHeight = chart.Height * 0.9

// trends names the pictures that come first: the reward, then the series that
// changed last, four at most.
func (p *HistoryPage) trends() []string {
	names := []string{"history_" + history.Reward}
	for _, c := range slices.Backward(p.History.Changes) {
		if name := "history_" + c.Series; len(names) < 4 && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// WriteText writes the page for a terminal.
func (p *HistoryPage) WriteText(w io.Writer) error { return text.Write(w, p.Doc(), p.terminal()) }

// WriteMarkdown writes the page as GitHub-flavoured Markdown.
func (p *HistoryPage) WriteMarkdown(w io.Writer) error {
	return markdown.Write(w, p.Doc(), markdown.Options{All: p.All})
}

// seriesName is what a series is called; one that this version does not know
// keeps its own name.
func (w *historyWords) seriesName(name string) string {
	if said, ok := w.SeriesNames[name]; ok {
		return said
	}
	return id(name)
}

func (p *HistoryPage) night(i int) string { return id(p.History.Nights[i].Name) }

func (p *HistoryPage) change(c *history.Change, w *historyWords) NightChange {
	move := message.Interval(&c.Difference, c.Low, c.High)
	if c.Difference > 0 {
		move = "+" + move
	}
	text := fmt.Sprintf(w.Change, w.seriesName(c.Series), message.Digits(c.Before), message.Digits(c.After), move, p.night(c.Night))
	if c.First == c.Last {
		text += w.Exactly
	} else {
		text += fmt.Sprintf(w.Between, p.night(c.First), p.night(c.Last), message.Percent(p.History.Confidence))
	}
	out := NightChange{Text: capital(text) + w.Signs.Semicolon + pEquals(&c.P) + w.Signs.Stop}
	var made, with []string
	for _, m := range c.Made {
		made = append(made, fmt.Sprintf(w.MadeOn, madeText(m, w), p.night(m.Night)))
	}
	if made == nil {
		out.Details = append(out.Details, w.NothingMade)
	} else {
		out.Details = append(out.Details, fmt.Sprintf(w.MadeThere, strings.Join(made, w.Signs.Semicolon)))
	}
	for _, name := range c.With {
		with = append(with, w.seriesName(name))
	}
	if with != nil {
		out.Details = append(out.Details, fmt.Sprintf(w.ChangedToo, strings.Join(with, w.Signs.List)))
	}
	return out
}

func madeText(m history.MadeMark, w *historyWords) string {
	value := func(s string) string {
		if s == "" {
			return w.WasUnset
		}
		return id(s)
	}
	return fmt.Sprintf(w.MadeText, id(m.Key), value(m.Before), value(m.After))
}

// seriesGrid is what the series of a kind say of the newest night.
func (p *HistoryPage) seriesGrid(kind string, w *historyWords) Grid {
	g := Grid{Title: fmt.Sprintf(w.Series, lower(w.Kinds[kind])), Head: w.SeriesHead, Spare: []int{2, 3, 3}}
	for _, s := range p.History.Series {
		if s.Kind != kind {
			continue
		}
		newest, row := s.Points[len(s.Points)-1], []string{w.seriesName(s.Name), "–", "–", "–", "–", w.Untested}
		if newest.Night == len(p.History.Nights)-1 {
			row[1] = message.Interval(&newest.Value, newest.Low, newest.High)
		}
		if n := len(s.Levels); n > 0 {
			l := s.Levels[n-1]
			row[2], row[3] = p.night(l.From), message.Interval(&l.Value, l.Low, l.High)
			if l.NightLow != nil {
				row[4] = message.Interval(nil, l.NightLow, l.NightHigh)
			}
		}
		switch {
		case s.PHolm != nil:
			row[5] = pValue(s.PHolm)
		case !s.Why.None():
			row[5] = prose(s.Why.In(p.History.Lang))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// nightsGrid lists the nights, the newest last.
func (p *HistoryPage) nightsGrid(w *historyWords) Grid {
	g := Grid{Title: w.Nights, Words: true, Head: w.NightsHead}
	rewards := make(map[int]string)
	for _, s := range p.History.Series {
		if s.Name != history.Reward {
			continue
		}
		for _, x := range s.Points {
			rewards[x.Night] = message.Interval(&x.Value, x.Low, x.High)
		}
	}
	for i := range p.History.Nights {
		var made []string
		for _, m := range p.History.Made {
			if m.Night == i && !slices.Contains(made, m.Kind) {
				made = append(made, p.History.Lang.Text("history.made."+m.Kind, strings.ReplaceAll(m.Kind, "_", " ")))
			}
		}
		reward := rewards[i]
		if reward == "" {
			reward = "–"
		}
		g.Rows = append(g.Rows, []string{p.night(i), nightAnswer(&p.History.Nights[i], w), reward, strings.Join(made, w.Signs.List)})
	}
	return g
}

// nightAnswer is what came of a night: of its comparison, and of the trend.
func nightAnswer(n *history.Mark, w *historyWords) string {
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
