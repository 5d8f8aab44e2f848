package jsontext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// AppendQuoted appends s to b as a JSON string. Unlike encoding/json it does not escape <, >
// and &, because bodies are for servers, not for web pages. Invalid UTF-8 becomes U+FFFD.
func AppendQuoted(b []byte, s string) []byte { return appendQuoted(b, s, &plain) }

// AppendPageSafe appends s to b as encoding/json writes it, also escaping <, > and &, for text
// that may end up in a web page.
func AppendPageSafe(b []byte, s string) []byte { return appendQuoted(b, s, &pageSafe) }

// pageSafe marks the plain bytes without a special meaning in a web page.
var pageSafe = func() [256]bool {
	safe := plain
	safe['<'], safe['>'], safe['&'] = false, false, false
	return safe
}()

func appendQuoted(b []byte, s string, safe *[256]bool) []byte {
	const hex = "0123456789abcdef"
	b = append(slices.Grow(b, len(s)+len(s)/16+2), '"')
	start, page, valid := 0, !safe['<'], utf8.ValidString(s)
	for i := 0; i < len(s); {
		for len(s)-i >= 8 {
			m := toQuote(s[i:i+8], page, valid)
			if m != 0 {
				i += bits.TrailingZeros64(m) / 8
				break
			}
			i += 8
		}
		if i == len(s) {
			break
		}
		c := s[i]
		if c < utf8.RuneSelf && safe[c] || c >= utf8.RuneSelf && c != lineEnd && valid {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			switch {
			case r == utf8.RuneError && n == 1:
				b = append(append(b, s[start:i]...), `\ufffd`...)
				start = i + n
			case r == '\u2028', r == '\u2029': // line ends in JavaScript
				b = append(append(append(b, s[start:i]...), `\u202`...), hex[r&15])
				start = i + n
			}
			i += n
			continue
		}
		b = append(b, s[start:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\t':
			b = append(b, `\t`...)
		case '\r':
			b = append(b, `\r`...)
		case '\b':
			b = append(b, `\b`...)
		case '\f':
			b = append(b, `\f`...)
		default:
			b = append(append(b, `\u00`...), hex[c>>4], hex[c&15])
		}
		i++
		start = i
	}
	return append(append(b, s[start:]...), '"')
}

// lineEnd is the first byte of U+2028 and U+2029 in UTF-8.
const lineEnd = 0xe2

// toQuote returns the highest bit of the first of eight bytes that is not plain, has a meaning in a page,
// or may begin a rune to replace: in a valid text one of the two line ends; see marked.
func toQuote(s string, page, valid bool) uint64 {
	x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	m := marked(x)
	if end := x ^ ones*lineEnd; valid {
		m |= (end - ones) &^ end & tops
	} else {
		m |= x & tops
	}
	if page {
		angle, and := (x|ones*('<'^'>'))^ones*'>', x^ones*'&'
		m |= ((angle-ones)&^angle | (and-ones)&^and) & tops
	}
	return m
}

// AppendCompact appends a value as encoding/json writes a json.RawMessage: without white space, and safe
// in a page.
func AppendCompact(b, value []byte) ([]byte, error) {
	s := Scanner{Source: value}
	if s.Space(); s.Value(0) != nil || s.End() != nil {
		text, err := json.Marshal(json.RawMessage(value)) // of nil it is null
		return append(b, text...), err
	}
	if s.spaces == 0 {
		return appendPageSafe(b, value), nil // its special characters are all within literals
	}
	for s.At = 0; s.At < len(value); {
		switch c := value[s.At]; c {
		case '"':
			from := s.At
			_ = s.Literal() // no error: the value is valid
			b = appendPageSafe(b, value[from:s.At])
			continue
		case ' ', '\t', '\r', '\n':
		default:
			b = append(b, c)
		}
		s.At++
	}
	return b, nil
}

// appendPageSafe appends a literal, or a value without white space, and escapes what has a meaning in a page.
func appendPageSafe(b, lit []byte) []byte {
	special := false
	for _, c := range []byte{'<', '>', '&', lineEnd} {
		special = special || bytes.IndexByte(lit, c) >= 0
	}
	if !special {
		return append(b, lit...)
	}
	start := 0
	for i, c := range lit {
		after := i + 1
		switch {
		case c == '<', c == '>', c == '&':
		case c == lineEnd && len(lit)-i >= 3 && lit[i+1] == 0x80 && lit[i+2]&^1 == 0xa8: // U+2028 and U+2029
			after = i + 3
		default:
			continue
		}
		r, _ := utf8.DecodeRune(lit[i:])
		b = fmt.Appendf(append(b, lit[start:i]...), `\u%04x`, r)
		start = after
	}
	return append(b, lit[start:]...)
}
