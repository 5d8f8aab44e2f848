package report

import (
	"fmt"
	"strconv"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/report/block"
	"gonogo/report/chart"
)

// mainNumbers are mean reward, best of G, informative share and, after an audit, the lazy reward of the
// shown split; without rollouts only the lazy reward.
func mainNumbers(r *analysis.Result, w *words) block.Tiles {
	_, s, sampled := chart.ShownSplit(r)
	var list block.Tiles
	if sampled {
		list = block.Tiles{
			mean(s, w),
			gradedOnly(bestOf(r, s, w), s, w),
			gradedOnly(informative(r, s, w), s, w),
		}
	}
	if g := r.Grader; g != nil && g.Guessable != nil && g.Guessable.Known() {
		lazy := tile(w.Lazy, "", "", *g.Guessable, w)
		of := fmt.Sprintf(w.LazyOf, w.Lang.Count(g.Guessable.Items, "item"))
		if gain := g.GuessableGain; gain != nil && gain.Known() && *gain.Value > 0 {
			of = fmt.Sprintf(w.LazyAgainst, of, message.Digits(*g.Guessable.Value-*gain.Value))
		}
		lazy.About = of + w.Signs.Semicolon + fmt.Sprintf(w.LazyDoc, quote(oneLine(g.GuessableAnswer), 40))
		list = append(list, lazy)
	}
	for i := range list {
		if list[i].Known && graderFails(r) {
			list[i].Doubted = true
			list[i].About = w.ByFailed + w.Signs.Semicolon + strings.Replace(list[i].About, w.AimFor, "", 1)
		}
	}
	return list
}

// mostMissing is the share of rollouts without a reward above which a number for the others is not
// shown as the run's number.
const mostMissing = 0.05

// lacksMuch reports whether too many rollouts have no reward.
func lacksMuch(s *analysis.SplitResult) bool {
	return s.Missing.Share != nil && *s.Missing.Share > mostMissing
}

// gradedOnly marks a number that covers only graded rollouts, if many have no reward.
func gradedOnly(h block.Tile, s *analysis.SplitResult, w *words) block.Tile {
	if h.Known && lacksMuch(s) {
		h.Label = fmt.Sprintf(w.GradedOnly, h.Label)
	}
	return h
}

// mean is the mean reward. If much is missing, it is the range between the means with all of it at
// the bottom and at the top of the reward range.
func mean(s *analysis.SplitResult, w *words) block.Tile {
	b := s.Reward.Bounds
	if !s.Reward.Known() || !lacksMuch(s) || b.Low == nil || b.High == nil {
		return gradedOnly(tile(w.Mean, w.MeanDoc, "", s.Reward.Estimate, w), s, w)
	}
	h := tile(w.Mean, fmt.Sprintf(w.MeanBounds, message.Percent(*s.Missing.Share)), "", s.Reward.Estimate, w)
	h.Value, h.Interval = message.Digits(*b.Low)+" – "+message.Digits(*b.High), ""
	return h
}

// tile summarizes an estimate: its base, and its meaning for someone who has never trained a model;
// first, if the value is not known, the reason.
func tile(label, doc, unit string, e stat.Estimate, w *words) block.Tile {
	h := block.Tile{Label: label, Value: w.NotKnown, Known: e.Known()}
	var about []string
	if e.N > 0 {
		about = append(about, fmt.Sprintf(w.Measured, w.Lang.Count(e.Items, "item"), w.Lang.Count(e.N, "rollout")))
	}
	if h.Known {
		h.Value, h.Interval = message.PartsIn(unit, e.Value, e.Low, e.High)
		if e.Low == nil || e.High == nil {
			h.Interval = w.NoInterval
		}
	} else if n := len(e.Warnings); n > 0 {
		about = append(about, w.say(e.Warnings[n-1]))
	}
	h.About = strings.Join(append(about, doc), w.Signs.Semicolon)
	return h
}

// bestOf is the best of a group, or of fewer samples if fewer were taken, which it then mentions.
func bestOf(r *analysis.Result, s *analysis.SplitResult, w *words) block.Tile {
	g := strconv.Itoa(r.GroupSize)
	found, _ := s.BestAt(r.GroupSize)
	k := g
	if found.K > 0 {
		k = strconv.Itoa(found.K)
	}
	doc := fmt.Sprintf(w.BestOfDoc, k) + w.AimFor
	if hair := 1e-6 * (r.RewardRange[1] - r.RewardRange[0]); found.Known() && *found.Value > r.Ceiling+hair {
		doc = fmt.Sprintf(w.BestOfDoc, k) + w.Signs.Semicolon + fmt.Sprintf(w.AboveCeiling, message.Digits(r.Ceiling))
	}
	if found.K > 0 && found.K < r.GroupSize {
		doc += w.Signs.Semicolon + fmt.Sprintf(w.BestOfShort, g)
	}
	return tile(fmt.Sprintf(w.BestOf, k), doc, "", found.Estimate, w)
}

// informative is the share of informative groups at the trainer's group size. Beyond the samples
// taken it is the bracket that holds without any model.
func informative(r *analysis.Result, s *analysis.SplitResult, w *words) block.Tile {
	g := strconv.Itoa(r.GroupSize)
	doc := fmt.Sprintf(w.InformativeDoc, g)
	lower, upper := s.SignalAt(r.GroupSize)
	if lower != nil && lower.Net != nil {
		doc += w.Signs.Semicolon + w.InformativeNet
	}
	switch {
	case lower == nil || upper == nil:
		return tile(w.Informative, doc, message.UnitShare,
			stat.Estimate{Warnings: []message.Text{message.Verbatim(w.TwoSamples)}}, w)
	case lower == upper:
		return tile(w.Informative, doc, message.UnitShare, lower.Teaches(), w)
	}
	low, high := lower.Teaches(), upper.Teaches()
	h := tile(w.Informative, doc+w.Signs.Semicolon+fmt.Sprintf(w.InformativeBracket, g), message.UnitShare, low, w)
	h.Value = message.Percent(*low.Value)
	if top := message.Percent(*high.Value); top != h.Value {
		h.Value += " – " + top
	}
	_, h.Interval = message.PartsIn(message.UnitShare, nil, low.Low, high.High)
	return h
}
