package peers

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"gonogo/sampler/rollout"
)

// saw is what an agent saw of a rollout of its own.
type saw struct {
	Score  *float64
	Failed bool
	Calls  int
	Tokens int64
}

// The traces of an agent, by two instrumentations, are imported with the scores, failures, tool calls and tokens that the
// agent itself counted.
func TestTracesOfAnAgent(t *testing.T) {
	p := meet(t, "opentelemetry")
	for _, instrumentation := range []string{"openllmetry", "openinference"} {
		dir := t.TempDir()
		file, run := filepath.Join(dir, "traces.jsonl"), filepath.Join(dir, "run")
		var theirs map[string][]saw
		if err := json.Unmarshal(p.python("agent.py", instrumentation, file), &theirs); err != nil {
			t.Fatal(err)
		}
		p.gonogo(0, "import", file, "-o", run)
		ours := p.records(run)
		for item, rollouts := range theirs {
			for sample, want := range rollouts {
				r := ours[rollout.Key{Split: rollout.Train, Item: item, Sample: sample}]
				switch {
				case r == nil:
					t.Errorf("%s: there is no rollout %d of %s", instrumentation, sample, item)
				case want.Failed:
					if r.Outcome != rollout.ModelAPI || r.Reward != nil {
						t.Errorf("%s: %s %d failed, and is %s with reward %v", instrumentation, item, sample, r.Outcome, r.Reward)
					}
				case want.Score == nil:
					if r.Outcome != rollout.GraderFailed || r.Reward != nil {
						t.Errorf("%s: %s %d has no score, and is %s with reward %v", instrumentation, item, sample, r.Outcome, r.Reward)
					}
				case r.Reward == nil || *r.Reward != *want.Score || len(r.Calls) != want.Calls || *r.Usage.Output != want.Tokens:
					t.Errorf("%s: %s %d is %+v, by the agent %+v", instrumentation, item, sample, r, want)
				}
			}
		}
		if len(ours) != 24 {
			t.Errorf("%s: %d rollouts, want the agent's 24", instrumentation, len(ours))
		}
	}
}

// The cases of pydantic-evals are imported with the averages and the failures of its report.
func TestCasesOfAReport(t *testing.T) {
	p := meet(t, "opentelemetry")
	dir := t.TempDir()
	file := filepath.Join(dir, "traces.jsonl")
	var theirs struct {
		Scores          map[string]float64
		Assertions      float64
		Cases, Failures int
	}
	if err := json.Unmarshal(p.python("cases.py", file), &theirs); err != nil {
		t.Fatal(err)
	}
	for score, mean := range map[string]float64{"Near": theirs.Scores["Near"], "EqualsExpected": theirs.Assertions} {
		run := filepath.Join(dir, score)
		p.gonogo(0, "import", file, "-o", run, "--score", score)
		ours, failed := p.records(run), 0
		for _, r := range ours {
			if r.Outcome == rollout.ModelAPI && r.Reward == nil {
				failed++
			}
		}
		if got := meanOfItems(ours); !near(got, mean) || failed != theirs.Failures || len(ours) != theirs.Cases+theirs.Failures {
			t.Errorf("%s: the mean of %d rollouts is %v with %d failures, by pydantic-evals %v with %d", score, len(ours), got, failed, mean, theirs.Failures)
		}
	}
}
