package pilot

import (
	"math"
	"math/rand/v2"
	"testing"
)

// lookWith is a look with a change of eval.
func lookWith(step int, e float64) Look {
	return Look{Step: step, Eval: &Difference{Share: &e, Step: step}}
}

// The rate of a training whose gain is known forecasts that gain: Rate inverts Gain.
func TestForecastInvertsRate(t *testing.T) {
	for _, c := range []struct{ e, final, base, share float64 }{
		{0.05, 0.4, 0.1, 0.2}, {0.3, 0.3, 0.5, 0.4}, {0.2, 0.1, 0.3, 0.1}, {0.1, 0.6, 0, 1},
	} {
		rate := Rate(c.e, c.final, c.base, c.share)
		got := Growth{Median: rate}.Gain(100, c.base)(lookWith(int(100*c.share), c.e))
		if got == nil || math.Abs(got.Gain-c.final) > 1e-12 {
			t.Errorf("%+v: forecast %+v", c, got)
		}
	}
}

// With base 0.5 and e 0.25, the odds are 1: at rate 0 they stay, and at rate 1/(log 5 + 0.1) · log 3
// they become 3, which is 3/4 of the room.
func TestForecastByHand(t *testing.T) {
	g := Growth{Low: 0, Median: math.Log(3) / (math.Log(5) + 0.1), High: 50, Trainings: 7, Kinds: 2}
	got := g.Gain(100, 0.5)(lookWith(20, 0.25))
	if math.Abs(got.Low-0.25) > 1e-12 || math.Abs(got.Gain-0.375) > 1e-12 || math.Abs(got.High-0.5) > 1e-9 ||
		got.Trainings != 7 || got.Kinds != 2 {
		t.Errorf("forecast %+v, want 0.375 (0.25 to 0.5)", got)
	}
}

func TestForecastStaysInTheRoom(t *testing.T) {
	g := RecordedGrowth()
	if !(g.Low <= g.Median && g.Median <= g.High) || g.Trainings == 0 || g.Kinds == 0 {
		t.Fatalf("recorded growth %+v", g)
	}
	for _, e := range []float64{-0.4, 0, 0.02, 0.3, 0.7, 0.9} {
		for _, step := range []int{1, 10, 40, 300, 900} {
			f := g.Gain(300, 0.3)(lookWith(step, e))
			if !(0 <= f.Low && f.Low <= f.Gain && f.Gain <= f.High && f.High <= 0.7) {
				t.Errorf("e %g after %d of 300 steps: %+v", e, step, f)
			}
		}
	}
}

func TestNoForecastWithoutEvalOrPlan(t *testing.T) {
	g := RecordedGrowth()
	for name, f := range map[string]*Forecast{
		"no eval":        g.Gain(100, 0.3)(Look{Step: 20}),
		"no plan":        g.Gain(0, 0.3)(lookWith(20, 0.1)),
		"nothing to win": g.Gain(100, 1)(lookWith(20, 0)),
	} {
		if f != nil {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestForecastNeedsATrustedReward(t *testing.T) {
	in := simulated{learned: 0.5, eval: true}.input(rand.New(rand.NewPCG(1, 0)))
	in.Gain = RecordedGrowth().Gain(100, 0.3)
	r, err := Judge(in)
	if err != nil || r.Forecast == nil || r.Forecast.Gain < *r.Looks[2].Eval.Share {
		t.Fatalf("forecast %+v (%v), want at least e at the last look", r.Forecast, err)
	}
	in.Distrust = []string{"grader.hackable"}
	if r, err = Judge(in); err != nil || r.Forecast != nil {
		t.Errorf("forecast %+v (%v) of a reward that cannot be trusted", r.Forecast, err)
	}
}
