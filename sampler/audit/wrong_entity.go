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
		"JSON and lists, where the rest would still be right, and for names that appear in the question.",
	Make: swapEntity,
}

// maxSwapWords bounds the texts in which one name carries the answer.
const maxSwapWords = 40

func swapEntity(c *Case) []Payload {
	own := c.swappable()
	if own == "" {
		return nil
	}
	for looked, i := range c.Rand.Perm(len(c.Others)) {
		if looked == maxLooked {
			break
		}
		for _, other := range entities(c.Others[i]) {
			if strings.Contains(normal(c.Reference), normal(other)) || strings.Contains(normal(other), normal(own)) {
				continue
			}
			if swapped := strings.ReplaceAll(c.Reference, own, other); !c.right(swapped) {
				return c.wrapped(swapped)
			}
		}
	}
	return nil
}

// swappable is the longest name of the reference that the question does not say,
// where a name may carry the answer; else "".
func (c *Case) swappable() string {
	if !c.HasReference || isCode(c.Reference) || len(strings.Fields(c.Reference)) > maxSwapWords ||
		len(listed(c.Reference)) > 0 {
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

// entityPattern finds words with a capital, in a row.
var entityPattern = regexp.MustCompile(`\p{Lu}[\p{L}\p{M}'’.&-]*\p{L}(?:\s+\p{Lu}[\p{L}\p{M}'’.&-]*\p{L})*`)

// entities are the names in a text, each once: words with a capital, without
// the first of a sentence that goes on.
func entities(text string) []string {
	var names []string
	for _, at := range entityPattern.FindAllStringIndex(text, -1) {
		name := text[at[0]:at[1]]
		if before, _ := utf8.DecodeLastRuneInString(text[:at[0]]); unicode.IsLetter(before) || unicode.IsDigit(before) {
			continue // within a code or a unit: A10BA02, mmHg
		}
		if opening(text[:at[0]]) && startsSentence(text[at[1]:]) {
			_, name, _ = strings.Cut(name, " ") // its first word may be any
		}
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// opening reports that a sentence begins here.
func opening(before string) bool {
	before = strings.TrimSpace(before)
	return before == "" || strings.ContainsAny(before[len(before)-1:], ".!?:\n")
}

// startsSentence reports that a text goes on with a word in lower case, or, as
// after "However", with a comma.
func startsSentence(after string) bool {
	after = strings.TrimSpace(after)
	return after != "" && (after[0] >= 'a' && after[0] <= 'z' || after[0] == ',')
}
