package pilot

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonogo/analysis"
)

// learns, and stays are logs of 45 steps with eval looks at 10, 20 and 40.
func learns() world {
	return world{base: 0.3, train: rising(0.3, 0.4, 20), eval: rising(0.3, 0.4, 20), steps: 45, evals: []int{10, 20, 40}}
}

func doesNothing() world {
	return world{base: 0.3, train: still(0.3), eval: still(0.3), steps: 45, evals: []int{10, 20, 40}}
}

// fails is a training whose checkpoints never succeed.
func fails() world {
	return world{
		base: 0.3, train: still(0.3), eval: func(int) float64 { return 0 }, steps: 45, evals: []int{10, 20, 40},
	}
}

// neverRight is a training of 100 steps whose base model never succeeds, and neither does it.
func neverRight() world {
	return world{base: 0, train: still(0), eval: still(0), steps: 45, evals: []int{10, 20, 40}, change: of(100)}
}

// What must not be taken for a change, and what must not decide.
func TestWhatDecidesNothing(t *testing.T) {
	for _, row := range []struct {
		name string
		w    world
		bend func(in *Input)
		want analysis.Verdict
		says string // id of the message that says why
	}{
		{"wrong answers without a reward are no rise", doesNothing(), func(in *Input) {
			in.Evals = nil
			for i := range in.Groups {
				g := &in.Groups[i]
				kept := g.Rewards[:0:0]
				for k, y := range g.Rewards {
					if g.Step < 4 || y > 0 || k%2 == 0 {
						kept = append(kept, y)
					}
				}
				g.Missing += len(g.Rewards) - len(kept)
				g.Rewards = kept
			}
		}, analysis.Undecided, "pilot.withheld.missing"},
		{"a checkpoint of step 29 does not stop a log of 45", doesNothing(), func(in *Input) {
			in.Evals = in.Evals[2:]
			in.Evals[0].Step = 29
		}, analysis.Undecided, ""},
		{"eval items of another file are no eval look", learns(), func(in *Input) {
			in.Evals = in.Evals[2:]
			for i := range in.Evals[0].Items {
				if i%2 == 0 {
					in.Evals[0].Items[i].ID += "?"
				}
			}
		}, analysis.Undecided, "pilot.withheld.eval_matched"},
		{"a checkpoint whose rollouts were lost is no eval look", learns(), func(in *Input) {
			in.Evals = in.Evals[2:]
			in.Evals[0].Missing = 100
		}, analysis.Undecided, "pilot.withheld.eval_missing"},
		{"a checkpoint whose server parses no tool calls is no eval look", fails(), func(in *Input) {
			in.EvalCalls = 1.5
		}, analysis.Undecided, "pilot.withheld.eval_calls"},
		{"a training that unlearns its tools is stopped", fails(), func(in *Input) {
			in.EvalCalls = 1.5
			for i := range in.Groups {
				in.Groups[i].Measured.Calls = true
			}
		}, analysis.NoGo, "pilot.reason.flat"},
		{"no group has ever taught anything", neverRight(), func(*Input) {}, analysis.NoGo, "pilot.reason.barren"},
		{"nine steps of a resumed log show little", neverRight(), func(in *Input) {
			in.Steps, in.Evals = 500, in.Evals[2:]
			in.Evals[0].Step = 109
			for i := range in.Groups {
				in.Groups[i].Step += 100
			}
			in.Groups = slices.DeleteFunc(in.Groups, func(g Group) bool { return g.Step > 110 })
		}, analysis.Undecided, "pilot.reason.eval_unclear"},
		{"one rollout an item is no group", neverRight(), func(in *Input) {
			var single []Group
			for _, g := range in.Groups {
				for _, y := range g.Rewards {
					single = append(single, Group{Step: g.Step, Item: g.Item, Name: g.Name, Rewards: []float64{y}})
				}
			}
			in.Groups = single
		}, analysis.Undecided, "pilot.reason.eval_unclear"},
		{"groups without most of their rewards show nothing", neverRight(), func(in *Input) {
			for i := range in.Groups {
				in.Groups[i].Rewards, in.Groups[i].Missing = in.Groups[i].Rewards[:2], 6
			}
		}, analysis.Undecided, "pilot.reason.eval_unclear"},
		{"a trainer that pays something else may have taught", neverRight(), func(in *Input) {
			in.Paid.Regraded = true
		}, analysis.Undecided, "pilot.reason.eval_unclear"},
		{"a training at its end cannot be stopped", neverRight(), func(in *Input) {
			in.Steps = 40
		}, analysis.Undecided, "pilot.reason.eval_unclear"},
		{"a log of means contradicts a base run that succeeds", doesNothing(), func(in *Input) {
			in.Steps = 100
			for i := range in.Groups {
				for k := range in.Groups[i].Rewards {
					in.Groups[i].Rewards[k] = 0.3
				}
			}
			in.Evals = in.Evals[2:]
			for i := range in.Evals[0].Items {
				in.Evals[0].Items[i].Rewards = []float64{float64(i%2) * 0.58}
			}
		}, analysis.Undecided, ""},
		{"a checkpoint of a task without tools makes no calls", learns(), func(*Input) {}, analysis.Go, ""},
		{"a log that begins late has no zero check", learns(), func(in *Input) {
			in.Evals = nil
			for i := range in.Groups {
				in.Groups[i].Step += 100
			}
		}, analysis.Undecided, "pilot.reason.no_zero"},
		{"a training that is not of the run's items may be paid otherwise", learns(), func(in *Input) {
			in.Evals = nil
			in.Groups = append(in.Groups, Group{Step: 45, Name: "foreign", Rewards: []float64{7, 7}})
		}, analysis.Go, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			in := row.w.input(5)
			row.bend(&in)
			r, err := Judge(in)
			if err != nil {
				t.Fatal(err)
			}
			why := r.Verdict.Reason
			if nested, ok := why.Args["why"]; ok && row.says != why.ID && nested.Text != nil {
				why = *nested.Text
			}
			if r.Verdict.Answer != row.want || row.says != "" && why.ID != row.says {
				t.Errorf("%s by %s (%s), want %s by %s", r.Verdict.Answer, why.ID, r.Verdict.Reason, row.want, row.says)
			}
		})
	}
}

