package audit

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gonogo/sampler/rollout"
)

var entitySwapped = Probe{
	Name: "entity_swapped", Expect: rollout.Bottom, Limit: partly,
	Doc: "The reference with its name replaced by one from another item: the right sentence about the wrong " +
		"person, place or firm. A grader that compares texts by similarity accepts it. Left out for numbers, for " +
		"JSON, lists and long sentences, where the rest would still be right, for names that appear in the question, and for " +
		"German, where any noun has a capital.",
	Make: swapEntity,
}

// sameSentence is the share of common words from which a sound grader may take two sentences for the same.
const sameSentence = 0.85

// german reports whether a text is German: any noun has a capital there.
func german(text string) bool {
	all, n := words(text), 0
	for _, word := range []string{"der", "die", "das", "dem", "des", "und", "ist", "nicht", "ein", "eine", "mit", "für"} {
		if slices.Contains(all, word) {
			n++
		}
	}
	return n >= 2
}

// maxSwapWords bounds the length of texts in which one name may carry the answer.
const maxSwapWords = 40

func swapEntity(c *Case) []Payload {
	name := c.swappable()
	if name == "" {
		return nil
	}
	for looked, i := range c.Rand.Perm(len(c.Others)) {
		if looked == maxLooked {
			break
		}
		for _, other := range entities(c.Others[i]) {
			if strings.Contains(normal(c.Reference), normal(other)) || strings.Contains(normal(other), normal(name)) {
				continue
			}
			swapped := strings.ReplaceAll(c.Reference, name, other)
			if likeness(words(swapped), words(c.Reference)) <= sameSentence && !c.right(swapped) {
				return c.wrapped(swapped)
			}
		}
	}
	return nil
}

// swappable returns the longest name of the reference that is not in the question, if a name may
// carry the answer; else "".
func (c *Case) swappable() string {
	if !c.HasReference || isCode(c.Reference) || len(strings.Fields(c.Reference)) > maxSwapWords ||
		len(listed(c.Reference)) > 0 || german(c.prompt()+" "+c.Reference) {
		return ""
	}
	if _, isNumber := parseNumber(c.Reference); isNumber || bracketed(c.Reference) {
		return ""
	}
	asked, longest := normal(c.prompt()), ""
	for _, name := range entities(c.Reference) {
		if len(name) > len(longest) && !strings.Contains(asked, normal(name)) {
			longest = name
		}
	}
	return longest
}

// entityPattern matches sequences of capitalized words.
var entityPattern = regexp.MustCompile(`\p{Lu}[\p{L}\p{M}'’.&-]*\p{L}(?:\s+\p{Lu}[\p{L}\p{M}'’.&-]*\p{L})*`)

// entities returns the names in a text, each once: capitalized words, without the first word of a
// sentence that continues in lower case.
func entities(text string) []string {
	var names []string
	for _, match := range entityPattern.FindAllStringIndex(text, -1) {
		name := text[match[0]:match[1]]
		if before, _ := utf8.DecodeLastRuneInString(text[:match[0]]); unicode.IsLetter(before) || unicode.IsDigit(before) {
			continue // within a code or a unit: A10BA02, mmHg
		}
		if opening(text[:match[0]]) && startsSentence(text[match[1]:]) {
			_, name, _ = strings.Cut(name, " ") // the first word may be any word
		}
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// opening reports whether a sentence starts after the text before.
func opening(before string) bool {
	before = strings.TrimSpace(before)
	return before == "" || strings.ContainsAny(before[len(before)-1:], ".!?:\n")
}

// startsSentence reports whether a text continues with a word in lower case or, as after "However",
// with a comma.
func startsSentence(after string) bool {
	after = strings.TrimSpace(after)
	return after != "" && (after[0] >= 'a' && after[0] <= 'z' || after[0] == ',')
}
