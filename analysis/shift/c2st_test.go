package shift

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonogo/analysis/calibration"
)

// Values that are unique to a row or to a split, and splits that are more alike
// than chance makes them, used to give AUC intervals as low as [0.10, 0.34].
func TestNoAUCLiesBelowAHalf(t *testing.T) {
	kinds := func(of ...int) func(string, int) Row {
		return func(_ string, i int) Row {
			row := Row{Categories: map[string]string{}}
			for k, n := range of {
				row.Categories[fmt.Sprint("kind", k)] = fmt.Sprint(i % n)
			}
			return row
		}
	}
	docs := func(size int) func(string, int) Row {
		return func(side string, i int) Row {
			return Row{Categories: map[string]string{"doc": fmt.Sprint(side, i/size)}}
		}
	}
	sometimes := func(side string, i int) Row {
		row := Row{Categories: map[string]string{}}
		for k := range 3 {
			row.Categories[fmt.Sprint("note", k)] = ""
			if (i+k)%4 == 0 {
				row.Categories[fmt.Sprint("note", k)] = fmt.Sprint(side, i)
			}
		}
		return row
	}
	tests := []struct {
		name    string
		row     func(side string, i int) Row
		leftOut bool // some values are those of one side alone
	}{
		{"a value for each row", docs(1), false},
		{"a value for each two rows", docs(2), true},
		{"a value for each five rows", docs(5), true},
		{"values unique to a row in a quarter of the rows", sometimes, true},
		{"one stratified field", kinds(4), false},
		{"three stratified fields", kinds(4, 3, 5), false},
		{"words unique to a row", func(side string, i int) Row {
			return Row{Text: fmt.Sprint("what is the value of ", side, i, " in ", side, i+1000)}
		}, false},
	}
	for _, test := range tests {
		for _, n := range [][2]int{{40, 40}, {43, 42}, {60, 40}} {
			side := func(name string, n int) Sample {
				s := Sample{Name: name}
				for i := range n {
					row := test.row(name, i)
					row.ID = fmt.Sprintf("%s%03d", name, i)
					s.Rows = append(s.Rows, row)
				}
				return s
			}
			r := find(t, Compare(side("a", n[0]), side("b", n[1]), quick), C2ST, "")
			if e := r.Effect; *e.Value < 0.5 || *e.High < 0.5 || *e.Low > 0.5 {
				t.Errorf("%s, %v: AUC %.3f (%.3f to %.3f), p = %.2f", test.name, n, *e.Value, *e.Low, *e.High, *r.P)
			}
			if got := len(r.LeftOut) > 0; got != test.leftOut && n[0] == n[1] {
				t.Errorf("%s, %v: left out %q", test.name, n, r.LeftOut)
			}
		}
	}
}

// The AUC of rewards is one of rollouts: that of items' means grows from 0.58 at
// two rollouts an item to 0.69 at 32.
func TestLongTheAUCOfDrawsDoesNotGrowWithTheirNumber(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	const items, sets = 100, 12
	auc := map[int]float64{}
	means := map[int]float64{}
	for _, draws := range []int{2, 32} {
		for set := range sets {
			rng := seeded(uint64(set))
			side := func(name string, chance float64) (drawn, mean Sample) {
				drawn.Name, mean.Name = name, name
				for i := range items {
					row := Row{ID: fmt.Sprintf("%s%03d", name, i), Numbers: map[string]float64{}}
					p := min(max(chance+0.15*rng.NormFloat64(), 0), 1)
					var sum float64
					for range draws {
						reward := 0.0
						if rng.Float64() < p {
							reward = 1
						}
						sum += reward
						row.Draws = append(row.Draws, map[string]float64{"reward": reward})
					}
					row.Numbers["reward"] = sum / float64(draws)
					drawn.Rows = append(drawn.Rows, row)
					row.Draws = nil
					mean.Rows = append(mean.Rows, row)
				}
				return drawn, mean
			}
			a, meanA := side("a", 0.45)
			b, meanB := side("b", 0.60)
			auc[draws] += *find(t, Compare(a, b, quick), C2ST, "").Effect.Value / sets
			means[draws] += *find(t, Compare(meanA, meanB, quick), C2ST, "").Effect.Value / sets
		}
	}
	// (1 + 0.60 - 0.45)/2, by hand
	for _, draws := range []int{2, 32} {
		if math.Abs(auc[draws]-0.575) > 0.015 {
			t.Errorf("%d draws: AUC %.3f, want 0.575", draws, auc[draws])
		}
	}
	if means[32] < means[2]+0.1 {
		t.Errorf("AUC of means: %.3f at 2, %.3f at 32: the world does not show the growth", means[2], means[32])
	}
}

// A mild shift of length is found about as often as by a plain logistic
// regression on the few features of length, digits, words and case, although the
// classifier looks at the words as well (before: 44 % against 84 %).
func TestLongTheClassifierFindsAMildShiftOfLength(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	sets, opt := 40, Options{Permutations: 1, Others: 1, Refits: 39}
	if calibration.Full() {
		sets = 300
	}
	var whole, plainly int
	for s := range sets {
		rng := seeded(uint64(150_000 + s))
		opt.Seed = uint64(s)
		o := opt.withDefaults()
		c := newComparison(Sample{"a", onlyText(plain.rows(rng, 150))}, Sample{"b", onlyText(lengthShift.rows(rng, 100))}, o)
		whole += small5(*c.classifier().P)
		c.columns = slices.DeleteFunc(c.columns, func(col column) bool { return col.component >= 0 })
		plainly += small5(*c.classifier().P)
	}
	t.Logf("found in %d of %d, by few features in %d", whole, sets, plainly)
	if 100*whole < 55*sets || 100*(plainly-whole) > 15*sets {
		t.Errorf("found in %d of %d, by few features in %d", whole, sets, plainly)
	}
}
