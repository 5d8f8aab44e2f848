package dataset_test

import (
	"fmt"
	"os"
	"path/filepath"

	"gonogo/sampler/input/dataset"
	"gonogo/sampler/rollout"
)

func ExampleLoad() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "train.jsonl")
	rows := `{"id":"q1","messages":[{"role":"user","content":"2 + 2?"}],"answer":"4"}
{"id":"q2","messages":[{"role":"assistant","content":"Hello."}],"answer":"5"}
`
	if err := os.WriteFile(path, []byte(rows), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	f, err := dataset.Load(path, rollout.Train, dataset.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	azure, _ := dataset.TargetByName("azure")
	for _, p := range dataset.Check([]*dataset.File{f}, azure) {
		fmt.Println(p.File, p.Line, p.Rule, p.Blocking)
	}
	// Output:
	// train.jsonl 0 min_rows true
	// train.jsonl 0 validation_file false
	// train.jsonl 2 last_role true
}
