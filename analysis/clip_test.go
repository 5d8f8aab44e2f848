package analysis

import "testing"

func TestAnExcerptHoldsWhatItIsAbout(t *testing.T) {
	for _, test := range []struct{ name, s, key, want string }{
		{"short", "abc", "c", "abc"},
		{"the key is among the first", "0123456789abcdef", "567", "0123456789…"},
		{"the key is behind them", "0123456789abcdefghijklmnopqrstuvwxyz", "mno", "…jklmnopqrs…"},
		{"the key is the end", "0123456789abcdefghijklmnopqrstuvwxyz", "xyz", "…qrstuvwxyz"},
		{"the key is longer", "0123456789abcdefghijklmnopqrstuvwxyz", "klmnopqrstuvwxyz", "…klmnopqrst…"},
		{"there is no key", "0123456789abcdef", "z", "0123456789…"},
		{"no rune is split", "ééééééééééab", "ab", "…ééééab"},
		{"broken bytes", "0123456789\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", "…\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80"},
		{"it begins with a word", "0123456789abcdef gh ijklmnopqrstuvwxyz", "lmn", "…ijklmnopqr…"},
	} {
		if got := Excerpt(test.s, test.key, 10); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
