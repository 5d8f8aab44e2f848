package pdf

import (
	"slices"
	"strings"
	"unicode"
)

// leftward lists the scripts that are written from right to left.
var leftward = []*unicode.RangeTable{
	unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko,
	unicode.Samaritan, unicode.Mandaic,
}

// turned maps the characters that are mirrored when a line is reversed.
var turned = map[rune]rune{
	'(': ')', ')': '(', '[': ']', ']': '[', '{': '}', '}': '{', '<': '>', '>': '<', '«': '»',
	'»': '«',
}

// visual returns a left-to-right line in display order: each stretch from the first to the last
// letter of right-to-left scripts is reversed, except for the numbers in it.
//
// Note: this is UAX #9 for a left-to-right paragraph without embeddings, which every text here is,
// except that numbers after the last such letter stay where they are: most of them are gonogo's.
// Arabic letters are not joined.
func visual(s string) string {
	isLeftward := func(r rune) bool { return unicode.In(r, leftward...) && unicode.IsLetter(r) }
	if !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x0590 && isLeftward(r) }) {
		return s
	}
	line := []rune(s)
	for i := 0; i < len(line); i++ {
		if !isLeftward(line[i]) {
			continue
		}
		end := i + 1
		for j := end; j < len(line) && (isLeftward(line[j]) || !unicode.IsLetter(line[j])); j++ {
			if isLeftward(line[j]) || unicode.In(line[j], unicode.Mn) {
				end = j + 1
			}
		}
		turn(line[i:end])
		i = end - 1
	}
	return string(line)
}

// turn reverses a stretch, except for the numbers in it.
func turn(line []rune) {
	slices.Reverse(line)
	for i := 0; i < len(line); i++ {
		if to, ok := turned[line[i]]; ok {
			line[i] = to
		}
		end := i
		for end < len(line) && (unicode.IsDigit(line[end]) || end > i && strings.ContainsRune(".,:%", line[end]) &&
			end+1 < len(line) && unicode.IsDigit(line[end+1])) {
			end++
		}
		if end > i+1 {
			slices.Reverse(line[i:end])
			i = end - 1
		}
	}
}
