package pilot

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"gonogo/analysis"
	"gonogo/analysis/stat"
)

// simulated is a training of 40 steps of 8 groups of 8 on 96 items that are right with probabilities
// from Beta(0.6, 1.4). Of the room above them learned is won, linearly over the steps. The base run
// and each look at eval have 8 samples of each item.
type simulated struct {
	learned float64
	eval    bool // looks at eval after 10, 20 and 40 steps
}

const (
	simulatedItems   = 96
	simulatedSteps   = 40
	simulatedSamples = 8
	simulatedGroups  = 8 // a step
)

func (s simulated) input(rng *rand.Rand) Input {
	skill := distuv.Beta{Alpha: 0.6, Beta: 1.4, Src: rng}
	train, eval := make([]float64, simulatedItems), make([]float64, simulatedItems)
	for i := range train {
		train[i], eval[i] = skill.Rand(), skill.Rand()
	}
	drawn := func(p float64, steps int) []float64 {
		p += (1 - p) * s.learned * float64(steps) / simulatedSteps
		out := make([]float64, simulatedSamples)
		for i := range out {
			if rng.Float64() < p {
				out[i] = 1
			}
		}
		return out
	}
	sampled := func(ps []float64, steps int) []Item {
		items := make([]Item, len(ps))
		for i, p := range ps {
			items[i] = Item{ID: fmt.Sprint(i), Rewards: drawn(p, steps)}
		}
		return items
	}
	in := Input{
		Range: stat.Range{Lo: 0, Hi: 1}, Train: sampled(train, 0), Eval: sampled(eval, 0),
		Looks: DefaultLooks(0, 0),
	}
	order := rng.Perm(simulatedItems)
	for step := range simulatedSteps {
		for k := range simulatedGroups {
			at := (step*simulatedGroups + k) % simulatedItems
			if at == 0 {
				order = rng.Perm(simulatedItems)
			}
			id := fmt.Sprint(order[at])
			in.Groups = append(in.Groups, Group{Step: step + 1, Item: id, Name: id, Rewards: drawn(train[order[at]], step)})
		}
	}
	if s.eval {
		for _, l := range in.Looks {
			in.Evals = append(in.Evals, Eval{Step: l.Step, Items: sampled(eval, l.Step)})
		}
	}
	return in
}

// answers counts the trainings by the first GO or NO-GO of their looks.
func (s simulated) answers(t *testing.T, trainings int, seed uint64) map[analysis.Verdict]int {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	counts := make(map[analysis.Verdict]int)
	for range trainings {
		j, err := newJudgement(s.input(rng)) // as Judge, without the points of the picture
		if err != nil {
			t.Fatal(err)
		}
		answer := analysis.Undecided
		for i, at := range j.reached {
			if answer = j.look(i, at).Verdict.Answer; answer != analysis.Undecided {
				break
			}
		}
		counts[answer]++
	}
	return counts
}

// TestLongSimulatedTrainings checks the error over three looks that share a base run: at most 2.5 % of the
// trainings that do nothing get a GO at any look (each has 0.025/3, by Bonferroni), and at least 90 %
// get one if they win a quarter of the room in 40 steps with eval looks, or half of it without.
func TestLongSimulatedTrainings(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	for _, c := range []struct {
		name              string
		training          simulated
		trainings         int
		leastGo, mostGo   float64
		leastStop, mostSt float64
	}{
		{"nothing, by reward", simulated{}, 2000, 0, 0.025, 0, 0},
		{"nothing, with eval", simulated{eval: true}, 2000, 0, 0.025, 0, 1},
		{"half, by reward", simulated{learned: 0.5}, 500, 0.9, 1, 0, 0},
		{"a quarter, with eval", simulated{learned: 0.25, eval: true}, 500, 0.9, 1, 0, 0.05},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := c.training.answers(t, c.trainings, 41)
			share := func(v analysis.Verdict) float64 { return float64(n[v]) / float64(c.trainings) }
			t.Logf("of %d: GO %d, NO-GO %d", c.trainings, n[analysis.Go], n[analysis.NoGo])
			if got := share(analysis.Go); got < c.leastGo || got > c.mostGo {
				t.Errorf("GO in %.4f, want %g to %g", got, c.leastGo, c.mostGo)
			}
			if got := share(analysis.NoGo); got < c.leastStop || got > c.mostSt {
				t.Errorf("NO-GO in %.4f, want %g to %g", got, c.leastStop, c.mostSt)
			}
		})
	}
}
