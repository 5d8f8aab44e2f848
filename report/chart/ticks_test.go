package chart

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestTicksAreRoundOrderedAndInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(-1e6, 1e6).Draw(t, "lo")
		width := math.Exp(rapid.Float64Range(-8, 12).Draw(t, "log width"))
		k := roundTicks{Want: rapid.IntRange(2, 12).Draw(t, "want"), Whole: rapid.Bool().Draw(t, "whole")}
		list := k.Ticks(lo, lo+width)
		if len(list) > 3*k.Want+2 {
			t.Fatalf("%d ticks for about %d", len(list), k.Want)
		}
		seen := map[string]bool{}
		for i, tick := range list {
			if tick.Value < lo-width*1e-3 || tick.Value > lo+width*(1+1e-3) {
				t.Fatalf("tick %v lies outside [%v, %v]", tick.Value, lo, lo+width)
			}
			if i > 0 && tick.Value <= list[i-1].Value {
				t.Fatalf("ticks %v and %v are out of order", list[i-1].Value, tick.Value)
			}
			if seen[tick.Label] || tick.Label == "-0" {
				t.Fatalf("label %q appears twice or is -0", tick.Label)
			}
			seen[tick.Label] = true
		}
	})
}

func TestEndsOfARangeAreLabelled(t *testing.T) {
	e := withEnds(between(roundTicks{Want: 5}, -1, 2.5), -1, 2.5)
	var got []string
	for _, tick := range e.Ticks(-1.07, 2.57) {
		got = append(got, tick.Label)
	}
	want := []string{"-1", "0", "1", "2", "2.5"}
	if len(got) != len(want) {
		t.Fatalf("labels are %q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("label %d is %q, want %q", i, got[i], want[i])
		}
	}
}
