// Package block serves the gonogo command; its API may change in any release.
//
// It holds what reports are made of: a builder per kind of report (run, comparison, history)
// makes a Doc, and a renderer per format (text, markdown, html, pdf) writes any Doc. A new
// section touches no renderer, a new format no builder.
//
// Every text of a Doc that stems from data is plain to see already: a renderer
// escapes what its own format would read as markup, and nothing else.
package block

import (
	"fmt"
	"image/color"
	"math"
	"strings"
	"time"

	"github.com/rivo/uniseg"

	"gonogo/analysis/message"
	"gonogo/report/chart"
)

// Doc is a report in one language.
type Doc struct {
	Words  Words
	Title  string
	Brief  []Block   // what every form opens with
	Rest   []Section // what follows, where there is room or somebody asks for it
	Footer string    // who made it, and when

	Answer, Subject, Version string    // for the properties of a file
	Made                     time.Time // the zero time is not known
	Head, Foot               []string  // at the edges of printed pages
}

// Section is a part of a report under its own heading. One without blocks is
// not written.
type Section struct {
	ID, Title string
	Depth     Depth
	Blocks    []Block
}

// Depth says how soon a reader needs a section.
type Depth int

// The depths. A terminal and a comment on a pull request hold the brief alone
// until they are asked for the rest.
const (
	Open   Depth = iota // in sight on a page, and printed
	Folded              // behind a fold on a page, and printed
	Annex               // behind a fold on a page, and printed where it is asked for
)

// Tone is how a thing is meant: its colour.
type Tone string

// The tones, after the states of findings. The zero Tone is plain.
const (
	Fail    Tone = "fail"
	Unknown Tone = "unknown"
	Caution Tone = "caution"
	Pass    Tone = "pass"
	Skipped Tone = "skipped"
)

// Colours are those of a tone in print and in pictures: of text and edge, and of the
// ground.
func (t Tone) Colours() (strong, ground color.RGBA) {
	switch t {
	case Pass:
		return chart.Green, color.RGBA{0xe9, 0xf6, 0xec, 255}
	case Fail:
		return color.RGBA{0xa8, 0x1c, 0x1c, 255}, color.RGBA{0xfb, 0xea, 0xe9, 255}
	case Skipped:
		return chart.Muted, chart.Paper
	}
	return color.RGBA{0x7a, 0x52, 0x04, 255}, color.RGBA{0xfd, 0xf3, 0xdf, 255}
}

// Block is one piece of a report: one of the types below.
type Block interface{ block() }

// Heading begins a part of a section.
type Heading string

// Verdict is the answer with its reason and what to do first.
type Verdict struct {
	Answer    string
	Scope     string  // what the answer rests on, where that is not everything: "so far: 7 of 17 gates"
	Open      float64 // the share of what it could rest on that it does not: so much of its ground is hatched
	Unchecked string  // names that share
	Tone      Tone
	Reason    string
	Texts     []string // that follow the reason
	Lead      string   // of Next
	Next      []string // at most three, each a command or an edit
}

// Said is the answer with what it rests on, in one line.
func (v Verdict) Said() string { return strings.TrimSpace(v.Answer + " " + v.Scope) }

// Follow are the texts behind the reason.
func (v Verdict) Follow() []string {
	if v.Unchecked == "" {
		return v.Texts
	}
	return append([]string{v.Unchecked}, v.Texts...)
}

// Ground is the colour of the share that is open: of a GO it is that of what is unknown.
func (v Verdict) Ground() color.RGBA {
	tone := v.Tone
	if tone == Pass {
		tone = Unknown
	}
	_, ground := tone.Colours()
	return ground
}

// OpenPercent is Open in percent, for a style.
func (v Verdict) OpenPercent() int { return int(math.Round(100 * v.Open)) }

// Long reports whether the answer does not fit next to its reason.
func (v Verdict) Long() bool { return uniseg.StringWidth(v.Answer) > 15 }

// Tiles are numbers shown side by side.
type Tiles []Tile

