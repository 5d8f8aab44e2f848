package rollout

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

// The words of the formats that are read, as their own documentation has them.
func TestFinishOf(t *testing.T) {
	for word, want := range map[string]Finish{
		"stop": FinishStop, "length": FinishLength, "content_filter": FinishFilter, "tool_calls": FinishStop, // Chat Completions
		"completed": FinishStop, "max_output_tokens": FinishLength, // Responses
		"end_turn": FinishStop, "max_tokens": FinishLength, "stop_sequence": FinishStop, "tool_use": FinishStop, "refusal": FinishRefusal, // Anthropic
		"MAX_TOKENS": FinishLength, "SAFETY": FinishFilter, "STOP": FinishStop, // Gemini
		"model_length": FinishLength, // Inspect AI
		"eos":          FinishStop, "empty": FinishEmpty, " Max-Tokens ": FinishLength,
		"": "", "abort": "", "error": "", "unknown": "", "null": "",
	} {
		if got := FinishOf(word); got != want {
			t.Errorf("FinishOf(%q) is %q, want %q", word, got, want)
		}
	}
	for _, f := range Finishes() {
		if FinishOf(string(f)) != f {
			t.Errorf("%q is not read back", f)
		}
	}
}

// A line is read whatever word it says, and its word survives a rewrite.
func TestFinishOfALine(t *testing.T) {
	for line, want := range map[string]struct {
		finish Finish
		kept   string // in the line that is written again
	}{
		`{"item":"q","reward":1,"finish":"max_tokens"}`:                          {FinishLength, `"finish":"length"`},
		`{"item":"q","reward":1,"finish":"cosmic_ray"}`:                          {"", `"finish":"cosmic_ray"`},
		`{"item":"q","reward":1,"finish":{"type":"stop"}}`:                       {"", `"finish":{"type":"stop"}`},
		`{"item":"q","reward":1,"finish":null,"finish_reason":"length"}`:         {FinishLength, `"finish":"length"`},
		`{"item":"q","reward":1,"stop_reason":"end_turn"}`:                       {FinishStop, `"stop_reason":"end_turn"`},
		`{"item":"q","reward":1,"finish_reason":"abort","stop_reason":"length"}`: {FinishLength, `"finish_reason":"abort"`},
		`{"item":"q","reward":1,"finish_reason":["stop"]}`:                       {"", `"finish_reason":["stop"]`},
		`{"item":"q","reward":1,"finish":"refusal","finish_reason":"stop"}`:      {FinishRefusal, `"finish_reason":"stop"`},
		`{"item":"q","reward":1}`:                                                {"", `"reward":1`},
	} {
		var got *Record
		if _, err := Read(context.Background(), "r.jsonl", strings.NewReader(line+"\n"), ReadOptions{}, func(r *Record) error { got = r; return nil }); err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		b, err := json.Marshal(got)
		if err != nil || got.Finish != want.finish || !strings.Contains(string(b), want.kept) {
			t.Errorf("%s: finish %q, written as %s, %v", line, got.Finish, b, err)
		}
	}
}
