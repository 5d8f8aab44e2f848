package shift

import (
	"fmt"
	"slices"
	"testing"
)

func TestCoverageWithoutShiftIsAsFarAsItself(t *testing.T) {
	c := Coverage(Sample{"train", plain.rows(seeded(1), 900)}, Sample{"eval", plain.rows(seeded(2), 600)}, Options{})
	if *c.Share.Low > *c.Chance || *c.Share.High < *c.Chance {
		t.Errorf("%g of rows are far, [%g, %g], want %g", *c.Share.Value, *c.Share.Low, *c.Share.High, *c.Chance)
	}
}

func TestCoverageFindsWhatTheReferenceHasNot(t *testing.T) {
	eval := plain.rows(seeded(2), 100)
	foreign := writer{median: 900, french: 1, spend: 9}
	for i, row := range foreign.rows(seeded(3), 10) {
		row.ID = fmt.Sprintf("foreign %d", i)
		eval = append(eval, row)
	}
	c := Coverage(Sample{"train", plain.rows(seeded(1), 400)}, Sample{"eval", eval}, Options{})
	if *c.Share.Value < 10./110 || *c.Share.Value > 16./110 {
		t.Errorf("%g of the rows are far, 10 of 110 are foreign", *c.Share.Value)
	}
	for _, id := range c.Items[:8] {
		if id[0] != 'f' {
			t.Errorf("%s is said to be far", id)
		}
	}
}

// A reference that repeats every row must not make everything else far.
func TestCopiesWithinTheReferenceDoNotCount(t *testing.T) {
	train := plain.rows(seeded(1), 300)
	eval := Sample{"eval", plain.rows(seeded(2), 100)}
	twice := Coverage(Sample{"train", slices.Concat(train, train)}, eval, Options{})
	if *twice.Share.Value > 0.08 {
		t.Errorf("%g of rows are far from a reference that repeats itself", *twice.Share.Value)
	}
	if self := Coverage(Sample{"train", train}, Sample{"eval", train}, Options{}); *self.Share.Value != 0 {
		t.Errorf("%g of the reference is far from itself", *self.Share.Value)
	}
}
