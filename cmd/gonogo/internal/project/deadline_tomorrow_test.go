package project

import (
	"strings"
	"testing"
	"time"

	"gonogo/sampler/limit"
)

func TestADeadlineOfTomorrowIsSaid(t *testing.T) {
	now := time.Date(2026, 12, 31, 12, 50, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"12:00":                "the deadline 12:00 is tomorrow, in 23 h 10 min",
		"12:50":                "the deadline 12:50 is tomorrow, in 24 h 0 min",
		"09:05:30":             "the deadline 09:05:30 is tomorrow, in 20 h 16 min", // of 15.5
		"12:51":                "",
		"20h":                  "", // it says itself how long
		"2027-01-01T09:00:00Z": "",
		"":                     "",
	} {
		at, err := limit.ParseDeadline(text, now)
		if err != nil {
			t.Fatal(err)
		}
		if got := limit.NextDayNote(text, at, now); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	p := tinyProject(t)
	p.Config.Sampling.Deadline = "00:00"
	p.Spending.openBudget()
	if len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "the deadline 00:00 is tomorrow, in ") {
		t.Errorf("a command begins with %q", p.Warnings)
	}
}
