package model

import (
	"encoding/json"
	"testing"

	"gonogo/sampler"
)

// FuzzParse reads any body: it never panics, and what it carries to the next
// request leaves that a JSON object.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		``, `{}`, `[]`, `null`, `{"output":null}`, `{"output":{}}`, `{"output":[null,1,"x"]}`, `{"output":[ ]}`,
		`{"output":[{"type":"function_call"}]}`, `{"output":[{"type":"function_call","call_id":"a","name":"f","arguments":{"x":1}},{"type":"message","content":null}]}`,
		`{"choices":[{"message":{"content":[1],"tool_calls":[{}]}}]}`, `{"choices":[{"message":{"content":"a","reasoning":{"x":1},"tool_calls":[{"function":{"arguments":null}}]}}]}`,
		`{"error":"x"}`, `{"error":{"code":{}}}`, `{"error":[]}`,
	} {
		f.Add([]byte(s))
	}
	head := Config{Name: "m", BaseURL: "http://x"}
	r, err := newResponses(head)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, w := range []wire{r, newChat(head)} {
			reply, err := w.parse(body, newIDs(nil))
			if err != nil {
				continue
			}
			turn := sampler.Turn{Reply: reply, Outputs: make([]string, len(reply.Calls))}
			if next := whole(w.request(w.start(prefix{messages: []byte(`{"role":"user"}`)}, omitted{}), []sampler.Turn{turn}, nil)); !json.Valid(next) {
				t.Fatalf("%T: %q leads to the request %s", w, body, next)
			}
			for _, c := range reply.Calls {
				if c.ID == "" {
					t.Fatalf("%T: %q leads to a call without an id", w, body)
				}
			}
		}
	})
}
