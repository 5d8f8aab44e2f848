package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// Split is one split at a glance, with its items.
type Split struct {
	Name     rollout.Split
	Items    string // "120 of 500"
	Samples  string // per item
	Rollouts string
	Mean     string
	Best     string   // of a group
	Signal   string   // informative share at the group size
	Missing  string   // share
	Notes    []string // classes of its items, what is missing, and how far that could move the mean
	Rows     []Row
	Causes   []Cause
}

// Row is one item's row of the item table, as text; "" where there is no
// number.
type Row struct {
	Item, Class, N, Mean, SD, Best, Worst, Missing, Stays, Calls string

	Kind  string // the class as files name it
	whole string // the item's id as it is
}

// Cells lists the row's texts in the order of the columns.
func (r Row) Cells() []string {
	return []string{r.Item, r.Class, r.N, r.Mean, r.SD, r.Best, r.Worst, r.Missing, r.Stays, r.Calls}
}

// Cause is one reason for which rollouts did not end in a grade.
type Cause struct {
	Outcome, Error, Count string
	Items                 []string
}

func newSplit(name rollout.Split, s *analysis.SplitResult, r *analysis.Result, w *words) Split {
	p := Split{
		Name: name, Items: message.Whole(s.Items.Measured), Samples: samples(s.Samples), Rollouts: message.Whole(s.Reward.N),
		Mean: message.Interval(s.Reward.Value, s.Reward.Low, s.Reward.High), Missing: "?",
		Notes: append(classNote(s, w), missingNotes(s, w)...), Rows: rows(s, w),
	}
	if s.Items.InFile != nil {
		p.Items = fmt.Sprintf(w.OutOf, p.Items, message.Whole(*s.Items.InFile))
	}
	if b := bestOf(r, s, w); b.Known {
		p.Best = b.Number()
		if of := fmt.Sprintf(w.BestOf, message.Whole(r.GroupSize)); b.Label != of {
			p.Best = fmt.Sprintf(w.Noted, p.Best, w.Lower(b.Label))
		}
	}
	if g := informative(r, s, w); g.Known {
		p.Signal = g.Number()
	}
	if s.Missing.Share != nil {
		p.Missing = message.Percent(*s.Missing.Share)
	}
	for _, c := range s.Failures {
		p.Causes = append(p.Causes, Cause{visible(string(c.Outcome)), clip(prose(c.Error), 300), message.Whole(c.Count), ids(c.Items)})
	}
	return p
}

func samples(n analysis.Spread) string {
	if n.Min == n.Max {
		return message.Whole(n.Max)
	}
	return message.Whole(n.Min) + " – " + message.Whole(n.Max)
}

// classNote counts the items by class, in one sentence.
func classNote(s *analysis.SplitResult, w *words) []string {
	var list []string
	for _, class := range analysis.ClassNames() {
		if n := s.Classes.Counts[class]; n > 0 {
			list = append(list, fmt.Sprintf(w.Class[class], message.Whole(n)))
		}
	}
	if len(list) == 0 {
		return nil
	}
	return []string{fmt.Sprintf(w.Classified, strings.Join(list, w.Signs.Comma))}
}

// missingNotes says what is missing and how far that could move the mean.
func missingNotes(s *analysis.SplitResult, w *words) []string {
	var notes []string
	m, total := s.Missing, s.Missing.Total()
	api, tool, grader := message.Whole(m.ModelAPI), message.Whole(m.Tool), message.Whole(m.Grader)
	switch {
	case total == 0:
		notes = append(notes, w.MissingNone)
	case s.Reward.N == 0:
		notes = append(notes, fmt.Sprintf(w.MissingAll, message.Whole(total), api, tool, grader))
	default:
		all := total + s.Reward.N
		notes = append(notes, fmt.Sprintf(w.MissingSome, message.Whole(total), message.Whole(all), message.Percent(float64(total)/float64(all)), api, tool, grader))
		if b := s.Reward.Bounds; b.Low != nil && b.High != nil {
			notes = append(notes, fmt.Sprintf(w.Bounds, message.Digits(*b.Low), message.Digits(*b.High)))
		}
	}
	if all := total + s.Reward.N; m.Retried > 0 && all > 0 {
		notes = append(notes, fmt.Sprintf(w.Retried, w.Rollout.of(m.Retried), message.Percent(float64(m.Retried)/float64(all)), w.Repeats.of(m.Retries)))
	}
	if n := len(s.Items.Lost); n > 0 {
		notes = append(notes, fmt.Sprintf(w.Lost, few(ids(s.Items.Lost), 10, w)))
	}
	if m.NotRun != nil && *m.NotRun > 0 {
		notes = append(notes, fmt.Sprintf(w.NotRun, message.Whole(*m.NotRun)))
	}
	if n := s.Items.NotRun; n > 0 {
		notes = append(notes, fmt.Sprintf(w.NoneOf, w.Item.of(n)))
	}
	if own := s.OwnFailures.NoAnswer + s.OwnFailures.StepLimit; own > 0 {
		notes = append(notes, fmt.Sprintf(w.OwnFailures, w.Rollout.of(own), message.Whole(s.OwnFailures.NoAnswer), message.Whole(s.OwnFailures.StepLimit)))
	}
	return notes
}

// few joins the first n of a list of texts and counts the rest.
func few(list []string, n int, w *words) string {
	if len(list) <= n {
		return w.list(list)
	}
	return fmt.Sprintf(w.AndMore, w.list(list[:n]), message.Whole(len(list)-n))
}

// rows are the items lowest mean first, as in the variance chart, then the
// lost ones.
func rows(s *analysis.SplitResult, w *words) []Row {
	items := sortedItems(s.Classes.Items)
	out := make([]Row, len(items))
	for i, it := range items {
		out[i] = Row{
			Item: id(it.Item), Class: class(it.Class, w), N: message.Whole(it.N), Mean: number(it.Mean), SD: number(it.SD),
			Best: number(it.Best), Worst: number(it.Worst), Missing: message.Whole(it.Missing), Stays: number(it.Stays), Calls: number(it.Calls),
			Kind: visible(it.Class), whole: it.Item,
		}
	}
	return out
}

// class is an item's class in a word.
func class(name string, w *words) string {
	if word, ok := w.Classes[name]; ok {
		return word
	}
	return visible(name)
}

// sortedItems are the items in the order of their rows.
func sortedItems(items []analysis.ItemResult) []analysis.ItemResult {
	items = slices.Clone(items)
	slices.SortFunc(items, func(a, b analysis.ItemResult) int {
		switch {
		case a.Mean == nil && b.Mean == nil:
			return cmp.Compare(a.Item, b.Item)
		case a.Mean == nil:
			return 1
		case b.Mean == nil:
			return -1
		}
		return cmp.Or(cmp.Compare(*a.Mean, *b.Mean), cmp.Compare(a.Item, b.Item))
	})
	return items
}

func number(p *float64) string {
	if p == nil {
		return ""
	}
	return message.Digits(*p)
}

// clip cuts a text to n runes.
func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}
