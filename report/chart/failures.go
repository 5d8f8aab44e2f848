package chart

import (
	"cmp"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"

	"gonum.org/v1/plot/vg"
)

// drawFailures counts the rollouts of each split that did not end in a grade, by outcome. All
// splits are shown: a broken tool affects every one.
func drawFailures(r *analysis.Result) (Figure, error) {
	l := r.Lang
	var splits []rollout.Split
	for _, split := range rollout.Splits() {
		if s := r.Splits[split]; s != nil && s.Reward.N+s.Missing.Total() > 0 {
			splits = append(splits, split)
		}
	}
	if len(splits) == 0 {
		return noData(l, "chart.no.rollouts", "the run has no rollouts")
	}
	if !slices.ContainsFunc(splits, func(split rollout.Split) bool {
		s := r.Splits[split]
		return s.Missing.Total()+s.OwnFailures.NoAnswer+s.OwnFailures.StepLimit > 0
	}) {
		return noData(l, "chart.failures.none", "every rollout ended in a grade")
	}
	ownFailures, missing := bars{fill: Sky}, faultBars
	t := Table{Head: heads(l, "chart.head.how_it_ended", "how it ended", "chart.head.split", "split",
		"chart.head.rollouts", "rollouts", "chart.head.share", "share", "chart.head.counts", "counts")}
	var words labels
	var names, ownShares, missingShares []string
	outcomes := failureOutcomes(r)
	total, nOwn, nMissing, top, room := 0, 0, 0, 0.0, 0.32
	if len(splits) > 1 {
		room = 0.43
	}
	half := room / float64(len(splits))
	for j, split := range splits {
		s, prefix := r.Splits[split], ""
		count := map[rollout.Outcome]int{
			rollout.ModelAPI: s.Missing.ModelAPI, rollout.PromptTooLong: s.Missing.PromptTooLong,
			rollout.ToolFailed: s.Missing.Tool, rollout.GraderFailed: s.Missing.Grader,
			rollout.NoAnswer: s.OwnFailures.NoAnswer, rollout.StepLimit: s.OwnFailures.StepLimit,
		}
		lost, fell := s.Missing.Total(), s.OwnFailures.NoAnswer+s.OwnFailures.StepLimit
		all := s.Reward.N + lost
		if len(splits) > 1 {
			prefix = string(split) + " "
		}
		for i, o := range outcomes {
			share, y := float64(count[o])/float64(all), row(i)+room-(2*float64(j)+1)*half
			b := bar{0, share, y - 0.96*half, y + 0.96*half}
			counts := l.Text("chart.counts.bottom", "at the bottom of the range")
			if o.Missing() {
				counts = l.Text("chart.counts.never", "in no mean")
				missing.list = append(missing.list, b)
			} else {
				ownFailures.list = append(ownFailures.list, b)
			}
			top = max(top, share)
			words = append(words,
				beside(share, y, prefix+l.Say("sign.bracketed", "%s (%s)", message.Whole(count[o]),
					message.Percent(share))))
			words[len(words)-1].bare = true
			t.Marks = append(t.Marks, Mark{
				Cells: []string{failureName(l, o), string(split), message.Whole(count[o]), message.Percent(share), counts},
				X1:    share, Y0: b.y0, Y1: b.y1, Dots: []Dot{{share, y}},
			})
		}
		total, nOwn, nMissing = total+all, nOwn+fell, nMissing+lost
		names = append(names, string(split))
		missingShares = append(missingShares, prefix+message.Percent(float64(lost)/float64(all)))
		ownShares = append(ownShares, prefix+message.Percent(float64(fell)/float64(all)))
	}
	slices.SortStableFunc(t.Marks, func(a, b Mark) int { return cmp.Compare(b.Y0, a.Y0) })
	p := newPlot(l.Text("chart.failures.axis", "share of rollouts"), "")
	horizontal(p, failureNames(l, outcomes))
	p.Add(ownFailures, missing, words)
	beyond := 1.25
	if len(splits) > 1 { // the counts begin with the name of the split
		beyond = 1.7
	}
	p.X.Min, p.X.Max = 0, max(0.01, top)*beyond
	p.X.Tick.Marker = percentTicks(between(roundTicks{Want: 5}, 0, 1))
	f := Figure{Plot: p, Table: t, ends: words.ends()}
	f.Height = Height + 32*vg.Length(len(splits)-1) // room for the text of each bar
	comma := l.Text("sign.list", ", ")
	ownShare, missingShare := strings.Join(ownShares, comma), strings.Join(missingShares, comma)
	switch {
	case nMissing == 0 && len(splits) == 1:
		f.Title = l.Say("chart.failures.own", "%s of rollouts end without an answer or at the step limit; none is "+
			"missing",
			ownShare)
	case nMissing == 0:
		f.Title = l.Say("chart.failures.own_by_split", "None is missing; without an answer or at the step limit: %s",
			ownShare)
	case len(splits) == 1:
		f.Title = l.Say("chart.failures.missing", "%s of rollouts are missing data, %s end without an answer or at "+
			"the step limit", missingShare, ownShare)
	default:
		f.Title = l.Say("chart.failures.missing_by_split", "Missing: %s; without an answer or at the step limit: %s",
			missingShare, ownShare)
	}
	f.Subtitle = l.Say("chart.failures.about", "%s: n = %s; observed shares, no interval; missing data count in no "+
		"mean, the others at the bottom of the range unless "+
		"graded", strings.Join(names, " + "), l.Count(total, "rollout"))
	f.Legend = []Entry{
		entry(l.Text("chart.failures.endpoint", "missing data: an endpoint failed"), missing),
		entry(l.Text("chart.failures.model", "no answer, or the step limit"), ownFailures),
	}
	return f, nil
}

// failureOutcomes lists the outcomes other than a grade, top row first: missing data, then the
// outcomes that have a reward. Prompts that are too long are rare and only listed if there are any.
func failureOutcomes(r *analysis.Result) []rollout.Outcome {
	all := []rollout.Outcome{
		rollout.ModelAPI, rollout.PromptTooLong, rollout.ToolFailed, rollout.GraderFailed,
		rollout.NoAnswer, rollout.StepLimit,
	}
	for _, s := range r.Splits {
		if s != nil && s.Missing.PromptTooLong > 0 {
			return all
		}
	}
	return slices.Delete(all, 1, 2)
}

func failureNames(l message.Language, outcomes []rollout.Outcome) (names []string) {
	for _, o := range outcomes {
		names = append(names, failureName(l, o))
	}
	return names
}

// outcomeNames say how rollouts without a grade ended.
var outcomeNames = map[rollout.Outcome]message.Def{
	rollout.ModelAPI:      message.New("outcome.model_api", "model API failed"),
	rollout.PromptTooLong: message.New("outcome.prompt_too_long", "prompt too long"),
	rollout.ToolFailed:    message.New("outcome.tool", "tool failed"),
	rollout.GraderFailed:  message.New("outcome.grader", "grader failed"),
	rollout.NoAnswer:      message.New("outcome.no_answer", "no answer"),
	rollout.StepLimit:     message.New("outcome.step_limit", "step limit reached"),
}

func failureName(l message.Language, o rollout.Outcome) string {
	if name, ok := outcomeNames[o]; ok {
		return name.In(l)
	}
	return string(o)
}
