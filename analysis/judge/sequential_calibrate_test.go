package judge_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/calibration"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/analysis/measure"
	"gonogo/sampler/rollout"
)

// mostSamples is what sampling until decided may take, and what a fixed run
// takes.
const mostSamples = 16

// untilCell is one cell of TestLongCalibrationOfSamplingUntilDecided: runs of 100
// items of one truth.
type untilCell struct {
	about      string
	q          quantity
	live       float64
	truth      float64
	inFile     bool
	thresholds analysis.Thresholds
	right      analysis.Verdict // "": at a threshold, where no verdict is asked for

	fixed, until map[analysis.Verdict]float64 // shares of runs
	samples      float64                      // per item, until decided
}

func untilCells(full bool) []*untilCell {
	var cells []*untilCell
	signal := quantities[0]
	for _, inFile := range []bool{true, false} {
		for _, c := range []struct {
			about       string
			truth, live float64
			right       analysis.Verdict
		}{
			{"share 0.30", 0.30, 1, analysis.Go},
			{"share 0.30", 0.30, 0.4, analysis.Go},
			{"share 0.03", 0.03, 1, analysis.NoGo},
			{"share 0.03", 0.03, 0.12, analysis.NoGo},
			{"share 0.60", 0.60, 1, analysis.Go},
			{"no success", 0, 0, analysis.NoGo},
		} {
			cells = append(cells, &untilCell{about: c.about, q: signal, live: c.live, truth: c.truth, inFile: inFile, right: c.right, thresholds: tenth()})
		}
		for _, q := range quantities {
			for _, live := range []float64{1, 4 * q.threshold} {
				cells = append(cells,
					&untilCell{about: "2 % below " + q.gate, q: q, live: live, truth: 0.98 * q.threshold, inFile: inFile, thresholds: only(q.gate)},
					&untilCell{about: "2 % above " + q.gate, q: q, live: live, truth: 1.02 * q.threshold, inFile: inFile, thresholds: only(q.gate)})
			}
		}
	}
	if !full {
		cells = []*untilCell{cells[0], cells[3], cells[6], cells[7]}
	}
	return cells
}

// draw is one run of the most samples: 1 for a success.
func (m *simulation) draw(c *untilCell) [][]byte {
	ps := c.q.population(c.live, c.truth)
	items := make([][]byte, len(ps))
	for i := range items {
		p := ps[i]
		if !c.inFile {
			p = ps[m.rng.IntN(len(ps))]
		}
		items[i] = make([]byte, mostSamples)
		for j := range items[i] {
			items[i][j] = '0'
			if (m.rng.Float64() < p) != c.q.reversed {
				items[i][j] = '1'
			}
		}
	}
	return items
}

