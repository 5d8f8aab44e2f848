package rollout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// pairs decodes a line into its members as text.
func pairs(text []byte) ([]string, error) {
	var all []string
	err := Members(text, func(key string, value []byte) error {
		all = append(all, fmt.Sprintf("%s=%s", key, value))
		return nil
	})
	return all, err
}

func TestReadLines(t *testing.T) {
	file := "\uFEFF" + `{"a":1,"b":[NaN,"NaN"],"A":-Infinity}` + "\r\n\n" + `{"a":1,"b":[NaN,"NaN"],"A":-Infinity}` + "\n" + `{"a\u0062":{"x":"}"}}` + "\n" + `{"a":`
	var got []string
	hashes := map[uint64]int{}
	torn, err := ReadLines(context.Background(), "x.jsonl", strings.NewReader(file), pairs, func(l Line[[]string]) error {
		got = append(got, fmt.Sprintf("%d %s", l.Number, strings.Join(l.Value, " ")))
		hashes[l.Hash]++
		return nil
	})
	want := `1 a=1 b=[null,"NaN"] A=null|3 a=1 b=[null,"NaN"] A=null|4 ab={"x":"}"}`
	if err != nil || !torn || strings.Join(got, "|") != want || len(hashes) != 2 {
		t.Errorf("got %q, torn %t, %d hashes, %v", got, torn, len(hashes), err)
	}
}

func TestReadLinesRefuses(t *testing.T) {
	none := func(Line[[]string]) error { return nil }
	for file, want := range map[string]string{
		"{\"a\":1}\n{\"a\":\n{}\n": "x.jsonl:2: broken JSON near byte ",
		"{\"a\":1}\n[1]":           "x.jsonl:2: it must be a JSON object, not [1]",
	} {
		_, err := ReadLines(context.Background(), "x.jsonl", strings.NewReader(file), pairs, none)
		if _, ok := errors.AsType[*LineError](err); !ok || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", file, err, want)
		}
	}
	full := errors.New("disk full")
	if _, err := ReadLines(context.Background(), "x.jsonl", strings.NewReader("{}\n"), pairs, func(Line[[]string]) error { return full }); err != full {
		t.Errorf("error is %v, want that of yield as it is", err)
	}
}

func TestElements(t *testing.T) {
	var got []string
	err := Elements([]byte(`[1, NaN, {"a":[Infinity]}, "x"]`), func(v []byte) error { got = append(got, string(v)); return nil })
	if want := `1 null {"a":[null]} "x"`; err != nil || strings.Join(got, " ") != want {
		t.Errorf("got %q, %v", got, err)
	}
	if err := Elements([]byte(`{}`), nil); err == nil || !strings.Contains(err.Error(), "must be a JSON array") {
		t.Errorf("an object: %v", err)
	}
}

// What encoding/json takes, Members takes too; what it hands on is JSON.
func FuzzMembers(f *testing.F) {
	f.Add(`{"a":NaN,"b":{"c":[1,-Infinity]},"d":"\u00e9"}`)
	f.Add(`{"a":N`)
	f.Fuzz(func(t *testing.T, text string) {
		values := map[string]json.RawMessage{}
		err := Members([]byte(text), func(key string, value []byte) error {
			if !json.Valid(value) {
				t.Errorf("value %q of %q is no JSON", value, key)
			}
			values[key] = value
			return nil
		})
		var want map[string]json.RawMessage
		if strict := json.Unmarshal([]byte(text), &want); strict == nil && want != nil && (err != nil || len(values) != len(want)) {
			t.Errorf("%d members, %v; encoding/json has %d", len(values), err, len(want))
		}
	})
}
