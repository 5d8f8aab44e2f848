package main

import (
	"archive/zip"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/fixtures/backtest"
)

func TestOutcomeOfATraining(t *testing.T) {
	for _, test := range []struct {
		gain, low, high float64
		want            outcome
	}{
		{0.05, 0.01, 0.09, gained},
		{0.05, 0, 0.10, nothing}, // may be no gain at all
		{0.049, 0.03, 0.06, nothing},
		{-0.2, -0.5, 0.1, nothing},
		{-0.02, -0.03, -0.01, lost},
	} {
		one := &training{Recording: &backtest.Recording{Outcome: backtest.Outcome{Gain: test.gain, Low: test.low, High: test.high}}}
		if got := one.outcome(); got != test.want {
			t.Errorf("gain %g (%g to %g): %s, want %s", test.gain, test.low, test.high, got, test.want)
		}
	}
}

// The AUC is Mann and Whitney's U over the number of pairs: of the scores 1, 2, 3
// that gained and 2, 0 that did not, 4 of 6 pairs are in order and one is a tie.
func TestAUC(t *testing.T) {
	auc, ok := aucOf([]float64{1, 2, 3, 2, 0}, []bool{true, true, true, false, false})
	if !ok || math.Abs(auc.value-4.5/6) > 1e-12 || auc.low > auc.value || auc.high < auc.value {
		t.Errorf("AUC %v, %v, want 0.75 within its interval", auc, ok)
	}
	again, _ := aucOf([]float64{1, 2, 3, 2, 0}, []bool{true, true, true, false, false})
	if again != auc {
		t.Errorf("the same scores give %v and %v", auc, again)
	}
	if _, ok := aucOf([]float64{1, 2}, []bool{true, true}); ok {
		t.Error("an AUC is known although all gained")
	}
}

// judgedAs is a training with a gain and some answers of blocking gates.
func judgedAs(gain float64, v analysis.Verdict, answers map[string]analysis.Status) *training {
	r := new(analysis.Result)
	r.Verdict = v
	for _, gate := range []string{"a", "b", signalGate} {
		value, status := 0.25, analysis.Pass
		if got, ok := answers[gate]; ok {
			status = got
		}
		r.Findings = append(r.Findings, analysis.Finding{Gate: gate, Severity: analysis.Blocking, Fact: analysis.Fact{ID: gate, Status: status, Value: &value}})
	}
	return &training{Recording: &backtest.Recording{Outcome: backtest.Outcome{Gain: gain, Low: gain - 0.01, High: gain + 0.01}}, result: r}
}

func TestWhatEachGateStoppedAlone(t *testing.T) {
	fail, open := analysis.Fail, analysis.Unknown
	got := blockedBy([]*training{
		judgedAs(0.5, analysis.NoGo, map[string]analysis.Status{"a": fail}),
		judgedAs(0, analysis.NoGo, map[string]analysis.Status{"a": fail, "b": open}),
		judgedAs(0, analysis.NoGo, map[string]analysis.Status{"a": fail, "b": fail}),
		judgedAs(0.5, analysis.Undecided, map[string]analysis.Status{"b": open}),
		judgedAs(-0.5, analysis.Go, nil),
	})
	want := []blocked{
		{gate: "a", failed: tally{1, 2, 0}, stoppedAlone: tally{1, 1, 0}},
		{gate: "b", failed: tally{0, 1, 0}, open: tally{1, 1, 0}, heldAlone: tally{1, 0, 0}},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestVerdictComesBeforeTheShareOfGroups(t *testing.T) {
	low, high := judgedAs(0, analysis.Go, nil), judgedAs(0, analysis.Undecided, nil)
	*low.signal(), *high.signal() = 0, 1
	if low.rank() <= high.rank() {
		t.Errorf("GO at a share of 0 ranks %g, UNDECIDED at 1 ranks %g", low.rank(), high.rank())
	}
}

// The default reads no recording of the held-out half.
func TestHeldOutHalfStaysClosed(t *testing.T) {
	root := t.TempDir()
	data := filepath.Join(root, "fixtures", "backtest", "data")
	if err := os.MkdirAll(data, 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(data, "x-s1.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for name, body := range map[string]string{"setting.json": `{"name":"x","seed":1,"half":"held_out"}`, "outcome.json": `{"gain":0.123}`, "curve.json": `[]`} {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(body))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err = run(context.Background(), []string{"-root", root}, &out)
	if err == nil || !strings.Contains(err.Error(), "no training of the half design") || strings.Contains(out.String(), "0.123") {
		t.Errorf("error %v, output %q: want none of the half design", err, out.String())
	}
}

func TestPartsNeedTheirMarks(t *testing.T) {
	page := "head\n<!-- a -->\nold<!-- end -->\ntail"
	if got, err := filled(page, []part{{"a", "new\n"}}); err != nil || got != "head\n<!-- a -->\n\nnew\n\n<!-- end -->\ntail" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := filled(page, []part{{"b", ""}}); err == nil || !strings.Contains(err.Error(), "marks of b") {
		t.Errorf("a page without marks: %v", err)
	}
}
