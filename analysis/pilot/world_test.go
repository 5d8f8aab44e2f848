package pilot

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/stat"
)

// world is a simulated training: 96 items on train and 192 on eval, 8 base samples each, 8 groups of
// 8 a step. Rewards are 0 or 1.
type world struct {
	name        string
	base        float64                              // probability of a right answer in the base run
	train, eval func(step int) float64               // the same after so many updates
	steps       int                                  // in the log
	evals       []int                                // checkpoints that were sampled
	change      func(in *Input, log []Group) []Group // what else is special
	want        analysis.Verdict
	next        int // the step of the next look; 0 for none, -1 for any
	least       int // verdicts in a hundred that are right; 0 for 95
}

func still(p float64) func(int) float64 { return func(int) float64 { return p } }

// rising grows from p by gain within steps.
func rising(p, gain float64, steps int) func(int) float64 {
	return func(step int) float64 { return p + gain*min(float64(step)/float64(steps), 1) }
}

func (w world) input(seed uint64) Input {
	random := rand.New(rand.NewPCG(seed, 1))
	draw := func(p float64, n int) []float64 {
		ys := make([]float64, n)
		for i := range ys {
			if random.Float64() < p {
				ys[i] = 1
			}
		}
		return ys
	}
	const train, eval, samples, groups, size = 96, 192, 8, 8, 8
	in := Input{Range: stat.Range{Lo: 0, Hi: 1}, Tolerance: 1e-6, Looks: DefaultLooks(0, 0), Paid: Agreement{Checked: 64, Agree: 64}}
	for i := range train {
		in.Train = append(in.Train, Item{fmt.Sprint("t", i), draw(w.base, samples)})
	}
	for i := range eval {
		in.Eval = append(in.Eval, Item{fmt.Sprint("e", i), draw(w.base, samples)})
	}
	var log []Group
	for step := 1; step <= w.steps; step++ {
		for _, i := range random.Perm(train)[:groups] {
			id := in.Train[i].ID
			log = append(log, Group{Step: step, Item: id, Name: id, Rewards: draw(w.train(step-1), size)})
		}
	}
	for _, at := range w.evals {
		e := Eval{Step: at}
		for _, it := range in.Eval {
			e.Items = append(e.Items, Item{it.ID, draw(w.eval(at), samples)})
		}
		in.Evals = append(in.Evals, e)
	}
	if w.change != nil {
		log = w.change(&in, log)
	}
	in.Groups = log
	return in
}

// filtered drops the groups of equal reward, as dynamic sampling does.
func filtered(_ *Input, log []Group) []Group {
	var kept []Group
	for _, g := range log {
		if mean, _ := stat.MeanVariance(g.Rewards); mean > 0 && mean < 1 {
			kept = append(kept, g)
		}
	}
	return kept
}

// chosen trains on the items that no base sample solved, though all are equally hard.
func chosen(in *Input, log []Group) []Group {
	var worst []string
	for _, it := range in.Train {
		if mean, _ := stat.MeanVariance(it.Rewards); mean <= 0.125 {
			worst = append(worst, it.ID)
		}
	}
	for i := range log {
		log[i].Item = worst[i%len(worst)]
		log[i].Name = log[i].Item
	}
	return log
}

// penalized takes something off every reward, as a length penalty of the trainer does.
func penalized(_ *Input, log []Group) []Group {
	for i := range log {
		for k := range log[i].Rewards {
			log[i].Rewards[k] -= 0.03 * float64(k)
		}
	}
	return log
}

// sampled keeps the base run of few items that the training shows.
func sampled(in *Input, log []Group) []Group {
	known := make(map[string]bool)
	for i := range 10 {
		known[in.Train[i].ID] = true
	}
	in.Train = in.Train[:10]
	for i := range log {
		if !known[log[i].Item] {
			log[i].Item = ""
		}
	}
	return log
}

// scaled pays −1 for a wrong answer and 10 for a right one.
func scaled(in *Input, log []Group) []Group {
	in.Range, in.Tolerance = stat.Range{Lo: -1, Hi: 10}, 1e-6*11
	scale := func(ys []float64) {
		for i := range ys {
			ys[i] = 11*ys[i] - 1
		}
	}
	for _, items := range [][]Item{in.Train, in.Eval} {
		for _, it := range items {
			scale(it.Rewards)
		}
	}
	for _, e := range in.Evals {
		for _, it := range e.Items {
			scale(it.Rewards)
		}
	}
	for _, g := range log {
		scale(g.Rewards)
	}
	return log
}

