package reporttest

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/pilot"
	"gonogo/analysis/stat"
)

// training is a simulated training: the chance of success of each item moves from that of the base
// run by a share of what is left.
type training struct {
	name    string
	verdict analysis.Verdict
	step    int // of the verdict
	steps   int
	first   int // number of the first step
	learned func(step int) float64
	eval    func(step int) float64 // nil: as on train
	looks   []pilot.Planned
	evals   []int // steps of sampled checkpoints
	bend    func(*pilot.Input)
	after   func(*pilot.Result)
}

func trainings() []training {
	usual := pilot.DefaultLooks(0, 0)
	slowly := func(by float64) func(int) float64 {
		return func(step int) float64 { return by * (1 - math.Exp(-float64(step)/12)) }
	}
	nothing := func(int) float64 { return 0 }
	yes := true
	return []training{
		{name: "rises", verdict: analysis.Go, step: 20, steps: 24, first: 1, learned: slowly(0.6), looks: usual, evals: []int{10, 20}, after: func(r *pilot.Result) {
			r.Forecast = &pilot.Forecast{Gain: 0.31, Low: 0.18, High: 0.44, Trainings: 416, Kinds: 24}
		}},
		{name: "reward_alone", verdict: analysis.Go, step: 19, steps: 22, first: 0, learned: slowly(0.9), looks: usual},
		{name: "flat", verdict: analysis.NoGo, step: 40, steps: 40, first: 1, learned: nothing, looks: usual, evals: []int{10, 20, 40}},
		{name: "one_step", verdict: analysis.Undecided, steps: 1, first: 1, learned: nothing, looks: usual},
		{name: "long", verdict: analysis.Undecided, step: 40, steps: 300, first: 1, learned: slowly(0.01), looks: usual},
		{name: "withheld", verdict: analysis.Go, step: 20, steps: 20, first: 1, learned: slowly(0.4), looks: usual, evals: []int{10, 20}, bend: func(in *pilot.Input) {
			in.Paid = pilot.Agreement{Checked: 64, Agree: 12}
		}},
		{name: "withheld_alone", verdict: analysis.Undecided, step: 20, steps: 20, first: 1, learned: slowly(0.4), looks: usual, bend: func(in *pilot.Input) {
			in.Paid = pilot.Agreement{Checked: 64, Agree: 12}
		}},
		{name: "zero", verdict: analysis.Undecided, step: 20, steps: 20, first: 1, learned: func(int) float64 { return 0.5 }, looks: usual, evals: []int{20}},
		{name: "by_heart", verdict: analysis.NoGo, step: 40, steps: 40, first: 1, learned: slowly(0.6), eval: slowly(-0.05), looks: usual, evals: []int{10, 20, 40}},
		{name: "negative", verdict: analysis.Undecided, step: 40, steps: 40, first: 1, learned: slowly(-0.7), looks: usual, bend: func(in *pilot.Input) { stretch(in, -1, 2.5) }},
		{name: "tiny_range", verdict: analysis.Go, step: 10, steps: 15, first: 1, learned: slowly(0.5), looks: usual, evals: []int{10}, bend: func(in *pilot.Input) { stretch(in, 0, 1e-6) }},
		{name: "hole", verdict: analysis.NoGo, step: 10, steps: 14, first: 1, learned: slowly(0.8), looks: usual, bend: func(in *pilot.Input) {
			in.Holes = []pilot.Hole{{Kind: "claim", Base: 0.002, Top: 0.61, N: 310, Paid: &yes}, {Kind: "empty", N: 310}}
		}},
		{name: "hostile", verdict: analysis.Undecided, step: 20, steps: 20, first: 1, learned: slowly(0.05), looks: usual, evals: []int{20}, bend: func(in *pilot.Input) {
			for i := range in.Groups {
				if i%40 == 0 {
					in.Groups[i].Item, in.Groups[i].Name = "", fmt.Sprintf(hostile[i/40%len(hostile)], i)
				}
			}
		}, after: func(r *pilot.Result) {
			r.Notes = []message.Text{message.ForeignText(fmt.Sprintf(hostile[0], 1) + "\x1b[2J")}
			r.Curves = []pilot.Curve{{Name: fmt.Sprintf(hostile[1], 2) + "\u202e", Steps: []int{1, 2}, Values: []float64{0.25, 0.5}}}
			r.Inputs = []pilot.Source{{Name: "<img src=x onerror=alert(1)>.jsonl", SHA256: "9f86d081884c7d659a2feaa0c55ad015"}}
		}},
		{name: "curves", verdict: analysis.Undecided, learned: nothing, looks: usual, after: func(r *pilot.Result) {
			for _, name := range []string{"entropy", "train/reward"} {
				c := pilot.Curve{Name: name}
				for step := 1; step <= 30; step++ {
					c.Steps = append(c.Steps, step)
					c.Values = append(c.Values, 0.4+0.3*slowly(1)(step)+0.05*math.Sin(float64(7*step)))
				}
				r.Curves = append(r.Curves, c)
			}
		}},
	}
}

