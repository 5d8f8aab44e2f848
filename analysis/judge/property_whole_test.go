package judge_test

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/sampler/rollout"
)

// A run with all that an analysis looks at (two splits, texts and fields that
// are compared, tools, sub-scores, bootstraps) gives the same bytes on one
// processor and on many. Naming the core part of the reward touches what is
// said of the layers, and nothing else.
func TestWholeResult(t *testing.T) {
	items := append(asked(seeded(1), rollout.Train, 40), asked(seeded(2), rollout.Eval, 30)...)
	run := sampled(t, items, func(it rollout.Item, i, j int) string {
		right := one((i*j+i+j)%3 == 0)
		return fmt.Sprintf(`{"item":%q,"split":%q,"sample":%d,"reward":%g,"parts":{"right":%d,"style":%g},"answer":"the answer %d to %d","turns":2,"elapsed_s":%d,"calls":[{"name":"search","arguments":"%d","status":"ok","turn":0}]}`,
			it.ID, it.Split, j, 0.7*float64(right)+0.3*float64(j%4)/3, right, float64(j%4)/3, i*j, i, 1+j, i)
	})
	s := analysis.DefaultSettings()
	s.Boot = 200
	whole := func(processors int) *analysis.Result {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		r, err := judge.Analyze(t.Context(), run, rollout.ReadOptions{}, s, gate.All())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	alone := whole(1)
	want := encode(t, alone)
	if !bytes.Equal(encode(t, whole(5)), want) {
		t.Error("five processors give another result than one")
	}
	if alone.Shift == nil || len(alone.Shift.Pairs) == 0 || len(alone.Splits) != 2 || alone.Grader.Layers == nil {
		t.Fatal("the run holds too little to show anything")
	}

	s.Core = "right"
	core := whole(2)
	if core.Grader.Layers.Core != "right" || !core.Grader.Layers.Bought.Known() {
		t.Errorf("layers are %+v", core.Grader.Layers)
	}
	core.Grader.Layers = alone.Grader.Layers
	about := func(f analysis.Finding) bool { return f.Gate == "grader.shortcuts" }
	core.Findings, alone.Findings = slices.DeleteFunc(core.Findings, about), slices.DeleteFunc(alone.Findings, about)
	core.Verdict, core.Reason, core.Cautions, core.ExitCode, core.Note = alone.Verdict, alone.Reason, alone.Cautions, alone.ExitCode, alone.Note
	core.Judged, core.NotJudged, core.Claim = alone.Judged, alone.NotJudged, alone.Claim
	if !bytes.Equal(encode(t, core), encode(t, alone)) {
		t.Error("naming the core changes more than what is said of the layers")
	}
}
