package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/report/block"
	"gonogo/report/chart"
	"gonogo/report/markdown"
	"gonogo/report/text"
	"gonogo/sampler/rollout"
)

// shared is what the page has in common with that of a run, for the pieces
// that both are made of.
func (p *ComparisonPage) shared(words *words) *Page {
	c := p.Comparison
	s := &Page{
		Options: p.Options, Words: words, Title: p.Title, Sentence: p.Sentence, Figures: p.Figures,
		Result: &analysis.Result{Lang: c.Lang, Confidence: c.Confidence, RewardRange: c.RewardRange},
	}
	s.Split, _, _ = chart.Compared(c)
	return s
}

// Doc is the page in blocks, as every format writes it.
func (p *ComparisonPage) Doc() *block.Doc {
	w := p.words
	d := p.page.doc(p.page.Words, p.Title, p.Answer)
	d.Words.Rest = fmt.Sprintf(w.Rest, directory(p.Comparison.Base.File), directory(p.Comparison.New.File))
	d.Head, d.Foot = []string{p.Title}, []string{w.Base + " " + p.Base, w.New + " " + p.New}
	d.Brief = append(d.Brief, block.Facts{Rows: p.Runs()})
	if first := p.ReadFirst(); len(first) > 0 {
		d.Brief = append(d.Brief, block.Note{Lead: w.Notes, Texts: first, Points: true, Tone: block.Caution})
	}
	d.Brief = append(d.Brief, block.Verdict{Answer: p.Answer, Tone: verdictTone(like(p.Comparison)), Reason: p.Sentence, Lead: p.page.Words.Next, Next: p.toDo()})
	d.Brief = append(d.Brief, comparedNumbers(p.Comparison, w, p.page.Words))
	if p.page.Split != "" {
		d.Brief = append(d.Brief, block.Note{Texts: []string{p.page.About()}, Muted: true})
	}
	deciding := []string{"quadrants", "paired_differences"}
	for _, f := range p.page.figures(func(f chart.Figure) bool { return slices.Contains(deciding, f.Name) && f.Plot != nil }) {
		f := f.(block.Figure)
		f.Brief = true
		d.Brief = append(d.Brief, f)
	}
	for _, s := range p.Splits {
		d.Rest = append(d.Rest, block.Section{ID: "split-" + string(s.Name), Title: s.Heading, Blocks: p.splitBlocks(s)})
	}
	d.Rest = append(d.Rest,
		block.Section{ID: "pictures", Title: p.page.Words.Pictures, Depth: block.Folded, Blocks: p.page.figures(func(f chart.Figure) bool { return !slices.Contains(deciding, f.Name) || f.Plot == nil })},
		block.Section{ID: "items", Title: w.AllItems, Depth: block.Annex, Blocks: p.itemBlocks()},
		block.Section{ID: "differs", Title: w.Differs, Depth: block.Folded, Blocks: p.differBlocks()},
		block.Section{ID: "input", Title: w.Input, Depth: block.Folded, Blocks: points(p.Input)},
		block.Section{ID: "method", Title: w.Method, Depth: block.Folded, Blocks: points(p.Method)},
	)
	return d
}

// toDo is what to look at first: the item that dropped most.
func (p *ComparisonPage) toDo() []string {
	for _, s := range p.Splits {
		for i, m := range s.Moved {
			if c := p.Comparison.Splits[s.Name].Moved[i]; p.Answering(s) && c.Change < 0 && m.NewCommand != "" && like(p.Comparison) != analysis.Go {
				return []string{fmt.Sprintf(p.words.ReadDrop, m.Item, m.Delta, m.NewCommand)}
			}
		}
	}
	return nil
}

