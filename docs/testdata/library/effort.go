package main

import (
	"fmt"
	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/report/chart"
	"gonogo/sampler/audit"
	"gonogo/sampler/rollout"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// noCalls is why the gate has nothing to judge.
var noCalls = message.New("effort.no_calls", "no rollout of train made a tool call")

// mostCalls is a threshold of the gate.
var mostCalls = analysis.Threshold{Name: "effort.calls", Unit: "calls", Default: 5,
	Doc: "tool calls that a rollout may make on average"}

// effort is a gate: its name, threshold, words and check are all there is of it.
var effort = &analysis.Gate{
	Name:       "effort",
	Doc:        "A rollout makes few enough tool calls for the endpoints that training will have.",
	Thresholds: []analysis.Threshold{mostCalls},
	Charts:     []string{"effort"},
	Words: analysis.Words{
		Why:        "Every tool call of a training step is paid for and waited for.",
		Pass:       "a rollout makes {value} tool calls on average ({low} to {high})",
		Fail:       "a rollout makes {value} tool calls on average ({low} to {high}), wanted {want}",
		FailRemedy: "Tell the model in its prompt what a call costs, or raise effort.calls.",
		Unknown: "a rollout makes {value} tool calls on average ({low} to {high}): too few rollouts to tell " +
			"from {want}",
		UnknownRemedy: "{needs}",
	},
	Check: func(r *analysis.Result, t analysis.Thresholds) []analysis.Finding {
		train := r.Splits[rollout.Train]
		if train == nil || train.Tools.Calls.Value == nil || *train.Tools.Calls.Value == 0 {
			return analysis.Skip(rollout.Train, analysis.Blocking, noCalls.Text())
		}
		j := analysis.Judgement{Split: rollout.Train, Severity: analysis.Blocking, Unit: mostCalls.Unit}
		return []analysis.Finding{j.AtMost(t.At(mostCalls), analysis.BoundOf(train.Tools.Calls))}
	},
}

// effortChart is the picture of the gate.
var effortChart = chart.Chart{
	Name: "effort",
	Doc:  "How many rollouts of train make how many tool calls.",
	Read: "A bar far to the right is a rollout that training would pay for dearly.",
	Draw: func(r *analysis.Result) (chart.Figure, error) {
		train := r.Splits[rollout.Train]
		if train == nil || len(train.Tools.Histogram.Counts) == 0 {
			return chart.Figure{}, &chart.NoData{Why: "no rollout of train made a tool call"}
		}
		var rollouts plotter.Values
		for _, n := range train.Tools.Histogram.Counts {
			rollouts = append(rollouts, float64(n))
		}
		bars, err := plotter.NewBarChart(rollouts, vg.Points(12))
		if err != nil {
			return chart.Figure{}, err
		}
		p := plot.New()
		p.Add(bars)
		title := fmt.Sprintf("At most %d tool calls in a rollout", train.Tools.Max)
		return chart.Figure{Plot: p, Caption: chart.Caption{Title: title}}, nil
	},
}

// shrug is a probe: an answer that no sound grader pays for.
var shrug = audit.Probe{
	Name:   "shrug",
	Doc:    "A shrug in place of an answer.",
	Expect: rollout.Bottom,
	Make:   func(*audit.Case) []audit.Payload { return []audit.Payload{{Answer: `¯\_(ツ)_/¯`}} },
}
