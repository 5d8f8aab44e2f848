package jsontext

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Text returns the text of a checked string literal, which includes its quotes. An invalid byte
// or a lone surrogate becomes U+FFFD.
func Text(lit []byte) string {
	body := lit[1 : len(lit)-1]
	return textOf(body, utf8.Valid(body))
}

// text is Text for the last string that was walked over.
func (s *Scanner) text(lit []byte) string {
	body := lit[1 : len(lit)-1]
	if s.short == 0 && !s.coded && s.ascii {
		return string(body)
	}
	return textOf(body, s.ascii || utf8.Valid(body))
}

// textOf is Text for what is between the quotes; valid says whether that is UTF-8.
func textOf(body []byte, valid bool) string {
	if !valid {
		body = repaired(body)
	}
	n := bytes.IndexByte(body, '\\')
	if n < 0 {
		return string(body)
	}
	var text strings.Builder
	text.Grow(len(body))
	text.Write(body[:n])
	var run [512]byte // text that is not yet written
	at := 0
	for i := n; i < len(body); {
		if at > len(run)-8 {
			text.Write(run[:at])
			at = 0
		}
		switch c := body[i]; {
		case c != '\\':
			run[at] = c
			at, i = at+1, i+1
		case body[i+1] != 'u':
			run[at] = unescaped[body[i+1]]
			at, i = at+1, i+2
		default:
			r, size := escaped(body[i:])
			at, i = at+utf8.EncodeRune(run[at:], r), i+size
		}
		for len(body)-i >= 8 && at <= len(run)-8 {
			x := binary.LittleEndian.Uint64(body[i:])
			binary.LittleEndian.PutUint64(run[at:], x)
			if slash := x ^ ones*'\\'; (slash-ones)&^slash&tops != 0 {
				before := bits.TrailingZeros64((slash-ones)&^slash&tops) / 8
				at, i = at+before, i+before
				break
			}
			at, i = at+8, i+8
		}
	}
	text.Write(run[:at])
	return text.String()
}

// repaired returns the bytes with U+FFFD in the place of each that is not UTF-8.
func repaired(body []byte) []byte {
	valid := make([]byte, 0, len(body)+utf8.UTFMax)
	for len(body) > 0 {
		r, size := utf8.DecodeRune(body)
		valid, body = utf8.AppendRune(valid, r), body[size:]
	}
	return valid
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
