package peers

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// The zoo of rl-envdoctor has 15 graders with a defect that is known and 8 sound ones. An audit without
// rollouts, and one of a run with rollouts of a made-up model, block at least 14 of the former and at most
// one of the latter. Prints both next to what the package itself finds.
func TestRLEnvdoctorsZoo(t *testing.T) {
	p := meet(t, "rl-envdoctor")
	dir := t.TempDir()
	zoo := filepath.Join(dir, "zoo")
	specimens := decode[[]struct {
		Name   string
		Sound  bool
		Theirs bool
	}](p, p.python("make.py", zoo))
	var table strings.Builder
	fmt.Fprintf(&table, "%-26s %-6s %-12s %-12s %s\n", "grader", "sound", "audit alone", "with a run", "rl-envdoctor")
	blocked, alarms := map[string]int{}, map[string]int{}
	defects := 0
	for _, s := range specimens {
		folder := filepath.Join(zoo, s.Name)
		write(t, folder, "gonogo.yaml", fmt.Sprintf(`data: {train: train.jsonl}
grader: {type: trl, file: reward.py, functions: [reward]}
python: {interpreter: %q}
reward_range: [0, 1]
model: {name: none}
`, filepath.Join(p.env, "bin", "python")))
		config := filepath.Join(folder, "gonogo.yaml")
		p.gonogo(0, "import", filepath.Join(folder, "rollouts.jsonl"), "-o", filepath.Join(folder, "run"))
		if !s.Sound {
			defects++
		}
		codes := map[string]int{}
		for _, run := range []string{"alone", "run"} {
			code := p.exit("audit", filepath.Join(folder, run), "-c", config)
			codes[run] = code
			switch {
			case code == 2 && s.Name == "unbounded_reward" || code == 3 || code == 4: // 2: a reward outside the range
				if s.Sound {
					alarms[run]++
				} else {
					blocked[run]++
				}
			case code != 0:
				t.Errorf("%s: exit code %d", s.Name, code)
			}
		}
		said := map[bool]string{true: "right", false: "wrong"}[s.Theirs]
		fmt.Fprintf(&table, "%-26s %-6v %-12d %-12d %s\n", s.Name, s.Sound, codes["alone"], codes["run"], said)
	}
	t.Log("\n" + table.String())
	if len(specimens) != 23 || defects != 15 {
		t.Fatalf("%d graders, %d with a defect: want 23 and 15", len(specimens), defects)
	}
	for _, run := range []string{"alone", "run"} {
		t.Logf("%s: %d of %d defects blocked, %d of 8 sound ones", run, blocked[run], defects, alarms[run])
		if blocked[run] < 14 || alarms[run] > 1 {
			t.Errorf("%s: %d of %d defects blocked, %d of 8 sound ones", run, blocked[run], defects, alarms[run])
		}
	}
}
