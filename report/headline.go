package report

import (
	"fmt"
	"strconv"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/report/chart"
)

// Headline is one of the three numbers that stand on page one.
type Headline struct {
	Label    string
	Value    string // "0.42"; "not known" when it could not be estimated
	Interval string // "[0.36, 0.49]"
	N        string // "120 items, 960 rollouts"
	Doc      string // what the number is, for somebody who has never trained a model; before it, why it is not known
	Known    bool

	join string // between N and Doc
}

// Number is the value with its interval.
func (h Headline) Number() string { return strings.TrimSpace(h.Value + " " + h.Interval) }

// About is what the number was measured on, and what it is.
func (h Headline) About() string {
	if h.N == "" {
		return h.Doc
	}
	return h.N + h.join + h.Doc
}

// headlines are mean reward, best of G and informative share of the shown
// split.
func headlines(r *analysis.Result, w *words) []Headline {
	_, s, ok := chart.Shown(r)
	if !ok {
		s = &analysis.SplitResult{}
	}
	list := []Headline{
		mean(s, w),
		gradedOnly(bestOf(r, s, w), s, w),
		gradedOnly(informative(r, s, w), s, w),
	}
	for i := range list {
		if list[i].Known && graderFails(r) {
			list[i].N = strings.TrimSuffix(w.ByFailed+w.Signs.Semicolon+list[i].N, w.Signs.Semicolon)
		}
	}
	return list
}

// mostMissing is the share of rollouts without a reward above which a number of the
// others is not shown as the run's.
const mostMissing = 0.05

// lacksMuch reports whether too many rollouts have no reward.
func lacksMuch(s *analysis.SplitResult) bool {
	return s.Missing.Share != nil && *s.Missing.Share > mostMissing
}

// gradedOnly marks a number that says nothing of the rollouts without a reward, where
// these are many.
func gradedOnly(h Headline, s *analysis.SplitResult, w *words) Headline {
	if h.Known && lacksMuch(s) {
		h.Label = fmt.Sprintf(w.GradedOnly, h.Label)
	}
	return h
}

// mean is the mean reward; where much is missing, between what it would be with all of
// that at the bottom of the range and all of it at the top.
func mean(s *analysis.SplitResult, w *words) Headline {
	h := headline(w.Mean, w.MeanDoc, s.Reward.Estimate, w)
	b := s.Reward.Bounds
	if !h.Known || !lacksMuch(s) || b.Low == nil || b.High == nil {
		return gradedOnly(h, s, w)
	}
	h.Value, h.Interval = message.Digits(*b.Low)+" – "+message.Digits(*b.High), ""
	h.Doc = fmt.Sprintf(w.MeanBounds, message.Percent(*s.Missing.Share))
	return h
}

func headline(label, doc string, e stat.Estimate, w *words) Headline {
	h := Headline{Label: label, Doc: doc, Value: w.NotKnown, Known: e.Known(), join: w.Signs.Semicolon}
	if e.N > 0 {
		h.N = fmt.Sprintf(w.Measured, w.Item.of(e.Items), w.Rollout.of(e.N))
	}
	if !h.Known {
		for _, warning := range e.Warnings {
			h.Doc = w.say(warning) + w.Signs.Semicolon + doc
		}
		return h
	}
	h.Value, h.Interval = message.Digits(*e.Value), w.NoInterval
	if e.Low != nil && e.High != nil {
		h.Value, h.Interval, _ = strings.Cut(message.Interval(e.Value, e.Low, e.High), " ")
	}
	return h
}

// bestOf is the best of a group; of fewer when fewer samples were taken, and
// then it says so.
func bestOf(r *analysis.Result, s *analysis.SplitResult, w *words) Headline {
	g := strconv.Itoa(r.GroupSize)
	found, _ := s.BestAt(r.GroupSize)
	k := g
	if found.K > 0 {
		k = strconv.Itoa(found.K)
	}
	h := headline(fmt.Sprintf(w.BestOf, k), fmt.Sprintf(w.BestOfDoc, k), found.Estimate, w)
	if found.K > 0 && found.K < r.GroupSize {
		h.Doc += w.Signs.Semicolon + fmt.Sprintf(w.BestOfShort, g)
	}
	return h
}

// informative is the share of informative groups at the trainer's group size;
// beyond the samples taken it is the bracket that holds without any model.
func informative(r *analysis.Result, s *analysis.SplitResult, w *words) Headline {
	g := strconv.Itoa(r.GroupSize)
	doc := fmt.Sprintf(w.InformativeDoc, g)
	lower, upper := s.SignalAt(r.GroupSize)
	if lower != nil && lower.Net != nil {
		doc += w.Signs.Semicolon + w.InformativeNet
	}
	switch {
	case lower == nil || upper == nil:
		return headline(w.Informative, doc, stat.Estimate{Warnings: []message.Text{message.Verbatim(w.TwoSamples)}}, w)
	case lower == upper:
		return headline(w.Informative, doc, lower.Teaches(), w)
	}
	low, high := lower.Teaches(), upper.Teaches()
	h := headline(w.Informative, doc+w.Signs.Semicolon+fmt.Sprintf(w.InformativeBracket, g), low, w)
	h.Value = message.Digits(*low.Value)
	if top := message.Digits(*high.Value); top != h.Value {
		h.Value += " – " + top
	}
	h.Interval = message.Interval(nil, low.Low, high.High)
	return h
}
