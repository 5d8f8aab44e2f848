package report

import (
	"fmt"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/report/block"
	"gonogo/sampler/rollout"
)

// splitBlocks show the splits side by side, then describe each.
func splitBlocks(r *analysis.Result, w *words) []block.Block {
	g := Grid{Spare: []int{2, 6}, Head: []string{
		w.Split, w.ItemsOf, w.SamplesOf, w.RolloutsOf, w.Lower(w.Mean),
		w.Lower(fmt.Sprintf(w.BestOf, message.Whole(r.GroupSize))), w.Lower(w.Informative), w.MissingOf,
	}}
	if graderFails(r) {
		g.Notes = []string{w.Capital(fmt.Sprintf(w.ByFailedOf,
			w.Lower(w.Mean)+w.Signs.List+w.Lower(w.Informative))) + w.Signs.Stop}
	}
	var each []block.Block
	for _, split := range shownSplits(r) {
		s := r.Splits[split]
		g.Rows = append(g.Rows, splitRow(split, r, w))
		each = append(each, block.Heading(w.Capital(w.Split)+" "+visible(string(split))),
			block.Note{Texts: append(classNote(s, w), missingNotes(s, w)...)})
		if len(s.Failures) > 0 {
			each = append(each, causes(s, w))
		}
	}
	if each == nil {
		return nil
	}
	return append([]block.Block{g}, each...)
}

// splitRow summarizes a split in a row.
func splitRow(split rollout.Split, r *analysis.Result, w *words) []string {
	s := r.Splits[split]
	items, best, signal, missing := message.Whole(s.Items.Measured), "", "", "?"
	if s.Items.InFile != nil {
		items = fmt.Sprintf(w.OutOf, items, message.Whole(*s.Items.InFile))
	}
	if b := bestOf(r, s, w); b.Known {
		best = b.Number()
		if b.Label != fmt.Sprintf(w.BestOf, message.Whole(r.GroupSize)) {
			best = fmt.Sprintf(w.Noted, best, w.Lower(b.Label))
		}
	}
	if g := informative(r, s, w); g.Known {
		signal = g.Number()
	}
	if s.Missing.Share != nil {
		missing = message.Percent(*s.Missing.Share)
	}
	return []string{
		string(split), items, samples(s.Samples), message.Whole(s.Reward.N), estimate(s.Reward.Estimate),
		best, signal, missing,
	}
}

// causes lists the reasons why rollouts did not end in a grade.
func causes(s *analysis.SplitResult, w *words) Grid {
	g := Grid{
		Words: true, Head: []string{"", w.Causes, w.RolloutsOf, w.ItemsOf},
		Kinds: []block.Kind{block.Code, block.Text, block.Number, block.Code}, Most: 8,
	}
	for _, c := range s.Failures {
		g.Rows = append(g.Rows, []string{
			visible(string(c.Outcome)), clip(prose(c.Error), 300),
			message.Whole(c.Count), few(ids(c.Items), 12, w),
		})
	}
	return g
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

// missingNotes describe what is missing and how far that could move the mean.
func missingNotes(s *analysis.SplitResult, w *words) []string {
	var notes []string
	m, total := s.Missing, s.Missing.Total()
	failed, all := total-m.PromptTooLong, total+s.Reward.N
	api, tool, grader := message.Whole(m.ModelAPI), message.Whole(m.Tool), message.Whole(m.Grader)
	switch {
	case total+m.Absent == 0:
		notes = append(notes, w.MissingNone)
	case failed == all:
		notes = append(notes, fmt.Sprintf(w.MissingAll, message.Whole(total), api, tool, grader))
	case failed > 0:
		notes = append(notes, fmt.Sprintf(w.MissingSome, message.Whole(failed), w.Lang.Count(all, "rollout"),
			message.Percent(float64(failed)/float64(all)), api, tool, grader))
	}
	if n := m.PromptTooLong; n > 0 {
		notes = append(notes, fmt.Sprintf(w.TooLong, message.Whole(n), w.Lang.Count(all, "rollout"),
			message.Percent(float64(n)/float64(all))))
	}
	if b := s.Reward.Bounds; total > 0 && s.Reward.N > 0 && b.Low != nil && b.High != nil {
		notes = append(notes, fmt.Sprintf(w.Bounds, message.Digits(*b.Low), message.Digits(*b.High)))
	}
	if m.Retried > 0 && all > 0 {
		notes = append(notes, fmt.Sprintf(w.Retried, w.Lang.Count(m.Retried, "rollout"),
			message.Percent(float64(m.Retried)/float64(all)), w.Lang.Count(m.Retries, "repeat")))
	}
	if n := len(s.Items.Lost); n > 0 {
		notes = append(notes, fmt.Sprintf(w.Lost, few(ids(s.Items.Lost), 10, w)))
	}
	if n := m.Left(); n > 0 {
		notes = append(notes, fmt.Sprintf(w.NotRun, message.Whole(n)))
	}
	if n := s.Items.NotRun; n > 0 {
		notes = append(notes, fmt.Sprintf(w.NoneOf, w.Lang.Count(n, "item")))
	}
	if own := s.OwnFailures.NoAnswer + s.OwnFailures.StepLimit; own > 0 {
		notes = append(notes, fmt.Sprintf(w.OwnFailures, w.Lang.Count(own, "rollout"),
			message.Whole(s.OwnFailures.NoAnswer), message.Whole(s.OwnFailures.StepLimit)))
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

func number(p *float64) string {
	if p == nil {
		return ""
	}
	return message.Digits(*p)
}