// judge judges the first n samples of each item.
func (m *simulation) judge(t *testing.T, items [][]byte, n int, c *untilCell, looks *rollout.Looks) *analysis.Result {
	t.Helper()
	var text []byte
	for i, ys := range items {
		for _, y := range ys[:n] {
			text = append(strconv.AppendInt(append(text, `{"item":"q`...), int64(i), 10), `","reward":`...)
			text = append(text, y, '}', '\n')
		}
	}
	if err := os.WriteFile(filepath.Join(m.dir, rollout.RolloutsFile), text, 0o644); err != nil {
		t.Fatal(err)
	}
	run, err := rollout.Open(m.dir)
	if err != nil {
		t.Fatal(err)
	}
	run.Manifest = &rollout.Manifest{Source: rollout.Import, Looks: looks}
	if c.inFile {
		run.Manifest.Data = []rollout.Data{{Split: rollout.Train, Rows: len(items), Items: len(items)}}
	}
	r, err := judge.Analyze(t.Context(), run, rollout.ReadOptions{}, m.s, gate.All())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// untilDecided samples as the plan says and returns the verdict and how many
// samples it took.
func (m *simulation) untilDecided(t *testing.T, items [][]byte, c *untilCell) (analysis.Verdict, int) {
	t.Helper()
	plan := measure.PlanLooks(mostSamples, m.s)
	for _, n := range plan.At {
		r := m.judge(t, items, n, c, plan.With(rollout.Look{Samples: n}))
		if plan = judge.Look(plan, n, r); plan.Ended != "" {
			return r.Verdict, n
		}
	}
	t.Fatal("the last look does not end")
	return "", 0
}

// TestLongCalibrationOfSamplingUntilDecided counts wrong verdicts, right ones and
// rollouts of sampling until decided, at most 16 per item, beside a fixed 16:
// where a truth lies just on either side of a blocking threshold, where it is
// clear, and where the informative share is 0.30 and 0.03.
func TestLongCalibrationOfSamplingUntilDecided(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	sets, full := 8, calibration.Full()
	if full {
		sets = 300
	}
	cells := untilCells(full)
	t.Cleanup(func() { writeUntil(t, cells, sets) })
	for i, c := range cells {
		t.Run(fmt.Sprintf("%s, %.0f %% of items live, of a file %t", c.about, 100*c.live, c.inFile), func(t *testing.T) {
			t.Parallel()
			m := newSimulation(t, uint64(200+i), c.thresholds)
			c.simulate(t, m, sets)
			falseGo, falseNot := c.wrong(c.until)
			if max(falseGo, falseNot) > 0.05+noise(sets) {
				t.Errorf("until decided: false GO %.3f, false NO-GO %.3f: more than 5 %%", falseGo, falseNot)
			}
			if c.right == "" {
				return
			}
			if lost := c.fixed[c.right] - c.until[c.right]; lost > 0.05+noise(sets) {
				t.Errorf("until decided %s comes in %.3f of runs, at 16 samples in %.3f", c.right, c.until[c.right], c.fixed[c.right])
			}
			if c.samples > 0.8*mostSamples {
				t.Errorf("until decided takes %.1f of %d samples", c.samples, mostSamples)
			}
		})
	}
}

func (c *untilCell) simulate(t *testing.T, m *simulation, sets int) {
	c.fixed, c.until = make(map[analysis.Verdict]float64), make(map[analysis.Verdict]float64)
	one := 1 / float64(sets)
	for range sets {
		items := m.draw(c)
		c.fixed[m.judge(t, items, mostSamples, c, nil).Verdict] += one
		verdict, n := m.untilDecided(t, items, c)
		c.until[verdict] += one
		c.samples += one * float64(n)
	}
}

// mayPass tells whether a GO is no error: just below a threshold of a gate that passes on the estimate.
func (c *untilCell) mayPass() bool { return c.q.lenient && c.right == "" && c.truth < c.q.threshold }

// wrong is how often GO comes where the truth lies below a threshold, and NO-GO
// where it lies above.
func (c *untilCell) wrong(came map[analysis.Verdict]float64) (falseGo, falseNot float64) {
	switch {
	case c.mayPass():
		return 0, 0
	case c.truth < c.q.threshold:
		return came[analysis.Go], 0
	}
	return 0, came[analysis.NoGo]
}

func writeUntil(t *testing.T, cells []*untilCell, sets int) {
	table := calibration.New(54, "Sampling until decided",
		fmt.Sprintf("Runs of 100 items, judged after %v samples of each under `--until decided --max-samples %d`, beside the same runs judged once after all %d: %d runs a cell, verdicts in per cent of them. "+
			"File: the items are the whole file; else it is what they were drawn from. Saved: rollouts, of the fixed number. At a threshold nothing can be saved without being wrong. Seeds from 200, one a row.",
			measure.PlanLooks(mostSamples, analysis.DefaultSettings()).At, mostSamples, mostSamples, sets),
		"truth", "live", "file", "GO of 16", "GO until", "NO-GO of 16", "NO-GO until", "samples", "saved")
	goes, nots := table.Target("false GO of sampling until decided: 5 % at most"), table.Target("false NO-GO of sampling until decided: 5 % at most")
	half := table.Target("rollouts saved by sampling until decided where the truth is clear: 50 % or more in each cell")
	for _, c := range cells {
		goUntil, notUntil := calibration.Percent(c.until[analysis.Go]), calibration.Percent(c.until[analysis.NoGo])
		switch {
		case c.mayPass():
		case c.truth < c.q.threshold:
			goUntil = goes.Hold(c.until[analysis.Go], 0, 0.05, sets)
		default:
			notUntil = nots.Hold(c.until[analysis.NoGo], 0, 0.05, sets)
		}
		saved := 1 - c.samples/mostSamples
		text := calibration.Percent(saved)
		if c.right != "" {
			text = half.Hold(saved, 0.5, 1, sets)
		}
		table.Row(c.about, calibration.Percent(c.live), map[bool]string{true: "yes", false: "no"}[c.inFile],
			calibration.Percent(c.fixed[analysis.Go]), goUntil, calibration.Percent(c.fixed[analysis.NoGo]), notUntil, fmt.Sprintf("%.1f", c.samples), text)
	}
	table.Write(t)
}
