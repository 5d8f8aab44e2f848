package shift

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// FlawKind says what is wrong with a row by itself.
type FlawKind string

// The kinds of flaws.
const (
	Empty     FlawKind = "empty"     // no readable text
	Constant  FlawKind = "constant"  // one character or word over and over
	Truncated FlawKind = "truncated" // cut off
)

// Flaw is a degenerate row, by its index in the list of rows.
type Flaw struct {
	Kind FlawKind
	Row  int
}

// flaws lists the degenerate rows.
func (s *leakSearch) flaws() []Flaw {
	var out []Flaw
	limit := s.cutLength()
	for i := range s.rows {
		switch prompt := s.rows[i].Prompt; {
		case s.textOf[i] < 0:
			out = append(out, Flaw{Empty, i})
		case s.rows[i].Attached == "" && constant(s.texts[s.textOf[i]].normal):
			out = append(out, Flaw{Constant, i})
		case cutOff(prompt) || limit > 0 && unended(prompt) && utf8.RuneCountInString(prompt) == limit:
			out = append(out, Flaw{Truncated, i})
		}
	}
	return out
}

// constant reports whether a text is one character or one word, three times or more.
func constant(normal string) bool {
	words := strings.Fields(normal)
	if len(words) >= 3 {
		for _, w := range words {
			if w != words[0] {
				return false
			}
		}
		return true
	}
	first, size := utf8.DecodeRuneInString(normal)
	rest := strings.Trim(normal[size:], string(first))
	return rest == "" && len(normal) >= 3*size
}

// cutMarks lists what programs write at the end of a text that they cut.
var cutMarks = []string{
	"[truncated]", "(truncated)", "<truncated>", "...truncated", "…[truncated]", "[cut]",
	"[snip]", "<|endoftext|>",
}

// cutOff reports whether a text ends with such a mark, or within a character.
func cutOff(prompt string) bool {
	end := strings.ToLower(strings.TrimRightFunc(prompt, unicode.IsSpace))
	for _, mark := range cutMarks {
		if strings.HasSuffix(end, mark) {
			return true
		}
	}
	return strings.HasSuffix(end, "\uFFFD")
}

// If this many prompts share a length, which is the longest of all, they were cut there.
const (
	fewestCut   = 3
	shortestCut = 200
)

// cutLength returns the length in characters at which prompts were cut: the longest length, if at
// least three different prompts of that length do not end a sentence; else 0.
func (s *leakSearch) cutLength() int {
	longest, n := 0, 0
	for i := range s.texts {
		prompt := s.rows[s.texts[i].rows[0]].Prompt
		size := utf8.RuneCountInString(prompt)
		if size > longest {
			longest, n = size, 0
		}
		if size == longest && unended(prompt) {
			n++
		}
	}
	if longest < shortestCut || n < fewestCut {
		return 0
	}
	return longest
}

// unended reports whether a text stops after a letter, a digit or a comma.
func unended(prompt string) bool {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRightFunc(prompt, unicode.IsSpace))
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == ','
}

// shortestAnswer is the length in characters from which a reference in the prompt is no
// coincidence.
const shortestAnswer = 4

// answers lists the rows whose prompt contains their own reference, word for word.
func (s *leakSearch) answers(found *Leakage) {
	for i := range s.rows {
		ref := normalize(s.rows[i].Reference)
		if s.textOf[i] < 0 || utf8.RuneCountInString(ref) < shortestAnswer {
			continue
		}
		found.Answerable++
		if holds(s.texts[s.textOf[i]].normal, ref) {
			found.Answers = append(found.Answers, i)
		}
	}
}

// holds reports whether a text contains another between word boundaries.
func holds(text, part string) bool {
	for from := 0; ; {
		index := strings.Index(text[from:], part)
		if index < 0 {
			return false
		}
		index += from
		before, _ := utf8.DecodeLastRuneInString(text[:index])
		after, _ := utf8.DecodeRuneInString(text[index+len(part):])
		first, size := utf8.DecodeRuneInString(part)
		last, _ := utf8.DecodeLastRuneInString(part)
		if !joined(before, first) && !joined(last, after) {
			return true
		}
		from = index + size
	}
}

// joined reports whether two characters belong to one word.
func joined(a, b rune) bool {
	return wordRune(a) && wordRune(b) && !unspaced(a) && !unspaced(b)
}
