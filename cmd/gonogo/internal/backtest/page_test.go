//go:build !race

// Under the race detector 88 runs take minutes and show nothing that the tests of
// the packages that judge do not.

package main

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"gonogo/analysis"
	"gonogo/fixtures/backtest"
	"gonogo/report/chart"
	"gonogo/report/reporttest"
)

var update = flag.Bool("update", false, "rewrite docs/backtest.md and its pictures")

// What the verdicts reached on the design half, to two digits in their favour. A
// change that makes one worse is to be argued, not pinned anew.
const (
	leastAUC      = 0.74 // of the order of verdicts
	leastGOGained = 0.63 // of the trainings judged GO
	mostNOGained  = 0.27 // of the trainings judged NO-GO
)

func TestPageSaysWhatTheVerdictsReach(t *testing.T) {
	root := filepath.Join("..", "..", "..", "..")
	docs := filepath.Join(root, "docs")
	all, err := judged(context.Background(), filepath.Join(root, "fixtures", "backtest", "data"), backtest.Design)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		if one.Setting.Half != backtest.Design {
			t.Fatalf("%s is of the half %s", one.Setting.Name, one.Setting.Half)
		}
	}
	parts := partsOf(all)
	if *update {
		if err := write(docs, parts, all); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(filepath.Join(docs, "backtest.md"))
	if err != nil {
		t.Fatal(err)
	}
	if want, err := filled(string(page), parts); err != nil || want != string(page) {
		t.Errorf("docs/backtest.md is not what the code finds (%v): run make backtest, and look at what changed", err)
	}
	for _, f := range figures(all) {
		samePicture(t, filepath.Join(docs, "backtest", f.Name+".png"), f)
	}
	auc, ok := orderAUC(all, (*training).rank)
	if !ok || auc.value < leastAUC {
		t.Errorf("the verdicts' order has an AUC of %.3f, want at least %.2f", auc.value, leastAUC)
	}
	share := func(v analysis.Verdict) float64 { c := ofVerdict(all, v); return float64(c[gained]) / float64(c.sum()) }
	if got := share(analysis.Go); !(got >= leastGOGained) {
		t.Errorf("%.3f of the trainings judged GO gained, want at least %.2f", got, leastGOGained)
	}
	if got := share(analysis.NoGo); !(got <= mostNOGained) {
		t.Errorf("%.3f of the trainings judged NO-GO gained, want at most %.2f", got, mostNOGained)
	}
}

// samePicture minds no last bit of an edge, which another processor may round.
func samePicture(t *testing.T, path string, f chart.Figure) {
	t.Helper()
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := drawn(f)
	if err != nil {
		t.Fatal(err)
	}
	got, want := reporttest.Decode(t, b), reporttest.Decode(t, old)
	if got.Bounds() != want.Bounds() {
		t.Errorf("%s is of the size %v, want %v: run make backtest", path, want.Bounds(), got.Bounds())
		return
	}
	differ, size := 0, got.Bounds()
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			if got.At(x, y) != want.At(x, y) {
				differ++
			}
		}
	}
	if differ > size.Dx()*size.Dy()/1000 {
		t.Errorf("%d points of %s differ from what the code draws: run make backtest", differ, path)
	}
}
