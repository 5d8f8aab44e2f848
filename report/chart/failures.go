package chart

import (
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func drawFailures(r *analysis.Result) (*plot.Plot, error) {
	splits := endedSplits(r)
	if len(splits) == 0 {
		return nil, noData(r.Lang, "the run has no rollouts")
	}
	own, missing := failureBars(splits)
	p := newPlot(r.Lang.Text("share of rollouts"), "")
	horizontal(p, failureNames(r.Lang))
	p.Add(own, missing)
	top := 0.0
	var words labels
	for i, o := range failureOutcomes() {
		for j, f := range splits {
			top = max(top, f.share(o))
			text := r.Lang.Say("%s (%s)", message.Whole(f.count[o]), message.Percent(f.share(o)))
			if len(splits) > 1 {
				text = string(f.split) + " " + text
			}
			y, _ := failureRow(i, j, len(splits))
			words = append(words, label{
				x: f.share(o), y: y, dx: 4, yAlign: draw.YCenter, xAlign: draw.XLeft, color: Ink, text: text, bare: true,
			})
		}
	}
	p.Add(words)
	p.X.Min, p.X.Max = 0, max(0.01, top)*1.25
	p.X.Tick.Marker = percentTicks{ticks{want: 5}}
	return p, nil
}

func captionFailures(r *analysis.Result) Caption {
	splits := endedSplits(r)
	own, missing := failureBars(splits)
	l := r.Lang
	var names, ownShares, missingShares []string
	total, nOwn, nMissing := 0, 0, 0
	for _, f := range splits {
		lost, fell := f.count[rollout.ModelAPI]+f.count[rollout.ToolFailed]+f.count[rollout.GraderFailed], f.count[rollout.NoAnswer]+f.count[rollout.StepLimit]
		total, nOwn, nMissing = total+f.total, nOwn+fell, nMissing+lost
		of := ""
		if len(splits) > 1 {
			of = string(f.split) + " "
		}
		names = append(names, string(f.split))
		missingShares = append(missingShares, of+message.Percent(float64(lost)/float64(f.total)))
		ownShares = append(ownShares, of+message.Percent(float64(fell)/float64(f.total)))
	}
	c := Caption{Subtitle: l.Say("%s: n = %s; observed shares, no interval; missing data count in no mean, own failures at the bottom of the range",
		strings.Join(names, " + "), l.Count(total, "rollout"))}
	comma := l.Text(", ")
	ownShare, missingShare := strings.Join(ownShares, comma), strings.Join(missingShares, comma)
	switch {
	case nOwn+nMissing == 0:
		c.Title = l.Text("Every rollout ended in a grade")
	case nMissing == 0 && len(splits) == 1:
		c.Title = l.Say("Nothing is missing; %s of rollouts are the model's own failures", ownShare)
	case nMissing == 0:
		c.Title = l.Say("Nothing is missing; own failures: %s", ownShare)
	case len(splits) == 1:
		c.Title = l.Say("%s of rollouts are missing data, %s are the model's own failures", missingShare, ownShare)
	default:
		c.Title = l.Say("Missing: %s; own failures: %s", missingShare, ownShare)
	}
	c.Legend = []Entry{
		{l.Text("missing data: an endpoint failed"), []plot.Thumbnailer{missing}},
		{l.Text("the model's own doing"), []plot.Thumbnailer{own}},
	}
	return c
}

// ended counts how the rollouts of a split ended that did not end in a grade.
type ended struct {
	split rollout.Split
	count map[rollout.Outcome]int
	total int
}

// share is the share of the split's rollouts that ended so.
func (f ended) share(o rollout.Outcome) float64 { return float64(f.count[o]) / float64(f.total) }

// endedSplits are the splits that have rollouts: a broken tool does not care which
// split it breaks.
func endedSplits(r *analysis.Result) []ended {
	var list []ended
	for _, split := range rollout.Splits() {
		s := r.Splits[split]
		if s == nil || s.Reward.N+s.Missing.Total() == 0 {
			continue
		}
		list = append(list, ended{split, map[rollout.Outcome]int{
			rollout.ModelAPI: s.Missing.ModelAPI, rollout.ToolFailed: s.Missing.Tool, rollout.GraderFailed: s.Missing.Grader,
			rollout.NoAnswer: s.OwnFailures.NoAnswer, rollout.StepLimit: s.OwnFailures.StepLimit,
		}, s.Reward.N + s.Missing.Total()})
	}
	return list
}

// failureRow is the Y of a split's bar within the row of an outcome, and half its
// height.
func failureRow(outcome, split, splits int) (y, half float64) {
	room := 0.32
	if splits > 1 {
		room = 0.43
	}
	half = room / float64(splits)
	return row(outcome) + room - (2*float64(split)+1)*half, half
}

// failuresHeight leaves each bar of several splits room for its words.
func failuresHeight(r *analysis.Result) vg.Length {
	return Height + 32*vg.Length(max(0, len(endedSplits(r))-1))
}

// failureOutcomes lists the outcomes that are no grade, top row first:
// missing data, then the model's own doing.
func failureOutcomes() []rollout.Outcome {
	return []rollout.Outcome{rollout.ModelAPI, rollout.ToolFailed, rollout.GraderFailed, rollout.NoAnswer, rollout.StepLimit}
}

func failureNames(l message.Language) []string {
	return message.In(l, []string{"model API failed", "tool failed", "grader failed", "no answer", "step limit reached"})
}

func failureBars(splits []ended) (own, missing bars) {
	own = bars{fill: Sky}
	missing = bars{fill: tint(Orange, 0.35), hatch: hatch{color: Orange, width: 0.6, space: 3.5}}
	for i, o := range failureOutcomes() {
		for j, f := range splits {
			y, half := failureRow(i, j, len(splits))
			half *= 0.96
			b := bar{0, f.share(o), y - half, y + half}
			if o.Missing() {
				missing.list = append(missing.list, b)
			} else {
				own.list = append(own.list, b)
			}
		}
	}
	return own, missing
}
