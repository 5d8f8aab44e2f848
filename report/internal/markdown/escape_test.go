package markdown

import "testing"

func TestCodeSpansHoldBackticks(t *testing.T) {
	for in, want := range map[string]string{"a": "`a`", "a`b": "``a`b``", "`a`": "`` `a` ``", "a``b`": "``` a``b` ```", "": "`  `", "a|b": "`a\\|b`"} {
		if got := code(in); got != want {
			t.Errorf("code(%q) = %q, want %q", in, got, want)
		}
	}
}
