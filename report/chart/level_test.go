package chart

import (
	"testing"

	"gonogo/analysis/history"
)

// Three nights had a band for where one more night would be.
func TestALevelOfFewNightsHasNoBand(t *testing.T) {
	low, high := 0.4, 0.6
	for n := 1; n <= 8; n++ {
		s := trend{Series: &history.Series{}}
		for i := range n {
			s.Points = append(s.Points, history.Point{Night: i, Value: 0.5, InTrend: true})
		}
		level := s.shown(history.Level{To: n - 1, Value: 0.5, NightLow: &low, NightHigh: &high})
		if (level.NightLow != nil) != (n >= 5) {
			t.Errorf("%d nights: a band is drawn: %t", n, level.NightLow != nil)
		}
	}
}
