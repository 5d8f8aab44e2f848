package collect_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// What the rollouts count for adds up to the means of their items: with
// failures of the model and of endpoints, later attempts, samples of open
// classes and rollouts that a detector marked.
func TestScoresOfRolloutsAddUpToTheItems(t *testing.T) {
	dir := t.TempDir()
	rollouts, probes := "", ""
	for i := range 12 {
		for j := range 6 { // of which 4 are for every item
			line := fmt.Sprintf(`"outcome":"graded","reward":%g`, float64((i*5+j*3)%7)/6)
			switch {
			case (i+j)%5 == 0:
				line = `"outcome":"no_answer"`
			case i%4 == 1 && j == 2:
				line = `"outcome":"tool","error":"gone"`
			}
			rollouts += fmt.Sprintf(`{"item":"q%d","sample":%d,%s}`+"\n", i, j, line)
			if i%3 == 0 && j == 1 {
				rollouts += fmt.Sprintf(`{"item":"q%d","sample":%d,"attempt":1,"reward":0.875}`+"\n", i, j)
			}
			probes += fmt.Sprintf(`{"item":"q%d","sample":%d,"split":"train","source":"probe","outcome":"graded","reward":%d,"probe":{"name":"detector/hacks","expect":"note","zero":true,"base":{"sample":%d,"reward":1}}}`+"\n", i, j, map[bool]int{true: 1}[i%6 == j], j)
		}
	}
	for name, text := range map[string]string{rollout.RolloutsFile: rollouts, rollout.ProbesFile: probes} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run, err := rollout.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	run.Manifest = &rollout.Manifest{Source: rollout.Live, Planned: &rollout.Planned{
		Samples: map[rollout.Split]int{rollout.Train: 4}, Items: map[rollout.Split]int{rollout.Train: 12}, Targeted: map[rollout.Split]int{rollout.Train: 6},
	}}
	r, err := judge.Analyze(t.Context(), run, rollout.ReadOptions{}, analysis.DefaultSettings(), gate.All())
	if err != nil {
		t.Fatal(err)
	}
	last := make(map[rollout.Key]collect.Counted)
	if _, err := collect.Rollouts(t.Context(), run, rollout.ReadOptions{}, stat.Range{Lo: 0, Hi: 1}, func(n collect.Counted) error {
		last[n.Key()] = n
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	zeroed := 0
	for _, it := range r.Splits[rollout.Train].Classes.Items {
		sum, n, targeted := 0.0, 0, 0
		for j := range 6 {
			x := last[rollout.Key{Split: rollout.Train, Item: it.Item, Sample: j}]
			switch {
			case x.Targeted:
				targeted++
			case x.Score != nil:
				sum += *x.Score
				n++
			}
			if x.Zeroed {
				zeroed++
				if *x.Score != 0 {
					t.Errorf("%s/%d was marked and counts %g", it.Item, j, *x.Score)
				}
			}
		}
		if n != it.N || targeted != it.Targeted || math.Abs(sum/float64(n)-*it.Mean) > 1e-12 {
			t.Errorf("%s: %d rollouts of mean %g and %d targeted; the analysis has %d, %g and %d", it.Item, n, sum/float64(n), targeted, it.N, *it.Mean, it.Targeted)
		}
	}
	if zeroed == 0 {
		t.Error("nothing was zeroed")
	}
}