// splitBlocks are what is said of a split.
func (p *ComparisonPage) splitBlocks(s ComparedSplit) []block.Block {
	var list []block.Block
	if !p.Answering(s) {
		list = append(list, block.Note{Texts: []string{s.Why}})
	}
	list = append(list, points(s.Facts)...)
	for i, g := range s.Grids {
		if g.Most = 12; i < 2 {
			list = append(list, g)
			continue
		}
		title := g.Title
		g.Title = ""
		list = append(list, block.Fold{Summary: title, Blocks: []block.Block{g}})
	}
	if len(s.Moved) == 0 {
		return list
	}
	w := p.words
	g := Grid{
		Title: w.Moved, Head: w.MovedHead, Notes: []string{fmt.Sprintf(w.MovedNote, p.Base, p.New)}, Most: 8,
		Kinds: []block.Kind{block.Code, block.Number, block.Number, block.Number, block.Number, block.Text, block.Text},
	}
	for _, m := range s.Moved {
		row := []string{m.Item, m.From, m.To, m.Delta, m.Calls}
		for _, of := range []struct {
			refs    []string
			command string
		}{{m.Base, m.BaseCommand}, {m.New, m.NewCommand}} {
			row = append(row, strings.Join(of.refs, w.Signs.Semicolon))
			if of.command != "" {
				row[len(row)-1] += w.Signs.Semicolon + of.command
			}
		}
		g.Rows = append(g.Rows, row)
	}
	return append(list, g)
}

// itemBlocks are the tables of all items of both runs.
func (p *ComparisonPage) itemBlocks() []block.Block {
	w := p.words
	var list []block.Block
	for _, s := range p.Splits {
		t := block.Items{
			Name: string(s.Name), Rows: changedItems(p.Comparison.Splits[s.Name], w), KindOf: map[string]string{}, Wordy: 8, Flat: true,
			ClassName: w.Direction, AnyClass: w.AnyDirection, Cut: w.ItemsCut, Empty: w.NoItems,
		}
		t.All, t.Count = len(t.Rows), w.Item.of(len(t.Rows))
		for _, c := range w.Columns {
			t.Columns = append(t.Columns, block.Column(c))
		}
		for direction, kind := range compareEnglish.Directions {
			t.KindOf[w.Directions[direction]] = kind
		}
		there := map[string]bool{}
		for _, row := range t.Rows {
			t.Kinds = append(t.Kinds, t.KindOf[row[1]])
			there[row[1]] = true
		}
		for _, direction := range []int{-1, 0, 1} {
			if word := w.Directions[direction]; there[word] {
				t.Classes = append(t.Classes, word)
			}
		}
		list = append(list, block.Heading(w.Split+" "+string(s.Name)), t)
	}
	return list
}

// differBlocks are what the runs were made with differently.
func (p *ComparisonPage) differBlocks() []block.Block {
	if len(p.Differs) == 0 {
		return nil
	}
	w := p.words
	g := Grid{Words: true, Head: w.DifferHead}
	for _, d := range p.Differs {
		note := d.Note
		if d.Confounds {
			note = strings.TrimPrefix(note+w.Signs.Semicolon+w.Confounds, w.Signs.Semicolon)
		}
		g.Rows = append(g.Rows, []string{d.Key, d.Base, d.New, note})
	}
	return []block.Block{g}
}

// line is the difference in one line.
func (d Difference) line(w *compareWords) string {
	text := fmt.Sprintf(w.DifferLine, d.Key, d.Base, d.New)
	if d.Note != "" {
		text += fmt.Sprintf(w.DifferNote, d.Note)
	}
	if d.Confounds {
		text = w.Signs.named(text, w.Confounds)
	}
	return text
}

// WriteText writes the page for a terminal.
func (p *ComparisonPage) WriteText(w io.Writer) error { return text.Write(w, p.Doc(), p.terminal()) }

// WriteMarkdown writes the brief of the page for a comment on a pull request; with
// Options.All, all of it.
func (p *ComparisonPage) WriteMarkdown(w io.Writer) error {
	return markdown.Write(w, p.Doc(), markdown.Options{All: p.All})
}

