package chart_test

import (
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/shift"
	"gonogo/analysis/stat"
	"gonogo/report/chart"
	"gonogo/report/reporttest"
	"gonogo/sampler/rollout"
)

// shifted is a Result whose splits differ in what is asked, perhaps in rewards,
// and not in their fields.
func shifted(t *testing.T) *analysis.Result {
	t.Helper()
	r := reporttest.Load(t, "go")
	sh := &analysis.Shift{Crossings: []analysis.Crossing{{A: rollout.Train, B: rollout.Eval, RowsA: 120, RowsB: 60}}}
	for _, c := range []struct {
		on           string
		v, low, high float64
		p            float64
	}{{analysis.OnLastUser, 0.91, 0.86, 0.95, 0.0005}, {analysis.OnFields, 0.48, 0.4, 0.57, 1}, {analysis.OnReward, 0.68, 0.61, 0.74, 0.02}} {
		sh.Pairs = append(
			sh.Pairs,
			analysis.ShiftPair{A: rollout.Train, B: rollout.Eval, On: c.on, Test: shift.Energy, Primary: true, PHolm: stat.FiniteOrNil(c.p)},
			analysis.ShiftPair{A: rollout.Train, B: rollout.Eval, On: c.on, Test: shift.C2ST, P: stat.FiniteOrNil(c.p / 2), Effect: stat.Estimate{Value: stat.FiniteOrNil(c.v), Low: stat.FiniteOrNil(c.low), High: stat.FiniteOrNil(c.high)}, Top: []message.Text{message.Verbatim("words: median 51 in eval, 33 in train")}},
			analysis.ShiftPair{A: rollout.Train, B: rollout.Eval, On: c.on, About: message.Verbatim("feature of " + c.on), Test: shift.Kolmogorov, Effect: stat.Estimate{Value: stat.FiniteOrNil(c.v - 0.4), Low: stat.FiniteOrNil(c.low - 0.4), High: stat.FiniteOrNil(c.high - 0.4)}},
		)
	}
	r.Thresholds = analysis.ThresholdValues{"shift": {"shift": 0.75, "shift.p": 0.01, "shift.caution.p": 0.05}}
	r.Shift = sh
	return r
}

func TestShiftPicture(t *testing.T) {
	checkPicture(t, "shifted", "shift", shifted(t))
}

func TestShiftInWords(t *testing.T) {
	for what, c := range map[string]struct {
		bend func(r *analysis.Result)
		want string
	}{
		"the clear difference comes first":     {func(*analysis.Result) {}, "train and eval are distinguished by last user message (AUC 0.91)"},
		"a caution is no certainty":            {func(r *analysis.Result) { r.Shift.Pairs = r.Shift.Pairs[3:] }, "train and eval can be distinguished by rewards (AUC 0.68)"},
		"nothing differs":                      {func(r *analysis.Result) { r.Shift.Pairs = r.Shift.Pairs[3:6] }, "No two splits are shown to differ"},
		"a large effect without a p is none":   {func(r *analysis.Result) { r.Shift.Pairs = r.Shift.Pairs[1:3] }, "No two splits are shown to differ"},
		"without thresholds nothing is judged": {func(r *analysis.Result) { r.Thresholds = nil }, "No two splits are shown to differ"},
		"one split":                            {func(r *analysis.Result) { r.Shift.Crossings = nil }, "only one split"},
		"items are not known":                  {func(r *analysis.Result) { r.Shift = nil }, "items themselves are not known"},
		"nothing could be compared":            {func(r *analysis.Result) { r.Shift.Pairs = r.Shift.Pairs[:1] }, "no two splits have anything"},
	} {
		r := shifted(t)
		c.bend(r)
		f := chart.Render(chartNamed(t, "shift"), r)
		wellFormed(t, writeSVG(t, f))
		if !strings.Contains(f.Alt(), c.want) {
			t.Errorf("%s: the picture says %q, want %q", what, f.Alt(), c.want)
		}
	}
	// The classifier has a p of its own next to that of the test that decides.
	cells := chart.Render(chartNamed(t, "shift"), shifted(t)).Table.Marks[2].Cells
	if got := strings.Join(cells, " | "); !strings.Contains(got, "0.68 [0.61, 0.74] | 0.01 | 0.02 |") {
		t.Errorf("the row of the rewards is %q", got)
	}
	// Three splits: each row says which two it compares.
	r := shifted(t)
	for _, p := range r.Shift.Pairs {
		p.B = rollout.Production
		r.Shift.Pairs = append(r.Shift.Pairs, p)
	}
	r.Shift.Crossings = append(r.Shift.Crossings, analysis.Crossing{A: rollout.Train, B: rollout.Production, RowsA: 120, RowsB: 900})
	f := chart.Render(chartNamed(t, "shift"), r)
	checkLayout(t, "three splits", f, chart.Width, f.Height)
	if rows := len(f.Table.Marks); rows != 12 || !strings.Contains(f.Subtitle, "production (n = 900)") {
		t.Errorf("%d rows under %q", rows, f.Subtitle)
	}
}

// A verdict names the corrected p of the test that decides, so the picture has the same one, and no
// line at an AUC that decides nothing.
func TestShiftShowsThePThatDecides(t *testing.T) {
	svg := writeSVG(t, chart.Render(chartNamed(t, "shift"), shifted(t)))
	for text, want := range map[string]bool{"0.68, p = 0.02": true, "0.48, p = 1": true, "p = 0.01<": false, "caution beyond": false} {
		if got := strings.Contains(string(svg), text); got != want {
			t.Errorf("the picture has %q: %t, want %t", text, got, want)
		}
	}
}
