package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"gonogo/sampler/grader"
)

func TestAGraderThatReadsToolCallsIsWarnedOf(t *testing.T) {
	for reads, want := range map[string]bool{"{{sample.output_tools[0].function.name}}": true, "{{sample.output_text}}": false} {
		p := tinyProject(t)
		raw, err := json.Marshal(map[string]string{"type": "string_check", "name": "n", "operation": "eq", "input": reads, "reference": "x"})
		if err != nil {
			t.Fatal(err)
		}
		g, err := grader.New(grader.Kinds(), raw, grader.Env{})
		if err != nil {
			t.Fatal(err)
		}
		p.warnReads(g)
		warned := slices.ContainsFunc(p.warnings, func(w string) bool { return strings.Contains(w, "sampling.sample_tools") })
		if warned != want {
			t.Errorf("a grader that reads %s is warned of: %t, want %t", reads, warned, want)
		}
	}
}
