package chart

import (
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

func drawFailures(r *analysis.Result) (*plot.Plot, error) {
	f := failuresOf(r)
	if f.total == 0 {
		return nil, noData(r.Lang, "the run has no rollouts")
	}
	own, missing := failureBars(f)
	p := newPlot(r.Lang.Text("share of rollouts"), "")
	horizontal(p, failureNames(r.Lang))
	p.Add(own, missing)
	top := 0.0
	var words labels
	for i, o := range failureOutcomes() {
		share := float64(f.count[o]) / float64(f.total)
		top = max(top, share)
		words = append(words, label{
			x: share, y: row(i), dx: 4, yAlign: draw.YCenter, xAlign: draw.XLeft, color: Ink,
			text: r.Lang.Say("%s (%s)", Count(f.count[o]), Percent(share)),
		})
	}
	p.Add(words)
	p.X.Min, p.X.Max = 0, max(0.01, top)*1.25
	p.X.Tick.Marker = percentTicks{ticks{want: 5}}
	return p, nil
}

func captionFailures(r *analysis.Result) Caption {
	f := failuresOf(r)
	own, missing := failureBars(f)
	nOwn := f.count[rollout.NoAnswer] + f.count[rollout.StepLimit]
	nMissing := f.count[rollout.ModelAPI] + f.count[rollout.ToolFailed] + f.count[rollout.GraderFailed]
	l := r.Lang
	c := Caption{Subtitle: l.Say("%s: n = %s; observed shares, no interval; missing data count in no mean, own failures at the bottom of the range",
		strings.Join(f.splits, " + "), l.Count(f.total, "rollout"))}
	switch {
	case nOwn+nMissing == 0:
		c.Title = l.Text("Every rollout ended in a grade")
	case nMissing == 0:
		c.Title = l.Say("Nothing is missing; %s of rollouts are the model's own failures", Percent(float64(nOwn)/float64(f.total)))
	default:
		c.Title = l.Say("%s of rollouts are missing data, %s are the model's own failures",
			Percent(float64(nMissing)/float64(f.total)), Percent(float64(nOwn)/float64(f.total)))
	}
	c.Legend = []Entry{
		{l.Text("missing data: an endpoint failed"), []plot.Thumbnailer{missing}},
		{l.Text("the model's own doing"), []plot.Thumbnailer{own}},
	}
	return c
}

// failures counts how rollouts ended that did not end in a grade, over every
// split: a broken tool does not care which split it breaks.
type failures struct {
	count  map[rollout.Outcome]int
	total  int
	splits []string
}

func failuresOf(r *analysis.Result) failures {
	f := failures{count: map[rollout.Outcome]int{}}
	for _, split := range rollout.Splits() {
		s := r.Splits[split]
		if s == nil {
			continue
		}
		f.splits = append(f.splits, string(split))
		f.total += s.Reward.N + s.Missing.Total()
		f.count[rollout.ModelAPI] += s.Missing.ModelAPI
		f.count[rollout.ToolFailed] += s.Missing.Tool
		f.count[rollout.GraderFailed] += s.Missing.Grader
		f.count[rollout.NoAnswer] += s.OwnFailures.NoAnswer
		f.count[rollout.StepLimit] += s.OwnFailures.StepLimit
	}
	return f
}

// failureOutcomes lists the outcomes that are no grade, top row first:
// missing data, then the model's own doing.
func failureOutcomes() []rollout.Outcome {
	return []rollout.Outcome{rollout.ModelAPI, rollout.ToolFailed, rollout.GraderFailed, rollout.NoAnswer, rollout.StepLimit}
}

func failureNames(l message.Language) []string {
	return message.In(l, []string{"model API failed", "tool failed", "grader failed", "no answer", "step limit reached"})
}

func failureBars(f failures) (own, missing bars) {
	own = bars{fill: Sky}
	missing = bars{fill: tint(Orange, 0.35), hatch: hatch{color: Orange, width: 0.6, space: 3.5}}
	for i, o := range failureOutcomes() {
		share := float64(f.count[o]) / float64(max(1, f.total))
		b := bar{0, share, row(i) - 0.32, row(i) + 0.32}
		if o.Missing() {
			missing.list = append(missing.list, b)
		} else {
			own.list = append(own.list, b)
		}
	}
	return own, missing
}
