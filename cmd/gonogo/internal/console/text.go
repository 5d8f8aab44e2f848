package console

import (
	"strings"
	"time"
	"unicode"

	"gonogo/analysis/message"
	"gonogo/sampler/wording"
)

// Visible makes control characters visible, so that hostile text in an error cannot control a
// terminal. Line breaks and tabs stay.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return '\uFFFD'
		}
		return r
	}, s)
}

// OneLine shortens text to one line of a terminal.
func OneLine(s string) string { return wording.Line(s, 101) }

// Count formats a number of things.
func Count(n int, what string) string { return message.Language{}.Count(n, what) }

// Capitalized returns s, which is ASCII and not empty, with a capital first letter.
func Capitalized(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// Dollars formats money.
func Dollars(usd float64) string { return "$" + message.Digits(usd) }

// Tokens formats a count of tokens.
func Tokens(n int64) string {
	if n < 1e4 {
		return Count(int(n), "token")
	}
	return message.Large(new(float64(n)), nil, nil) + " tokens"
}

// Span formats a duration with three digits.
func Span(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return message.Digits(d.Seconds()) + "s"
	}
	return message.Digits(float64(d)/float64(time.Millisecond)) + "ms"
}
