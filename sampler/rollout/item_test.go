package rollout

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/jsontext"
)

// rowSeeds are rows as they are usually written, and not.
var rowSeeds = []string{
	`{"messages":[{"role":"user","content":"a\n\"b\" é"}],"tools":[{"type":"function"}],"answer":42}`,
	`{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{\"a\":1}"}}]},{"role":"tool","tool_call_id":"c1","name":"look","content":"7"}]}`,
	`{"messages":[{"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"look","arguments":{"a": 1}}},{"function":{"arguments":null}}]}]}`,
	`{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url"}]}]}`,
	`{"messages":[{"role":"user","content":7}],"tools":null}`,
	`{"messages":[{"role":"user","content":"a","weight":1,"refusal":"r","reasoning":"s"}],"tools": [] }`,
	`{"messages":[{"ROLE":"user","Content":"a"}],"Tools":[1]}`,
	`{"Messages":[{"role":"user"}],"messages":[{"role":"system"}]}`,
	`{"messages":[{"role":"user","content":"a","content":"b","tool_calls":[{"id":"x"}],"tool_calls":[]}],"messages":[]}`,
	`{"messages":[null,{"role":null,"tool_calls":null}]}`,
	`{"messages":[],"tools":[]}`, `{"messages":null}`, `{"messages":"text"}`, `{"messages":[7]}`, `{}`, `[]`, `null`, `{`, ` `,
	"{\"messages\":[{\"role\":\"u\xff\",\"content\":\"\\ud800\"}],\"me\xc5\xbf\xc5\xbfages\":[]}",
}

func TestRowsAreReadAsEncodingJSONReadsThem(t *testing.T) {
	for _, row := range rowSeeds {
		checkRow(t, []byte(row))
	}
}

func FuzzRow(f *testing.F) {
	for _, row := range rowSeeds {
		f.Add([]byte(row))
	}
	f.Fuzz(checkRow)
}

// checkRow holds a row, and its messages on their own, to encoding/json.
func checkRow(t *testing.T, row []byte) {
	it := Item{ID: "q1", Row: row}
	err := it.Decode()
	var want struct {
		Messages []Message       `json:"messages"`
		Tools    json.RawMessage `json:"tools"`
	}
	fault := jsontext.Unmarshal(row, &want)
	var text struct {
		Messages string `json:"messages"`
	}
	if jsontext.Unmarshal(row, &text) == nil && strings.Contains(text.Messages, "[") {
		return // see TestMessagesInText
	}
	if len(row) == 0 {
		fault = nil
	}
	if (err == nil) != (fault == nil) {
		t.Fatalf("%q: error %v, of encoding/json %v", row, err, fault)
	}
	if err != nil {
		return
	}
	want.Tools = toolsIn(want.Tools) // see TestToolsOfARow
	if diff := cmp.Diff(want.Messages, it.Messages, sameJSON) + cmp.Diff(want.Tools, it.Tools, sameJSON); diff != "" {
		t.Errorf("%q differs from encoding/json (-want +got):\n%s", row, diff)
	}
}

func TestToolsOfARow(t *testing.T) {
	for name, c := range map[string]struct{ tools, want string }{
		"as they are":  {`[{"type": "function","function":{"name":"f"}}]`, `[{"type": "function","function":{"name":"f"}}]`},
		"null":         {`null`, ``},
		"in text":      {`"[{\"name\":\"f\"}]"`, `[{"name":"f"}]`},
		"another text": {`"search"`, `"search"`},
		"keys that Arrow adds": {
			`[{"type":"function","function":{"name":"f","strict":null,"parameters":{"type":"object","required":["a"],"properties":{"a":{"type":"string","enum":null,"items":null},"b":null}}}},{"type":"function","function":{"name":"g","parameters":{"type":"object","properties":{"a":null,"b":{"type":"integer","description":null}},"required":null}}}]`,
			`[{"type":"function","function":{"name":"f","parameters":{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}}},{"type":"function","function":{"name":"g","parameters":{"type":"object","properties":{"b":{"type":"integer"}}}}}]`,
		},
		"null as a value": {
			`[{"parameters":{"properties":{"a":{"enum":["x",null],"default":{"k":null}},"default":{"type":"string","title":null}}}}]`,
			`[{"parameters":{"properties":{"a":{"enum":["x",null],"default":{"k":null}},"default":{"type":"string"}}}}]`,
		},
	} {
		it := Item{Row: []byte(`{"messages":[{"role":"user","content":"q"}],"tools":` + c.tools + `}`)}
		if err := it.Decode(); err != nil || string(it.Tools) != c.want {
			t.Errorf("%s: %s, %v\nwant %s", name, it.Tools, err, c.want)
		}
	}
	deep := strings.Repeat(`{"items":`, 300) + `{"a":null}` + strings.Repeat("}", 300)
	if got := toolsIn([]byte("[" + deep + "]")); string(got) != "["+deep+"]" {
		t.Errorf("a schema nested too deep was changed: %.40s", got)
	}
}

func TestMessagesInText(t *testing.T) {
	it := Item{Row: []byte(`{"messages":"[{\"role\":\"user\",\"content\":\"hi\"}]"}`)}
	if err := it.Decode(); err != nil || len(it.Messages) != 1 || it.Messages[0].Content != "hi" {
		t.Errorf("%+v, %v", it.Messages, err)
	}
	it = Item{Row: []byte(`{"messages":"[7]"}`)}
	if err := it.Decode(); err == nil {
		t.Error("a text of no messages was read")
	}
}
