package transcript_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gonogo/sampler/internal/transcript"
)

// A list of messages is decoded as each of its messages alone.
func TestMessagesAreThoseDecodedAlone(t *testing.T) {
	for _, text := range []string{
		`{"role":"user","content":"a \"b\" é"}`, `{"role":"user"}`, `{"content":null,"content":"last"}`,
		`{"content":"first","content":[{"type":"text","text":"last"},{"type":"image"}]}`, `{"content":{"a": 1}}`, `{"content":7}`,
		`{"Content":"x","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}],"reasoning":"r"}`,
		`{"content":[7]}`, `{"role":7}`, `null`, `7`,
	} {
		list, err := transcript.Messages(json.RawMessage("["+text+"]"), "user")
		var all []transcript.ChatMessage
		fault := json.Unmarshal([]byte("["+text+"]"), &all)
		if fault != nil {
			if err == nil || err.Error() != fault.Error() {
				t.Errorf("%s: error %v, want %v", text, err, fault)
			}
			continue
		}
		if strings.HasPrefix(text, `{"Content"`) {
			all[0].Content = nil // keys are matched exactly
		}
		want, fault := all[0].Message()
		if fault != nil {
			fault = fmt.Errorf("message 1: %w", fault)
		}
		if fmt.Sprint(err) != fmt.Sprint(fault) || err == nil && fmt.Sprint(list[0]) != fmt.Sprint(want) {
			t.Errorf("%s: %+v, %v; want %+v, %v", text, list, err, want, fault)
		}
	}
}
