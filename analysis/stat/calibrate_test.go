package stat

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// A rule makes an interval, at group size k, from items drawn in a world, and
// knows the truth the interval is about.
type rule struct {
	about string
	half  bool // at k = n/2 instead of k = n
	truth func(w world, k int) float64
	make  func(items [][]float64, k int) Estimate
}

func trueMean(w world, _ int) float64  { return w.a / (w.a + w.b) }
func trueWorst(w world, k int) float64 { return 1 - w.flipped().best(k) }
func trueLift(w world, k int) float64  { return w.best(k) - trueMean(w, k) }

func bestOne(items [][]float64, k int) Estimate {
	return BestOf(items, []int{k}, &unit, 0.95)[0].Estimate
}

func worstOne(items [][]float64, k int) Estimate {
	return WorstOf(items, []int{k}, &unit, 0.95)[0].Estimate
}

func signalOne(items [][]float64, k int) Estimate { return Signal(items, k, 1e-6, 0.95) }

func liftOne(items [][]float64, k int) Estimate {
	values, within := LiftValues(items, k)
	return ItemMeans(values, within, len(items)*len(items[0]), &unit, 0.95, "lift")
}

// iidMean is the error bar that ignores items: s/√N over all rollouts, and t.
func iidMean(items [][]float64, _ int) Estimate {
	var all []float64
	for _, item := range items {
		all = append(all, item...)
	}
	return ItemMeans(all, nil, len(all), nil, 0.95, "iid")
}

var rules = []rule{
	{"mean", false, trueMean, func(items [][]float64, _ int) Estimate { return Mean(items, &unit, 0.95) }},
	{"iid", false, trueMean, iidMean},
	{"best", false, world.best, bestOne},
	{"best/2", true, world.best, bestOne},
	{"worst", false, trueWorst, worstOne},
	{"worst/2", true, trueWorst, worstOne},
	{"signal", false, world.informative, signalOne},
	{"signal/2", true, world.informative, signalOne},
	{"lift", false, trueLift, liftOne},
	{"lift/2", true, trueLift, liftOne},
}

// cell is one setting of the simulation and what came of it.
type cell struct {
	w        world
	m, n     int
	sets     int
	truth    []float64 // by rule
	coverage []float64 // by rule
	whole    float64   // coverage of Finite with every item of the file measured
	half     float64   // with half of them measured
}

func (c *cell) run() {
	rng := seeded(uint64(1000*c.m + c.n))
	c.truth, c.coverage = make([]float64, len(rules)), make([]float64, len(rules))
	size := func(r rule) int {
		if r.half {
			return max(1, c.n/2)
		}
		return c.n
	}
	for i, r := range rules {
		if c.has(r) {
			c.truth[i] = r.truth(c.w, size(r))
		}
	}
	each := 1 / float64(c.sets)
	for range c.sets {
		ps := c.w.items(rng, 2*c.m)
		items := c.w.rollouts(rng, ps[:c.m], c.n)
		for i, r := range rules {
			if !c.has(r) {
				continue
			}
			c.coverage[i] += each * float64(hit(r.make(items, size(r)), c.truth[i]))
		}
		mean := Mean(items, &unit, 0.95)
		measured, _ := moments(ps[:c.m])
		file, _ := moments(ps)
		c.whole += each * float64(hit(Finite(mean, c.m, c.m, &unit, 0.95), measured))
		c.half += each * float64(hit(Finite(mean, c.m, 2*c.m, &unit, 0.95), file))
	}
}

// has reports whether a rule says anything at this n: groups of one do not.
func (c *cell) has(r rule) bool { return !r.half || c.n >= 4 }

// nearEnd reports whether a truth lies within a tenth of either end, where 92 %
// are enough.
func nearEnd(truth float64) bool { return min(truth, 1-truth) < 0.1 }

// check holds a cell against the targets: 93 to 98 %, and 92 % or more near
// the ends, give or take three standard errors of the simulation; 100 % is no
// failure for anything but the mean. The iid error bar is not held to them.
func (c *cell) check(t *testing.T) {
	noise := 3 * math.Sqrt(0.05*0.95/float64(c.sets))
	hold := func(about string, truth, coverage float64, top bool) {
		low, high := 0.93, 0.98
		if nearEnd(truth) {
			low, high = 0.92, 1
		}
		if coverage < low-noise || top && coverage > high+noise {
			t.Errorf("%s, m = %d, n = %d: %s covers %.4f in %.1f %%", c.w.about, c.m, c.n, about, truth, 100*coverage)
		}
	}
	for i, r := range rules {
		if r.about != "iid" && c.has(r) {
			hold(r.about, c.truth[i], c.coverage[i], r.about == "mean")
		}
	}
	hold("mean of the file, all measured", c.truth[0], c.whole, false)
	hold("mean of the file, half measured", c.truth[0], c.half, false)
}

func (c *cell) print() {
	fmt.Printf("%-7s %4d %3d", c.w.about, c.m, c.n)
	for i, r := range rules {
		low, mark := 0.93, " "
		if nearEnd(c.truth[i]) {
			low = 0.92
		}
		if c.coverage[i] < low {
			mark = "*"
		}
		if c.has(r) {
			fmt.Printf("  %.3f %5.1f%s", c.truth[i], 100*c.coverage[i], mark)
		} else {
			fmt.Printf("%14s", "")
		}
	}
	fmt.Printf(" %6.1f %6.1f\n", 100*c.whole, 100*c.half)
}

// TestCalibration simulates coverage of 95 % intervals: a few small cells by
// default; with GONOGO_CALIBRATE=1 all of them with 2,000 data sets each, and
// a table of truths and coverages in per cent (* below target, simulation noise
// included; best/2 is k = n/2, file and half-file are Finite).
func TestCalibration(t *testing.T) {
	if os.Getenv("GONOGO_CALIBRATE") != "1" {
		for _, c := range []cell{
			{w: worlds[1], m: 20, n: 8, sets: 400},
			{w: worlds[1], m: 60, n: 4, sets: 400},
			{w: worlds[4], m: 100, n: 8, sets: 400},
			{w: worlds[6], m: 40, n: 4, sets: 400},
		} {
			c.run()
			c.check(t)
			if iid := c.coverage[1]; c.n == 8 && iid > 0.85 {
				t.Errorf("%s: the iid error bar covers %.3f, so this simulation shows nothing", c.w.about, iid)
			}
		}
		return
	}
	fmt.Printf("%-15s", "world    m   n")
	for _, r := range rules {
		fmt.Printf(" %13s", r.about)
	}
	fmt.Printf(" %6s %6s\n%s\n", "file", "half", strings.Repeat("-", 15+14*len(rules)+14))
	for _, w := range worlds {
		for _, m := range []int{20, 50, 100, 200} {
			for _, n := range []int{2, 4, 8, 16} {
				c := cell{w: w, m: m, n: n, sets: 2000}
				c.run()
				c.print()
				c.check(t)
			}
		}
	}
}
