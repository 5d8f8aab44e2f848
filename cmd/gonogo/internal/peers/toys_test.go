package peers

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// toy is a grader that a package ships, with or without a known defect. make.py writes its folder.
type toy struct {
	Name   string
	Sound  bool
	Theirs *bool // the package itself is right about it; nil if it was not asked
}

// auditToys audits each toy without rollouts and with those of a made-up model, and prints the exit codes. It
// returns how many toys with a defect are blocked, and which sound ones, by "alone" and "run".
func (p peer) auditToys(dir string, toys []toy) (blocked map[string]int, alarms map[string][]string) {
	p.Helper()
	var table strings.Builder
	fmt.Fprintf(&table, "%-26s %-6s %-12s %-12s %s\n", "grader", "sound", "audit alone", "with a run", "the package")
	blocked, alarms = map[string]int{}, map[string][]string{}
	for _, s := range toys {
		folder := filepath.Join(dir, s.Name)
		config := p.configure(folder)
		p.gonogo(0, "import", filepath.Join(folder, "rollouts.jsonl"), "-o", filepath.Join(folder, "run"))
		codes := map[string]int{}
		for _, run := range []string{"alone", "run"} {
			code := p.exit("audit", filepath.Join(folder, run), "-c", config)
			codes[run] = code
			switch {
			case code == 2 && s.Name == "unbounded_reward" || code == 3 || code == 4: // 2: a reward outside the range
				if s.Sound {
					alarms[run] = append(alarms[run], s.Name)
				} else {
					blocked[run]++
				}
			case code != 0:
				p.Errorf("%s: exit code %d", s.Name, code)
			}
		}
		said := ""
		if s.Theirs != nil {
			said = map[bool]string{true: "right", false: "wrong"}[*s.Theirs]
		}
		fmt.Fprintf(&table, "%-26s %-6v %-12d %-12d %s\n", s.Name, s.Sound, codes["alone"], codes["run"], said)
	}
	p.Log("\n" + table.String())
	return blocked, alarms
}

// configure writes the configuration of a folder with rows and a reward function, and returns its path.
func (p peer) configure(folder string) string {
	write(p.T, folder, "gonogo.yaml", fmt.Sprintf(`data: {train: train.jsonl}
grader: {type: trl, file: reward.py, functions: [reward]}
python: {interpreter: %q}
reward_range: [0, 1]
model: {name: none}
`, filepath.Join(p.env, "bin", "python")))
	return filepath.Join(folder, "gonogo.yaml")
}

// An audit with rollouts and one without block at least 14 of the 15 graders of the zoo that have a defect, and at
// most one of its 8 sound ones.
func TestZooOfRLEnvdoctor(t *testing.T) { meet(t, "rl-envdoctor").holdToys(15, 8, 14, 1) }

// Both audits block falsepass's toy, and not the toy without its defect.
func TestToyOfFalsepass(t *testing.T) { meet(t, "falsepass").holdToys(1, 1, 1, 0) }

// Both audits block substring_match of reward-doctor and none of its three sound verifiers. They pass last_number,
// which reads "not 42" as 42: who can deny the right number can also give it, so gonogo denies words alone.
func TestVerifiersOfRewardDoctor(t *testing.T) { meet(t, "reward-doctor").holdToys(2, 3, 1, 0) }

// holdToys audits the package's toys, of which so many have a defect and are sound. At least blocks of the former
// and at most alarms of the latter may be blocked.
func (p peer) holdToys(defects, sound, blocks, alarms int) {
	p.Helper()
	dir := filepath.Join(p.TempDir(), "toys")
	toys := decode[[]toy](p, p.python("make.py", dir))
	faulty := 0
	for _, s := range toys {
		if !s.Sound {
			faulty++
		}
	}
	if faulty != defects || len(toys)-faulty != sound {
		p.Fatalf("%d graders with a defect, %d sound: want %d and %d", faulty, len(toys)-faulty, defects, sound)
	}
	blocked, alarmed := p.auditToys(dir, toys)
	for _, run := range []string{"alone", "run"} {
		p.Logf("%s: %d of %d defects blocked, %d of %d sound ones", run, blocked[run], defects, len(alarmed[run]), sound)
		if blocked[run] < blocks || len(alarmed[run]) > alarms {
			p.Errorf("%s: %d of %d defects blocked, and sound ones: %q", run, blocked[run], defects, alarmed[run])
		}
	}
}
