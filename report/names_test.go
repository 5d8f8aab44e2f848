package report

import "testing"

// An id that is a part of a word or a number was taken for a mention, and one that is not UTF-8 must not
// stop a report.
func TestATextNamesAnItemByItsWord(t *testing.T) {
	for _, c := range []struct {
		text, id string
		want     bool
	}{
		{"See one: gonogo audit RUN --replay bold/train/q-1/0.", "q-1", true},
		{"Read q-12 and q-1.", "q-1", true},
		{"Read q-12.", "q-1", false},
		{"Sample 20 items with vLLM 0.9.", "20", false},
		{"Take the rest.", "es", false},
		{"a \xff b", "\xff", true},
		{"anything", "", false},
	} {
		if got := names(c.text, c.id); got != c.want {
			t.Errorf("%q in %q: %t, want %t", c.id, c.text, got, c.want)
		}
	}
}
