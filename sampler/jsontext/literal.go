package jsontext

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Text returns the text of a checked string literal, which includes its quotes. An invalid byte
// or a lone surrogate becomes U+FFFD.
func Text(lit []byte) string {
	body := lit[1 : len(lit)-1]
	if bytes.IndexByte(body, '\\') < 0 && utf8.Valid(body) {
		return string(body)
	}
	var text strings.Builder
	text.Grow(len(body))
	for len(body) > 0 {
		n := 0
		for n < len(body) && body[n] != '\\' && body[n] < utf8.RuneSelf {
			n++
		}
		text.Write(body[:n])
		if body = body[n:]; len(body) == 0 {
			break
		}
		var r rune
		switch {
		case body[0] != '\\':
			r, n = utf8.DecodeRune(body) // an invalid byte becomes U+FFFD
		case body[1] == 'u':
			r, n = escaped(body)
		default:
			text.WriteByte(unescaped[body[1]])
			body = body[2:]
			continue
		}
		text.WriteRune(r)
		body = body[n:]
	}
	return text.String()
}

// unescaped holds the byte that each letter after a backslash stands for.
var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// Key returns the text of a literal. It is a part of lit, not a copy, if lit has no escapes and no
// invalid UTF-8.
func Key(lit []byte) []byte {
	body := lit[1 : len(lit)-1]
	if bytes.IndexByte(body, '\\') < 0 && utf8.Valid(body) {
		return body
	}
	return []byte(Text(lit))
}

// Len returns the length of Text(lit) in bytes, without making the string.
func Len(lit []byte) int {
	body := lit[1 : len(lit)-1]
	if bytes.IndexByte(body, '\\') < 0 && utf8.Valid(body) {
		return len(body)
	}
	n := 0
	for i := 0; i < len(body); {
		c := body[i]
		switch {
		case c == '\\' && body[i+1] == 'u':
			r, size := escaped(body[i:])
			n += utf8.RuneLen(r)
			i += size
		case c == '\\':
			n++
			i += 2
		case c < utf8.RuneSelf:
			n++
			i++
		default:
			r, size := utf8.DecodeRune(body[i:])
			n += utf8.RuneLen(r) // an invalid byte becomes U+FFFD
			i += size
		}
	}
	return n
}

// escaped decodes the \uXXXX escape at the start of b, including the second half of a surrogate
// pair. A lone surrogate is U+FFFD.
func escaped(b []byte) (r rune, size int) {
	r = hexRune(b[2:6])
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
		if pair := utf16.DecodeRune(r, hexRune(b[8:12])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

func hexRune(b []byte) rune {
	n, err := strconv.ParseUint(string(b), 16, 32)
	if err != nil {
		panic("jsontext: escape of an unchecked literal: " + err.Error())
	}
	return rune(n)
}
