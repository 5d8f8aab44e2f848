package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/fixtures"
)

// Where a reward is rare, large groups find what small ones miss, and the same
// rollouts say so: enough at 32, too few at 4.
func TestLongWorldOfASparseRewardNeedsLargeGroups(t *testing.T) {
	long(t)
	t.Parallel()
	world, err := fixtures.Find("code-tests")
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case raced:
		t.Skip("counts are not the race detector's business")
	case world.Missing() != "":
		t.Skipf("the world needs %s, which is not on PATH", world.Missing())
	}
	dir := filepath.Join(t.TempDir(), "run")
	large, code := runDemo(t, "--world", world.Name, "--no-audit", "--set", "sampling.eval_samples=0", "-o", dir)
	if got := informative(large); got != analysis.Pass || code == exit.NoGo {
		t.Errorf("at 32 the groups that teach are judged as %s, exit code %d", got, code)
	}
	if plan := large.Plan; plan.MinGroupSize == nil || *plan.MinGroupSize <= 8 {
		t.Errorf("the plan says that groups of %v are enough", plan.MinGroupSize)
	}
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), []string{"gonogo", "analyze", "--json", "--group-size", "4", dir}, strings.NewReader(""), &stdout, &stderr)
	var small analysis.Result
	if err := json.Unmarshal(stdout.Bytes(), &small); err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	if got := informative(&small); got != analysis.Fail && got != analysis.Unknown || code != exit.NoGo && code != exit.Undecided {
		t.Errorf("at 4 the groups that teach are judged as %s, exit code %d", got, code)
	}
}

// informative is what the blocking gate of that name says.
func informative(r *analysis.Result) analysis.Status {
	i := slices.IndexFunc(r.Findings, func(f analysis.Finding) bool {
		return f.Gate == "signal.informative" && f.Severity == analysis.Blocking
	})
	return r.Findings[i].Status
}
