package chart

import (
	"slices"
	"testing"
	"time"

	"gonogo/analysis/history"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

func TestTheFirstAndTheLastNightHaveTheirDates(t *testing.T) {
	for n := 1; n <= 400; n++ {
		nights := make([]history.NightSummary, n)
		for i := range nights {
			nights[i].Time = time.Date(2026, 11, 1+i, 2, 0, 0, 0, time.UTC)
		}
		ticks := nightTicks{Nights: nights, Most: 8}.Ticks(0, 0)
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
	if got := (nightTicks{Most: 8}).Ticks(0, 0); len(got) != 0 {
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
	for _, tick := range (nightTicks{Nights: nights, Most: 8}).Ticks(0, 0) {
		got = append(got, tick.Label)
	}
	if want := []string{"31 Dec 2025", "1 Jan 02:00", "14:30", "2 Jan 2026"}; !slices.Equal(got, want) {
		t.Errorf("labels %q, want %q", got, want)
	}
}

// Two hundred nights have eight dates on a page, and fewer on a third of a card: none is
// written over the next.
func TestDatesOfNightsHaveRoom(t *testing.T) {
	var nights []history.NightSummary
	for i := range 200 {
		nights = append(nights, history.NightSummary{Time: time.Date(2026, 11, 1+i, 2, 0, 0, 0, time.UTC)})
	}
	p := newPlot("night", "")
	p.X.Min, p.X.Max = 0, 199
	p.X.Tick.Marker = nightTicks{Nights: nights, Most: 8}
	for _, width := range []vg.Length{238, 367, Width} {
		f := Figure{Plot: p, Panel: width != Width}
		c := draw.New(vgimg.New(width, Height))
		axis := f.axes(c).X
		sty := axis.Tick.Label
		end, n := vg.Length(-100), 0
		for _, tick := range axis.Tick.Marker.Ticks(0, 199) {
			x, half := width*vg.Length(tick.Value/199), sty.Width(tick.Label)/2
			if n++; x-half < end+2 {
				t.Errorf("%g points wide: %s is written over the date before", width, tick.Label)
			}
			end = x + half
		}
		if n < 3 {
			t.Errorf("%g points wide: %d dates", width, n)
		}
	}
}
