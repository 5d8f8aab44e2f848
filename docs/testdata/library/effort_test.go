package main

import (
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/gate/gatetest"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

func TestEffort(t *testing.T) {
	calls := func(n, low, high float64) *analysis.Result {
		return &analysis.Result{Splits: map[rollout.Split]*analysis.SplitResult{rollout.Train: {
			Tools: analysis.ToolUse{Calls: stat.Estimate{Value: &n, Low: &low, High: &high}},
		}}}
	}
	want := func(status analysis.Status, title string) []gatetest.Finding {
		return []gatetest.Finding{{Split: rollout.Train, Severity: analysis.Blocking, Status: status, Title: title}}
	}
	gatetest.Run(t, effort,
		gatetest.Case{Name: "few calls", Result: calls(4, 3, 5), Want: want(analysis.Pass, "4 tool calls")},
		gatetest.Case{Name: "many calls", Result: calls(7, 6, 8), Want: want(analysis.Fail, "7 tool calls")},
		gatetest.Case{Name: "a higher threshold", Result: calls(7, 6, 8), Thresholds: analysis.Thresholds{mostCalls.Name: 8}, Want: want(analysis.Pass, "")},
		gatetest.Case{Name: "too few rollouts to tell", Result: calls(5, 3, 7), Want: want(analysis.Unknown, "too few rollouts")},
		gatetest.Case{Name: "no calls", Result: &analysis.Result{}, Want: want(analysis.Skipped, "no rollout of train made a tool call")},
	)
}
