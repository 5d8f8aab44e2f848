package judge_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/calibration"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/sampler/rollout"
)

// quantity is what a blocking gate asks for, as the mean of a function of an
// item's chance p to earn 1 instead of 0.
type quantity struct {
	gate      string
	threshold float64
	reversed  bool // rewards are 1-reward: the quantity is rare failure, not rare success
	lenient   bool // it passes on the estimate: a GO just on the wrong side is no error
	of        func(p float64) float64
}

const group = 8 // the group size that verdicts are calibrated at

func bestOf(p float64) float64 { return 1 - math.Pow(1-p, group) }

var quantities = []quantity{
	{"signal.informative", 0.10, false, true, func(p float64) float64 { return bestOf(p) - math.Pow(p, group) }},
	{"baseline.headroom", 0.03, true, false, func(p float64) float64 { return p }},
}

// tenth asks for informative groups that are 10 % of the 800 assumed: 100 items cannot show that fewer than 2.5 %
// teach.
func tenth() analysis.Thresholds { return analysis.Thresholds{"signal.informative.groups": 80} }

// population holds the chances of 100 items, of which the given share differs
// from 0, such that the quantity has the given mean.
func (q quantity) population(live, truth float64) []float64 {
	count := int(math.Round(100 * live))
	low, high := 0.0, 0.1
	if live < 1 {
		high = 0.5
	}
	if q.reversed {
		high = 1
	}
	for range 60 {
		middle := (low + high) / 2
		if q.of(middle)*float64(count)/100 < truth {
			low = middle
		} else {
			high = middle
		}
	}
	ps := make([]float64, 100)
	for i := range count {
		ps[i] = low
	}
	return ps
}

// design says how a run samples the population.
type design struct {
	about  string
	items  int
	n      int
	inFile bool // the population is the file, and items are drawn from it once; else it is what files are drawn from
}

var designs = []design{
	{"40 items x 8", 40, 8, false},
	{"20 items x 8", 20, 8, false},
	{"100 items x 8", 100, 8, false},
	{"100 items x 16", 100, 16, false},
	{"100 items x 4", 100, 4, false},
	{"all 100 items of a file x 8", 100, 8, true},
	{"all 100 items of a file x 16", 100, 16, true},
	{"50 of 100 items of a file x 16", 50, 16, true},
}

// simulation makes runs and counts their verdicts.
type simulation struct {
	dir string
	rng *rand.Rand
	s   analysis.Settings
}

// only leaves one blocking threshold in force that an estimate can miss, so
// that a verdict is wrong by that gate alone.
func only(gate string) analysis.Thresholds {
	if gate == "baseline.headroom" {
		return analysis.Thresholds{"signal.informative.groups": 0}
	}
	t := tenth()
	t["baseline.headroom"] = 0
	return t
}

func newSimulation(t *testing.T, seed uint64, thresholds analysis.Thresholds) *simulation {
	s := analysis.DefaultSettings()
	s.GroupSize, s.Boot, s.Thresholds = group, 0, thresholds
	s.Normalize = analysis.NormalizeNone
	return &simulation{t.TempDir(), rand.New(rand.NewPCG(seed, 2)), s}
}

