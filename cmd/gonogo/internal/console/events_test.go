package console

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
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
