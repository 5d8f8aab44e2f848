package console

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"gonogo/analysis/message"
	"gonogo/report/plain"
	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// BoundaryLine describes the state of an endpoint for people.
func BoundaryLine(b endpoint.State) string {
	parts := []string{fmt.Sprintf("%s/%s in flight", message.Whole(b.InFlight), message.Whole(b.Limit))}
	add := func(n int, format string, args ...any) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(b.Waiting, "%s waiting", message.Whole(b.Waiting))
	parts = append(parts, message.Digits(b.Rate)+"/s")
	add(int(b.P95), "p95 %s", Span(b.P95))
	add(b.Errors, "errors %s", message.Whole(b.Errors))
	add(b.Limited, "429s %s", message.Whole(b.Limited))
	add(b.Retries, "retries %s", message.Whole(b.Retries))
	add(int(b.Paused), "paused %s by %s", Span(b.Paused), b.Why)
	held := Held(b)
	add(len(held), "%s", held)
	if b.Silent >= longSilence {
		add(1, "no answer for %s (%s)", Span(b.Silent), timeoutOf(b.Name))
	}
	add(len(b.Cause), "last error: %s", OneLine(Visible(b.Cause)))
	return fmt.Sprintf("  %-12s %s", plain.Text(b.Name), strings.Join(parts, ", "))
}

// longSilence is how long an endpoint may be silent before its line says so.
const longSilence = time.Minute

// Held says what limits the requests in flight, and the key that changes it; "" if nothing does, or
// nothing has to wait for it.
func Held(b endpoint.State) string {
	switch {
	case b.HeldBy == limit.HeldByRefusals:
		return fmt.Sprintf("limited to %s by 429s (sampling.concurrency)", message.Whole(b.Limit))
	case b.HeldBy == limit.HeldByQueue:
		return fmt.Sprintf("handles about %s at once; more would queue (sampling.concurrency)", message.Whole(b.Limit))
	case b.HeldBy == limit.HeldBySetting && b.Waiting > 0:
		return fmt.Sprintf("limited to %s by sampling.concurrency", message.Whole(b.Limit))
	}
	return ""
}

// timeoutOf returns the key of an endpoint's timeout.
func timeoutOf(boundary string) string {
	switch {
	case boundary == endpoint.Model, boundary == endpoint.Judge:
		return boundary + ".timeout"
	case strings.HasPrefix(boundary, endpoint.Tool("")):
		return "sampling.tool_timeout"
	case strings.HasPrefix(boundary, endpoint.Grader):
		return "sampling.grader_timeout"
	}
	return "sampling.rollout_timeout"
}

// LostTo describes the last errors of endpoints at which rollouts failed.
func LostTo(s sampler.Stats) []string {
	var lost int
	for outcome, n := range s.Outcomes {
		if outcome.Missing() {
			lost += n
		}
	}
	var out []string
	asked := false // whether an endpoint grades
	for _, b := range s.Boundaries {
		asked = asked || b.Name == endpoint.Grader || b.Name == endpoint.Judge
		if lost > 0 && b.Cause != "" {
			out = append(out, fmt.Sprintf("  %s: %s of %s failed, the last: %s", plain.Text(b.Name),
				message.Whole(b.Errors), Count(b.Requests, "request"), OneLine(Visible(b.Cause))))
		}
	}
	if n := s.Outcomes[rollout.GraderFailed]; n > 0 && !asked {
		out = append(out, fmt.Sprintf("  grader: %s of %s have no grade, the last: %s", message.Whole(n),
			Count(s.Recorded, "rollout"), OneLine(Visible(s.Ungraded))))
	}
	return out
}

// Troubles lists failed rollouts and repeated requests.
func Troubles(s sampler.Stats) []string {
	var out []string
	for _, o := range rollout.Outcomes() {
		if n := s.Outcomes[o]; n > 0 && o != rollout.Graded {
			out = append(out, fmt.Sprintf("%s %s", o, message.Whole(n)))
		}
	}
	retries := 0
	for _, name := range slices.Sorted(maps.Keys(s.Retries)) {
		retries += s.Retries[name]
	}
	if retries > 0 {
		out = append(out, fmt.Sprintf("retries %s", message.Whole(retries)))
	}
	return out
}

// Summary says in one line what was recorded, and what it took.
func Summary(s sampler.Stats) string {
	parts := []string{Count(s.ToolCalls, "tool call")}
	if s.Tokens > 0 {
		parts = append(parts, Tokens(s.Tokens))
	}
	if s.USD.N > 0 {
		parts = append(parts, Dollars(s.USD.Total+s.USD.Mean()*float64(s.USDUnknown)))
	}
	parts = append(parts, Troubles(s)...)
	return fmt.Sprintf("Recorded %s of %s in %s: %s.\n", message.Whole(s.Recorded), Count(s.Rollouts, "rollout"),
		s.Elapsed.Round(100*time.Millisecond), strings.Join(parts, ", "))
}
