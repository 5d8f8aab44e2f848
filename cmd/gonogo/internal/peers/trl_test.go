package peers

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

// trlCall is what TRL's trainer handed a reward function, and what it got.
type trlCall struct {
	Function      string
	Names         []string
	Rewards       []*float64
	Prompts       []json.RawMessage
	Completions   [][]rollout.Message
	Answer, Level []string
}

// TRL's GRPOTrainer trains a tiny model with three reward functions, one of them async
// and one that gives None. Our grader gives each of its completions the same rewards,
// weighted as TRL does, and the groups have the means that TRL logs.
func TestTRLRewards(t *testing.T) {
	p := meet(t, "trl")
	dir := t.TempDir()
	out := filepath.Join(dir, "trl.json")
	p.python("train.py", out)
	theirs := decode[struct {
		Calls []trlCall
		Log   []struct{ Reward float64 }
	}](p, read(t, out))
	weights := map[string]float64{"correct": 1, "brief": 0.5, "polite": 0.25}
	if len(theirs.Calls) != 12 || len(theirs.Log) != 4 {
		t.Fatalf("TRL made %d calls in %d steps, want 12 in 4", len(theirs.Calls), len(theirs.Log))
	}
	known := []string{"answer", "completion_ids", "completions", "level", "log_extra", "log_metric", "prompts", "trainer_state"}
	var lines, rows strings.Builder
	parts := make(map[rollout.Key]map[string]float64)
	for i, c := range theirs.Calls {
		if !slices.Equal(c.Names, known) {
			t.Errorf("TRL hands %s %v; docs/graders.md knows %v", c.Function, c.Names, known)
		}
		for n, reward := range c.Rewards {
			k := rollout.Key{Split: rollout.Train, Item: fmt.Sprint("step-", i/3), Sample: n}
			if parts[k] == nil {
				parts[k] = make(map[string]float64)
				line := map[string]any{"item": k.Item, "sample": n, "messages": c.Completions[n], "answer": c.Completions[n][0].Content}
				_ = json.NewEncoder(&lines).Encode(line)
			}
			if reward != nil {
				parts[k][c.Function] = *reward
			}
		}
		if i%3 == 0 {
			row := map[string]any{"prompt": c.Prompts[0], "messages": c.Prompts[0], "answer": c.Answer[0], "level": c.Level[0]}
			_ = json.NewEncoder(&rows).Encode(map[string]any{"id": fmt.Sprint("step-", i/3), "split": "train", "row": row})
		}
	}
	write(t, dir, "rollouts.jsonl", lines.String())
	run := filepath.Join(dir, "run")
	p.gonogo(0, "import", filepath.Join(dir, "rollouts.jsonl"), "-o", run)
	write(t, run, "items.jsonl", rows.String())
	write(t, dir, "grader.yaml", "type: trl\nfile: "+filepath.Join(p.scripts, "rewards.py")+"\nfunctions: [correct, brief, polite]\nweights: [1, 0.5, 0.25]\n")
	p.gonogo(0, "grade", run, "--grader", filepath.Join(dir, "grader.yaml"), "--set", "reward_range=[0,1.75]")
	sums := make(map[string]float64)
	none := 0
	for k, r := range p.records(run + "-graded") {
		want := 0.0
		for name, part := range parts[k] {
			want += weights[name] * part
			if r.Parts[name] != part {
				t.Errorf("%v: %s is %v, by TRL %v", k, name, r.Parts[name], part)
			}
		}
		if len(r.Parts) != len(parts[k]) || r.Reward == nil || !near(*r.Reward, want) {
			t.Errorf("%v is %s, %s: reward %v of %v, by TRL %v of %v", k, r.Outcome, r.Error, r.Reward, r.Parts, want, parts[k])
			continue
		}
		none += 3 - len(r.Parts)
		sums[k.Item] += *r.Reward
	}
	for i, step := range theirs.Log {
		if mean := sums[fmt.Sprint("step-", i)] / 4; mean < step.Reward-1e-5 || mean > step.Reward+1e-5 { // it logs single precision
			t.Errorf("the group of step %d has a mean of %v, by TRL %v", i, mean, step.Reward)
		}
	}
	if none != 8 {
		t.Errorf("a function gave None %d times, want 8: two hard rows of four completions", none)
	}
}
