package jsontext

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var scanSeeds = []string{
	`{}`, `{"a":1}`, ` { "a" : [1, -2.5e+3, {"b":null}] , "a":"x" } `, `{"a":"\u00e9\ud83d\ude00\ud800x\n"}`,
	`{"a":01}`, `{"a":1.}`, `{"a":-}`, `{"a":1e}`, `{"a":.5}`, `{"a":+1}`, `{"a":tru}`, `{"a"}`, `{"a":1,}`, `{,}`, `[1,]`,
	`{"a":"`, `{"a":"\x"}`, `{"a":"\u12g4"}`, "{\"a\":\"\x01\"}", "{\"a\":\"\xff\xfe\"}", `{"a":NaN}`, `{"a":-Infinity,"b":"NaN"}`,
	`{"\u0069tem":"q"}`, `{"a":1}x`, `"text"`, `7`, ``, `nul`, strings.Repeat("[", 40) + strings.Repeat("]", 40),
}

// The scanner accepts what encoding/json accepts, and cuts out the members
// that encoding/json finds.
func FuzzScanner(f *testing.F) {
	for _, s := range scanSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var want map[string]json.RawMessage
		wantErr := json.Unmarshal(text, &want)
		got := make(map[string]json.RawMessage)
		s := Scanner{Source: text}
		gotErr := s.Members(func(key, value []byte) error {
			got[Text(key)] = value
			return nil
		})
		isObject := wantErr == nil && want != nil // null is not an object
		if isObject != (gotErr == nil) {
			t.Fatalf("Members(%q): error %v, encoding/json says %v", text, gotErr, wantErr)
		}
		if !isObject {
			return
		}
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })); diff != "" {
			t.Errorf("Members(%q) differ from encoding/json (-want +got):\n%s", text, diff)
		}
	})
}

// A value of any kind is checked as encoding/json checks it.
func FuzzScannerValue(f *testing.F) {
	for _, s := range scanSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		wrapped := append(append([]byte("["), text...), ']')
		s := Scanner{Source: wrapped}
		if got, want := s.Elements(nil) == nil, json.Valid(wrapped); got != want {
			t.Errorf("Elements(%q) accepted: %t, encoding/json: %t", wrapped, got, want)
		}
	})
}

func FuzzTextLen(f *testing.F) {
	for _, s := range []string{`plain`, `\n\"\u00e9`, `\ud83d\ude00`, `\ud800`, `\ud800\u0041`, `\udc00\ud800`, "\xff\xc3", "é😀", `\\u0041`, `seven   \n bytes\" and é and nineteen more`, strings.Repeat(`\n is é\ud83d\ude00`, 99), strings.Repeat("\xff", 600) + `\n`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		lit := []byte(`"` + body + `"`)
		var want string
		if json.Unmarshal(lit, &want) != nil {
			return
		}
		if got := Text(lit); got != want {
			t.Errorf("Text(%s) = %q, encoding/json says %q", lit, got, want)
		}
		if got := Len(lit); got != len(want) {
			t.Errorf("Len(%s) = %d, want %d", lit, got, len(want))
		}
		s := Scanner{Source: append(lit, `,"é\u00e9`...)}
		if err := s.Literal(); err != nil || s.At != len(lit) || s.LiteralLen(lit) != len(want) {
			t.Errorf("walking over %s: %v, to %d of %d, %d bytes of text, want %d", lit, err, s.At, len(lit), s.LiteralLen(lit), len(want))
		}
	})
}

// Text that passes leniently is JSON once its bare words read null.
func FuzzNullify(f *testing.F) {
	for _, s := range append(scanSeeds, `{"a":[NaN,Infinity,-Infinity],"NaN":"-Infinity \" NaN"}`, `{"a":NaNNaN}`, `{"a":-Inf}`) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := Scanner{Source: text, Lenient: true}
		lenient := s.Members(func(_, _ []byte) error { return nil }) == nil
		clean := Nullify(text) // must not panic, whatever it is given
		if lenient && !json.Valid(clean) {
			t.Errorf("Nullify(%q) = %q is no JSON", text, clean)
		}
		if json.Valid(text) && !bytes.Equal(text, clean) {
			t.Errorf("Nullify changed valid JSON %q to %q", text, clean)
		}
	})
}

func TestScannerDepth(t *testing.T) {
	for _, depth := range []int{maxDepth - 1, maxDepth, maxDepth + 1, 1 << 20} {
		text := []byte(strings.Repeat("[", depth) + strings.Repeat("]", depth))
		s := Scanner{Source: text}
		if got, want := s.Elements(nil) == nil, json.Valid(text); got != want {
			t.Errorf("depth %d accepted: %t, encoding/json: %t", depth, got, want)
		}
	}
}
