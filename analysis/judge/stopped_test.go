package judge_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/sampler/rollout"

	"github.com/google/go-cmp/cmp"
)

// The rollouts that are graded so far do not decide for those that are left.
func TestARunWhoseGradingHasNotEndedIsUndecided(t *testing.T) {
	for grading, want := range map[bool]analysis.Verdict{false: analysis.Go, true: analysis.Undecided} {
		r := &analysis.Result{Run: analysis.RunInfo{Grading: grading}}
		judge.Judge(r, nil, analysis.Gates{{Name: "passes", Check: func(*analysis.Result, analysis.Thresholds) []analysis.Finding {
			return []analysis.Finding{{Gate: "passes", Severity: analysis.Blocking, Fact: analysis.Fact{Status: analysis.Pass}}}
		}}})
		if r.Verdict != want || grading && *r.Reason != analysis.Sampling ||
			strings.Contains(r.Note.String(), "run the same gonogo grade again") != grading {
			t.Errorf("grading %v: %s, %s; want %s, with what to do", grading, r.Verdict, r.Note, want)
		}
	}
}

// stopped is a run of planned train items, of which the first whole have all of
// 8 samples and the next begun 2 of them.
func stopped(t *testing.T, planned, whole, begun int) *analysis.Result {
	t.Helper()
	dir := t.TempDir()
	w, err := rollout.Create(dir, rollout.Manifest{
		ID: "run_stopped", Source: rollout.Live,
		Planned: &rollout.Planned{Samples: map[rollout.Split]int{rollout.Train: 8}, Items: map[rollout.Split]int{rollout.Train: planned}},
	}, nil, rollout.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole + begun {
		samples := 8
		if i >= whole {
			samples = 2
		}
		for j := range samples {
			reward := float64((i*7+j*3)%4) / 3
			if err := w.Append(&rollout.Record{Item: fmt.Sprint("q", i), Split: rollout.Train, Sample: j, Source: rollout.Live, Outcome: rollout.Graded, Reward: &reward}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	run, err := rollout.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := judge.Analyze(t.Context(), run, rollout.ReadOptions{}, analysis.DefaultSettings(), gate.All())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Items that a stopped run did not come to are told as such and are zeros in
// nothing: all figures are those of a run that wanted no more items.
func TestItemsThatWereNotRunAreNoZeros(t *testing.T) {
	r := stopped(t, 100, 40, 8)
	train := r.Splits[rollout.Train]
	if got := train.Items; got.Sampled != 48 || got.Measured != 48 || got.NotRun != 52 || len(got.Lost) != 0 {
		t.Errorf("items %+v, want 48 sampled and 52 not run", got)
	}
	const left = 100*8 - 40*8 - 8*2
	if train.Missing.NotRun == nil || *train.Missing.NotRun != left || train.Missing.Total() != 0 || *train.Missing.Share != 0 {
		t.Errorf("missing %+v, want %d not run and none lost", train.Missing, left)
	}
	if want := fmt.Sprintf("%d planned rollouts not made yet, including all of 52 items", left); r.Note.String() != want {
		t.Errorf("note %q, want %q", r.Note, want)
	}
	asked := stopped(t, 48, 40, 8) // the same rollouts, of a run that wanted no more items
	of := func(r *analysis.Result) any {
		sr := r.Splits[rollout.Train]
		sr.Items.NotRun, sr.Missing.NotRun = 0, nil
		raw, err := json.Marshal(map[string]any{"split": sr, "verdict": r.Verdict, "findings": r.Findings})
		if err != nil {
			t.Fatal(err)
		}
		var out any
		if err := json.Unmarshal(raw, &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	if diff := cmp.Diff(of(asked), of(r)); diff != "" {
		t.Errorf("items that were not run move figures (-without them +with):\n%s", diff)
	}
	// By hand: the item means of rewards (7i+3j mod 4)/3 over whole cycles of j are 1/2,
	// those over j = 0, 1 of items 40 to 47 as i goes through 0 to 3 twice as well.
	if mean := train.Reward.Value; mean == nil || math.Abs(*mean-0.5) > 1e-12 {
		t.Errorf("mean reward %v, want 0.5", mean)
	}
}
