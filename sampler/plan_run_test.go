package sampler

import (
	"os"
	"path/filepath"
	"testing"

	"gonogo/sampler/rollout"
)

func TestWhatARunDirectoryLacks(t *testing.T) {
	dir := t.TempDir()
	text := `{"item":"a","split":"train","sample":0,"reward":1}
{"item":"a","split":"train","sample":1,"outcome":"tool","error":"503","attempt":2}
{"item":"a","split":"train","sample":2,"outcome":"grader","error":"503","answer":"42"}
`
	if err := os.WriteFile(filepath.Join(dir, rollout.RolloutsFile), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	blocks := [][]*rollout.Item{{{ID: "a", Split: rollout.Train}}}
	four := func(*rollout.Item) int { return 4 }
	for what, c := range map[string]struct {
		dir     string
		regrade bool
		want    []int // samples
	}{
		"no directory yet":                        {filepath.Join(dir, "none"), true, []int{0, 1, 2, 3}},
		"an answer without a grade is graded":     {dir, true, []int{1, 3}},
		"an answer without a grade is made again": {dir, false, []int{1, 2, 3}},
	} {
		jobs, err := PlanRun(t.Context(), c.dir, blocks, four, c.regrade)
		var got []int
		for _, j := range jobs {
			got = append(got, j.Sample)
		}
		if err != nil || len(got) != len(c.want) || got[0] != c.want[0] || got[1] != c.want[1] {
			t.Errorf("%s: samples %v, %v; want %v", what, got, err, c.want)
		}
	}
	jobs, _ := PlanRun(t.Context(), dir, blocks, four, true)
	if jobs[0].Attempt != 3 {
		t.Errorf("attempt %d of a rollout that failed in its second", jobs[0].Attempt)
	}
}
