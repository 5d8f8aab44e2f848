package judge_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// Samples that an item got because its class was open change its class and
// nothing else.
func TestTargetedSamplesCountForClassesAlone(t *testing.T) {
	analyzed := func(extra bool) *analysis.Result {
		dir := t.TempDir()
		text := ""
		for i := range 24 {
			for j := range 4 {
				reward := 0
				if i%3 == 0 && j == 1 {
					reward = 1
				}
				text += fmt.Sprintf(`{"item":"q%d","sample":%d,"reward":%d}`+"\n", i, j, reward)
			}
			for j := 4; extra && i < 12 && j < 12; j++ {
				text += fmt.Sprintf(`{"item":"q%d","sample":%d,"reward":%d}`+"\n", i, j, j%2)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, rollout.RolloutsFile), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		run, err := rollout.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		run.Manifest = &rollout.Manifest{Source: rollout.Live, Planned: &rollout.Planned{
			Samples: map[rollout.Split]int{rollout.Train: 4}, Items: map[rollout.Split]int{rollout.Train: 24}, Targeted: map[rollout.Split]int{rollout.Train: 12},
		}}
		r, err := judge.Analyze(t.Context(), run, rollout.ReadOptions{}, analysis.DefaultSettings(), gate.All())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	plain, targeted := analyzed(false), analyzed(true)
	if got := targeted.Splits[rollout.Train].Classes.Counts[analysis.Mixed]; got <= plain.Splits[rollout.Train].Classes.Counts[analysis.Mixed] {
		t.Errorf("%d items are mixed, no more than without the samples that show it", got)
	}
	if it := targeted.Splits[rollout.Train].Classes.Items[0]; it.N != 4 || it.Targeted != 8 || it.Class != analysis.Mixed {
		t.Errorf("the first item is %s by %d and %d samples", it.Class, it.N, it.Targeted)
	}
	if len(targeted.Run.Notes) != 1 {
		t.Errorf("the notes are %q, want one about the targeted samples", targeted.Run.Notes)
	}
	_, open := targeted.OpenItems()
	for _, it := range open {
		if it.Targeted > 0 {
			t.Errorf("%s is still open", it.Item)
		}
	}
	for _, r := range []*analysis.Result{plain, targeted} {
		r.Run, r.Input = analysis.RunInfo{}, rollout.Input{}
		for i := range r.Findings { // which name items by class
			r.Findings[i].Items, r.Findings[i].Title, r.Findings[i].Why, r.Findings[i].Remedy = nil, message.Text{}, message.Text{}, message.Text{}
		}
		r.Splits[rollout.Train].Classes = analysis.Classes{}
	}
	if diff := cmp.Diff(plain, targeted, cmpopts.IgnoreUnexported(analysis.Result{}, analysis.Finding{}, message.Language{})); diff != "" {
		t.Errorf("targeted samples change (- without):\n%s", diff)
	}
}
