package reporttest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/sampler/rollout"
)

// pairOfRuns is two simulated runs. Item i of a run succeeds with a chance of
// its own, moved by gain of the run.
type pairOfRuns struct {
	name    string
	answer  compare.Answer
	items   int
	samples int
	gain    func(item int) float64 // of new over base
	rename  bool                   // new has ids of its own
	plain   bool                   // rewards alone: no calls, tokens, times, categories
	fails   [2]float64             // share of rollouts whose tool failed, by run
	same    bool                   // both are the same rollouts
}

func pairsOfRuns() []pairOfRuns {
	none := func(int) float64 { return 0 }
	return []pairOfRuns{
		{name: "regressed", answer: compare.Regressed, items: 60, samples: 8, fails: [2]float64{0.01, 0.04}, gain: func(i int) float64 {
			return []float64{-0.5, -0.1, 0.05, 0}[i%4]
		}},
		{name: "improved", answer: compare.Improved, items: 40, samples: 8, gain: func(int) float64 { return 0.2 }, plain: true},
		{name: "cannot_tell", answer: compare.CannotTell, items: 24, samples: 4, gain: func(i int) float64 { return 0.3 * float64(i%3-1) }},
		{name: "unpaired", answer: compare.CannotTell, items: 30, samples: 4, gain: none, rename: true},
		{name: "identical", answer: compare.CannotTell, items: 20, samples: 4, gain: none, same: true},
		{name: "one_item", answer: compare.CannotTell, items: 1, samples: 2, gain: none},
		{name: "empty", answer: compare.CannotTell, gain: none},
	}
}

// TestComparisons asks package analysis for what it says of the pairs, and with
// -update freezes it.
func TestComparisons(t *testing.T) {
	for _, p := range pairsOfRuns() {
		t.Run(p.name, func(t *testing.T) {
			base := p.write(t, 0)
			new := p.write(t, 1)
			c, err := compare.Runs(t.Context(), base, new, rollout.ReadOptions{}, analysis.DefaultSettings())
			if err != nil {
				t.Fatal(err)
			}
			if c.Answer != p.answer {
				t.Errorf("answer is %s, want %s: %s", c.Answer, p.answer, c.Sentence)
			}
			if !*update {
				if frozen := Compared(t, p.name).Answer; frozen != p.answer {
					t.Errorf("the frozen answer is %s, want %s", frozen, p.answer)
				}
				return
			}
			c.Base.File, c.New.File = "base/rollouts.jsonl", "new/rollouts.jsonl"
			var b bytes.Buffer
			if err := c.Encode(&b); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join("comparisons", p.name+".json"), b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// write makes run 0, the base, or 1, the new one, from the same dice, so that
// items are the same.
func (p pairOfRuns) write(t *testing.T, which int) *rollout.Run {
	t.Helper()
	if p.same {
		which = 0
	}
	dice := rand.New(rand.NewPCG(uint64(100+which), 7))
	ease := rand.New(rand.NewPCG(5, 5))
	var lines strings.Builder
	for i := range p.items {
		chance := 0.25 + 0.6*ease.Float64()
		id := fmt.Sprintf("q%d", i+1)
		if which == 1 {
			chance += p.gain(i)
			if p.rename {
				id = "other-" + id
			}
		}
		for j := range p.samples {
			lines.WriteString(p.line(dice, id, i, j, which, chance))
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, rollout.RolloutsFile), []byte(lines.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	run, err := rollout.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func (p pairOfRuns) line(dice *rand.Rand, id string, item, sample, which int, chance float64) string {
	reward := 0.0
	for range 4 {
		if dice.Float64() < chance {
			reward += 0.25
		}
	}
	if p.plain {
		return fmt.Sprintf(`{"item":%q,"split":"eval","sample":%d,"reward":%g}`+"\n", id, sample, reward)
	}
	calls := strings.Repeat(`,{"turn":0,"name":"search","arguments":"{}","output":"x","status":"ok","elapsed_s":0.1}`, dice.IntN(3)+item%4+2*which*(item%2))
	graded := fmt.Sprintf(`"outcome":"graded","reward":%g`, reward)
	if dice.Float64() < p.fails[which] {
		graded = `"outcome":"tool","error":"search: connection refused"`
	}
	return fmt.Sprintf(`{"item":%q,"split":"eval","sample":%d,%s,"category":"%s","family":"f%d","answer":"answer %d of run %d: %d","turns":2,"elapsed_s":%.3f,"usage":{"input_tokens":%d,"output_tokens":%d},"calls":[%s]}`+"\n",
		id, sample, graded, []string{"lookup", "compare", "sum", "date"}[item%4], item/3, item, which, sample, 2+3*dice.Float64()+float64(which), 900+dice.IntN(200)+150*which, 90+dice.IntN(40), strings.TrimPrefix(calls, ","))
}
