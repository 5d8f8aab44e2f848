package peers

import (
	"fmt"
	"path/filepath"
	"testing"

	"gonogo/sampler/rollout"
)

// stepMeans returns the mean reward of the graded rollouts by step.
func stepMeans(records map[rollout.Key]*rollout.Record) map[int]float64 {
	sums, counts := make(map[int]float64), make(map[int]float64)
	for _, r := range records {
		if r.Reward != nil {
			sums[r.Step] += *r.Reward
			counts[r.Step]++
		}
	}
	for step := range sums {
		sums[step] /= counts[step]
	}
	return sums
}

// TRL trains in environments that pay by themselves: its completions are imported with the rewards that each of them gave,
// and with the means, calls and failures of calls that TRL logs of each step.
func TestTRLEnvironments(t *testing.T) {
	p := meet(t, "trl")
	out := filepath.Join(t.TempDir(), "trl.json")
	p.python("environment.py", out)
	theirs := decode[struct {
		Rollouts []struct {
			Reward float64
			Calls  []any
		}
		Log []map[string]float64
	}](p, read(t, out))
	ours, _ := p.imported(filepath.Join(out+".out", "completions"))
	if len(ours) != 24 || len(theirs.Rollouts) != 24 || len(theirs.Log) != 3 {
		t.Fatalf("%d rollouts, TRL made %d in %d steps", len(ours), len(theirs.Rollouts), len(theirs.Log))
	}
	means := stepMeans(ours)
	calls, failed, paid := make(map[int]float64), make(map[int]float64), 0.0
	for _, r := range ours {
		paid += r.Parts["Number"]
		for _, c := range r.Calls {
			calls[r.Step]++
			if c.Status == rollout.CallError {
				failed[r.Step]++
			}
		}
	}
	for _, r := range theirs.Rollouts {
		paid -= r.Reward
	}
	if !near(paid, 0) {
		t.Errorf("the environments paid %v less than their column holds", paid)
	}
	for i, log := range theirs.Log { // it logs single precision
		step := i + 1
		for what, both := range map[string][2]float64{
			"reward": {log["reward"], means[step]}, "calls": {log["tools/call_frequency"], calls[step] / 8},
			"failures": {log["tools/failure_frequency"], failed[step] / calls[step]},
		} {
			if both[0] < both[1]-1e-6 || both[0] > both[1]+1e-6 {
				t.Errorf("step %d: %s are %v, by TRL %v", step, what, both[1], both[0])
			}
		}
	}
}

// What verl's V1 trainer writes is imported with the score of the last output of each rollout.
func TestVerlV1(t *testing.T) {
	p := meet(t, "verl")
	dir := filepath.Join(t.TempDir(), "rollouts")
	theirs := decode[map[int]float64](p, p.python("dump.py", dir))
	ours, _ := p.imported(dir)
	if means := stepMeans(ours); len(ours) != 8 || len(theirs) != 2 || !near(means[1], theirs[1]) || !near(means[2], theirs[2]) {
		t.Errorf("%d rollouts with the means %v, by verl %v", len(ours), means, theirs)
	}
}

// SkyRL's dumps of evaluations are imported with the avg_score that it computes, also where each step of a rollout has a line.
func TestSkyRL(t *testing.T) {
	p := meet(t, "skyrl")
	dir := t.TempDir()
	theirs := decode[map[string]map[string]float64](p, p.python("dump.py", dir))
	for step, metrics := range theirs {
		for source, want := range map[string]float64{"openai_gsm8k": metrics["eval/openai_gsm8k/avg_score"], "turns": metrics["eval/turns/avg_score"]} {
			file := filepath.Join(dir, "dumped_evals", fmt.Sprintf("global_step_%s_evals", step), source+".jsonl")
			if step == "10" && source == "turns" {
				continue
			}
			ours, _ := p.imported(file)
			for at, mean := range stepMeans(ours) {
				if fmt.Sprint(at) != step || !near(mean, want) {
					t.Errorf("%s: the mean at step %d is %v, by SkyRL %v", file, at, mean, want)
				}
			}
		}
	}
}

