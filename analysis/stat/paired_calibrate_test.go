package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"gonogo/analysis/calibration"
)

// change is a world of two runs: items whose chance to earn 1 is spread evenly
// over 0.2 to 0.8 in the base, and in the new run higher by shift, give or take
// swing with equal chances (the item × model interaction).
type change struct {
	about        string
	m, n         int
	shift, swing float64
}

// draw makes the differences of item means and the sampling variances of one
// pair of runs.
func (c change) draw(rng *rand.Rand) (d, within []float64) {
	for range c.m {
		p := 0.2 + 0.6*rng.Float64()
		q := p + c.shift + c.swing
		if rng.IntN(2) == 0 {
			q -= 2 * c.swing
		}
		base, new := binomial(rng, c.n, p), binomial(rng, c.n, q)
		d = append(d, new-base)
		if c.n > 1 {
			within = append(within, (base*(1-base)+new*(1-new))/float64(c.n-1))
		}
	}
	return d, within
}

func binomial(rng *rand.Rand, n int, p float64) float64 {
	hits := 0
	for range n {
		if rng.Float64() < p {
			hits++
		}
	}
	return float64(hits) / float64(n)
}

// se is the true standard error of the mean difference.
func (c change) se() float64 {
	variance := func(mean float64) float64 { // of a reward, over items: E[p(1-p)] for p even on mean ± 0.3
		return mean*(1-mean) - 0.03
	}
	up, down := 0.5+c.shift+c.swing, 0.5+c.shift-c.swing
	noise := (variance(0.5) + (variance(up)+variance(down))/2) / float64(c.n)
	return math.Sqrt((c.swing*c.swing + noise) / float64(c.m))
}

// rejections is the share of pairs of runs in which a change is claimed: by the
// interval, which a comparison of 20 items or more goes by, by sign flips, and
// by both, which one of fewer goes by. Sign flips of rewards on a coarse grid
// are ties in part, which makes them the more careful test.
func (c change) rejections(rng *rand.Rand, sets int) (interval, flips, both float64) {
	each := 1 / float64(sets)
	for range sets {
		d, _ := c.draw(rng)
		e := PairedMean(d, nil, c.m*c.n, nil, 0.95)
		byInterval := e.Low != nil && (*e.Low > 0 || *e.High < 0)
		byFlips := *SignFlip(d, 199, rng) <= 0.05
		if byInterval {
			interval += each
		}
		if byFlips {
			flips += each
		}
		if byInterval && byFlips {
			both += each
		}
	}
	return interval, flips, both
}

// Rejections under no change lie between 2 and 10 %, also where items change
// either way, and where every item was sampled once.
func TestPairedCalibration(t *testing.T) {
	sets, worlds := 400, []change{
		{"nothing changes", 30, 4, 0, 0},
		{"items change either way", 60, 8, 0, 0.15},
	}
	if calibration.Full() {
		sets, worlds = 2000, nil
		for _, m := range []int{20, 50, 100, 200} {
			for _, n := range []int{1, 2, 8} {
				worlds = append(worlds, change{"nothing changes", m, n, 0, 0}, change{"items change either way", m, n, 0, 0.15})
			}
		}
	}
	table := calibration.New(20, "Paired test: rejections without a change",
		fmt.Sprintf("Pairs of runs whose items have the same chances, or 0.15 more or less in the new run with equal chances (the item × model interaction): how often, in per cent of %d pairs a cell, "+
			"the t interval of the mean difference of items leaves 0 out, sign flips say p ≤ 0.05, and both, which is what runs of fewer than 20 items are asked for. Seeds from 31, one a row.", sets),
		"world", "m", "n", "interval", "sign flips", "both")
	defer table.Write(t)
	held, most := table.Target("the interval rejects in 2 to 10 %"), table.Target("sign flips, and both, reject in 10 % at most")
	for i, c := range worlds {
		interval, flips, both := c.rejections(seeded(uint64(31+i)), sets)
		table.Row(c.about, c.m, c.n, held.Hold(interval, 0.02, 0.10, sets), most.Hold(flips, 0, 0.10, sets), most.Hold(both, 0, 0.10, sets))
		for about, share := range map[string]float64{"interval": interval, "sign flips": flips, "both": both} {
			if share > 0.10 || share < 0.02 && about == "interval" {
				t.Errorf("%s, m = %d, n = %d: the %s rejects in %.1f %% without a change, want 2 to 10 %%", c.about, c.m, c.n, about, 100*share)
			}
		}
	}
}

// Power is within 6 points of Φ(shift/SE - 1.96) where that is 50, 70 and 90 %.
func TestPowerCalibration(t *testing.T) {
	sets, sizes := 500, []change{{"", 60, 4, 0, 0.1}}
	if calibration.Full() {
		sets = 4000
		sizes = []change{{"", 40, 4, 0, 0}, {"", 100, 4, 0, 0.1}, {"", 200, 8, 0, 0.15}, {"", 100, 1, 0, 0}}
	}
	table := calibration.New(21, "Paired test: power",
		fmt.Sprintf("A true change of the size that Φ(change/SE − 1.96) says is found with the predicted power: found in how many per cent of %d pairs. Swing is how far items change either way beside it. Seeds from 77, one a size.", sets),
		"m", "n", "swing", "change", "predicted", "found")
	defer table.Write(t)
	within := table.Target("found within 6 points of what is predicted at 50, 70 and 90 %")
	for i, c := range sizes {
		for _, want := range []float64{0.5, 0.7, 0.9} {
			for range 20 { // the standard error itself hangs on the shift
				c.shift = (distuv.UnitNormal.Quantile(0.975) + distuv.UnitNormal.Quantile(want)) * c.se()
			}
			found, _, _ := c.rejections(seeded(uint64(77+i)), sets)
			table.Row(c.m, c.n, c.swing, fmt.Sprintf("%.3f", c.shift), calibration.Percent(want), within.Hold(found, want-0.06, want+0.06, sets))
			if math.Abs(found-want) > 0.06 {
				t.Errorf("m = %d, n = %d: a change of %.3f is found in %.1f %%, predicted are %.0f %%", c.m, c.n, c.shift, 100*found, 100*want)
			}
		}
	}
}

// The interaction is found without bias, and unpaired tests on paired runs are
// seen to miss what paired ones find.
func TestInteractionAndWhatPairingIsWorth(t *testing.T) {
	rng := seeded(5)
	sum, paired, unpaired := 0.0, 0, 0
	const sets = 300
	for range sets {
		d, within := change{"", 80, 6, 0, 0.12}.draw(rng)
		sum += *Interaction(d, within) / sets
		var base, new []float64
		for range 40 {
			p := rng.Float64()
			base = append(base, p)
			new = append(new, p+0.05+0.02*rng.NormFloat64())
		}
		for i := range base {
			d[i] = new[i] - base[i]
		}
		if e := PairedMean(d[:40], nil, 40, nil, 0.95); *e.Low > 0 {
			paired++
		}
		if e, _ := Welch(base, new, 40, &unit, 0.95); *e.Low > 0 {
			unpaired++
		}
	}
	near(t, "mean interaction", sum, 0.12*0.12, 0.002)
	if paired < sets*9/10 || unpaired > sets/2 {
		t.Errorf("of %d changes paired tests find %d and unpaired ones %d", sets, paired, unpaired)
	}
}

func BenchmarkSignFlip(b *testing.B) {
	d := make([]float64, 12500)
	rng := seeded(3)
	for i := range d {
		d[i] = rng.NormFloat64()
	}
	for b.Loop() {
		SignFlip(d, 999, rng)
	}
}
