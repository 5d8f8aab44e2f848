package limit

import (
	"fmt"
	"strings"
	"time"
)

// NextDayNote says that a deadline given as a time of day means tomorrow; "" if it
// does not.
func NextDayNote(text string, deadline, now time.Time) string {
	if !strings.Contains(text, ":") || len(text) > len("15:04:05") || deadline.YearDay() == now.YearDay() {
		return ""
	}
	remaining := deadline.Sub(now).Round(time.Minute)
	return fmt.Sprintf("the deadline %s is tomorrow, in %d h %d min", text, int(remaining.Hours()), int(remaining.Minutes())%60)
}

// ParseDeadline returns the time that a deadline means: a duration from now, the next
// occurrence of a time of day, or a date and time. "" is the zero time.
func ParseDeadline(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if span, err := time.ParseDuration(text); err == nil {
		if span <= 0 {
			return time.Time{}, fmt.Errorf("must be in the future, got %s", text)
		}
		return now.Add(span), nil
	}
	for _, layout := range []string{"15:04", "15:04:05"} {
		clock, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		t := time.Date(now.Year(), now.Month(), now.Day(), clock.Hour(), clock.Minute(), clock.Second(), 0,
			now.Location())
		if !t.After(now) { // that time of the next day, which may be 23 or 25 hours away
			t = time.Date(now.Year(), now.Month(), now.Day()+1, clock.Hour(), clock.Minute(), clock.Second(), 0,
				now.Location())
		}
		return t, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	return time.Time{}, fmt.Errorf("must be a span such as 2h, a time of day such as 17:30, or a date and time "+
		"such as 2026-11-20T17:30:00Z, got %q", text)
}