// lagging is a log whose rollouts were made by the weights of two steps before.
func lagging(_ *Input, log []Group) []Group {
	for i := range log {
		log[i].Step = max(1, log[i].Step-2)
	}
	return log
}

// of is a training of so many steps.
func of(steps int) func(*Input, []Group) []Group {
	return func(in *Input, log []Group) []Group {
		in.Steps = steps
		return log
	}
}

// hole is a log in which the best paid answers have become empty ones, which the audit saw paid.
func hole(in *Input, log []Group) []Group {
	paid := true
	in.Holes = []Hole{{Kind: "empty", Base: 0, Top: 0.6, N: 200, Paid: &paid}}
	return log
}

var worlds = []world{
	{name: "takes hold, with eval", base: 0.3, train: rising(0.3, 0.3, 20), eval: rising(0.3, 0.3, 20), steps: 21, evals: []int{20}, want: analysis.Go, next: 40},
	{name: "takes hold, by training reward", base: 0.3, train: rising(0.3, 0.3, 20), steps: 21, want: analysis.Go, next: 40, least: 70},
	{name: "nothing, with eval, at 20", base: 0.3, train: still(0.3), eval: still(0.3), steps: 21, evals: []int{10, 20}, want: analysis.Undecided, next: 40},
	{name: "nothing, with eval, at 40", base: 0.3, train: still(0.3), eval: still(0.3), steps: 41, evals: []int{10, 20, 40}, want: analysis.NoGo, least: 60},
	{name: "nothing moves by 20, and then it does", base: 0.3, train: func(step int) float64 { return 0.3 + 0.02*max(0, float64(step-20)) }, eval: func(step int) float64 { return 0.3 + 0.02*max(0, float64(step-20)) }, steps: 41, evals: []int{20, 40}, want: analysis.Go},
	{name: "nothing, first look only", base: 0.3, train: still(0.3), eval: still(0.3), steps: 11, evals: []int{10}, want: analysis.Undecided, next: 20},
	{name: "nothing, by training reward", base: 0.3, train: still(0.3), steps: 41, want: analysis.Undecided},
	{name: "by heart, at 20", base: 0.3, train: rising(0.3, 0.3, 20), eval: still(0.3), steps: 21, evals: []int{20}, want: analysis.Undecided, next: 40, least: 90},
	{name: "by heart, at the last look", base: 0.3, train: rising(0.3, 0.3, 20), eval: still(0.3), steps: 41, evals: []int{20, 40}, want: analysis.NoGo, least: 70},
	{name: "a hole is learned", base: 0.3, train: rising(0.3, 0.5, 20), eval: rising(0.3, 0.5, 20), steps: 21, evals: []int{20}, change: hole, want: analysis.NoGo, next: 40},
	{name: "late, at 20", base: 0, train: rising(0, 0, 1), eval: still(0), steps: 21, evals: []int{20}, want: analysis.Undecided, next: 40},
	{name: "late, at 40", base: 0, train: func(step int) float64 { return max(0, float64(step-25)/50) }, eval: func(step int) float64 { return max(0, float64(step-25)/50) }, steps: 41, evals: []int{20, 40}, want: analysis.Go},

	{name: "never right, at 20", base: 0, train: still(0), eval: still(0), steps: 21, evals: []int{20}, change: of(100), want: analysis.Undecided, next: 40},
	{name: "never right, at 40 of 100", base: 0, train: still(0), eval: still(0), steps: 41, evals: []int{20, 40}, change: of(100), want: analysis.NoGo},
	{name: "never right, at 40 of 200", base: 0, train: still(0), eval: still(0), steps: 41, evals: []int{20, 40}, change: of(200), want: analysis.NoGo},
	{name: "never right, at 40 of 300", base: 0, train: still(0), eval: still(0), steps: 41, evals: []int{20, 40}, change: of(300), want: analysis.Undecided},
	{name: "never right, at 40 of an unknown number", base: 0, train: still(0), eval: still(0), steps: 41, evals: []int{20, 40}, want: analysis.Undecided},
	{name: "first right at 37 of 40", base: 0, train: func(step int) float64 { return 0.02 * max(0, min(1, float64(step-36))) }, eval: still(0), steps: 41, evals: []int{20, 40}, change: of(100), want: analysis.Undecided},
	{name: "first right after the last look", base: 0, train: func(step int) float64 { return max(0, float64(step-44)/50) }, eval: still(0), steps: 60, evals: []int{20, 40}, change: of(100), want: analysis.Undecided},

	{name: "groups of equal reward dropped, nothing learned", base: 0.05, train: still(0.05), steps: 45, change: filtered, want: analysis.Undecided, next: -1},
	{name: "groups of equal reward dropped, learned", base: 0.3, train: rising(0.3, 0.3, 20), eval: rising(0.3, 0.3, 20), steps: 30, evals: []int{20}, change: filtered, want: analysis.Go, next: -1},
	{name: "items chosen by the base run's samples, nothing learned", base: 0.3, train: still(0.3), steps: 41, change: chosen, want: analysis.Undecided},
	{name: "items chosen by the base run's samples, learned", base: 0.3, train: rising(0.3, 0.3, 20), eval: rising(0.3, 0.3, 20), steps: 21, evals: []int{20}, change: chosen, want: analysis.Go, next: 40},
	{name: "another temperature in training", base: 0.3, train: still(0.5), eval: still(0.3), steps: 21, want: analysis.Undecided, next: 40},
	{name: "a length penalty, learned", base: 0.3, train: rising(0.3, 0.3, 20), eval: rising(0.3, 0.3, 20), steps: 21, evals: []int{20}, change: penalized, want: analysis.Go, next: 40},
	{name: "a length penalty, by training reward", base: 0.3, train: rising(0.3, 0.3, 20), steps: 41, change: penalized, want: analysis.Undecided},
	{name: "few of many items in the base run", base: 0.3, train: rising(0.3, 0.3, 20), steps: 41, change: sampled, want: analysis.Undecided},
	{name: "rewards on -1 to 10, nothing learned", base: 0.3, train: still(0.3), eval: still(0.3), steps: 41, evals: []int{20, 40}, change: scaled, want: analysis.NoGo, least: 50},
	{name: "rewards on -1 to 10, learned", base: 0.3, train: rising(0.3, 0.3, 20), steps: 21, change: scaled, want: analysis.Go, next: 40, least: 70},
	{name: "a policy lag of two steps, nothing learned", base: 0.3, train: still(0.3), steps: 43, change: lagging, want: analysis.Undecided},
	{name: "a policy lag of two steps, learned", base: 0.3, train: rising(0.3, 0.4, 20), steps: 43, change: lagging, want: analysis.Go, least: 85},
}

