package ui

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/report/plain"
	"gonogo/sampler/dataset"
)

// Visible makes control characters visible, so that hostile text in an error
// cannot drive a terminal. Line breaks and tabs stay.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return '\uFFFD'
		}
		return r
	}, s)
}

// Dollars prints money.
func Dollars(usd float64) string { return "$" + message.Digits(usd) }

// Capitalized returns s, which is ASCII and not empty, with a capital first letter.
func Capitalized(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// Wrap breaks text at spaces into lines of at most width, each with the
// prefix and a line end.
func Wrap(text, prefix string, width int) string { return plain.Wrap(text, prefix, width) }

// OrList words a choice.
func OrList(names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// Count formats a number of things.
func Count(n int, what string) string { return message.Language{}.Count(n, what) }

// Tokens prints a count of tokens.
func Tokens(n int64) string {
	if n < 1e4 {
		return Count(int(n), "token")
	}
	return message.Large(new(float64(n)), nil, nil) + " tokens"
}

// FormatSpan formats a duration with three digits.
func FormatSpan(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return message.Digits(d.Seconds()) + "s"
	}
	return message.Digits(float64(d)/float64(time.Millisecond)) + "ms"
}

// OneLine shortens text to one line of a terminal.
func OneLine(s string) string {
	const width = 100
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > width {
		return string(r[:width]) + "…"
	}
	return s
}

// DidYouMean suggests the name that was probably meant, as the end of a
// sentence.
func DidYouMean(mistyped string, names []string) string {
	if name, ok := dataset.Suggest(mistyped, names); ok {
		return fmt.Sprintf(", did you mean %s?", name)
	}
	return ""
}

// Choices ends a message about a name that is none of these.
func Choices(mistyped string, names []string) string {
	if hint := DidYouMean(mistyped, names); hint != "" {
		return hint + " There are " + strings.Join(names, ", ")
	}
	return "; there are " + strings.Join(names, ", ")
}

// Names lists what name gives for each.
func Names[T, U any](all []T, name func(T) U) []U {
	out := make([]U, len(all))
	for i, one := range all {
		out[i] = name(one)
	}
	return out
}

// PickNames reads a comma-separated list of names, each a known one; what says of what.
func PickNames(what, list string, known []string) ([]string, error) {
	var out []string
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if !slices.Contains(known, name) {
			return nil, exit.Usagef("there is no %s %q%s", what, name, Choices(name, known))
		}
		out = append(out, name)
	}
	return out, nil
}

// PrintJSON writes v as indented JSON.
func PrintJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
