package html

import (
	"slices"
	"testing"

	"gonogo/report/block"
)

func TestColumnsOfNumbersAndOfWords(t *testing.T) {
	g := block.Grid{
		Head: []string{"k", "share", "change", "answer", "none"},
		Rows: [][]string{{"1", "0.5 [0.4, 0.6]", "-0.1", "differ", ""}, {"2", "20 of 20", "< 0.001", "", ""}},
	}
	want := []block.Kind{block.Text, block.Number, block.Number, block.Text, block.Number}
	if got := kinds(g); !slices.Equal(got, want) {
		t.Errorf("kinds are %v, want %v", got, want)
	}
}
