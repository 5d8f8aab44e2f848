package report

import (
	"fmt"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/report/chart"
)

// shared is what the page has in common with that of a run, for the pieces
// that both are made of.
func (p *ComparisonPage) shared(words *words) *Page {
	c := p.Comparison
	s := &Page{
		Options: p.Options, Words: words, Title: p.Title, Sentence: p.Sentence, Headlines: p.Headlines, Figures: p.Figures,
		Result: &analysis.Result{Lang: c.Lang, Confidence: c.Confidence, RewardRange: c.RewardRange},
	}
	s.Split, _, _ = chart.Compared(c)
	return s
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

// comparedHeadlines are the differences of the split that the page speaks of.
func comparedHeadlines(c *compare.Comparison, w *compareWords, shared *words) []Headline {
	_, sc, ok := chart.Compared(c)
	if !ok {
		sc = &compare.Split{Reward: analysis.Difference{Name: "reward"}}
	}
	list := []Headline{comparedHeadline(sc.Reward, w, shared)}
	for _, name := range tileOrder {
		for _, d := range sc.Others {
			if d.Name == name && d.Known() && len(list) < 3 {
				list = append(list, comparedHeadline(d, w, shared))
			}
		}
	}
	return list
}

func comparedHeadline(d analysis.Difference, w *compareWords, shared *words) Headline {
	h := headline(fmt.Sprintf(w.Tile, capital(quantity(d, w))), w.NoneCompared, d.Estimate, shared)
	if !h.Known {
		return h
	}
	if *d.Value > 0 {
		h.Value = "+" + h.Value
	}
	h.Doc = fmt.Sprintf(w.BaseNew, message.DigitsOf(d.Base), message.DigitsOf(d.New))
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

// ReadFirst is what a reader has to know before the answer: differences that a
// change may stem from, and notes.
func (p *ComparisonPage) ReadFirst() []string {
	var list []string
	for _, d := range p.Differs {
		if d.Confounds {
			list = append(list, d.line(p.words))
		}
	}
	return append(list, p.Notes...)
}

// Runs names both runs.
func (p *ComparisonPage) Runs() []Fact {
	c, w := p.Comparison, p.words
	return []Fact{{w.Base, run(c.Base, w) + p.BaseVerdict}, {w.New, run(c.New, w) + p.NewVerdict}}
}

// run names a run by its file, its own name and its model.
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
