package collect

import (
	"slices"
	"testing"
)

func TestNaturalOrderOfIds(t *testing.T) {
	ids := []string{"q10", "q2", "q1", "10", "9", "q02", "a", ""}
	slices.SortFunc(ids, CompareIDs)
	want := []string{"", "9", "10", "a", "q1", "q02", "q2", "q10"}
	if !slices.Equal(ids, want) {
		t.Errorf("sorted %q, want %q", ids, want)
	}
}
