package jsontext_test

import (
	"encoding/json"
	"testing"

	"gonogo/sampler/jsontext"
)

func FuzzAppendQuoted(f *testing.F) {
	for _, s := range []string{"", "plain", "\"\\\n\r\t\x00\x1f", "<&>", "é\u2028😀", "\xff\xfe a", "a\xc3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := jsontext.AppendQuoted(nil, s)
		var back string
		if err := json.Unmarshal(got, &back); err != nil {
			t.Fatalf("%q is quoted as %s: %v", s, got, err)
		}
		want, _ := json.Marshal(s)
		var wantBack string
		_ = json.Unmarshal(want, &wantBack)
		if back != wantBack {
			t.Fatalf("%q comes back as %q, encoding/json brings %q", s, back, wantBack)
		}
	})
}
