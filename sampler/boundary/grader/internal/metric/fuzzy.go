package metric

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FuzzyMatch returns rapidfuzz's fuzz.WRatio with default_process, divided by 100. The wire contract
// says that rapidfuzz is used, but not which of its scorers. WRatio is the one that the hosted
// guide's own example of a python grader calls; only this function makes that choice. It follows
// rapidfuzz 3.10.1, the version of the hosted python image, in which texts whose lengths differ by
// a factor of exactly 8 count as far apart.
//
// It is symmetric. Two equal texts score 1, unless they contain no letter, digit or underscore: both
// are then empty after processing, and empty texts score 0.
//
// Cost: up to 3·len(input)·len(reference)/64 steps if the lengths are within a factor of 1.5, else up
// to 3·len(input)·len(reference).
func FuzzyMatch(input, reference string) float64 {
	return wratio(process(input), process(reference))
}

// fuzzySteps estimates the cost of FuzzyMatch.
func fuzzySteps(input, reference string) int {
	n, m := utf8.RuneCountInString(input), utf8.RuneCountInString(reference)
	if 2*max(n, m) < 3*min(n, m) {
		return 3 * n * m / 64
	}
	return 3 * n * m
}

// process does the same as rapidfuzz's utils.default_process: it replaces every character that is
// not a letter, number or underscore by a space, trims the ends, and converts each letter to lower
// case by itself.
func process(s string) []rune {
	text := []rune(s)
	for i, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_' {
			text[i] = ' '
		}
	}
	for len(text) > 0 && text[0] == ' ' {
		text = text[1:]
	}
	for len(text) > 0 && text[len(text)-1] == ' ' {
		text = text[:len(text)-1]
	}
	for i, r := range text {
		text[i] = unicode.ToLower(r)
	}
	return text
}

// wratio returns the best of several weighted ratios. Ratios of words weigh less than the ratio of
// the plain texts, and ratios of parts weigh less the more the lengths differ.
func wratio(a, b []rune) float64 {
	const words = 0.95
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	lengths := float64(max(len(a), len(b))) / float64(min(len(a), len(b)))
	best := ratio(a, b)
	if lengths < 1.5 {
		return max(best, tokenRatio(a, b)*words)
	}
	parts := 0.9
	if lengths >= 8 {
		parts = 0.6
	}
	return max(best, partialRatio(a, b)*parts, partialTokenRatio(a, b)*words*parts)
}

// ratio returns the share of both texts that a longest common subsequence covers; 1 for two empty
// texts.
func ratio(a, b []rune) float64 {
	x, y, distinct := numbered(a, b)
	return coverage(lcs(x, y, distinct), len(a)+len(b))
}

// coverage returns the share of two texts, with sum characters together, that a common subsequence
// of length common covers.
func coverage(common, sum int) float64 {
	if sum == 0 {
		return 1
	}
	return 1 - float64(sum-2*common)/float64(sum)
}

// tokenRatio returns the larger of token_sort_ratio and token_set_ratio.
func tokenRatio(a, b []rune) float64 {
	wa, wb := sortedWords(a), sortedWords(b)
	return max(ratio(joined(wa), joined(wb)), tokenSetRatio(wa, wb))
}

// tokenSetRatio compares three texts and returns the best ratio: the common words alone, and the
// common words with the rest of each text. The words must be sorted.
func tokenSetRatio(wa, wb []string) float64 {
	if len(wa) == 0 || len(wb) == 0 {
		return 0
	}
	both, onlyA, onlyB := sets(wa, wb)
	if len(both) > 0 && (len(onlyA) == 0 || len(onlyB) == 0) {
		return 1
	}
	restA, restB := joined(onlyA), joined(onlyB)
	sect, space := len(joined(both)), 0
	if sect > 0 {
		space = 1
	}
	withA, withB := sect+space+len(restA), sect+space+len(restB)
	x, y, distinct := numbered(restA, restB)
	distance := len(restA) + len(restB) - 2*lcs(x, y, distinct)
	best := 1 - float64(distance)/float64(withA+withB)
	if sect == 0 {
		return best
	}
	return max(best,
		1-float64(space+len(restA))/float64(sect+withA),
		1-float64(space+len(restB))/float64(sect+withB))
}

// partialTokenRatio returns the larger of partial_token_sort_ratio and partial_token_set_ratio: 1 if
// the texts have a word in common.
func partialTokenRatio(a, b []rune) float64 {
	wa, wb := sortedWords(a), sortedWords(b)
	both, onlyA, onlyB := sets(wa, wb)
	if len(both) > 0 {
		return 1
	}
	best := partialRatio(joined(wa), joined(wb))
	if len(wa) == len(onlyA) && len(wb) == len(onlyB) {
		return best
	}
	return max(best, partialRatio(joined(onlyA), joined(onlyB)))
}

// sortedWords splits a processed text, whose only white space is the space character.
func sortedWords(text []rune) []string {
	words := strings.Fields(string(text))
	slices.Sort(words)
	return words
}

func joined(words []string) []rune { return []rune(strings.Join(words, " ")) }

// sets splits two sorted lists into the words that are in both and the words that are in only one.
// The results are sorted, with each word once.
func sets(a, b []string) (both, onlyA, onlyB []string) {
	a, b = slices.Compact(slices.Clone(a)), slices.Compact(slices.Clone(b))
	for len(a) > 0 && len(b) > 0 {
		switch strings.Compare(a[0], b[0]) {
		case 0:
			both, a, b = append(both, a[0]), a[1:], b[1:]
		case -1:
			onlyA, a = append(onlyA, a[0]), a[1:]
		default:
			onlyB, b = append(onlyB, b[0]), b[1:]
		}
	}
	return both, append(onlyA, a...), append(onlyB, b...)
}