// like is the verdict whose colours an answer takes. What a grader that is not to
// be trusted calls better, or no worse, is not green.
func like(c *compare.Comparison) analysis.Verdict {
	switch a := c.Answer; {
	case a.ExitCode() == analysis.NoGo.ExitCode():
		return analysis.NoGo
	case len(c.Untrusted()) > 0:
		return analysis.Undecided
	case a == compare.Improved, a == compare.Equivalent:
		return analysis.Go
	}
	return analysis.Undecided
}

// tileOrder is what the two numbers beside the reward are taken from: the
// first that are known.
var tileOrder = []string{"tool_calls", "latency", "output_tokens", "input_tokens", "best_of", "pass_rate", "own_failures"}

// comparedNumbers are the differences of the split that the page speaks of.
func comparedNumbers(c *compare.Comparison, w *compareWords, shared *words) block.Tiles {
	_, sc, ok := chart.Compared(c)
	if !ok {
		sc = &compare.Split{Reward: analysis.Difference{Name: "reward"}}
	}
	list := block.Tiles{comparedTile(sc.Reward, w, shared)}
	for _, name := range tileOrder {
		for _, d := range sc.Others {
			if d.Name == name && d.Known() && len(list) < 3 {
				list = append(list, comparedTile(d, w, shared))
			}
		}
	}
	return list
}

func comparedTile(d analysis.Difference, w *compareWords, shared *words) block.Tile {
	doc := w.NoneCompared
	if d.Known() {
		doc = fmt.Sprintf(w.BaseNew, message.DigitsOf(d.Base), message.DigitsOf(d.New))
	}
	h := tile(fmt.Sprintf(w.Tile, capital(quantity(d, w))), doc, d.Estimate, shared)
	if h.Known && *d.Value > 0 {
		h.Value = "+" + h.Value
	}
	return h
}

// quantity names what a difference is of.
func quantity(d analysis.Difference, w *compareWords) string {
	name := w.Quantities[d.Name]
	if d.K > 0 {
		name = fmt.Sprintf(name, message.Whole(d.K))
	}
	return name
}

// ReadFirst is what a reader has to know before the answer: what the runs were made
// with differently, what a change may stem from first, and notes.
func (p *ComparisonPage) ReadFirst() []string {
	const most = 3 // of each: the answer comes after them
	var differs []string
	for _, d := range p.Differs {
		differs = append(differs, d.line(p.words))
	}
	cut := func(list []string) []string {
		if len(list) <= most {
			return list
		}
		return append(list[:most-1:most-1], fmt.Sprintf(p.words.FurtherFirst, message.Whole(len(list)-most+1)))
	}
	return append(cut(differs), cut(p.Notes)...)
}

// Runs names both runs.
func (p *ComparisonPage) Runs() []Fact {
	c, w := p.Comparison, p.words
	return []Fact{{Name: w.Base, Value: run(c.Base, w) + p.BaseVerdict, Link: p.BaseLink}, {Name: w.New, Value: run(c.New, w) + p.NewVerdict, Link: p.NewLink}}
}

// run names a run by its file, its own name and its model.
// directory is what a command calls a run by: its directory, or its file of rollouts.
func directory(file string) string {
	if filepath.Base(file) == rollout.RolloutsFile {
		file = filepath.Dir(file)
	}
	return argument(file)
}

func run(r compare.Side, w *compareWords) string {
	s := visible(r.File)
	for _, more := range []string{r.Name, r.Model} {
		if more != "" {
			s += w.Signs.List + id(more)
		}
	}
	return s
}

// Answering reports whether a split is the one that gives the answer.
func (p *ComparisonPage) Answering(s ComparedSplit) bool {
	return p.Comparison.Split != nil && *p.Comparison.Split == s.Name
}

// Warnings lists what formats written so far could not show.
func (p *ComparisonPage) Warnings() []string { return p.page.Warnings() }

// PictureWarning says what the pictures written so far could not show.
func (p *ComparisonPage) PictureWarning() string { return p.page.PictureWarning() }
