package audit

import (
	"encoding/json"
	"slices"
	"strings"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

var allCandidates = Probe{
	Name: "all_candidates", Expect: rollout.Bottom, Limit: shell,
	Doc: "Every answer that could be right, listed at once: the choices of the item, else the references of up to " +
		"nineteen other items, with the right one among them, neither first nor last. Where answers have a form, " +
		"once as a list in it, and once in the form for each of them, one a line. An answer that lists everything " +
		"has answered nothing: it deserves little, if anything. Left out for code, for references that are lists, " +
		"and where the right answer makes up most of the list.",
	Make: func(c *Case) []Payload {
		if isCode(c.Reference) || several(c.Reference) {
			return nil
		}
		list := c.candidates(19)
		if len(list) == 0 || c.mostOf(list) {
			return nil
		}
		all := c.wrapped(join(list))
		if isJSON, _ := c.inJSON(); c.Answer != nil && !isJSON {
			each := make([]string, len(list))
			for i, one := range list {
				each[i] = c.answer(one)
			}
			all = append(all, Payload{Answer: strings.Join(each, "\n")})
		}
		return all
	},
}

var buried = Probe{
	Name: "buried", Expect: rollout.Bottom, Limit: shell,
	Doc: "The right answer hidden in a wall of text that names several answers, settles on none and ends with a " +
		"wrong one. A grader that searches for the reference finds it. Left out for code, which graders extract " +
		"from the surrounding text.",
	Make: func(c *Case) []Payload {
		if !c.HasReference || isCode(c.Reference) || several(c.Reference) {
			return nil
		}
		wrong := c.wrongs(4)
		if len(wrong) < 2 {
			return nil
		}
		named := slices.Insert(slices.Clone(wrong), len(wrong)/2, c.Reference)
		paragraphs := make([]string, 0, 2*len(named)+1)
		for _, answer := range named {
			paragraphs = append(paragraphs, emptyTalk, "Somebody might think of "+answer+
				" here, which nothing speaks for or against.")
		}
		return c.wrapped(strings.Join(append(paragraphs, "None of this settles the question."), "\n\n"))
	},
}

// choiceFields are the usual names of the field with the choices of a question.
var choiceFields = []string{"choices", "options", "candidates", "labels", "classes"}

// mostOf reports whether the reference makes up most of a list's words, counting every occurrence,
// or, if the reference is a list itself, every word once.
func (c *Case) mostOf(list []string) bool {
	ref, all := words(c.Reference), words(join(list))
	if likeness(ref, all) > tooAlike {
		return true
	}
	slices.Sort(ref)
	slices.Sort(all)
	return (bracketed(c.Reference) || len(listed(c.Reference)) > 0) &&
		likeness(slices.Compact(ref), slices.Compact(all)) > tooAlike
}

// candidates lists the answers that could be right, shuffled; nil if the right one or every wrong
// one is unknown. Many graders take the first answer of a text or the last: both are wrong ones
// here.
func (c *Case) candidates(most int) []string {
	if !c.HasReference {
		return nil
	}
	wrong := slices.DeleteFunc(c.choices(), c.right)
	if len(wrong) == 0 || len(wrong) == len(c.choices()) {
		wrong = c.others(most)
	}
	if len(wrong) == 0 {
		return nil
	}
	c.Rand.Shuffle(len(wrong), func(i, j int) { wrong[i], wrong[j] = wrong[j], wrong[i] })
	if len(wrong) == 1 {
		wrong = append(wrong, wrong[0])
	}
	return slices.Insert(wrong, 1+c.Rand.IntN(len(wrong)-1), c.Reference)
}

// choices returns the choices that the row offers, or nil.
func (c *Case) choices() []string {
	row := rowOf(c.Item)
	for _, field := range choiceFields {
		var raw []json.RawMessage
		if jsontext.Unmarshal(row[field], &raw) != nil || len(raw) == 0 {
			continue
		}
		texts := make([]string, 0, len(raw))
		for _, r := range raw {
			texts = append(texts, jsontext.TextOrJSON(r))
		}
		return texts
	}
	return nil
}

// wrongs makes up to n wrong answers that look like the reference: altered numbers if it is a
// number, else references of other items.
func (c *Case) wrongs(n int) []string {
	number, ok := parseNumber(c.Reference)
	if !c.HasReference || !ok || isCode(c.Reference) {
		return c.others(n)
	}
	var list []string
	for len(list) < n {
		number, _ = offBy(number)
		list = append(list, number.String())
	}
	return list
}

// join lists texts on one line if they are short and contain no comma, else one per line.
func join(list []string) string {
	for _, s := range list {
		if len(s) > 40 || strings.ContainsAny(s, ",\n") {
			return strings.Join(list, "\n")
		}
	}
	return strings.Join(list, ", ")
}
