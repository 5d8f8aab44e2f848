package main

import (
	"math"
	"path/filepath"
	"testing"

	"gonogo/analysis"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/fixtures"
	"gonogo/sampler/rollout"
)

// Three samples look flat on 85 % of the items and decide nothing; the 16 that
// the world takes by itself say GO.
func TestLongWorldThreeSamplesCannotTell(t *testing.T) {
	long(t)
	t.Parallel()
	if raced {
		t.Skip("counts are not the race detector's business")
	}
	world, err := fixtures.Find("finance-qa")
	if err != nil {
		t.Fatal(err)
	}
	if n := world.Make().Samples; n != 16 || world.Verdict != "GO" {
		t.Errorf("the world gives %s by %d samples", world.Verdict, n)
	}
	result, code := runDemo(t, "--world", world.Name, "--samples", "3", "--no-audit", "-o", filepath.Join(t.TempDir(), "run"))
	if code != exit.Undecided || result.Verdict != analysis.Undecided {
		t.Errorf("3 samples give %s, exit code %d", result.Verdict, code)
	}
	train := result.Splits[rollout.Train]
	if flat := 1 - float64(train.Classes.Counts[analysis.Mixed])/float64(train.Items.Measured); math.Abs(flat-0.85) > 0.05 {
		t.Errorf("%.2f of the items are flat, want about 0.85", flat)
	}
}