// verdict samples one run of the design and judges it, reading it from a file.
func (m *simulation) verdict(t *testing.T, ps []float64, d design, reversed bool) analysis.Verdict {
	t.Helper()
	order := m.rng.Perm(len(ps))
	var text []byte
	for i := range d.items {
		p := ps[order[i%len(ps)]]
		if !d.inFile {
			p = ps[m.rng.IntN(len(ps))]
		}
		for range d.n {
			reward := "0"
			if (m.rng.Float64() < p) != reversed {
				reward = "1"
			}
			text = append(strconv.AppendInt(append(text, `{"item":"q`...), int64(i), 10), `","reward":`+reward+"}\n"...)
		}
	}
	if err := os.WriteFile(filepath.Join(m.dir, "rollouts.jsonl"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	run, err := rollout.Open(m.dir)
	if err != nil {
		t.Fatal(err)
	}
	if d.inFile {
		run.Manifest = &rollout.Manifest{Source: rollout.Import, Data: []rollout.Data{{Split: rollout.Train, Rows: len(ps), Items: d.items}}}
	}
	r, err := judge.Analyze(t.Context(), run, rollout.ReadOptions{}, m.s, gate.All())
	if err != nil {
		t.Fatal(err)
	}
	return r.Verdict
}

// share of runs with the verdict.
func (m *simulation) share(t *testing.T, sets int, ps []float64, d design, reversed bool, want analysis.Verdict) float64 {
	hits := 0
	for range sets {
		if m.verdict(t, ps, d, reversed) == want {
			hits++
		}
	}
	return float64(hits) / float64(sets)
}

// calibrating returns how many runs to make a cell, and whether all cells.
func calibrating() (sets int, full bool) {
	if !calibration.Full() {
		return 16, false
	}
	return 300, true
}

// noise is what a share of so many runs may lie off by chance: 4 standard
// errors of a true share of 5 %.
func noise(sets int) float64 { return 4 * math.Sqrt(0.05*0.95/float64(sets)) }

// wrongCell is one cell of TestLongCalibrationOfWrongVerdicts.
type wrongCell struct {
	q                 quantity
	live              float64
	d                 design
	seed              uint64
	falseGo, falseNot float64
}

func wrongCells(full bool) []*wrongCell {
	var cells []*wrongCell
	seed := uint64(1)
	for _, q := range quantities {
		for _, live := range []float64{1, 4 * q.threshold} {
			for i, d := range designs {
				seed++
				if full || i == 0 {
					cells = append(cells, &wrongCell{q: q, live: live, d: d, seed: seed})
				}
			}
		}
	}
	return cells
}

// TestLongCalibrationOfWrongVerdicts holds the true value of one blocking gate 2 %
// below its threshold and counts GO, and 2 % above it and counts NO-GO. Either
// may happen in 5 % of runs at most.
func TestLongCalibrationOfWrongVerdicts(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	sets, full := calibrating()
	cells := wrongCells(full)
	t.Cleanup(func() { writeWrong(t, cells, sets) })
	for _, c := range cells {
		t.Run(fmt.Sprintf("%s, %.0f %% of items live, %s", c.q.gate, 100*c.live, c.d.about), func(t *testing.T) {
			t.Parallel()
			m := newSimulation(t, c.seed, only(c.q.gate))
			c.falseGo = m.share(t, sets, c.q.population(c.live, 0.98*c.q.threshold), c.d, c.q.reversed, analysis.Go)
			c.falseNot = m.share(t, sets, c.q.population(c.live, 1.02*c.q.threshold), c.d, c.q.reversed, analysis.NoGo)
			if c.falseNot > 0.05+noise(sets) || c.falseGo > 0.05+noise(sets) && !c.q.lenient {
				t.Errorf("false GO %.3f, false NO-GO %.3f: more than 5 %%", c.falseGo, c.falseNot)
			}
		})
	}
}

func writeWrong(t *testing.T, cells []*wrongCell, sets int) {
	table := calibration.New(50, "Wrong verdicts",
		fmt.Sprintf("Runs whose true value of one blocking gate lies 2 %% on the wrong side of its threshold, and as much on the right side, with all others out of force: GO and NO-GO in per cent of %d runs a cell, "+
			"written as files, read and judged. Live is the share of items that differ from the end. Seeds from 2, one a row.", sets),
		"gate", "live", "design", "false GO", "false NO-GO")
	wrong, not := table.Target("false GO just on the wrong side: 5 % at most"), table.Target("false NO-GO just on the right side: 5 % at most")
	for _, c := range cells {
		falseGo := "not asked"
		if !c.q.lenient {
			falseGo = wrong.Hold(c.falseGo, 0, 0.05, sets)
		}
		table.Row(c.q.gate, calibration.Percent(c.live), c.d.about, falseGo, not.Hold(c.falseNot, 0, 0.05, sets))
	}
	table.Write(t)
}

// clearCell is one cell of TestLongCalibrationOfClearVerdicts.
type clearCell struct {
	truth, live float64
	want        analysis.Verdict
	asked       float64 // share of runs
	d           design
	share       float64
}

// TestLongCalibrationOfClearVerdicts counts right verdicts at 100 items of 8
// samples with signal.informative at 10 % of the groups, where the true informative share is
// 0.30 and the verdict GO is wanted in 90 % of runs, and where it is 0.03 and
// NO-GO is wanted in 80 %.
//
// Note: as many samples as the group make an item 0 or 1, and four of 100 such
// items decide: with the items as the independent observations, groups of 8 of
// them being one, the upper bound of Korn and Graubard lies below 0.10; with all
// 800 rollouts in the ratio of t quantiles it is 0.1006, and NO-GO comes in 65 %.
func TestLongCalibrationOfClearVerdicts(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	sets, full := calibrating()
	if full {
		sets *= 2
	}
	q := quantities[0]
	var cells []*clearCell
	for _, d := range []design{designs[2], designs[5]} {
		for _, live := range []float64{1, 0.6, 0.4} {
			cells = append(cells, &clearCell{truth: 0.30, live: live, want: analysis.Go, asked: 0.90, d: d})
		}
		for _, live := range []float64{1, 0.12, 0.04} {
			cells = append(cells, &clearCell{truth: 0.03, live: live, want: analysis.NoGo, asked: 0.80, d: d})
		}
	}
	t.Cleanup(func() { writeClear(t, cells, sets) })
	for i, c := range cells {
		t.Run(fmt.Sprintf("share %g, %.0f %% of items live, %s", c.truth, 100*c.live, c.d.about), func(t *testing.T) {
			t.Parallel()
			m := newSimulation(t, uint64(100+i), tenth())
			c.share = m.share(t, sets, q.population(c.live, c.truth), c.d, false, c.want)
			if c.share < c.asked-2*noise(sets) {
				t.Errorf("%s in %.1f %%, less than %g", c.want, 100*c.share, c.asked)
			}
		})
	}
}

func writeClear(t *testing.T, cells []*clearCell, sets int) {
	table := calibration.New(51, "Right verdicts",
		fmt.Sprintf("Runs of 100 items x 8 with a true informative share, at least 80 of the 800 groups assumed asked for: the right verdict in per cent of %d runs a cell. Seeds from 100, one a row.", sets),
		"true share", "live", "design", "wanted", "comes")
	targets := map[analysis.Verdict]*calibration.Target{
		analysis.Go:   table.Target("GO in 90 % or more at a share of 0.30"),
		analysis.NoGo: table.Target("NO-GO in 80 % or more at a share of 0.03"),
	}
	for _, c := range cells {
		table.Row(c.truth, calibration.Percent(c.live), c.d.about, c.want, targets[c.want].Hold(c.share, c.asked, 1, sets))
	}
	table.Write(t)
}
