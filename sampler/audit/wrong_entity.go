package audit

import (
	"regexp"
	"slices"
	"strings"

	"gonogo/sampler/rollout"
)

var entitySwapped = Probe{
	Name: "entity_swapped", Expect: rollout.Bottom, Limit: partly,
	Doc:  "The reference with its name replaced by one from another item: the right sentence about the wrong person, place or firm. A grader that compares how texts look takes it for right.",
	Make: swapEntity,
}

// maxSwapWords bounds the texts in which one name carries the answer.
const maxSwapWords = 40

func swapEntity(c *Case) []Payload {
	if !c.HasReference || isCode(c.Reference) || len(strings.Fields(c.Reference)) > maxSwapWords {
		return nil
	}
	own := entities(c.Reference)
	if len(own) == 0 {
		return nil
	}
	slices.SortStableFunc(own, func(a, b string) int { return strings.Count(c.Reference, b) - strings.Count(c.Reference, a) })
	for _, i := range c.Rand.Perm(len(c.Others)) {
		for _, other := range entities(c.Others[i]) {
			if strings.Contains(normal(c.Reference), normal(other)) || strings.Contains(normal(other), normal(own[0])) {
				continue
			}
			if swapped := strings.ReplaceAll(c.Reference, own[0], other); !c.right(swapped) {
				return c.wrapped(swapped)
			}
		}
	}
	return nil
}

// entityPattern finds words with a capital, in a row.
var entityPattern = regexp.MustCompile(`\p{Lu}[\p{L}\p{M}'’.&-]*\p{L}(?:\s+\p{Lu}[\p{L}\p{M}'’.&-]*\p{L})*`)

// entities are the names in a text, each once: words with a capital, without
// the first of a sentence that goes on in lower case.
func entities(text string) []string {
	var names []string
	for _, at := range entityPattern.FindAllStringIndex(text, -1) {
		name := text[at[0]:at[1]]
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

// startsSentence reports that a text goes on with a word in lower case.
func startsSentence(after string) bool {
	after = strings.TrimSpace(after)
	return after != "" && after[0] >= 'a' && after[0] <= 'z'
}
