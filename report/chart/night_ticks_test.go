package chart

import (
	"slices"
	"testing"
	"time"

	"gonogo/analysis/history"
)

func TestTheFirstAndTheLastNightHaveTheirDates(t *testing.T) {
	for n := 1; n <= 400; n++ {
		nights := make([]history.NightSummary, n)
		for i := range nights {
			nights[i].Time = time.Date(2026, 11, 1+i, 2, 0, 0, 0, time.UTC)
		}
		ticks := nightTicks{nights: nights}.Ticks(0, 0)
		if len(ticks) > 8 || ticks[0].Value != 0 || ticks[len(ticks)-1].Value != float64(n-1) {
			t.Fatalf("%d nights: ticks %v", n, ticks)
		}
		step := max(1, (n+6)/7)
		for i := 1; i < len(ticks); i++ {
			if 2*(ticks[i].Value-ticks[i-1].Value) < float64(step) {
				t.Fatalf("%d nights: ticks %v lie on each other", n, ticks)
			}
		}
	}
	if got := (nightTicks{}).Ticks(0, 0); len(got) != 0 {
		t.Errorf("no nights: ticks %v", got)
	}
}

func TestNightsOfOneDayShowTheirHours(t *testing.T) {
	var nights []history.NightSummary
	for _, at := range []string{"2025-12-31T02:00", "2026-01-01T02:00", "2026-01-01T14:30", "2026-01-02T02:00"} {
		when, err := time.Parse("2006-01-02T15:04", at)
		if err != nil {
			t.Fatal(err)
		}
		nights = append(nights, history.NightSummary{Time: when})
	}
	var got []string
	for _, tick := range (nightTicks{nights: nights}).Ticks(0, 0) {
		got = append(got, tick.Label)
	}
	if want := []string{"31 Dec 2025", "1 Jan 02:00", "14:30", "2 Jan 2026"}; !slices.Equal(got, want) {
		t.Errorf("labels %q, want %q", got, want)
	}
}
