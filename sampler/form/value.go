package form

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Same reports whether two texts mean the same: they are equal numbers, or equal texts apart
// from case, spacing and the marks around them.
func Same(a, b string) bool {
	x, y := bare(a), bare(b)
	if x == y {
		return true
	}
	n, xIsNumber := number(x)
	m, yIsNumber := number(y)
	return xIsNumber && yIsNumber && n.Cmp(m) == 0
}

// States reports whether an answer ends by stating the reference, in any form: its last number
// equals the reference, or its last line contains the words of the reference.
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
	// A, yes and no occur in many sentences, so a short reference must be at the end of the line.
	return slices.ContainsFunc(found, func(s span) bool {
		return last[s.from:s.to] == reference && !strings.ContainsFunc(last[s.to:], isWord)
	})
}

// lastLine returns the last line of a text with a letter or a digit in it.
func lastLine(text string) string {
	for _, line := range slices.Backward(strings.Split(text, "\n")) {
		if strings.ContainsFunc(line, isWord) {
			return line
		}
	}
	return ""
}

// bare returns the text in lower case with single spaces, without the marks around it.
func bare(s string) string {
	const marks = " ,;:!?\"'`*_"
	return strings.TrimLeft(strings.TrimRight(strings.ToLower(plain(s)), marks+"."), marks)
}

// numbers matches numbers as people write them: $1,200.50, -3, 7 %.
var numbers = regexp.MustCompile(`[-+−]?[$€£¥]?\d[\d,’']*(?:\.\d+)?(?:[eE][-+]?\d+)?(?:\s?%)?`)

// ofNumber rewrites a number without the marks that big.Rat does not read.
var ofNumber = strings.NewReplacer("−", "-", ",", "", "’", "", "'", "", "$", "", "€", "", "£", "", "¥", "", " ", "",
	"%", "")

// number returns the value of a text that is a single number.
func number(s string) (*big.Rat, bool) {
	if loc := numbers.FindStringIndex(s); loc == nil || loc[0] > 0 || loc[1] < len(s) || len(s) > 60 {
		return nil, false
	}
	s = ofNumber.Replace(s)
	if i := strings.IndexAny(s, "eE"); i >= 0 && len(s)-i > 4 {
		return nil, false // an exponent this large could take a billion digits
	}
	return new(big.Rat).SetString(s)
}

// span is a place in an answer, in bytes.
type span struct{ from, to int }

// spans returns the places in an answer that state the reference, the last first.
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
	for _, loc := range slices.Backward(pattern.FindAllStringIndex(answer, -1)) {
		s := span{loc[0], loc[1]}
		if numeric {
			if answer[s.from] == '$' && strings.HasPrefix(answer[s.to:], "$") {
				s.from++ // a formula, not dollars
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
			continue // within a word or a number
		}
		if found = append(found, s); len(found) == mostSpans {
			break
		}
	}
	return found
}

const (
	longest   = 2000 // longest reference, in bytes, that is searched for
	mostSpans = 12   // most places returned
)

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// setOff matches what may set off a value in a line: a colon, a bracket, a tag.
var setOff = regexp.MustCompile(`[:=>{\[(#` + "`" + `*]+\s*`)

// labelled returns the places in the last line of an answer that a label or a mark sets off, the
// last first.
func labelled(answer string) (found []span) {
	line := lastLine(answer)
	start := strings.LastIndex(answer, line)
	for _, loc := range slices.Backward(setOff.FindAllStringIndex(line, -1)) {
		value := line[loc[1]:]
		if end := strings.IndexAny(value, "}<`*])\""); end >= 0 {
			value = value[:end]
		}
		value = strings.TrimRight(value, " .")
		if value == "" {
			continue
		}
		if found = append(found, span{start + loc[1], start + loc[1] + len(value)}); len(found) == mostSpans {
			break
		}
	}
	return found
}