// TestWorlds judges eight simulated trainings of each world.
func TestWorlds(t *testing.T) { judgeWorlds(t, 8) }

// TestLongTrainingsOfEveryWorld judges forty.
func TestLongTrainingsOfEveryWorld(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	judgeWorlds(t, 40)
}

// judgeWorlds wants each world's verdict in at least 95 % of its simulated trainings, or in the share that it
// names: one look of 192 items stops 67 % of the trainings that do nothing. The opposite verdict comes at most
// once, as the bounds of the looks allow.
func judgeWorlds(t *testing.T, draws int) {
	t.Helper()
	for _, w := range worlds {
		t.Run(w.name, func(t *testing.T) {
			counts := make(map[analysis.Verdict]int)
			var reason string
			for seed := range uint64(draws) {
				r, err := Judge(w.input(seed))
				if err != nil {
					t.Fatal(err)
				}
				counts[r.Verdict.Answer]++
				if r.Verdict.Answer != w.want {
					reason = r.Verdict.Reason.String()
				}
				switch {
				case w.next == 0 && r.NextLook != nil:
					t.Fatalf("next look %d, want none", *r.NextLook)
				case w.next > 0 && (r.NextLook == nil || *r.NextLook != w.next):
					t.Fatalf("next look %v, want %d", r.NextLook, w.next)
				}
			}
			opposite := map[analysis.Verdict]analysis.Verdict{analysis.Go: analysis.NoGo, analysis.NoGo: analysis.Go}[w.want]
			if 100*counts[w.want] < cmp.Or(w.least, 95)*draws || opposite != "" && counts[opposite] > 1 {
				t.Errorf("verdicts %v, want %s; such as: %s", counts, w.want, reason)
			}
		})
	}
}
