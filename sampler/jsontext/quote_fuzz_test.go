package jsontext_test

import (
	"encoding/json"
	"testing"

	"gonogo/sampler/jsontext"
)

func FuzzAppendQuoted(f *testing.F) {
	for _, s := range []string{"", "plain", "\"\\\n\r\t\x00\x1f", "<&>", "é\u2028😀", "\xff\xfe a", "a\xc3", "more than eight <é> & \u2028\u2027\u2029", "eight plain bytes\xe2\x80", "é é é é \"é\" \\ \xff"} {
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
		if safe := jsontext.AppendPageSafe(nil, s); string(safe) != string(want) {
			t.Fatalf("%q is quoted as %s, by encoding/json as %s", s, safe, want)
		}
	})
}
