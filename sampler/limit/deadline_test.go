package limit

import (
	"testing"
	"time"
)

func TestDeadlines(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 10, 24, 16, 30, 0, 0, zone) // the night after has 25 hours
	for text, want := range map[string]string{
		"":                          "0001-01-01T00:00:00Z",
		"2h":                        "2026-10-24T18:30:00+02:00",
		"1h30m":                     "2026-10-24T18:00:00+02:00",
		"17:30":                     "2026-10-24T17:30:00+02:00",
		"16:30":                     "2026-10-25T16:30:00+01:00", // it is just that: the next is meant
		"09:05:10":                  "2026-10-25T09:05:10+01:00",
		"2026-11-20T17:30:00Z":      "2026-11-20T17:30:00Z",
		"2026-11-20T17:30:00+05:00": "2026-11-20T17:30:00+05:00",
		"-1h":                       "",
		"0s":                        "",
		"25:00":                     "",
		"tomorrow":                  "",
		"2026-11-20":                "",
	} {
		got, err := ParseDeadline(text, now)
		if (err != nil) != (want == "") || err == nil && got.Format(time.RFC3339) != want {
			t.Errorf("%q: %v, %v; want %q", text, got, err, want)
		}
	}
}

// A time of day that has passed means tomorrow, which a user who mistyped it wants to know. Nothing
// is said of a deadline that names its day, or how long it is away.
func TestADeadlineOfTomorrowIsNoted(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 10, 24, 16, 30, 0, 0, zone) // the night after has 25 hours
	for text, want := range map[string]string{
		"16:31":                     "",
		"23:59:59":                  "",
		"16:30":                     "the deadline 16:30 is tomorrow, in 25 h 0 min",
		"09:05:10":                  "the deadline 09:05:10 is tomorrow, in 17 h 35 min",
		"2026-10-25T17:30:00+01:00": "",
		"12h":                       "",
	} {
		deadline, err := ParseDeadline(text, now)
		if err != nil {
			t.Fatal(err)
		}
		if got := NextDayNote(text, deadline, now); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
