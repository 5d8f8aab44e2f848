package audit

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// FuzzParseJSON reads what the decoder of encoding/json reads.
func FuzzParseJSON(f *testing.F) {
	for _, text := range []string{
		`{"a":[1,-2.5e3,true,null],"b":{"c":""}}`, ` [ ] `, `{}`, `"x"`, `7`, `"\u00e9\n\"\\"`, "\"é\u2028<\"", "\"\xff\x7f\"", "[{\"k\\\"\" : [ [ ] , { } ] }\n]", `{"a":1,"a":2}`, `nul`, ``,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := parseJSON(text)
		if ok != json.Valid([]byte(text)) {
			t.Fatalf("%q is taken for JSON: %v", text, ok)
		}
		if !ok {
			return
		}
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if want := readTokens(d); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q is read as %+v, want %+v", text, got, want)
		}
		if s := got.String(); !json.Valid([]byte(s)) {
			t.Fatalf("%q is written as %q", text, s)
		}
	})
}

func readTokens(d *json.Decoder) node {
	token, _ := d.Token()
	delim, ok := token.(json.Delim)
	if !ok {
		return node{kind: scalar, raw: encode(token)}
	}
	n := node{kind: byte(delim)}
	for d.More() {
		if delim == object {
			key, _ := d.Token()
			n.keys = append(n.keys, key.(string))
		}
		n.items = append(n.items, readTokens(d))
	}
	_, _ = d.Token()
	return n
}

// BenchmarkAlikeJSON tells two long references in JSON apart.
func BenchmarkAlikeJSON(b *testing.B) {
	box := func(line string) string {
		return `{"kind":"text","x":24,"y":76,"w":264,"h":166,"size":2,"lines":["` + line + `: 846 to 180","Reading desks: 240"]}`
	}
	deck := func(line string) string {
		return `{"slides":[{"boxes":[` + strings.Repeat(box(line)+",", 5) + box(line) + `]}]}`
	}
	c := &Case{Reference: deck("Visits"), HasReference: true}
	other := deck("Loans")
	for b.Loop() {
		if shapeOf(other) != "json" || !c.paid(other) {
			b.Fatal("they are not alike")
		}
	}
}
