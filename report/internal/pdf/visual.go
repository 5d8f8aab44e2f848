package pdf

import (
	"slices"
	"strings"
	"unicode"
)

// leftward are the scripts that are written from right to left.
var leftward = []*unicode.RangeTable{
	unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko,
	unicode.Samaritan, unicode.Mandaic,
}

// turned are the signs that change places when a line is turned round.
var turned = map[rune]rune{
	'(': ')', ')': '(', '[': ']', ']': '[', '{': '}', '}': '{', '<': '>', '>': '<', '«': '»',
	'»': '«',
}

// visual puts a line that runs from left to right into the order in which it
// is seen: what stretches from one letter of a leftward script to the last is
// turned round, with the numbers within it as they are.
//
// Note: this is UAX #9 for a paragraph from left to right that embeds nothing,
// which is every text here, but for numbers behind the last such letter: they
// are mostly our own and stay where they are. Letters are not joined, as
// Arabic wants them.
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

// turn reverses a stretch, but not its numbers.
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