// Tile is a number to be seen at a glance.
type Tile struct {
	Label    string
	Value    string // "0.42"; in words where it is not known
	Interval string // "[0.36, 0.49]"
	About    string // what it was measured on, and what it is
	Known    bool
	Doubted  bool // a grader made it that failed its audit
}

// Number is the value with its interval.
func (t Tile) Number() string { return strings.TrimSpace(t.Value + " " + t.Interval) }

// Note is running text.
type Note struct {
	Lead   string // names a single text
	Texts  []string
	Points bool // each text is a point of a list
	Muted  bool
	Tone   Tone // Caution: to be seen before anything below it
}

// Facts are names and what they are.
type Facts struct {
	Rows []Fact
	Code bool // the names are names in a file
}

// Fact is a name and what it is.
type Fact struct {
	Name, Value string
	Link        string // to what the value names, from the directory of the report; "" where there is none
}

// Grid is a table of text. The first column names the row.
type Grid struct {
	Title string
	Words bool // its cells are words, not numbers
	Rates bool // its rows are rates: name, value, what it was measured on, what it is
	Head  []string
	Rows  [][]string
	Notes []string

	Kinds   []Kind // of the columns; nil: as Words has it
	Tones   []Tone // of the rows, for a column of states
	Spare   []int  // columns that a narrow form may leave out, in this order
	Most    int    // rows that a terminal shows; 0: all
	Upright bool   // column heads are upright, because there are many columns
}

// Kind is what the cells of a column are.
type Kind int

// The kinds of columns.
const (
	Number Kind = iota
	Text
	Code  // a name as files have it
	State // in the tone of its row
)

// Kind is the kind of column i.
func (g Grid) Kind(i int) Kind {
	switch {
	case i < len(g.Kinds):
		return g.Kinds[i]
	case i == 0 || g.Words:
		return Text
	}
	return Number
}

// Tone is the tone of row i.
func (g Grid) Tone(i int) Tone {
	if i < len(g.Tones) {
		return g.Tones[i]
	}
	return ""
}

// Figure is a chart.
type Figure struct {
	chart.Figure
	Axis  string     // whose item table has its numbers, where its marks are items
	Range [2]float64 // of rewards, of such a chart
	Brief bool       // it decides: small, without its explanation
}

// Tall reports whether the figure has too many rows to be drawn small.
func (f Figure) Tall() bool { return f.Height > 1.5*chart.Height }

// Strip reports whether the figure is a low one, which takes the whole width by itself.
func (f Figure) Strip() bool { return f.Plot != nil && f.Height < chart.Height/2 }

// Findings are gates' answers, the urgent ones first.
type Findings []Finding

// Finding is one gate's answer.
type Finding struct {
	Tone       Tone
	Label      string // of its state
	Name       string // of what it judges, in a few words
	Title      string
	Value      string // what was measured, with its interval
	Want       string // the threshold
	Rule       string // what decides it, where the interval suggests otherwise
	Line       string // all of it in one line
	Gate       string // and the split it is about
	Gauge      *Gauge // the same drawn; nil if there is no number or no threshold
	Facts      []Fact // value, threshold and the like; a fact without a name is a word
	Texts      []Fact // why it matters, what to do
	ItemsLabel string
	Items      []Item
	Known      []string // its other facts that ask nothing
	Picture    string   // the chart that shows what it judges
	Open       bool     // it asks something of the reader
}

// Gauge is where a value, its interval and its threshold are along a line, each as a
// share of its length. Value, Low and High are one place where there is no interval.
type Gauge struct{ Value, Low, High, Threshold float64 }

// GaugeOf places what was measured on a line from zero, or from below it, to a little
// beyond all of them; a share's line ends at 1. It is nil if a number is missing.
func GaugeOf(value, low, high, threshold *float64, share bool) *Gauge {
	if value == nil || threshold == nil {
		return nil
	}
	g := Gauge{*value, *value, *value, *threshold}
	if low != nil && high != nil {
		g.Low, g.High = *low, *high
	}
	from, to := min(0, g.Low, g.Value, g.Threshold), max(g.High, g.Value, g.Threshold)
	to += 0.15 * (to - from)
	if share && to > 1 {
		to = max(1, g.High, g.Value, g.Threshold)
	}
	if !(to > from) || math.IsInf(to-from, 0) {
		return nil
	}
	for _, x := range []*float64{&g.Value, &g.Low, &g.High, &g.Threshold} {
		*x = (*x - from) / (to - from)
	}
	return &g
}

