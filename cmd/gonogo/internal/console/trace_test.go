package console

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

// The rehearsal's lines were cut before they were masked, which left half of a
// key on the terminal.
func TestTheRehearsalShowsNoHalfKey(t *testing.T) {
	const key = "sk-planted-0123456789abcdef"
	redact := rollout.NewRedactor(key)
	text := strings.Repeat("x", 85) + " " + key
	var out bytes.Buffer
	WriteTrace(&out, &rollout.Record{Outcome: rollout.NoAnswer, Messages: []rollout.Message{
		{Role: "assistant", Content: text, Reasoning: text, ToolCalls: []rollout.ToolCall{{Name: "f", Arguments: text}}},
		{Role: "tool", Content: text},
	}}, true, redact.String)
	if strings.Contains(out.String(), "sk-pl") {
		t.Errorf("part of the key is shown:\n%s", out.String())
	}
}

func plainly(text string) string { return text }

func TestATraceIsReadFromTopToBottom(t *testing.T) {
	reward := 0.5
	var out bytes.Buffer
	WriteTrace(&out, &rollout.Record{
		Item: "q1", Turns: 2, Calls: make([]rollout.Call, 1), Outcome: rollout.Graded, Reward: &reward, Answer: "four",
		Messages: []rollout.Message{
			{Role: "user", Content: "two and two"},
			{Role: "assistant", ToolCalls: []rollout.ToolCall{{Name: "add", Arguments: "{}"}}},
			{Role: "tool", Content: "4"},
			{Role: "assistant", Content: "four"},
		},
	}, true, plainly)
	want := `Rehearsal: item q1, 2 turns, 1 tool call, 0s
  user      two and two
  calls     add {}
  returns   4
  assistant four
  output    four
  reward    0.5
  outcome   graded 
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestAReplayShowsBothGrades(t *testing.T) {
	high, low := 1.0, 0.25
	r := Replay{
		ID: "empty/train/q1/0", Doc: "an answer that says nothing", Recorded: &rollout.Record{Outcome: rollout.Graded, Reward: &high},
		Now: &rollout.Record{Outcome: rollout.Graded, Reward: &low, Grades: []float64{0, 0.5}, Parts: map[string]float64{"b": 1, "a": 0}, Answer: "\x1b[2J secret"},
	}
	var out bytes.Buffer
	r.WriteText(&out, rollout.NewRedactor("secret").String)
	text := out.String()
	for _, want := range []string{"empty/train/q1/0\nan answer", "recorded   reward 1\n", "now        reward 0.25, grades 0 0.5\n  a 0\n  b 1\n", "payload, 11 bytes:\n\uFFFD[2J "} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in:\n%s", want, text)
		}
	}
	if strings.Contains(text, "secret") {
		t.Errorf("a secret is shown:\n%s", text)
	}
	r.Recorded = nil
	b, err := json.Marshal(r)
	if want := `{"id":"empty/train/q1/0","now":{"grades":[0,0.5],"outcome":"graded","parts":{"a":0,"b":1},"reward":0.25},"payload":"\u001b[2J secret","recorded":null}`; err != nil || string(b) != want {
		t.Errorf("got %s (%v)\nwant %s", b, err, want)
	}
}
