package history

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonogo/analysis/stat"
)

// draws of one night's number about 0 with variance 1, by the shape they have.
var shapes = map[string]func(*rand.Rand) float64{
	"normal":  (*rand.Rand).NormFloat64,
	"uniform": func(r *rand.Rand) float64 { return (r.Float64() - 0.5) * math.Sqrt(12) },
	"skewed, as latencies are": func(r *rand.Rand) float64 { // log-normal with sigma 0.5
		return (math.Exp(r.NormFloat64()/2) - math.Exp(0.125)) / 0.604
	},
	"heavy tails, t with 5 degrees of freedom": func(r *rand.Rand) float64 {
		sum := 0.0
		for range 5 {
			x := r.NormFloat64()
			sum += x * x
		}
		return r.NormFloat64() / math.Sqrt(sum/5) / math.Sqrt(5.0/3)
	},
}

// A search of nights without a change finds one no more often than it says, for
// any of these shapes, few and many nights, errors that are known or not, equal
// or falling by half, and nights that differ by more than their errors.
func testFalseAlarms(t *testing.T, runs, draws int) {
	for name, shape := range shapes {
		for _, c := range []struct {
			what        string
			nights      int
			known, half bool
			between     float64
		}{
			{"few nights, errors known", 8, true, false, 0},
			{"errors not known", 20, false, false, 0},
			{"errors known, and half as large from the middle on", 20, true, true, 0},
			{"errors known, nights differ by twice as much", 20, true, false, 2},
			{"many nights", 60, true, false, 0},
		} {
			rng := rand.New(rand.NewPCG(7, uint64(c.nights)))
			alarms := 0
			for run := range runs {
				y, se := make([]float64, c.nights), make([]*float64, c.nights)
				for i := range y {
					e := 1.0
					if c.half && i >= c.nights/2 {
						e = 0.5
					}
					y[i] = e*shape(rng) + c.between*shape(rng)
					if c.known {
						se[i] = &e
					}
				}
				if findChange(newSequence(y, se), 0.95, draws, uint64(run)).p <= 0.05 {
					alarms++
				}
			}
			// 5 % and what chance adds; a skew or heavy tails may take it to 8 %.
			limit := 0.05
			if name != "normal" && name != "uniform" {
				limit = 0.08
			}
			n := float64(runs)
			if rate := float64(alarms) / n; rate > limit+3*math.Sqrt(limit*(1-limit)/n) {
				t.Errorf("%s, %s: %.3f of %d searches find a change that is not there, more than %.2f", name, c.what, rate, runs, limit)
			} else {
				t.Logf("%s, %s: %.3f", name, c.what, rate)
			}
		}
	}
}

// The interval of a change holds the night of the change, and the test finds
// it, as often as they should.
func testPlaces(t *testing.T, runs, draws int) {
	for _, c := range []struct {
		what             string
		nights, at       int
		by, found, cover float64
	}{
		{"five errors, in the middle", 20, 10, 5, 0.99, 0.95},
		{"three errors, in the middle", 20, 10, 3, 0.95, 0.93},
		{"three errors, three nights ago", 20, 17, 3, 0.70, 0.90},
		{"two errors of forty nights", 40, 15, 2, 0.90, 0.93},
	} {
		rng := rand.New(rand.NewPCG(11, uint64(c.nights)))
		found, held, width := 0, 0, 0
		for run := range runs {
			y, se := make([]float64, c.nights), make([]*float64, c.nights)
			for i := range y {
				y[i], se[i] = rng.NormFloat64(), stat.FiniteOrNil(1)
				if i >= c.at {
					y[i] += c.by
				}
			}
			got := findChange(newSequence(y, se), 0.95, draws, uint64(run))
			if got.p > 0.05 {
				continue
			}
			found++
			width += got.last - got.first + 1
			if got.first <= c.at && c.at <= got.last {
				held++
			}
		}
		slack := 3 * math.Sqrt(0.05*0.95/float64(runs))
		power, cover := float64(found)/float64(runs), float64(held)/float64(max(1, found))
		t.Logf("%s: found in %.3f, held in %.3f, %.1f nights wide", c.what, power, cover, float64(width)/float64(max(1, found)))
		if power < c.found-2*slack {
			t.Errorf("%s: found in %.3f of %d, less than %.2f", c.what, power, runs, c.found)
		}
		if cover < c.cover-slack {
			t.Errorf("%s: the interval holds the night in %.3f of %d, less than %.2f", c.what, cover, found, c.cover)
		}
	}
}

