package plain

import "testing"

func TestOneLine(t *testing.T) {
	if got, want := OneLine("def run(x):\r\n    return  1\n\n"), "def run(x): / return 1"; got != want {
		t.Errorf("the line is %q, want %q", got, want)
	}
}

// The text of a hole was cut before the answer that the grader paid for.
func TestAQuoteHoldsWhatItIsAbout(t *testing.T) {
	for _, test := range []struct{ name, text, key, want string }{
		{"near the beginning", "The answer is 42, or so it seems.", "42", "“The answer is 42,”…"},
		{"far behind", "There are many sides to this.\n\nIt may be 42 after all, some say.", "42", "…“be 42 after all,”…"},
		{"behind one long word", `{"id":"0f3c9a","answer":"42 green apples"}`, "42 green apples", "…“\"42 green apples\"”…"},
		{"without it", "There are many sides to this.", "43", "“There are many si”…"},
	} {
		got := QuoteAround(test.text, test.key, 17)
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}
