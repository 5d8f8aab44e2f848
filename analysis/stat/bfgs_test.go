package stat

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/optimize"
)

// The directions are those of optimize.BFGS, to the last bit.
func TestBFGSIsThatOfGonum(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	var ours bfgs // kept for all searches
	for search := range 300 {
		n := 1 + search%5
		var theirs optimize.BFGS
		loc := &optimize.Location{X: make([]float64, n), Gradient: make([]float64, n)}
		dir, want := make([]float64, n), make([]float64, n)
		for look := range 12 {
			for i := range n {
				loc.X[i], loc.Gradient[i] = r.NormFloat64(), r.NormFloat64()*float64(r.IntN(4))
			}
			var step, wantStep float64
			if look == 0 {
				loc.Gradient[0] = 1 // a search never begins at a minimum
				step, wantStep = ours.InitDirection(loc, dir), theirs.InitDirection(loc, want)
			} else {
				step, wantStep = ours.NextDirection(loc, dir), theirs.NextDirection(loc, want)
			}
			if step != wantStep || !slices.Equal(dir, want) {
				t.Fatalf("search %d, look %d: %v by %v, want %v by %v", search, look, dir, step, want, wantStep)
			}
		}
	}
}
