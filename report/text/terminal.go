package text

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

func (t *terminal) blank() {
	if !strings.HasSuffix(t.buf.String(), "\n\n") {
		t.buf.WriteByte('\n')
	}
}

// heading writes a heading, in capitals unless it contains East Asian text: names in it keep their
// case.
func (t *terminal) heading(s string) {
	if !strings.ContainsFunc(s, wide) {
		s = strings.ToUpper(s)
	}
	t.para(para{text: s, style: strong})
}

// para is a paragraph: its lead begins at column start, and its lines after the first at column
// indent.
type para struct {
	start, indent   int
	lead, leadStyle string
	text, style     string
}

func (t *terminal) para(p para) {
	lead, text := t.plain(p.lead), t.plain(p.text)
	lines := wrap(text, t.width-p.indent, t.width-p.start-Width(lead))
	if len(lines) == 0 {
		lines = []string{""}
	}
	for i, line := range lines {
		head := strings.Repeat(" ", p.indent)
		if i == 0 {
			head = strings.Repeat(" ", p.start) + t.paint(lead, p.leadStyle)
		}
		t.buf.WriteString(strings.TrimRight(head+t.paint(line, p.style), " ") + "\n")
	}
}

// paint colours s if the terminal supports colours.
func (t *terminal) paint(s, style string) string {
	if !t.color || style == "" || strings.TrimSpace(s) == "" {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

// asciiOf spells the special characters of gonogo's own texts in ASCII.
var asciiOf = strings.NewReplacer(
	"≥", ">=", "≤", "<=", "–", "-", "—", "-", "…", "...", "±", "+/-", "×", "x", "σ", "sd", "·", "-", "−", "-", "δ",
	"delta", "λ", "lambda",
)

// plain spells s in ASCII if the terminal needs it: characters without a spelling become escapes.
func (t *terminal) plain(s string) string {
	if !t.ascii {
		return s
	}
	s = asciiOf.Replace(s)
	var b strings.Builder
	for _, r := range s {
		if r < unicode.MaxASCII {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// Width returns the number of columns of s: two for wide East Asian runes and emoji, none for
// combining marks.
func Width(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Mn, r):
		case wide(r):
			n += 2
		default:
			n++
		}
	}
	return n
}

func wide(r rune) bool {
	return r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 ||
		r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 ||
		r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1faff || r >= 0x20000 && r <= 0x3fffd)
}

// pad pads s with spaces to n columns.
func pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-Width(s))) }

// cut returns as much of s as fits into n columns.
func cut(s string, n int) string {
	end := 0
	for i, r := range s {
		if Width(s[:i+utf8.RuneLen(r)]) > n {
			return s[:end]
		}
		end = i + utf8.RuneLen(r)
	}
	return s
}

// glue marks a space at which no line ends: between a number and its percent sign, or the
// comparison sign before it.
const glue = "\u2060"

var unbroken = strings.NewReplacer("≤ ", "≤"+glue, "≥ ", "≥"+glue, "< ", "<"+glue, "> ", ">"+glue, " %", glue+"%")

// wrap breaks s at spaces, and between East Asian characters, into lines of at most n columns, the
// first of at most first. A longer word is broken anywhere.
func wrap(s string, n, first int) []string {
	var lines []string
	line, room := "", first
	for _, word := range strings.Fields(unbroken.Replace(s)) {
		space := " "
		for _, part := range parts(word) {
			part = strings.ReplaceAll(part, glue, " ")
			switch {
			case line == "":
				line = part
			case Width(line)+len(space)+Width(part) <= room:
				line += space + part
			default:
				lines = append(lines, line)
				line, room = part, n
			}
			for Width(line) > room {
				head := cut(line, max(2, room))
				lines = append(lines, head)
				line, room = line[len(head):], n
			}
			space = ""
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// parts splits a word where it may be broken: East Asian text has no spaces, and a line may end
// next to its characters where UAX #14 allows it.
func parts(word string) []string {
	if !strings.ContainsFunc(word, wide) {
		return []string{word}
	}
	var list []string
	for state, rest := -1, word; rest != ""; {
		var part string
		part, rest, _, state = uniseg.FirstLineSegmentInString(rest, state)
		before, _ := utf8.DecodeLastRuneInString(word[:len(word)-len(rest)-len(part)])
		after, _ := utf8.DecodeRuneInString(part)
		if last := len(list) - 1; last >= 0 && !wide(before) && !wide(after) {
			list[last] += part
			continue
		}
		list = append(list, part)
	}
	return list
}
