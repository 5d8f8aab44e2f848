package jsontext

import "unicode/utf8"

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
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf && safe[c] {
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