// A log that drops groups shows no rise, also before its first look.
func TestNoCurveOfWhatCannotBeCompared(t *testing.T) {
	w := doesNothing()
	w.base, w.train, w.steps, w.evals = 0.05, still(0.05), 9, nil
	w.change = filtered
	r, err := Judge(w.input(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Steps {
		if p.Value != nil {
			t.Fatalf("step %d shows %g", p.Step, *p.Value)
		}
	}
	if len(r.Looks) != 0 || len(r.Notes) != 1 || r.Notes[0].ID != "pilot.reason.withheld" {
		t.Errorf("%d looks and the notes %v", len(r.Looks), r.Notes)
	}
}

// The zero check allows for how few items it has: two items of differences 0.1 and 0.5 have a mean of 0.3 and
// a standard error of 0.2, and t(1) at 0.99865 is 235.8 (of R 4.5: qt(0.99865, 1)).
func TestTheZeroCheckCountsItsItems(t *testing.T) {
	in := doesNothing().input(1)
	in.Groups = []Group{
		{Step: 1, Item: "t0", Rewards: []float64{0.1}},
		{Step: 1, Item: "t1", Rewards: []float64{0.5}},
		{Step: 4, Item: "t2", Rewards: []float64{1}},
	}
	in.Train = []Item{{"t0", []float64{0}}, {"t1", []float64{0}}, {"t2", []float64{0}}}
	j, err := newJudgement(in)
	if err != nil {
		t.Fatal(err)
	}
	if z := j.zero; z == nil || z.Items != 2 || !z.Holds || math.Abs(z.Allowed-0.2*235.8) > 0.05 {
		t.Errorf("%+v", z)
	}
}

// A look is not due in the past: 20 steps from 100 on hold 1,280 rollouts, and 2,560 need 20 more.
func TestTheNextLookIsAhead(t *testing.T) {
	w := doesNothing()
	w.steps, w.evals = 20, nil
	in := w.input(1)
	for i := range in.Groups {
		in.Groups[i].Step += 99
	}
	r, err := Judge(in)
	if err != nil {
		t.Fatal(err)
	}
	if r.NextLook == nil || *r.NextLook != 139 {
		t.Errorf("next look %v, want 139", r.NextLook)
	}
}

// The last step counts although a rollout was lost, and the rollouts of a look may lack a tenth.
func TestALostRolloutDelaysNoLook(t *testing.T) {
	w := doesNothing()
	w.steps, w.evals = 10, nil
	in := w.input(1)
	last := &in.Groups[len(in.Groups)-1]
	last.Rewards = last.Rewards[1:]
	r, err := Judge(in)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Looks) != 1 || r.Looks[0].Step != 10 {
		t.Errorf("%d looks", len(r.Looks))
	}
}

// Items of p = 0, 1/95, ..., 1 under the right ids, and under shuffled ones, in a training that learns: of
// 100 logs at most two right ones are refused, and at least 95 shuffled ones.
func TestItemsUnderOtherIDs(t *testing.T) {
	refused := map[bool]int{}
	for seed := range uint64(100) {
		for _, shuffled := range []bool{false, true} {
			random := rand.New(rand.NewPCG(seed, 2))
			draw := func(p float64) []float64 {
				ys := make([]float64, 8)
				for i := range ys {
					if random.Float64() < p {
						ys[i] = 1
					}
				}
				return ys
			}
			in := doesNothing().input(seed)
			in.Groups, in.Evals = nil, nil
			order := random.Perm(len(in.Train))
			for i := range in.Train {
				p := float64(i) / float64(len(in.Train)-1)
				in.Train[i].Rewards = draw(p)
				id := in.Train[i].ID
				if shuffled {
					id = in.Train[order[i]].ID
				}
				in.Groups = append(in.Groups, Group{Step: 1 + i%10, Item: id, Name: id, Rewards: draw(min(1, p+0.2))})
			}
			j, err := newJudgement(in)
			if err != nil {
				t.Fatal(err)
			}
			if j.mismatched() {
				refused[shuffled]++
			}
		}
	}
	if refused[false] > 2 || refused[true] < 95 {
		t.Errorf("refused %d right logs and %d shuffled ones of 100", refused[false], refused[true])
	}
}
