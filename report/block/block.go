// Package block serves the gonogo command; its API may change in any release.
//
// It defines the parts of reports: a builder per kind of report (run, comparison, history) makes a
// Doc, and a renderer per format (text, markdown, html, pdf) writes any Doc. A new section needs no
// change to a renderer, and a new format none to a builder.
//
// Texts in a Doc that come from data are already safe to display (see package plain): a renderer
// only escapes what its own format would read as markup.
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
	About  string    // what was measured, where and when; "" if it is not known
	Brief  []Block   // how every format begins
	Rest   []Section // what follows if there is room or the reader asks for it
	Footer string    // what made it, and when

	Answer, Subject, Version string    // for the document properties of a file
	Made                     time.Time // the zero time if unknown
	Head, Foot               []string  // page head and foot in print
}

// Section is a part of a report under its own heading. A section without blocks is not written.
type Section struct {
	ID, Title string
	Depth     Depth
	Blocks    []Block
}

// Depth says how far down a reader needs a section.
type Depth int

// The depths. A terminal and a comment on a pull request only show the brief unless the rest is
// requested.
const (
	Open   Depth = iota // unfolded on a page, and printed
	Folded              // folded on a page, and printed
	Annex               // folded on a page, and printed on request
)

// Tone is the meaning of a block, shown as its colour.
type Tone string

// The tones, named after the states of findings. The zero Tone is neutral.
const (
	Fail    Tone = "fail"
	Unknown Tone = "unknown"
	Caution Tone = "caution"
	Pass    Tone = "pass"
	SoFar   Tone = "so-far" // a GO of some of its gates
	Skipped Tone = "skipped"
)

