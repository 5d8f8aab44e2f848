package pilot

import (
	"math"
	"testing"

	"gonogo/analysis/stat"
)

func near(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > 1e-9 {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// With weights w = (1/4, 1/4, 1/2) and differences (0.1, 0.3, 0.5) the mean is 0.35, and the variance
// 3/2 × (0.25²×0.25² + 0.25²×0.05² + 0.5²×0.15²) = 0.01453125. t(2) at 0.975 is 4.302652729749464, by
// scipy.stats.t.ppf(0.975, 2) of scipy 1.17.
func TestDifferenceIsWeightedByRollouts(t *testing.T) {
	in := Input{
		Range: stat.Range{Lo: 0, Hi: 1},
		Train: []Item{{"a", []float64{0.2, 0.4}}, {"b", []float64{0.5}}, {"c", []float64{0, 0}}, {"unseen", []float64{1}}},
		Looks: DefaultLooks(0, 0),
		Groups: []Group{
			{Step: 1, Item: "a", Rewards: []float64{0.4}},
			{Step: 1, Item: "b", Rewards: []float64{0.8}, Missing: 1},
			{Step: 1, Item: "c", Rewards: []float64{0.4}},
			{Step: 2, Item: "c", Rewards: []float64{0.6}},
			{Step: 2, Item: "", Name: "unknown", Rewards: []float64{1}},
		},
	}
	j, err := newJudgement(in)
	if err != nil {
		t.Fatal(err)
	}
	d := j.difference(j.Groups, 1)
	se := math.Sqrt(0.01453125)
	near(t, "d", d.Value, 0.35)
	near(t, "se", d.SE, se)
	near(t, "low", d.Low, 0.35-4.302652729749464*se)
	near(t, "high", d.High, 0.35+4.302652729749464*se)
	// one look: GO by the one-sided 2.5 % bound, which is the two-sided 95 % one
	near(t, "bound of a GO", d.Above, *d.Low)
	if d.N != 4 || d.Items != 3 {
		t.Errorf("%d rollouts of %d items, want 4 of 3", d.N, d.Items)
	}
	m := j.matching()
	if m.Groups != 5 || m.Matched != 4 || m.Unmatched != 1 || m.Items != 3 || m.Named[0] != "unknown" {
		t.Errorf("matching %+v", m)
	}
}

// Differences that all agree have no spread: the interval is what unseen items may hold, never a
// point. 1 − 0.025^(1/20) = 0.1684 is Clopper and Pearson's bound for 0 of 20.
func TestEqualDifferencesAreNoCertainty(t *testing.T) {
	in := Input{Range: stat.Range{Lo: 0, Hi: 1}, Looks: DefaultLooks(0, 0)}
	for i := range 20 {
		id := string(rune('a' + i))
		in.Train = append(in.Train, Item{id, []float64{0, 0}})
		in.Groups = append(in.Groups, Group{Step: 1, Item: id, Rewards: []float64{0, 0}})
	}
	j, err := newJudgement(in)
	if err != nil {
		t.Fatal(err)
	}
	d := j.difference(j.Groups, 1)
	near(t, "high", d.High, 1-math.Pow(0.025, 1.0/20))
	near(t, "low", d.Low, -(1 - math.Pow(0.025, 1.0/20)))
}

// At 24 rollouts a step, 640 are complete after 27 steps, 1,280 after 54 and 2,560 after 107.
func TestLooksAfterTheEndAreNotPlanned(t *testing.T) {
	for _, row := range []struct {
		name           string
		steps, perStep int
		want           int
	}{
		{"an unknown training has all", 0, 0, 3},
		{"thirty steps have two", 30, 0, 2},
		{"sixty small steps have two", 60, 24, 2},
		{"the first remains", 5, 64, 1},
	} {
		if got := len(DefaultLooks(row.steps, row.perStep)); got != row.want {
			t.Errorf("%s: %d looks, want %d", row.name, got, row.want)
		}
	}
}

func TestDefaultLooks(t *testing.T) {
	for i, l := range DefaultLooks(0, 0) {
		if want := []int{10, 20, 40}[i]; l.Step != want || l.Rollouts != 64*want {
			t.Errorf("look %d is %+v, want step %d and 64 rollouts a step", i, l, want)
		}
	}
	if got := (Planned{20, 1280}).StepOf(16); got != 80 {
		t.Errorf("1,280 rollouts at 16 a step come at step %d, want 80", got)
	}
}

// A trainer may count from 0, write its last step slowly, or leave steps out.
func TestALookIsReachedWhenItsStepsAreComplete(t *testing.T) {
	log := func(first, steps, rollouts, last int) Input {
		in := Input{Range: stat.Range{Lo: 0, Hi: 1}, Looks: []Planned{{10, 0}, {20, 0}}}
		for s := first; s < first+steps; s++ {
			n := rollouts
			if s == first+steps-1 {
				n = last
			}
			in.Groups = append(in.Groups, Group{Step: s, Name: "x", Rewards: make([]float64, n)})
		}
		return in
	}
	for _, row := range []struct {
		name   string
		in     Input
		looks  int
		next   int
		atStep int
	}{
		{"nine steps are not ten", log(1, 9, 64, 64), 0, 10, 0},
		{"ten steps, counted from 1", log(1, 10, 64, 64), 1, 20, 10},
		{"ten steps, counted from 0", log(0, 10, 64, 64), 1, 19, 9},
		{"the tenth step is still being written", log(1, 10, 64, 8), 0, 10, 0},
		{"an eleventh step completes the tenth", log(1, 11, 64, 8), 1, 20, 10},
	} {
		t.Run(row.name, func(t *testing.T) {
			r, err := Judge(row.in)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Looks) != row.looks || r.NextLook == nil || *r.NextLook != row.next {
				t.Fatalf("%d looks, next %v; want %d, %d", len(r.Looks), *r.NextLook, row.looks, row.next)
			}
			if row.looks > 0 && r.Looks[0].Step != row.atStep {
				t.Errorf("the look is at step %d, want %d", r.Looks[0].Step, row.atStep)
			}
			if row.looks == 0 && (r.ExitCode != 4 || r.Verdict.Claim != ClaimLook) {
				t.Errorf("before the first look: exit %d, claim %s", r.ExitCode, r.Verdict.Claim)
			}
		})
	}
}
