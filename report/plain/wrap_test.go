package plain

import "testing"

func TestWrap(t *testing.T) {
	for what, c := range map[string]struct{ text, want string }{
		"words fill a line":              {"one two three four", "# one two\n# three\n# four\n"},
		"a long word has its own line":   {"a extraordinarily b", "# a\n# extraordinarily\n# b\n"},
		"layout of the text is dropped":  {"one\n   two", "# one two\n"},
		"no words are a line of nothing": {"", "# \n"},
	} {
		if got := Wrap(c.text, "# ", 10); got != c.want {
			t.Errorf("%s: Wrap(%q) = %q, want %q", what, c.text, got, c.want)
		}
	}
}
