package gate

import (
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/gate/gatetest"
	"gonogo/sampler/rollout"
)

// A tool whose outputs are no strings breaks the wire format: its name is said,
// though no call failed.
func TestOutputsThatAreNoTextAreNamed(t *testing.T) {
	with := func(odd int) *analysis.Result {
		return &analysis.Result{Splits: map[rollout.Split]*analysis.SplitResult{rollout.Train: {
			Tools: analysis.ToolUse{ByTool: map[string]analysis.ToolStat{"search": {Calls: 6, NotText: odd}, "cat": {Calls: 2}}},
		}}}
	}
	want := func(status analysis.Status, title, remedy string) []gatetest.Finding {
		return []gatetest.Finding{{Split: rollout.Train, Severity: analysis.Advisory, Status: status, Title: title, Remedy: remedy}}
	}
	gatetest.Run(t, toolsFailures,
		gatetest.Case{Name: "every output is text", Result: with(0), Want: want(analysis.Pass, "", "")},
		gatetest.Case{Name: "three of eight are not", Result: with(3), Want: want(analysis.Fail, "3 of 8 tool calls returned an output that is not a string, most of them from search", `{"output": "text"}`)},
	)
}
