package prompt

import (
	"crypto/sha256"
	"encoding/binary"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Identity identifies a prompt. Prompts that differ only in white space, dates, times and
// UUIDs are the same.
type Identity struct {
	Sum  uint64 // the same in every process; 0 if the prompt is unknown
	Text string // the last message, shortened to one line

	Beginning string // the beginning of all messages, to show how prompts differ; "" if it was not kept
}

// Keys returns the keys under which plain lines hold a prompt, the most likely first.
func Keys() []string {
	return []string{"prompt", "question", "problem", "instruction", "query", "input"}
}

// A reader keeps the Beginning of at most MostBeginnings prompts, to save memory.
const (
	MostBeginnings = 1000
	beginning      = 16 << 10
)

// Of identifies a prompt by the text of all its messages; last is the text of the last one.
func Of(all, last string) Identity {
	sum := sha256.Sum256([]byte(strings.Join(strings.Fields(settled(all)), "")))
	return Identity{
		Sum: binary.BigEndian.Uint64(sum[:8]) | 1, Text: shortened(last),
		Beginning: strings.Clone(all[:min(len(all), beginning)]), // all may be megabytes
	}
}

// Differ returns what distinguishes two prompts, shortened: their last messages or, if these are
// the same, the first place where the prompts differ.
func (p Identity) Differ(q Identity) [2]string {
	const before, after = 30, 60
	if p.Text != q.Text || p.Beginning == "" || q.Beginning == "" {
		return [2]string{p.Text, q.Text}
	}
	read := func(text string) []rune {
		separates := func(r rune) bool { return r == 0 || unicode.IsSpace(r) }
		return []rune(strings.Join(strings.FieldsFunc(settled(text), separates), " "))
	}
	a, b := read(p.Beginning), read(q.Beginning)
	diff := 0
	for diff < min(len(a), len(b)) && a[diff] == b[diff] {
		diff++
	}
	show := func(text []rune) string {
		from, to := max(0, diff-before), min(len(text), diff+after)
		shown := string(text[from:to])
		if from > 0 {
			shown = "… " + shown
		}
		if to < len(text) {
			shown += " …"
		}
		return shown
	}
	return [2]string{show(a), show(b)}
}

// settled returns a text without the parts that may change between rollouts of an item.
func settled(text string) string {
	if mayMove(text) {
		return moving.ReplaceAllString(text, "")
	}
	return text
}

// moving matches what may change between rollouts of an item: UUIDs, dates and times.
var moving = regexp.MustCompile(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b` +
	// versions 4 and 7 without hyphens: other digests may be part of the task
	`|\b[0-9a-f]{12}[47][0-9a-f]{3}[89ab][0-9a-f]{15}\b` +
	`|\b(19|20)\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])[T_]\d{6}([.,]\d+)?(Z|[+-]\d{2}:?\d{2})?\b` +
	// as written by ctime
	`|\b` + weekday + `,?\s+` + month + `\s+\d{1,2}\s+\d{1,2}:\d{2}:\d{2}(\s+[a-z]{3,4})?\s+\d{4}\b` +
	`|\b\d{4}-\d{1,2}-\d{1,2}([T_ ]\d{1,2}[:.-]\d{2}([:.-]\d{2}([.,]\d+)?)?)?(Z|[+-]\d{2}:?\d{2})?` +
	`|\b\d{1,2}[/.]\d{1,2}[/.](\d{4}|\d{2})\b|\b\d{4}/\d{1,2}/\d{1,2}\b` +
	`|\b(` + weekday + `,?\s+)?(\d{1,2}(st|nd|rd|th)?\s+` + month + `\.?,?\s+\d{4}|` + month +
	`\.?\s+\d{1,2}(st|nd|rd|th)?,?\s+\d{4})\b` +
	`|\b\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?(\s*[ap]\.?m\b)?(\s*(Z|UTC|GMT)\b|[+-]\d{2}:?\d{2})?`)

const (
	weekday = `(mon|tue|tues|wed|wednes|thu|thurs|fri|sat|satur|sun)(day)?`
	month   = `(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?)`
)

// mayMove reports whether moving could match: it saves most prompts the search.
func mayMove(text string) bool {
	digit := func(i int) bool { return i >= 0 && i < len(text) && text[i] >= '0' && text[i] <= '9' }
	hex := 0 // characters of a UUID without hyphens
	for i := range len(text) {
		if c := text[i]; c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' {
			hex++
		} else {
			hex = 0
		}
		if hex == 32 {
			return true
		}
		switch text[i] {
		case 'T', 't', '_':
			if digit(i-1) && digit(i+1) {
				return true
			}
		case '-', ':':
			if digit(i+1) || i+5 < len(text) && text[i+5] == '-' { // part of a UUID
				return true
			}
		case '/', '.':
			if digit(i-1) && digit(i+1) &&
				strings.IndexByte("/.", text[min(i+2, len(text)-1)])+strings.IndexByte("/.",
					text[min(i+3, len(text)-1)]) > -2 {
				return true
			}
		case '1', '2': // a year, in a date with the month in words
			if digit(i+1) && digit(i+2) && digit(i+3) && !digit(i+4) && !digit(i-1) {
				return true
			}
		}
	}
	return false
}

// shortened returns a text on one line, without its middle if it is long: prompts often differ at
// their ends.
func shortened(text string) string {
	const limit, end = 100, 45
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= limit {
		return strings.Clone(text) // a clone, since text may be part of a long text that is mostly spaces
	}
	runes := []rune(text)
	return string(runes[:end]) + " … " + string(runes[len(runes)-end:])
}
