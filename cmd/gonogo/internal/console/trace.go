package console

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"gonogo/analysis/message"
	"gonogo/report/plain"
	"gonogo/sampler/rollout"
)

// WriteTrace writes a rehearsed rollout in readable form, with secrets removed by mask. output also
// shows the answer, which may differ from the model's last text.
func WriteTrace(w io.Writer, rec *rollout.Record, output bool, mask func(string) string) {
	show := func(format string, args ...any) {
		fmt.Fprintln(w, Visible(mask(fmt.Sprintf(format, args...))))
	}
	// Mask before cutting, so that half a key is never shown.
	oneLine := func(s string) string { return OneLine(mask(s)) }
	show("Rehearsal: item %s, %s, %s, %s", rec.Item, Count(rec.Turns, "turn"), Count(len(rec.Calls), "tool call"),
		time.Duration(rec.Elapsed).Round(time.Millisecond))
	for _, m := range rec.Messages {
		if m.Reasoning != "" {
			show("  (thinks)  %s", oneLine(m.Reasoning))
		}
		if m.Content != "" && m.Role != "tool" {
			show("  %-9s %s", m.Role, oneLine(m.Content))
		}
		for _, call := range m.ToolCalls {
			show("  calls     %s %s", call.Name, oneLine(call.Arguments))
		}
		if m.Role == "tool" {
			show("  returns   %s", oneLine(m.Content))
		}
	}
	if output && rec.Answer != "" {
		show("  output    %s", oneLine(rec.Answer))
	}
	if reward, ok := rec.Score(0); ok && rec.Reward != nil {
		show("  reward    %s", message.Digits(reward))
	}
	show("  outcome   %s %s", rec.Outcome, rec.Error)
}

// Replay is a payload of an audit that was graded once more.
type Replay struct {
	ID       string          // of the payload
	Doc      string          // of its probe; "" if the probe is unknown
	Recorded *rollout.Record // with the grade of the audit; nil: not graded
	Now      *rollout.Record // with the new grade
}

// MarshalJSON writes both grades and the payload.
func (r Replay) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{
		"id": r.ID, "recorded": gradeOf(r.Recorded), "now": gradeOf(r.Now),
		"payload": r.Now.Answer,
	})
}

// WriteText writes both grades and the whole payload, with secrets removed by mask.
func (r Replay) WriteText(w io.Writer, mask func(string) string) {
	show := func(format string, args ...any) {
		fmt.Fprintln(w, Visible(mask(fmt.Sprintf(format, args...))))
	}
	show("%s", r.ID)
	if r.Doc != "" {
		show("%s", plain.Wrap(r.Doc, "", 80))
	}
	show("recorded   %s", graded(r.Recorded))
	show("now        %s", graded(r.Now))
	for _, part := range slices.Sorted(maps.Keys(r.Now.Parts)) {
		show("  %s %s", part, message.Digits(r.Now.Parts[part]))
	}
	show("payload, %d bytes:\n%s", len(r.Now.Answer), r.Now.Answer)
}

// gradeOf returns the grade of a record as --json shows it.
func gradeOf(r *rollout.Record) map[string]any {
	if r == nil {
		return nil
	}
	if r.Reward == nil {
		return map[string]any{"outcome": r.Outcome, "error_kind": r.Kind, "error": r.Error}
	}
	return map[string]any{"outcome": r.Outcome, "reward": *r.Reward, "grades": r.Grades, "parts": r.Parts}
}

// graded describes how a grader graded an output.
func graded(r *rollout.Record) string {
	switch {
	case r == nil:
		return "not graded"
	case r.Reward == nil:
		return fmt.Sprintf("%s (%s): %s", r.Outcome, r.Kind, r.Error)
	case len(r.Grades) > 1:
		grades := make([]string, len(r.Grades))
		for i, g := range r.Grades {
			grades[i] = message.Digits(g)
		}
		return fmt.Sprintf("reward %s, grades %s", message.Digits(*r.Reward), strings.Join(grades, " "))
	}
	return "reward " + message.Digits(*r.Reward)
}
