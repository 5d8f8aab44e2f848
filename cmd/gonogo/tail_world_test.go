package main

import (
	"path/filepath"
	"testing"

	"gonogo/analysis"
	"gonogo/sampler/rollout"
)

// TestLongWorldTailOfCodeResearchGoesWithTraining runs the world code-research with its
// policy before training, of which one rollout in eleven wanders and earns less for it,
// and with the one after. The gate cautions the one and passes the other.
func TestLongWorldTailOfCodeResearchGoesWithTraining(t *testing.T) {
	long(t)
	t.Parallel()
	if raced {
		t.Skip("numbers are not the race detector's business")
	}
	dir := t.TempDir()
	of := func(name string, args ...string) (analysis.Status, *analysis.LongRollouts) {
		r, _ := runDemo(t, append([]string{"--world", "code-research", "--no-audit", "-o", filepath.Join(dir, name)}, args...)...)
		for _, f := range r.Findings {
			for _, fact := range append([]analysis.Fact{f.Fact}, f.Others...) {
				if fact.ID == "tools.long" && f.Split == rollout.Train {
					return fact.Status, r.Splits[rollout.Train].Tools.Long
				}
			}
		}
		t.Fatalf("%s: long rollouts were not judged", name)
		return analysis.Unknown, nil
	}
	before, tail := of("before")
	if before != analysis.Fail || *tail.Share.Low < 0.05 || *tail.Earn.Difference.High >= 0 {
		t.Errorf("before training the tail is %v: %g [%g, %g] of rollouts, which earn %g more", before, *tail.Share.Value, *tail.Share.Low, *tail.Share.High, *tail.Earn.Difference.Value)
	}
	after, tail := of("after", "--set", "model.name="+"scripted-policy-step-20")
	if after != analysis.Pass || *tail.Share.High > 0.05 {
		t.Errorf("after training the tail is %v: %g [%g, %g] of rollouts", after, *tail.Share.Value, *tail.Share.Low, *tail.Share.High)
	}
}
