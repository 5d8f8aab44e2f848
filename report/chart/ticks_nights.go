package chart

import (
	"slices"
	"time"

	"gonum.org/v1/plot"

	"gonogo/analysis/history"
	"gonogo/analysis/message"
)

// nightTicks labels at most Most nights, two or more, with their dates, and with the time of day if
// there are several nights on that day: the last night, some before it in even steps, and the first
// if there is room.
type nightTicks struct {
	Nights []history.NightSummary
	Lang   message.Language
	Most   int
}

// Ticks implements plot.Ticker.
func (t nightTicks) Ticks(_, _ float64) []plot.Tick {
	n := len(t.Nights)
	every := max(1, (n+t.Most-2)/(t.Most-1))
	var indices []int
	for i := n - 1; i >= 0; i -= every {
		indices = append(indices, i)
	}
	switch last := len(indices) - 1; {
	case n > 0 && indices[last] > every/2:
		indices = append(indices, 0)
	case n > 0:
		indices[last] = 0
	}
	var out []plot.Tick
	year, day, last := 0, "", ""
	for _, i := range slices.Backward(indices) {
		start := t.Nights[i].Time
		label, today := start.Format(t.Lang.Text("date.short", "2 Jan")), start.Format(time.DateOnly)
		same := func(k int) bool { return k >= 0 && k < n && t.Nights[k].Time.Format(time.DateOnly) == today }
		switch now := start.Year(); {
		case day == today:
			label = start.Format("15:04")
		case same(i-1) || same(i+1):
			label += start.Format(" 15:04")
		case now != year:
			label, year = start.Format(t.Lang.Text("date.long", "2 Jan 2006")), now
		}
		day = today
		if label == last {
			label = "" // nights within the same minute
		} else {
			last = label
		}
		out = append(out, plot.Tick{Value: float64(i), Label: label})
	}
	return out
}
