package chart

import (
	"slices"
	"time"

	"gonum.org/v1/plot"

	"gonogo/analysis/history"
	"gonogo/analysis/message"
)

// nightTicks labels at most that many nights, two or more, by their dates, and by their
// hours where a day has several: the last, some before it at even steps, and the first
// where it has room.
type nightTicks struct {
	Nights []history.NightSummary
	Lang   message.Language
	Most   int
}

// Ticks implements plot.Ticker.
func (t nightTicks) Ticks(_, _ float64) []plot.Tick {
	n := len(t.Nights)
	every := max(1, (n+t.Most-2)/(t.Most-1))
	var at []int
	for i := n - 1; i >= 0; i -= every {
		at = append(at, i)
	}
	switch last := len(at) - 1; {
	case n > 0 && at[last] > every/2:
		at = append(at, 0)
	case n > 0:
		at[last] = 0
	}
	var out []plot.Tick
	year, day, last := 0, "", ""
	for _, i := range slices.Backward(at) {
		when := t.Nights[i].Time
		label, today := when.Format(t.Lang.Text("date.short", "2 Jan")), when.Format(time.DateOnly)
		same := func(k int) bool { return k >= 0 && k < n && t.Nights[k].Time.Format(time.DateOnly) == today }
		switch now := when.Year(); {
		case day == today:
			label = when.Format("15:04")
		case same(i-1) || same(i+1):
			label += when.Format(" 15:04")
		case now != year:
			label, year = when.Format(t.Lang.Text("date.long", "2 Jan 2006")), now
		}
		day = today
		if label == last {
			label = "" // of nights of one minute
		} else {
			last = label
		}
		out = append(out, plot.Tick{Value: float64(i), Label: label})
	}
	return out
}