// tinker-cookbook's rollouts of a training are imported with the mean reward that it logs of each step; of a benchmark, a
// failure is no zero.
func TestTinker(t *testing.T) {
	p := meet(t, "tinker")
	dir := t.TempDir()
	theirs := decode[struct {
		Means      []float64
		Evaluation struct {
			Score            float64
			Errors, Examples int
		}
	}](p, p.python("train.py", dir))
	ours, _ := p.imported(filepath.Join(dir, "run"))
	means := stepMeans(ours)
	for step, mean := range theirs.Means {
		if !near(mean, means[step]) {
			t.Errorf("step %d: the mean is %v, by tinker-cookbook %v", step, means[step], mean)
		}
	}
	ours, _ = p.imported(filepath.Join(dir, "eval"))
	e := theirs.Evaluation
	failed := 0
	for _, r := range ours {
		if r.Outcome.Missing() {
			failed++
		}
	}
	if sum := stepMeans(ours)[0] * float64(e.Examples-e.Errors); len(ours) != e.Examples || failed != e.Errors || e.Errors != 1 || !near(sum/float64(e.Examples), e.Score) {
		t.Errorf("%d rollouts, %d failed, with the sum %v; by tinker-cookbook %+v", len(ours), failed, sum, e)
	}
}

// ATIF trajectories, and what harbor-atif2otel makes of them, are imported with the answers, turns, calls and tokens that the
// package atif reads, and without a grade.
func TestHarborTrajectories(t *testing.T) {
	p := meet(t, "harbor")
	dir := t.TempDir()
	theirs := decode[[]struct {
		Answer        string
		Turns, Calls  int
		Input, Output int64
	}](p, p.python("trials.py", dir))
	for _, log := range []string{"jobs", "traces.jsonl"} {
		ours, _ := p.imported(filepath.Join(dir, log))
		if len(ours) != len(theirs) || len(theirs) != 3 {
			t.Fatalf("%s: %d rollouts of %d", log, len(ours), len(theirs))
		}
		for k, r := range ours {
			want := theirs[k.Sample]
			if r.Answer != want.Answer || r.Turns != want.Turns || len(r.Calls) != want.Calls || *r.Usage.Input != want.Input || *r.Usage.Output != want.Output || r.Outcome != rollout.GraderFailed {
				t.Errorf("%s: %+v, want %+v", log, r, want)
			}
		}
	}
}

// trainingSamples checks that episodes that prime-rl logs, and the samples that it uploads of a hosted training, are imported
// with the step, the rewards and the failures of the traces.
func trainingSamples(p peer, traces string, theirs []verified) {
	p.Helper()
	dir := p.TempDir()
	for _, step := range []string{"2", "10"} {
		p.python("samples.py", traces, step, dir)
	}
	ours, _ := p.imported(filepath.Join(dir, "rollouts"))
	splits, lost, sum, want := make(map[rollout.Split]int), 0, 0.0, 0.0
	for _, r := range ours {
		splits[r.Split]++
		if r.Reward == nil {
			lost++
		} else {
			sum += *r.Reward
		}
	}
	failed := 0
	for _, s := range theirs {
		if s.OK && !s.Unscored {
			want += s.Reward
		} else {
			failed++
		}
	}
	if len(ours) != 2*len(theirs) || splits[rollout.Eval] != len(ours)/4 || lost != 2*failed || !near(sum, 2*want) {
		p.Errorf("%d rollouts, %v, %d without a reward, with the sum %v; verifiers has %d, %d and %v, twice", len(ours), splits, lost, sum, len(theirs), failed, want)
	}
	page, _ := p.imported(filepath.Join(dir, "samples.json"))
	for k, r := range page {
		same := ours[k]
		if k.Step != 10 || same == nil || same.Outcome != r.Outcome || same.Reward != nil && *same.Reward != *r.Reward {
			p.Errorf("%v is %s in the samples, and %+v in the traces", k, r.Outcome, same)
		}
	}
	if len(page) == 0 {
		p.Error("the samples hold no rollouts")
	}
}
