package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// judgeByOtherGates is a program with a gate of its own, as docs/library.md shows one. It judges the
// run in the directory of its first argument and writes result.json. The gate fails every run.
func judgeByOtherGates() {
	house := &analysis.Gate{
		Name: "house.rule", Label: "The house rule",
		Doc: "The run keeps the rule of the house.",
		Words: analysis.Words{
			Why: "A run that breaks the rule is not trained on.", Pass: "the rule is kept",
			Fail:       "the rule of the house is broken in {rooms|room}",
			FailRemedy: "Ask the host, who says: {advice}.",
		},
	}
	advice := message.New("house.advice", "take off your shoes")
	house.Check = func(*analysis.Result, analysis.Thresholds) []analysis.Finding {
		j := analysis.Judgement{Severity: analysis.Blocking, Args: message.Args{
			"rooms": message.Int(3), "advice": message.Nested(advice.Text()),
		}}
		return []analysis.Finding{j.Finding(analysis.Fail, analysis.Observed(3))}
	}
	err := func() error {
		run, err := rollout.Open(os.Args[1])
		if err != nil {
			return err
		}
		gates := append(analysis.Gates{house}, gate.All()...)
		result, err := judge.Analyze(context.Background(), run, rollout.ReadOptions{}, analysis.DefaultSettings(), gates)
		if err != nil {
			return err
		}
		file, err := os.Create(filepath.Join(run.Dir, "result.json"))
		if err != nil {
			return err
		}
		defer file.Close()
		return result.Encode(file)
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