// Measures joins the facts of a finding.
func (f Finding) Measures(by string) string {
	var list []string
	for _, x := range f.Facts {
		list = append(list, strings.TrimSpace(x.Name+" "+x.Value))
	}
	return strings.Join(list, by)
}

// Item is an item that is named: Table and Row lead to it where a table of items
// has it.
type Item struct {
	Name, Table string
	Row         int
}

// Items is the table of all items of a split.
type Items struct {
	Name    string
	Columns []Column
	Rows    [][]string
	Kinds   []string // of the rows, as files name them: a colour each
	Telling []int    // the rows to show where not all have room
	All     int      // items that there are
	Count   string   // the same in words

	// Traces are the rollouts of the first n rows; nil if none are at hand.
	Traces func(n int) ([][]string, error)

	Classes   []string          // what the second column can be filtered by
	KindOf    map[string]string // the kind of each word of the second column
	ClassName string
	AnyClass  string
	Wordy     int    // columns from here on are words
	File      string // of the rollouts, as commands name it; "" where none are known
	Link      string // to it
	Cut       string // said where not all rows are here: how many are, of how many
	Flat      bool   // its rows do not open
	Empty     string // said where there are no rows
}

// MaxRows is the largest number of rows of an item table on a page.
const MaxRows = 20_000

// Column is one column of a table of items.
type Column struct{ Label, Doc string }

// Payload is a text that was put to a grader, and what it earned.
type Payload struct {
	Tone    Tone
	Name    string // of its probe, and on how many items; "" continues the one above
	ID      string
	Earned  string
	Text    string
	Notes   []string
	Command string
}

// Fold is what a reader opens to see.
type Fold struct {
	Summary string
	Blocks  []Block
}

func (Heading) block()  {}
func (Verdict) block()  {}
func (Tiles) block()    {}
func (Note) block()     {}
func (Facts) block()    {}
func (Grid) block()     {}
func (Figure) block()   {}
func (Findings) block() {}
func (Items) block()    {}
func (Payload) block()  {}
func (Fold) block()     {}

// Words are what renderers say themselves.
type Words struct {
	Lang  message.Language
	Signs Signs

	Quiet, Value, Want, Why, NotJudged, NoFindings, OtherFacts, AndMore, MoreLines, CutShort string

	Rest, Evidence string // how to see the rest, and the rollouts themselves; "" where there is no way

	Page  PageWords
	Print PrintWords
}

// Signs part and join texts. Space is used between sentences, and after a colon.
type Signs struct{ Colon, Space, Stop, List, Comma, Semicolon string }

// Named is a text under its name: "What to do: sample more".
func (s Signs) Named(name, text string) string { return name + s.Colon + s.Space + text }

// Further joins Rest and Evidence.
func (w Words) Further() string {
	return strings.TrimSpace(w.Rest + w.Signs.Space + w.Evidence)
}

// Few joins the first n of a list of texts and counts the rest.
func (w Words) Few(list []string, n int) string {
	if len(list) <= n {
		return strings.Join(list, w.Signs.List)
	}
	return fmt.Sprintf(w.AndMore, strings.Join(list[:n], w.Signs.List), message.Whole(len(list)-n))
}

// Names are the names of items.
func Names(items []Item) []string {
	names := make([]string, len(items))
	for i, it := range items {
		names[i] = it.Name
	}
	return names
}

// Shorten cuts a quoted text to n runes, its end mark included.
func Shorten(text string, n int) string {
	r := []rune(strings.TrimSuffix(text, "…"))
	if len(r) <= n {
		return text
	}
	return string(r[:n-2]) + "”…"
}
