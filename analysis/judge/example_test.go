package judge_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/sampler/rollout"
)

// A directory that holds nothing but rollouts.jsonl is a run.
func ExampleAnalyze() {
	dir, err := os.MkdirTemp("", "run-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	line := `{"item":"q1","reward":0.5}` + "\n"
	if err := os.WriteFile(filepath.Join(dir, "rollouts.jsonl"), []byte(strings.Repeat(line, 8)), 0o644); err != nil {
		log.Fatal(err)
	}

	run, err := rollout.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	result, err := judge.Analyze(context.Background(), run, rollout.ReadOptions{}, analysis.DefaultSettings(), gate.All())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Verdict, *result.Reason, *result.Splits[rollout.Train].Reward.Mean)
	// Output: UNDECIDED data.enough 0.5
}
