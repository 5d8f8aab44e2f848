package form

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Same reports whether two texts say the same: as texts without case, spacing and the marks
// around them, or as numbers.
func Same(a, b string) bool {
	x, y := bare(a), bare(b)
	if x == y {
		return true
	}
	n, ok := number(x)
	m, too := number(y)
	return ok && too && n.Cmp(m) == 0
}

// States reports whether an answer gives the reference as what it says in the end, in any
// form: its last number is the reference's, or its last line holds the reference's words.
func States(answer, reference string) bool {
	if Same(answer, reference) {
		return true
	}
	if n, ok := number(bare(reference)); ok {
		all := numbers.FindAllString(answer, -1)
		if len(all) == 0 {
			return false
		}
		m, ok := number(bare(all[len(all)-1]))
		return ok && n.Cmp(m) == 0
	}
	last := lastLine(answer)
	found := spans(last, reference)
	if utf8.RuneCountInString(reference) > 3 {
		return len(found) > 0
	}
	// A, yes and no are in many a sentence: what is said in the end is at its end.
	return slices.ContainsFunc(found, func(s span) bool {
		return last[s.from:s.to] == reference && !strings.ContainsFunc(last[s.to:], isWord)
	})
}

// lastLine is the last line of a text with a letter or a digit in it.
func lastLine(text string) string {
	for _, line := range slices.Backward(strings.Split(text, "\n")) {
		if strings.ContainsFunc(line, isWord) {
			return line
		}
	}
	return ""
}

// bare is a text without case, spacing and the marks around it.
func bare(s string) string {
	const marks = " ,;:!?\"'`*_"
	return strings.TrimLeft(strings.TrimRight(strings.ToLower(plain(s)), marks+"."), marks)
}

// numbers finds numbers as people write them: $1,200.50, -3, 7 %.
var numbers = regexp.MustCompile(`[-+−]?[$€£¥]?\d[\d,’']*(?:\.\d+)?(?:[eE][-+]?\d+)?(?:\s?%)?`)

// number is what a text that is one number is worth.
func number(s string) (*big.Rat, bool) {
	if at := numbers.FindStringIndex(s); at == nil || at[0] > 0 || at[1] < len(s) || len(s) > 60 {
		return nil, false
	}
	s = strings.NewReplacer("−", "-", ",", "", "’", "", "'", "", "$", "", "€", "", "£", "", "¥", "", " ", "", "%",
		"").Replace(s)
	if i := strings.IndexAny(s, "eE"); i >= 0 && len(s)-i > 4 {
		return nil, false // a billion digits
	}
	return new(big.Rat).SetString(s)
}

// span is where an answer says something.
type span struct{ from, to int }

// spans are the places in an answer that say the reference, the last first.
func spans(answer, reference string) (found []span) {
	pattern := numbers
	n, numeric := number(bare(reference))
	if !numeric {
		words := strings.Fields(strings.ToValidUTF8(reference, "\uFFFD"))
		if len(words) == 0 || len(reference) > longest {
			return nil
		}
		for i := range words {
			words[i] = regexp.QuoteMeta(words[i])
		}
		pattern = regexp.MustCompile(`(?i)` + strings.Join(words, `\s+`))
	}
	for _, at := range slices.Backward(pattern.FindAllStringIndex(answer, -1)) {
		s := span{at[0], at[1]}
		if numeric {
			if answer[s.from] == '$' && strings.HasPrefix(answer[s.to:], "$") {
				s.from++ // a formula, no dollars
			}
			s.to -= len(answer[s.from:s.to]) - len(strings.TrimRight(answer[s.from:s.to], ",'’"))
			m, ok := number(strings.ToLower(answer[s.from:s.to]))
			if !ok || m.Cmp(n) != 0 {
				continue
			}
		}
		before, _ := utf8.DecodeLastRuneInString(answer[:s.from])
		first, _ := utf8.DecodeRuneInString(answer[s.from:])
		last, _ := utf8.DecodeLastRuneInString(answer[:s.to])
		after, _ := utf8.DecodeRuneInString(answer[s.to:])
		if isWord(before) && isWord(first) || isWord(last) && isWord(after) {
			continue // within a word, or a number
		}
		if found = append(found, s); len(found) == mostSpans {
			break
		}
	}
	return found
}

const (
	longest   = 2000 // letters of a reference that is searched for
	mostSpans = 12   // places looked at
)

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// setOff finds where something may be set off in a line: after a colon, a bracket, a tag.
var setOff = regexp.MustCompile(`[:=>{\[(#` + "`" + `*]+\s*`)

// labelled are the places in the last line of an answer that a label or a mark sets off.
func labelled(answer string) (found []span) {
	line := lastLine(answer)
	start := strings.LastIndex(answer, line)
	for _, at := range slices.Backward(setOff.FindAllStringIndex(line, -1)) {
		said := line[at[1]:]
		if end := strings.IndexAny(said, "}<`*])\""); end >= 0 {
			said = said[:end]
		}
		said = strings.TrimRight(said, " .")
		if said == "" {
			continue
		}
		if found = append(found, span{start + at[1], start + at[1] + len(said)}); len(found) == mostSpans {
			break
		}
	}
	return found
}
