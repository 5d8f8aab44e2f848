package document

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for what, c := range map[string]struct{ text, want string }{
		"nothing":                            {"", "null"},
		"comments alone":                     {"# a\n", "null"},
		"scalars":                            {"[1, 1.50, -2e3, true, ~, text, '1', 2026-11-23]", `[1,1.50,-2e3,true,null,"text","1","2026-11-23"]`},
		"numbers that JSON writes otherwise": {"[0x10, 1_000, .5]", `[16,1000,0.5]`},
		"an integer beyond 64 bits":          {"18446744073709551616", "18446744073709551616"},
		"no numbers that take for ever":      {"[1e9999, .inf, .nan]", `["1e9999",".inf",".nan"]`},
		"the order of keys":                  {"b: 1\na: {d: 2, c: 3}\n", `{"b":1,"a":{"d":2,"c":3}}`},
		"anchors, aliases and merges":        {"a: &x {k: 1}\nb: *x\nc: {<<: *x, k: 2, l: 3}\n", `{"a":{"k":1},"b":{"k":1},"c":{"k":2,"l":3}}`},
		"tabs in JSON":                       {"{\n\t\"a\": 1\n}", `{"a":1}`},
		"a byte order mark":                  {"\ufeffa: 1", `{"a":1}`},
		"the first of a list that is merged": {"a: {<<: [{k: 1}, {k: 2, l: 3}], m: 4}\n", `{"a":{"m":4,"k":1,"l":3}}`},
		"a rule of dashes":                   {"a: |\n  " + strings.Repeat("-", 2000) + "\n", `{"a":"` + strings.Repeat("-", 2000) + `\n"}`},
		"a block of text":                    {"a: |\n  b\n  c\n", `{"a":"b\nc\n"}`},
		"text that JSON escapes":             {`a: "<\u0001>"`, `{"a":"\u003c\u0001\u003e"}`},
	} {
		n, err := Parse("x", []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", what, err)
		} else if got := string(n.JSON()); got != c.want {
			t.Errorf("%s: %s, want %s", what, got, c.want)
		}
	}
}

func TestPlaces(t *testing.T) {
	n, err := Parse("x", []byte("tools:\n  - name: a\n    a.b: {c: 1}\n  - [x, yes]\n"))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{ // of the key, and of the value
		"": "1:1 1:1", "tools": "1:1 2:3", "tools[7]": "1:1 2:3", "tools[1][1]": "4:9 4:9",
		"tools[0].name": "2:5 2:11", "tools[0].a.b.c": "3:11 3:14", "tools[0].nope.x": "2:5 2:5",
	} {
		f := n.Locate(path)
		if got := fmt.Sprintf("%d:%d %d:%d", f.Line, f.Column, f.Value.Line, f.Value.Column); got != want {
			t.Errorf("%q is at %s, want %s", path, got, want)
		}
	}
	path, found := n.Search(func(text string) bool { return text == "yes" })
	if !found || path != ".tools[1][1]" {
		t.Errorf("found %q, %v", path, found)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"a: &x [1, *x]", "<<: {a: 1}\nb: |\n c", "{\"a\": [1e3, \"\\ud83d\"]}", "? a\n: b", strings.Repeat("[", 2000), "- !!str 1\n---\n- 2"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := Parse("x", text)
		if err != nil {
			if _, ok := errors.AsType[Errors](err); !ok {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		body := n.JSON()
		if !json.Valid(body) {
			t.Fatalf("no JSON: %s", body)
		}
		again, err := Parse("x", body)
		if err == nil && string(again.JSON()) != string(body) {
			t.Fatalf("%s\nis read as\n%s", body, again.JSON())
		}
	})
}

func TestQuoteYAMLReadsBack(t *testing.T) {
	for _, text := range []string{"a", "train.jsonl", "../x/y.jsonl", "with space", "12", "1e3", "true", "null", "~", "a: b", "a #b", "- a", "é", "'", `"`, "{x}", "2025-05-08", "10m", "https://x.example/v1", "*a", "line\nbreak", "<tag>", "trailing:"} {
		node, err := Parse("x", []byte("k: "+Quote(text)+"\n"))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if v := node.Get("k"); v.Kind != Text || v.Text != text {
			t.Errorf("%q written as %s is read as %s %q", text, Quote(text), v.Kind, v.Text)
		}
	}
}
