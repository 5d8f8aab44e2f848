package chart_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gonogo/analysis/message"
	"gonogo/analysis/pilot"
	"gonogo/report/chart"
	"gonogo/report/internal/lettering"
	"gonogo/report/reporttest"
)

func pilotFigure(r *pilot.Result) chart.Figure { return chart.Render(chart.Pilots()[0], r) }

func TestPilotPictures(t *testing.T) {
	for _, name := range reporttest.Pilots() {
		f := pilotFigure(reporttest.LoadPilot(t, name))
		var b bytes.Buffer
		if err := chart.WritePNG(&b, f, chart.Width, f.Height); err != nil {
			t.Fatal(err)
		}
		reporttest.SamePicture(t, filepath.Join("testdata", "pilot."+name+".png"), b.Bytes(), *update)
		wellFormed(t, writeSVG(t, f))
	}
}

func TestNoTextOfAPilotIsCutOrRunsIntoAnother(t *testing.T) {
	for _, l := range []message.Language{{}, message.Chinese} {
		for _, name := range reporttest.Pilots() {
			r := reporttest.LoadPilot(t, name)
			r.Lang = l
			for _, panel := range []bool{false, true} {
				f := pilotFigure(r)
				f.Panel, f.Fonts = panel, (*lettering.Fonts)(nil).External()
				for _, size := range sizes {
					checkLayout(t, fmt.Sprintf("%s in %s at %v, panel %v", name, l.Tag(), size, panel), f, size.w, size.h*f.Height/chart.Height)
				}
			}
		}
	}
}

// The numbers are those of reporttest/pilots/*.json.
func TestAPilotInWords(t *testing.T) {
	for name, want := range map[string]string{
		"rises":          "GO at step 20: eval has risen by 0.281 after 20 steps. training reward +0.256: 80 items, n = 640 rollouts; eval +0.281: 96 items, n = 768 rollouts; paired, 95 % t intervals.",
		"reward_alone":   "by training reward alone, which is 0.372 above the base run on the same items: eval was not sampled, so it may be memorization. training reward +0.372",
		"one_step":       "The log has not reached the first look. next look at step 10; ",
		"withheld":       "training reward not shown: the trainer pays something other than the base run's grader",
		"withheld_alone": "no data, the training reward is withheld and eval was not sampled: the trainer pays something other",
		"negative":       "training reward -0.259: 80 items, n = 640 rollouts; paired, 95 % t intervals; shares of the reward range",
		"tiny_range":     "eval +0.197: ",
		"curves":         "train/reward as the trainer logged it: not paired with the base run",
	} {
		if alt := pilotFigure(reporttest.LoadPilot(t, name)).Alt(); !strings.Contains(alt, want) {
			t.Errorf("%s: the picture says %q, want %q", name, alt, want)
		}
	}
}

func TestATableOfAPilot(t *testing.T) {
	rows := map[string][]string{}
	f := pilotFigure(reporttest.LoadPilot(t, "rises"))
	for _, m := range f.Table.Marks {
		rows[m.Cells[0]] = m.Cells[1:]
	}
	if len(rows) != 25 { // 24 steps, and the look at 40
		t.Errorf("it has %d rows, want 25", len(rows))
	}
	for step, want := range map[string]string{
		"5": "+0.0375 [-0.0310, 0.1060]||", "20": "+0.256 [0.209, 0.303]|+0.281 [0.229, 0.334]|GO", "40": "||planned look",
	} {
		if got := strings.Join(rows[step], "|"); got != want {
			t.Errorf("step %s: %q, want %q", step, got, want)
		}
	}
	if f := pilotFigure(reporttest.LoadPilot(t, "withheld")); len(f.Table.Marks) != 3 || f.Table.Marks[0].Cells[1] != "" {
		t.Errorf("where the training reward is withheld the table lists it: %v", f.Table.Marks)
	}
}

// TestOddPilotsDoNotBreakAPicture draws pilots that no judge makes, but a file made elsewhere may hold.
func TestOddPilotsDoNotBreakAPicture(t *testing.T) {
	for what, bend := range map[string]func(*pilot.Result){
		"no steps":                         func(r *pilot.Result) { r.Steps = nil },
		"no looks":                         func(r *pilot.Result) { r.Looks, r.Planned = nil, nil },
		"a look far away":                  func(r *pilot.Result) { r.Planned[2].Step = 1 << 40; r.NextLook = new(1 << 40) },
		"a step without a value":           func(r *pilot.Result) { r.Steps[7] = pilot.Point{Step: 8} },
		"all values equal":                 func(r *pilot.Result) { flatten(r, 0) },
		"huge values":                      func(r *pilot.Result) { flatten(r, 1e300) },
		"an eval look without an interval": func(r *pilot.Result) { r.Looks[1].Eval.Low = nil },
		"a huge range":                     func(r *pilot.Result) { r.Range = [2]float64{-1e300, 1e300} },
		"a negative step":                  func(r *pilot.Result) { r.Steps[0].Step = -1 << 40 },
		"many steps": func(r *pilot.Result) {
			for step := 25; step < 5000; step++ {
				q := r.Steps[step%24]
				q.Step = step
				r.Steps = append(r.Steps, q)
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			r := reporttest.LoadPilot(t, "rises")
			bend(r)
			f := pilotFigure(r)
			wellFormed(t, writeSVG(t, f))
			if n := len(f.Table.Marks); n > 320 {
				t.Errorf("the table has %d rows", n)
			}
		})
	}
	for what, c := range map[string]pilot.Curve{
		"an empty curve": {Name: "reward"}, "one point": {Name: "reward", Steps: []int{3}, Values: []float64{0}},
	} {
		r := reporttest.LoadPilot(t, "curves")
		r.Curves = []pilot.Curve{c}
		if f := pilotFigure(r); (f.Plot == nil) != (len(c.Steps) == 0) {
			t.Errorf("%s: plot %v, %s", what, f.Plot != nil, f.NoData)
		} else {
			wellFormed(t, writeSVG(t, f))
		}
	}
}

func flatten(r *pilot.Result, value float64) {
	for i := range r.Steps {
		r.Steps[i].Value, r.Steps[i].Low, r.Steps[i].High = &value, &value, &value
	}
	r.Looks = nil
}

// The line breaks where a step has no value instead of bridging it.
func TestAGapInAPilotIsAGap(t *testing.T) {
	paths := func(r *pilot.Result) int { return bytes.Count(writeSVG(t, pilotFigure(r)), []byte("<path")) }
	whole, gap := reporttest.LoadPilot(t, "rises"), reporttest.LoadPilot(t, "rises")
	gap.Steps[7] = pilot.Point{Step: 8}
	// a line and a band more, a dot less
	if got, want := paths(gap), paths(whole)+2-1; got != want {
		t.Errorf("with a gap the picture has %d paths, want %d", got, want)
	}
}
