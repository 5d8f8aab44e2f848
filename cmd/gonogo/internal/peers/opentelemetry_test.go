package peers

import (
	"encoding/json"
	"path/filepath"
	"slices"
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
		p.sameRollouts(instrumentation, theirs, p.records(run))
	}
}

// sameRollouts compares the rollouts of an import, by their start, with those that the agent saw.
func (p peer) sameRollouts(name string, theirs map[string][]saw, ours map[rollout.Key]*rollout.Record) {
	p.Helper()
	byItem, all := make(map[string][]*rollout.Record), 0
	for _, r := range ours {
		byItem[r.Item] = append(byItem[r.Item], r)
	}
	for item, rollouts := range theirs {
		all += len(rollouts)
		got := byItem[item]
		if len(got) != len(rollouts) {
			p.Errorf("%s: %d rollouts of %s, want the agent's %d", name, len(got), item, len(rollouts))
			continue
		}
		slices.SortFunc(got, func(a, b *rollout.Record) int { return a.Started.Compare(b.Started) })
		for i, want := range rollouts {
			switch r := got[i]; {
			case want.Failed:
				if r.Outcome != rollout.ModelAPI || r.Reward != nil {
					p.Errorf("%s: %s %d failed, and is %s with reward %v", name, item, i, r.Outcome, r.Reward)
				}
			case want.Score == nil:
				if r.Outcome != rollout.GraderFailed || r.Reward != nil {
					p.Errorf("%s: %s %d has no score, and is %s with reward %v", name, item, i, r.Outcome, r.Reward)
				}
			case r.Reward == nil || *r.Reward != *want.Score || len(r.Calls) != want.Calls || r.Usage.Output == nil || *r.Usage.Output != want.Tokens:
				p.Errorf("%s: %s %d is %+v, by the agent %+v", name, item, i, r, want)
			}
		}
	}
	if len(ours) != all {
		p.Errorf("%s: %d rollouts, want the agent's %d", name, len(ours), all)
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
