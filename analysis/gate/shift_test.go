package gate

import (
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/stat"
)

func TestItemsThatSettleAShift(t *testing.T) {
	pair := func(value, high float64) *analysis.ShiftPair {
		return &analysis.ShiftPair{NA: 100, NB: 400, Effect: stat.Estimate{Value: &value, High: &high}}
	}
	tests := []struct {
		name  string
		pair  *analysis.ShiftPair
		items int // 0: none would
	}{
		{"an interval that reaches as far above as the threshold lies needs no more", pair(0.6, 0.7), 100},
		{"one that reaches twice as far needs four times as many", pair(0.6, 0.8), 400},
		{"an estimate on the threshold is never settled", pair(0.6995, 0.8), 0},
		{"nor one that lies so near that nobody has the items", pair(0.695, 0.8), 0},
	}
	for _, test := range tests {
		needs, ok := settleShift(test.pair, 0.7)
		if ok != (test.items > 0) || ok && (needs.Items < test.items-1 || needs.Items > test.items+1) {
			t.Errorf("%s: %+v, %t", test.name, needs, ok)
		}
	}
}