// Colours returns the colours of a tone in print and in pictures: of text and edges, and of the
// background.
func (t Tone) Colours() (strong, ground color.RGBA) {
	switch t {
	case Pass:
		return chart.Green, color.RGBA{0xe9, 0xf6, 0xec, 255}
	case Fail:
		return color.RGBA{0xa8, 0x1c, 0x1c, 255}, color.RGBA{0xfb, 0xea, 0xe9, 255}
	case SoFar:
		return chart.Blue, color.RGBA{0xe8, 0xf1, 0xfa, 255}
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
	Scope     string // what the answer is based on, if not everything: "so far: 7 of 17 gates"
	Unchecked string // what is missing
	Tone      Tone
	Reason    string
	Texts     []string // after the reason
	Lead      string   // introduces Next
	Next      []string // at most three, each a command or an edit
}

// Said returns the answer and its scope on one line.
func (v Verdict) Said() string { return strings.TrimSpace(v.Answer + " " + v.Scope) }

// Follow returns the texts after the reason.
func (v Verdict) Follow() []string {
	if v.Unchecked == "" {
		return v.Texts
	}
	return append([]string{v.Unchecked}, v.Texts...)
}

// Long reports whether the answer does not fit next to its reason.
func (v Verdict) Long() bool { return uniseg.StringWidth(v.Answer) > 15 }

// Tiles are numbers shown side by side.
type Tiles []Tile

// Tile is a number to see at a glance.
type Tile struct {
	Label    string
	Value    string // "0.42"; in words if it is unknown
	Interval string // "[0.36, 0.49]"
	About    string // what it is, and what it was measured on
	Known    bool
	Doubted  bool // it is from a grader that failed its audit
}

// Number returns the value with its interval.
func (t Tile) Number() string { return strings.TrimSpace(t.Value + " " + t.Interval) }

// Note is running text.
type Note struct {
	Lead   string // the name of a single text, or of a list
	Texts  []string
	Points bool // each text is a list item
	Muted  bool
	Tone   Tone // Caution: the reader should see it before anything below
}

// Facts is a list of names with their values.
type Facts struct {
	Rows []Fact
	Code bool // the names are identifiers from a file
}

// Fact is a name and its value.
type Fact struct {
	Name, Value string
	Link        string // to what the value names, relative to the report; "" for none
}

// Grid is a table of text. The first column names the row.
type Grid struct {
	Title string
	Words bool // its cells are words, not numbers
	Rates bool // its rows are rates: name, value, what it was measured on, what it is
	Head  []string
	Rows  [][]string
	Notes []string

	Kinds   []Kind // of the columns; nil: derived from Words
	Tones   []Tone // of the rows, for a column of states
	Spare   []int  // columns to leave out if there is too little width, in this order
	Most    int    // rows that a terminal shows; 0: all
	Upright bool   // draw column heads upright, because there are many columns
}

// Kind is the kind of the cells of a column.
type Kind int

// The kinds of columns.
const (
	Number Kind = iota
	Text
	Code  // an identifier from a file
	State // in the tone of its row
)

// Kind returns the kind of column i.
func (g Grid) Kind(i int) Kind {
	switch {
	case i < len(g.Kinds):
		return g.Kinds[i]
	case i == 0 || g.Words:
		return Text
	}
	return Number
}

// Tone returns the tone of row i.
func (g Grid) Tone(i int) Tone {
	if i < len(g.Tones) {
		return g.Tones[i]
	}
	return ""
}

// Figure is a chart.
type Figure struct {
	chart.Figure
	Axis  string     // the split whose item table has the data, if its marks are items
	Range [2]float64 // the reward range, for such a chart
	Brief bool       // draw it small, without an explanation
}

// Tall reports whether the figure has too many rows to be drawn small.
func (f Figure) Tall() bool { return f.Height > 1.5*chart.Height }

// Strip reports whether the figure is low and takes the whole width.
func (f Figure) Strip() bool { return f.Plot != nil && f.Height < chart.Height/2 }

// Findings are the answers of gates, the urgent ones first.
type Findings []Finding

// Finding is the answer of one gate.
type Finding struct {
	Tone       Tone
	Label      string // word for its state
	Name       string // what it judges, in a few words
	Title      string
	Value      string // what was measured, with its interval
	Want       string // the threshold
	Rule       string // what decides, if the interval suggests otherwise
	Line       string // the whole finding on one line
	Gate       string // name of the gate, and the split it judges
	Gauge      *Gauge // value and threshold as a drawing; nil without a number or a threshold
	Facts      []Fact // value, threshold and so on; a fact without a name is just its value
	Texts      []Fact // why it matters, what to do
	ItemsLabel string
	Items      []Item
	Known      []string // further facts that need no action
	Picture    string   // the chart that shows what it judges
	Open       bool     // it needs action from the reader
}

// Gauge holds the positions of a value, its interval and its threshold along a line, as shares of
// its length. Without an interval, Low and High equal Value.
type Gauge struct{ Value, Low, High, Threshold float64 }

// GaugeOf places the numbers on a line from zero, or from the lowest if that is below zero, to a
// little above the highest. The line of a share ends at 1, or at the highest number if that is
// above 1. GaugeOf returns nil if value or threshold is nil.
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

// Measures joins the facts of a finding with separator.
func (f Finding) Measures(separator string) string {
	var list []string
	for _, x := range f.Facts {
		list = append(list, strings.TrimSpace(x.Name+" "+x.Value))
	}
	return strings.Join(list, separator)
}

// Item is an item that a text names. Table and Row link to its row if a table of items has it.
type Item struct {
	Name, Table string
	Row         int
}

// Items is the table of all items of a split.
type Items struct {
	Name    string
	Columns []Column
	Rows    [][]string
	Kinds   []string // of the rows, as in files; each has a colour
	Telling []int    // the rows to show if there is no room for all
	All     int      // number of items
	Count   string   // the number of items in words

	// Traces returns the rollouts of the first n rows. It is nil if none are available.
	Traces func(n int) ([][]string, error)

	Classes   []string          // values to filter the second column by
	KindOf    map[string]string // the kind of each value of the second column
	ClassName string
	AnyClass  string
	Wordy     int    // index of the first column of words
	File      string // rollouts file as named in commands; "" if unknown
	Link      string // to File
	Cut       string // format of the note that only some rows are shown: how many, of how many
	Flat      bool   // its rows cannot be opened
	Empty     string // text if there are no rows
}

// MaxRows is the largest number of rows of an item table on a page.
const MaxRows = 20_000

// Column is one column of a table of items.
type Column struct{ Label, Doc string }

// Payload is a text that was submitted to a grader, and what it earned.
type Payload struct {
	Tone    Tone
	Name    string // of its probe, with the number of items; "" continues the payload above
	ID      string
	Earned  string
	Text    string
	Notes   []string
	Command string
}

// Fold holds blocks that a reader has to unfold.
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

// Words are the texts of the renderers themselves.
type Words struct {
	Lang  message.Language
	Signs Signs

	Quiet, Value, Want, Why, NotJudged, NoFindings, OtherFacts, AndMore, MoreLines, CutShort string

	Rest, Evidence string // how to see the rest, and the rollouts; "" if impossible

	Page  PageWords
	Print PrintWords
}

// Signs separate and join texts. Space goes between sentences and after a colon.
type Signs struct{ Colon, Space, Stop, List, Comma, Semicolon string }

// Named returns a text after its name: "What to do: sample more".
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

// Names returns the names of items.
func Names(items []Item) []string {
	names := make([]string, len(items))
	for i, it := range items {
		names[i] = it.Name
	}
	return names
}

// Shorten cuts a quoted text to n runes, including its closing mark.
func Shorten(text string, n int) string {
	r := []rune(strings.TrimSuffix(text, "…"))
	if len(r) <= n {
		return text
	}
	return string(r[:n-2]) + "”…"
}
