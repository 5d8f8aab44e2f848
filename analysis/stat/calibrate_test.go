package stat

import (
	"fmt"
	"math"
	"testing"

	"gonogo/analysis/calibration"
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
	e, _ := Lift(items, k, unit, 0.95)
	return e
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

func (c *cell) String() string { return fmt.Sprintf("%s, %d items x %d", c.w.about, c.m, c.n) }

// designEffect is how many times larger than the iid one the variance of the
// mean is.
func (c *cell) designEffect() float64 {
	icc := 1 / (1 + (c.w.a+c.w.b)/float64(c.w.steps))
	return 1 + float64(c.n-1)*icc
}

// coverageTable holds the figures of cells against STATISTICS §10.
type coverageTable struct {
	*calibration.Table
	low, high []*calibration.Target // by rule; nil for the iid error bar
	iid       *calibration.Target
	file      *calibration.Target
}

func newCoverageTable(sets int) *coverageTable {
	columns := []string{"world", "m", "n"}
	for _, r := range rules {
		columns = append(columns, r.about)
	}
	t := &coverageTable{Table: calibration.New(10, "Intervals over items",
		fmt.Sprintf("How often the 95 %% interval holds the truth, in per cent of %d data sets a cell: m items of n rollouts, whose chances of success come from a beta distribution; "+
			"best, worst, signal (the share of informative groups) and lift at k = n, and with /2 at k = n/2. The column iid is the error bar over all rollouts as if items did not matter; "+
			"file and half-file are means of a file all or half of which was sampled. ° marks truths within a tenth of an end. Seed 1000·m + n.", sets),
		append(columns, "file", "half-file")...)}
	for _, r := range rules {
		if r.about == "iid" {
			t.iid = t.Target("the iid error bar is seen to fail: at most 88 % where the design effect is 2 or more")
			t.low, t.high = append(t.low, nil), append(t.high, nil)
			continue
		}
		t.low = append(t.low, t.Target(r.about+": 93 % or more, 92 % near an end"))
		t.high = append(t.high, t.Target(r.about+": 98 % or less, but near an end"))
	}
	t.file = t.Target("mean of a file: 93 % or more, 92 % near an end")
	return t
}

func (t *coverageTable) add(c *cell) {
	row := []any{c.w.about, c.m, c.n}
	for i, r := range rules {
		switch {
		case !c.has(r):
			row = append(row, "")
		case r.about != "iid":
			row = append(row, hold(t.low[i], t.high[i], c.truth[i], c.coverage[i], c.sets))
		case c.designEffect() >= 2:
			row = append(row, t.iid.Hold(c.coverage[i], 0, 0.88, c.sets))
		default:
			row = append(row, calibration.Percent(c.coverage[i]))
		}
	}
	t.Row(append(row, hold(t.file, nil, c.truth[0], c.whole, c.sets), hold(t.file, nil, c.truth[0], c.half, c.sets))...)
}

// hold writes a coverage that must be neither too low nor, away from the ends,
// too high.
func hold(low, high *calibration.Target, truth, coverage float64, sets int) string {
	if nearEnd(truth) {
		return low.Hold(coverage, 0.92, 1, sets) + "°"
	}
	if text := low.Hold(coverage, 0.93, 1, sets); high == nil || coverage < 0.93 {
		return text
	}
	return high.Hold(coverage, 0, 0.98, sets)
}

// cells are all settings of the simulation, or a few small ones.
func cells() []*cell {
	if !calibration.Full() {
		return []*cell{
			{w: worlds[1], m: 20, n: 8, sets: 400},
			{w: worlds[1], m: 60, n: 4, sets: 400},
			{w: worlds[4], m: 100, n: 8, sets: 400},
			{w: worlds[6], m: 40, n: 4, sets: 400},
		}
	}
	var all []*cell
	for _, w := range worlds {
		for _, m := range []int{20, 50, 100, 200} {
			for _, n := range []int{2, 4, 8, 16} {
				all = append(all, &cell{w: w, m: m, n: n, sets: 2000})
			}
		}
	}
	return all
}

// TestLongCalibration simulates coverage of 95 % intervals. The iid error bar is
// seen to fail: else the simulation shows nothing.
func TestLongCalibration(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	all := cells()
	table := newCoverageTable(all[0].sets)
	t.Cleanup(func() {
		for _, c := range all {
			if c.coverage != nil {
				table.add(c)
			}
		}
		table.Write(t)
	})
	for _, c := range all {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			c.run()
			c.check(t)
			if iid := c.coverage[1]; c.designEffect() > 2.5 && iid > 0.88 {
				t.Errorf("the iid error bar covers %.3f, so this simulation shows nothing", iid)
			}
		})
	}
}