func TestLongDeepFalseAlarmsOfChanges(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	if os.Getenv("GONOGO_DEEP") != "" {
		testFalseAlarms(t, 2000, 499)
		return
	}
	testFalseAlarms(t, 60, 99)
}

func TestDeepPlacesOfChanges(t *testing.T) {
	if os.Getenv("GONOGO_DEEP") != "" {
		testPlaces(t, 2000, 499)
		return
	}
	testPlaces(t, 60, 99)
}

func TestAChangeDoesNotHangOnUnitOrDirection(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 20 {
		y, turned, scaled := make([]float64, 15), make([]float64, 15), make([]float64, 15)
		se, wide := make([]*float64, 15), make([]*float64, 15)
		for i := range y {
			y[i] = rng.NormFloat64()
			if i >= 9 {
				y[i] += 2
			}
			turned[i], scaled[i] = -y[i], 1e6+1000*y[i]
			se[i], wide[i] = stat.FiniteOrNil(1), stat.FiniteOrNil(1000)
		}
		want := findChange(newSequence(y, se), 0.95, 99, 1)
		for name, got := range map[string]change{
			"turned":  findChange(newSequence(turned, se), 0.95, 99, 1),
			"scaled":  findChange(newSequence(scaled, wide), 0.95, 99, 1),
			"unknown": findChange(newSequence(y, make([]*float64, 15)), 0.95, 99, 1),
		} {
			if name == "unknown" { // weighs the same, and may only lose the floor under the variance
				if got.at != want.at {
					t.Errorf("without errors the change lies at %d, with equal ones at %d", got.at, want.at)
				}
				continue
			}
			if got.at != want.at || got.first != want.first || got.last != want.last || got.p != want.p {
				t.Errorf("%s: %d [%d, %d] p %g, want %d [%d, %d] p %g", name, got.at, got.first, got.last, got.p, want.at, want.first, want.last, want.p)
			}
		}
	}
}

// Worsley (1979) gives the same statistic as here for equal weights: the largest
// squared two-sample t over all places.
func TestTheStatisticIsTheLargestSquaredT(t *testing.T) {
	y := []float64{1, 2, 1.5, 0.5, 4, 5, 4.5}
	best, ratio := newSequence(y, make([]*float64, len(y))).strongest()
	// scipy.stats.ttest_ind(y[:4], y[4:]).statistic**2, which pools the variance
	if best.at != 4 || math.Abs(ratio-51.73469387755103) > 1e-9 {
		t.Errorf("the strongest cut is before night %d with t² = %.4f", best.at, ratio)
	}
}

func TestNothingToSearch(t *testing.T) {
	for what, y := range map[string][]float64{
		"no night": nil, "one night": {1}, "five nights": {1, 2, 1, 2, 9}, "the same every night": slices.Repeat([]float64{0.5}, 30),
	} {
		if c := findChange(newSequence(y, make([]*float64, len(y))), 0.95, 99, 1); !math.IsNaN(c.p) {
			t.Errorf("%s: p = %g", what, c.p)
		}
	}
}

// Nights that repeat to the last digit, as a cache makes them, and then lie
// elsewhere: the place is sure.
func TestExactRepeatsThatStep(t *testing.T) {
	y := []float64{0.5, 0.5, 0.5, 0.5, 0.5, 0.7, 0.7, 0.7}
	c := findChange(newSequence(y, make([]*float64, len(y))), 0.95, 999, 1)
	if c.p > 0.01 || c.at != 5 || c.first != 5 || c.last != 5 {
		t.Errorf("p = %g, night %d [%d, %d]", c.p, c.at, c.first, c.last)
	}
}
