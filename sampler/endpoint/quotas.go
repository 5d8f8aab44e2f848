package endpoint

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"gonogo/sampler/limit"
)

// quotasOf reads x-ratelimit-remaining-requests and -tokens with their
// x-ratelimit-reset-…, as OpenAI, Azure, Groq and others send them.
func quotasOf(h http.Header, now time.Time) limit.Quotas {
	now = saidAt(h, now)
	return limit.Quotas{Requests: quotaOf(h, "Requests", now), Tokens: quotaOf(h, "Tokens", now)}
}

func quotaOf(h http.Header, unit string, now time.Time) limit.Quota {
	left, err := strconv.ParseFloat(strings.TrimSpace(h.Get("X-Ratelimit-Remaining-"+unit)), 64)
	if err != nil || !(left >= 0) {
		return limit.Quota{}
	}
	return limit.Quota{Known: true, Left: left, Reset: resetOf(h.Get("X-Ratelimit-Reset-"+unit), now)}
}

// sinceEpoch is the number of seconds from which a number is a date rather than a span.
const sinceEpoch = 1e9

// resetOf reads a span such as 6m0s, 120ms or 1d2h, a number of seconds, a date, or seconds or
// milliseconds since 1970; it returns 0 for anything else.
func resetOf(text string, now time.Time) time.Duration {
	text = strings.TrimSpace(text)
	if s, err := strconv.ParseFloat(text, 64); err == nil {
		switch {
		case s >= sinceEpoch*1000:
			return max(0, time.UnixMilli(int64(s)).Sub(now))
		case s >= sinceEpoch:
			return max(0, time.Unix(int64(s), 0).Sub(now))
		}
		return span(s, time.Second)
	}
	days := time.Duration(0)
	if d, rest, ok := strings.Cut(text, "d"); ok {
		if n, err := strconv.ParseFloat(d, 64); err == nil {
			days, text = span(n, 24*time.Hour), rest
			if rest == "" {
				return days
			}
		}
	}
	if d, err := time.ParseDuration(text); err == nil {
		return max(0, days+d)
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return max(0, t.Sub(now))
	}
	if t, err := http.ParseTime(text); err == nil {
		return max(0, t.Sub(now))
	}
	return 0
}
