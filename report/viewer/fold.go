package viewer

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// fold appends text to dst in the form that search compares: each rune in lower case, as by
// strings.ToLower. Scripts without case, such as Chinese, stay as they are.
func fold[T string | []byte](dst []byte, text T) []byte {
	dst = slices.Grow(dst, len(text))
	for len(text) > 0 {
		n := len(dst)
		ascii := dst[n : n+min(len(text), cap(dst)-n)]
		i := 0
		for ; i < len(ascii) && text[i] < utf8.RuneSelf; i++ {
			ascii[i] = lower[text[i]]
		}
		dst, text = dst[:n+i], text[i:]
		for len(text) > 0 && text[0] >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(string(text[:min(len(text), utf8.UTFMax)]))
			if caseless(r) {
				dst = append(dst, text[:size]...)
			} else {
				dst = utf8.AppendRune(dst, unicode.ToLower(r))
			}
			text = text[size:]
		}
		dst = slices.Grow(dst, min(len(text), 1))
	}
	return dst
}

// lower maps ASCII to lower case.
var lower = func() (t [utf8.RuneSelf]byte) {
	for c := range t {
		t[c] = byte(unicode.ToLower(rune(c)))
	}
	return t
}()

// caseless reports whether a rune is in the East Asian range, which has no case: looking these up
// would take most of the time.
func caseless(r rune) bool { return r >= 0x2E80 && r < 0xA640 }

// unfold returns the index in text of the byte at index n of its folded form: folding changes the
// length of some runes.
func unfold(text string, n int) int {
	for i, r := range text {
		if n <= 0 {
			return i
		}
		if r < utf8.RuneSelf || caseless(r) {
			n -= utf8.RuneLen(r)
		} else {
			n -= utf8.RuneLen(unicode.ToLower(r))
		}
	}
	return len(text)
}