// stretch maps rewards of 0 to 1 to another range.
func stretch(in *pilot.Input, lo, hi float64) {
	move := func(ys []float64) {
		for i := range ys {
			ys[i] = lo + (hi-lo)*ys[i]
		}
	}
	for _, items := range [][]pilot.Item{in.Train, in.Eval} {
		for i := range items {
			move(items[i].Rewards)
		}
	}
	for i := range in.Groups {
		move(in.Groups[i].Rewards)
	}
	for i := range in.Evals {
		for k := range in.Evals[i].Items {
			move(in.Evals[i].Items[k].Rewards)
		}
	}
	in.Range = stat.Range{Lo: lo, Hi: hi}
}

const (
	pilotItems, pilotSamples = 96, 8
	pilotGroups, pilotGroup  = 8, 8
)

func (w training) input() pilot.Input {
	seed := uint64(0)
	for _, b := range []byte(w.name) {
		seed += uint64(b)
	}
	random := rand.New(rand.NewPCG(41, seed))
	draw := func(p float64) []float64 {
		ys := make([]float64, pilotSamples)
		for i := range ys {
			if random.Float64() < p {
				ys[i] = 1
			}
		}
		return ys
	}
	moved := func(p, by float64) float64 {
		if by < 0 {
			return p * (1 + by)
		}
		return p + (1-p)*by
	}
	in := pilot.Input{Range: stat.Range{Lo: 0, Hi: 1}, Tolerance: 1e-9, Looks: w.looks, Paid: pilot.Agreement{Checked: 64, Agree: 64}}
	var train, eval []float64
	for i := range pilotItems {
		train, eval = append(train, 0.1+0.6*random.Float64()), append(eval, 0.1+0.6*random.Float64())
		in.Train = append(in.Train, pilot.Item{ID: fmt.Sprintf("train-%03d", i), Rewards: draw(train[i])})
		in.Eval = append(in.Eval, pilot.Item{ID: fmt.Sprintf("eval-%03d", i), Rewards: draw(eval[i])})
	}
	order := random.Perm(pilotItems)
	for s := range w.steps {
		for g := range pilotGroups {
			i := order[(s*pilotGroups+g)%pilotItems]
			ys := draw(moved(train[i], w.learned(s)))
			in.Groups = append(in.Groups, pilot.Group{
				Step: w.first + s, Item: in.Train[i].ID, Name: in.Train[i].ID, Rewards: ys,
				Tokens: pilotGroup * (180 + 2*s), Cut: s % 2, Calls: pilotGroup * 3, FailedCalls: 1,
				Measured: pilot.Measured{Tokens: true, Cut: true, Calls: true},
			})
		}
	}
	learned := w.learned
	if w.eval != nil {
		learned = w.eval
	}
	for _, step := range w.evals {
		e := pilot.Eval{Step: step}
		for i, p := range eval {
			e.Items = append(e.Items, pilot.Item{ID: in.Eval[i].ID, Rewards: draw(moved(p, learned(step)))})
		}
		in.Evals = append(in.Evals, e)
	}
	if w.bend != nil {
		w.bend(&in)
	}
	return in
}

func TestPilots(t *testing.T) {
	for _, w := range trainings() {
		t.Run(w.name, func(t *testing.T) {
			r := new(pilot.Result)
			if *update {
				var err error
				if r, err = pilot.Judge(w.input()); err != nil {
					t.Fatal(err)
				}
				r.Version = "1.2.0"
				if w.after != nil {
					w.after(r)
				}
				b, err := json.Marshal(r)
				if err == nil {
					err = os.WriteFile(filepath.Join("pilots", w.name+".json"), append(b, '\n'), 0o644)
				}
				if err != nil {
					t.Fatal(err)
				}
			} else {
				r = LoadPilot(t, w.name)
			}
			if v := r.Verdict; v.Answer != w.verdict || v.Step != w.step {
				t.Errorf("it is %s at step %d, want %s at %d: %s", v.Answer, v.Step, w.verdict, w.step, v.Reason)
			}
		})
	}
}
