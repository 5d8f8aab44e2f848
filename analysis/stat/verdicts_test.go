package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// gradedItems makes m items of n outputs, which are right with chances around p that differ by
// item, and are graded with the given error rates. The share keep[0] of the rejected outputs is
// labelled, and keep[1] of the accepted ones.
func gradedItems(rng *rand.Rand, m, n int, p, accept, reject float64, keep [2]float64) []Verdicts {
	items := make([]Verdicts, m)
	spread := min(p, 1-p)
	for i := range items {
		chance := p + spread*(2*rng.Float64()-1)
		for range n {
			right := rng.Float64() < chance
			accepted := rng.Float64() < accept
			if right {
				accepted = rng.Float64() >= reject
			}
			items[i].Outputs++
			items[i].Accepted += float64(oneIf(accepted))
			if c := items[i].of(accepted); rng.Float64() < keep[oneIf(accepted)] {
				c.N++
				c.Hits += float64(oneIf(right))
			}
		}
	}
	return items
}

func (v *Verdicts) of(accepted bool) *Counts {
	if accepted {
		return &v.OfAccepted
	}
	return &v.OfRejected
}

func oneIf(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// Four items of ten outputs. By hand: q = 16/40; a = 9/10, b = 2/10, so right = 0.4·0.9 + 0.6·0.2 =
// 0.48, false accepts = 0.04/0.52, false rejects = 0.12/0.48. Rogan & Gladen's (1978) formula with se =
// 0.75 and sp = 12/13 gives (0.4 + 12/13 - 1)/(0.75 + 12/13 - 1) = 0.48 as well.
func TestErrorsOf(t *testing.T) {
	items := []Verdicts{
		{4, 10, Counts{3, 3}, Counts{0, 2}},
		{2, 10, Counts{1, 2}, Counts{1, 3}},
		{6, 10, Counts{3, 3}, Counts{0, 3}},
		{4, 10, Counts{2, 2}, Counts{1, 2}},
	}
	e := ErrorsOf(items, 0.95)
	for _, c := range []struct {
		what string
		e    Estimate
		want float64
		n    int
	}{
		{"accepted", e.Accepted, 0.4, 40},
		{"wrong of the accepted", e.WrongAccepted, 0.1, 10},
		{"right of the rejected", e.RightRejected, 0.2, 10},
		{"false accepts", e.FalseAccept, 1.0 / 13, 20},
		{"false rejects", e.FalseReject, 0.25, 20},
		{"right", e.Right, 0.48, 20},
	} {
		near(t, c.what, known(t, c.what, c.e.Value), c.want, 1e-12)
		if c.e.N != c.n || !(*c.e.Low < c.want && c.want < *c.e.High && *c.e.Low >= 0 && *c.e.High <= 1) {
			t.Errorf("%s: %v to %v over %d outputs", c.what, *c.e.Low, *c.e.High, c.e.N)
		}
	}
	se, sp := 1-*e.FalseReject.Value, 1-*e.FalseAccept.Value
	near(t, "Rogan–Gladen", (*e.Accepted.Value+sp-1)/(se+sp-1), *e.Right.Value, 1e-12)

	// More labels of accepted outputs leave every value as it is.
	for i := range items {
		items[i].OfAccepted.Hits, items[i].OfAccepted.N = 5*items[i].OfAccepted.Hits, 5*items[i].OfAccepted.N
	}
	again := ErrorsOf(items, 0.95)
	near(t, "false accepts", *again.FalseAccept.Value, *e.FalseAccept.Value, 1e-12)
	near(t, "right", *again.Right.Value, *e.Right.Value, 1e-12)
}

// Items weigh the same, however many outputs they have: q = (1 + 0)/2, and each labelled output stands for
// 1/outputs of its item, so a = 1 and b = (1/2)/(1/2 + 1/8) = 0.8.
func TestErrorsOfUnequalItems(t *testing.T) {
	e := ErrorsOf([]Verdicts{{2, 2, Counts{1, 1}, Counts{}}, {0, 8, Counts{}, Counts{0, 1}}, {0, 2, Counts{}, Counts{1, 1}}}, 0.95)
	near(t, "accepted", *e.Accepted.Value, 1.0/3, 1e-12)
	near(t, "right of the rejected", *e.RightRejected.Value, 0.8, 1e-12)
	near(t, "right", *e.Right.Value, 1.0/3+2.0/3*0.8, 1e-12)
}

func TestErrorsOfOneVerdict(t *testing.T) {
	only := []Verdicts{{1, 4, Counts{1, 1}, Counts{}}, {3, 4, Counts{2, 3}, Counts{}}}
	for name, c := range map[string]struct {
		items []Verdicts
		known [6]bool // accepted, wrong accepted, right rejected, false accept, false reject, right
	}{
		"no items":                                     {nil, [6]bool{}},
		"no labels":                                    {[]Verdicts{{1, 4, Counts{}, Counts{}}, {2, 4, Counts{}, Counts{}}}, [6]bool{0: true}},
		"only accepted outputs are labelled":           {only, [6]bool{0: true, 1: true}},
		"the grader accepts all":                       {[]Verdicts{{4, 4, Counts{1, 1}, Counts{}}, {4, 4, Counts{0, 2}, Counts{}}}, [6]bool{0: true, 1: true, 5: true}},
		"the grader rejects all":                       {[]Verdicts{{0, 4, Counts{}, Counts{1, 1}}, {0, 4, Counts{}, Counts{0, 2}}}, [6]bool{0: true, 2: true, 5: true}},
		"every label is right: nothing is wrong":       {[]Verdicts{{2, 4, Counts{1, 1}, Counts{1, 1}}, {1, 4, Counts{1, 1}, Counts{2, 2}}}, [6]bool{true, true, true, false, true, true}},
		"a grader that is no better than a coin flips": {[]Verdicts{{2, 4, Counts{1, 2}, Counts{1, 2}}, {2, 4, Counts{1, 2}, Counts{1, 2}}}, [6]bool{true, true, true, true, true, true}},
	} {
		e := ErrorsOf(c.items, 0.95)
		for i, got := range []Estimate{e.Accepted, e.WrongAccepted, e.RightRejected, e.FalseAccept, e.FalseReject, e.Right} {
			if got.Known() != c.known[i] || !got.Known() && len(got.Warnings) == 0 {
				t.Errorf("%s: estimate %d is %+v", name, i, got)
			}
		}
	}
}

// The same labels on both sides change nothing; the second grader of the other pair accepts every wrong
// output: by hand, false accepts go from 0 to 1.
func TestErrorChange(t *testing.T) {
	rng := seeded(5)
	items := gradedItems(rng, 40, 8, 0.5, 0.2, 0.1, [2]float64{0.5, 0.5})
	accept, reject := ErrorChange(items, items, 0.95)
	for what, e := range map[string]Estimate{"false accepts": accept, "false rejects": reject} {
		near(t, what, known(t, what, e.Value), 0, 1e-12)
		if *e.Low > 0 || *e.High < 0 || *e.High-*e.Low > 0.1 {
			t.Errorf("%s: %v to %v for the same verdicts", what, *e.Low, *e.High)
		}
	}
	var sound, broken []Verdicts
	for range 30 {
		sound = append(sound, Verdicts{2, 4, Counts{2, 2}, Counts{0, 2}})
		broken = append(broken, Verdicts{3, 4, Counts{1, 3}, Counts{1, 1}})
	}
	accept, reject = ErrorChange(sound, broken, 0.95)
	near(t, "false accepts", *accept.Value, 1, 1e-12)
	near(t, "false rejects", *reject.Value, 0.5, 1e-12)
	if *accept.Low < 0.5 {
		t.Errorf("a broken grader: false accepts up by %v at least", *accept.Low)
	}
	if e, _ := ErrorChange(sound, make([]Verdicts, 30), 0.95); e.Known() || len(e.Warnings) == 0 {
		t.Errorf("without labels on one side: %+v", e)
	}
}

// Of labels of mostly accepted outputs 0.67 are right, where 0.4 of the outputs are. The weighted
// estimates stay within 0.01 of the truth, which is what the simulation was made with.
func TestErrorsOfLabelsChosenByVerdict(t *testing.T) {
	rng := seeded(6)
	items := gradedItems(rng, 40000, 8, 0.4, 0.2, 0.1, [2]float64{0.1, 0.8})
	var right, labels float64
	for _, v := range items {
		right, labels = right+v.OfAccepted.Hits+v.OfRejected.Hits, labels+v.OfAccepted.N+v.OfRejected.N
	}
	near(t, "right labels", right/labels, (0.8*0.36+0.1*0.04)/(0.8*0.48+0.1*0.52), 0.01)
	e := ErrorsOf(items, 0.95)
	for what, c := range map[string][2]float64{
		"right": {*e.Right.Value, 0.4}, "false accepts": {*e.FalseAccept.Value, 0.2}, "false rejects": {*e.FalseReject.Value, 0.1},
	} {
		if math.Abs(c[0]-c[1]) > 0.01 {
			t.Errorf("%s is %.3f, the truth is %g", what, c[0], c[1])
		}
	}
}

// 30 texts are right and 30 wrong by people; the grader rejects 3 of the right ones and accepts 6 of the
// wrong ones, and accepts 40 % of the run. The formula of Rogan & Gladen (1978), by hand: (0.4 + 0.8 -
// 1)/(0.9 + 0.8 - 1).
func TestRoganGladen(t *testing.T) {
	run, texts := make([]Verdicts, 30), make([]Verdicts, 30)
	for i := range texts {
		run[i] = Verdicts{Accepted: 4, Outputs: 10}
		switch {
		case i < 3: // a right text is rejected
			texts[i] = Verdicts{0, 2, Counts{}, Counts{1, 2}}
		case i < 9: // a wrong one is accepted
			texts[i] = Verdicts{2, 2, Counts{1, 2}, Counts{}}
		default:
			texts[i] = Verdicts{1, 2, Counts{1, 1}, Counts{0, 1}}
		}
	}
	e := RoganGladen(run, texts, 0.95)
	near(t, "false accepts", known(t, "false accepts", e.FalseAccept.Value), 0.2, 1e-12)
	near(t, "false rejects", known(t, "false rejects", e.FalseReject.Value), 0.1, 1e-12)
	near(t, "right", known(t, "right", e.Right.Value), (0.4+0.8-1)/(0.9+0.8-1), 1e-12)
	if *e.Right.Low > 0.2 || *e.Right.High < 0.35 || e.WrongAccepted.Known() || len(e.WrongAccepted.Warnings) == 0 {
		t.Errorf("errors are %+v", e)
	}

	coin := make([]Verdicts, 30)
	for i := range coin {
		coin[i] = Verdicts{1, 2, Counts{float64(i % 2), 1}, Counts{float64(1 - i%2), 1}} // se + sp = 1
	}
	if e := RoganGladen(run, coin, 0.95); e.Right.Known() || len(e.Right.Warnings) != 1 || e.Right.Warnings[0].ID != tooLittleBetter.ID {
		t.Errorf("a grader that tosses a coin: right is %+v", e.Right)
	}
	right := make([]Verdicts, 30)
	right[0] = Verdicts{1, 1, Counts{1, 1}, Counts{}}
	if e := RoganGladen(run, right, 0.95); e.Right.Known() || len(e.Right.Warnings) != 1 || e.Right.Warnings[0].ID != needsWrongAndRight.ID {
		t.Errorf("without a wrong text: right is %+v", e.Right)
	}
	if e := RoganGladen(make([]Verdicts, 30), texts, 0.95); e.Right.Known() {
		t.Errorf("without a run: right is %+v", e.Right)
	}
}
