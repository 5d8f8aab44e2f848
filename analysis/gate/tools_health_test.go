package gate

import (
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/sampler/rollout"
)

// A tool whose outputs are no strings breaks the wire format: its name is said,
// though no call failed.
func TestOutputsThatAreNoTextAreNamed(t *testing.T) {
	for _, c := range []struct {
		name string
		odd  int
		want analysis.Status
	}{
		{"every output is text", 0, analysis.Pass},
		{"three of eight are not", 3, analysis.Fail},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &analysis.Result{Splits: map[rollout.Split]*analysis.SplitResult{rollout.Train: {
				Tools: analysis.ToolUse{ByTool: map[string]analysis.ToolStat{"search": {Calls: 6, NotText: c.odd}, "cat": {Calls: 2}}},
			}}}
			f := toolsFailures.Judge(r, nil)[0]
			if f.Status != c.want {
				t.Fatalf("tools.failures is %v, want %v: %s", f.Status, c.want, f.Title.String())
			}
			if said := "3 of 8 tool calls returned an output that is not a string, most of them from search"; c.want == analysis.Fail && f.Title.String() != said {
				t.Errorf("it says %q, want %q", f.Title.String(), said)
			}
			if c.want == analysis.Fail && !strings.Contains(f.Remedy.String(), `{"output": "text"}`) {
				t.Errorf("the remedy is %q", f.Remedy.String())
			}
		})
	}
}
