package ui

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/limit"
)

// What was written last, without an end of line, never became an event.
func TestTextWithoutAnEndOfLineIsAnEventToo(t *testing.T) {
	var out bytes.Buffer
	e := NewEvents(&out)
	_, _ = io.WriteString(e, "one\ntwo")
	e.Flush()
	e.Flush()
	var texts []string
	for line := range strings.Lines(out.String()) {
		var event struct{ Event, Text string }
		if err := json.Unmarshal([]byte(line), &event); err != nil || event.Event != "message" {
			t.Fatalf("%q: %v", line, err)
		}
		texts = append(texts, event.Text)
	}
	if got := strings.Join(texts, " "); got != "one two" {
		t.Errorf("events %q", got)
	}
}

// A session that never starts showed a count of errors and no cause; a wait for
// a server's word showed no reason.
func TestAnEndpointsLineSaysWhy(t *testing.T) {
	for want, b := range map[string]sampler.Boundary{
		"  session      0/8 in flight, 0/s, errors 12, last error: the session's start: exit status 1: no such image":                             {Name: "session", Limit: 8, Errors: 12, Cause: "the session's start: exit status 1: no such image"},
		"  model        0/8 in flight, 3 waiting, 0/s, paused 8m20s by its rate limit headers":                                                    {Name: "model", Limit: 8, Waiting: 3, Paused: 500 * time.Second, Why: limit.Headers},
		"  model        0/8 in flight, 0/s, errors 1, last error: status 500: \uFFFD[2J" + strings.Repeat("é", 100-len("status 500: .[2J")) + "…": {Name: "model", Limit: 8, Errors: 1, Cause: "status 500: \x1b[2J" + strings.Repeat("é", 200)},
	} {
		if got := BoundaryLine(b); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}
