package audit

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gonogo/sampler/rollout"
)

// Note: a rewrite says something only about a grader that gives the reference itself the top, so
// the probe reference comes before the rewrites.
var reference = Probe{
	Name: rollout.ProbeReference, Expect: rollout.Top, Limit: full,
	Doc: "The item's own reference as the answer, in the answer's template if there is one. If a grader does not " +
		"give it the top, it rewards something else, or the reference is wrong. If the template is only what the " +
		"prompts ask for, the bare reference is tried as well, and one of the two is enough. Left out where rollouts " +
		"call tools and none of the item's did the work, while others of the run did.",
	Make: func(c *Case) []Payload {
		list := c.restated(c.Reference)
		if c.Answer != nil && c.Asked && len(list) > 0 {
			list = append(list, c.carried(c.Reference)...)
		}
		return list
	},
}

var letterCase = Probe{
	Name: "case", Expect: rollout.Top, Limit: full,
	Doc: "The reference in lower case, or capitalized if it is not. Left out for code, JSON, formulas, paths and " +
		"names with digits, where case may matter, and for symbols and names with inner capitals: CO, WHO, pH.",
	Make: func(c *Case) []Payload {
		if !c.prose() || strings.ContainsAny(c.Reference, "\\/_@#$%^{}<>=0123456789") || capitals(c.Reference) {
			return nil
		}
		lower := strings.ToLower(c.Reference)
		if lower != c.Reference {
			return c.restated(lower)
		}
		r := []rune(c.Reference)
		r[0] = unicode.ToUpper(r[0])
		return c.restated(string(r))
	},
}

// capitals reports whether a text has less than three letters, or a capital that is not the first
// of several letters of a word.
func capitals(text string) bool {
	letters := 0
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		r := []rune(word)
		letters += len(r)
		if len(r) == 1 && unicode.IsUpper(r[0]) || slices.ContainsFunc(r[1:], unicode.IsUpper) {
			return true
		}
	}
	return letters < 3
}

var spacing = Probe{
	Name: "spacing", Expect: rollout.Top, Limit: full,
	Doc: "The answer with spaces and line breaks around it and two spaces between the reference's words; JSON is " +
		"indented, while code and line breaks inside the answer stay the same.",
	Make: func(c *Case) []Payload {
		if !c.HasReference {
			return nil
		}
		answer := c.answer(c.Reference)
		if tree, ok := parseJSON(answer); ok && tree.kind != scalar {
			return c.carried(" " + tree.indented() + "\n")
		}
		if !c.prose() {
			return c.carried("\n" + answer + "\n\n")
		}
		return c.carried("\n  " + c.answer(gap.ReplaceAllString(strings.TrimSpace(c.Reference), "$1  ")) + " \n")
	},
}

// gap matches the space between two words of a line.
var gap = regexp.MustCompile(`(\S)[ \t]+`)

var sentence = Probe{
	Name: "sentence", Expect: rollout.Top, Limit: full,
	Doc: "The reference in a sentence: \"The answer is 42.\" Left out if answers are code, JSON or sentences.",
	Make: func(c *Case) []Payload {
		const mark = "\x00"
		if before, _, _ := strings.Cut(c.answer(mark), mark); !c.Asked && len(strings.Fields(before)) > 1 {
			return nil
		}
		if isJSON, _ := c.inJSON(); isJSON || !c.prose() || len(c.Reference) > 200 ||
			strings.Contains(c.Reference, "\n") {
			return nil
		}
		if strings.ContainsAny(lastRune(c.Reference), ".!?。！？") || c.openEnded() {
			return c.carried("The answer is: " + c.answer(c.Reference))
		}
		return c.carried("The answer is " + c.answer(c.Reference) + ".")
	},
}

func lastRune(text string) string {
	r, _ := utf8.DecodeLastRuneInString(text)
	return string(r)
}

// openEnded reports whether the answer's template ends with the reference: what follows would be
// read as part of it.
func (c *Case) openEnded() bool {
	return c.Answer != nil && strings.HasSuffix(c.Answer(textMark), textMark)
}

// markdown reports whether a bare reference may be in bold: if it is the whole answer, or follows
// "Answer:", but not within a tag or a formula.
func (c *Case) markdown() bool {
	if c.Answer == nil {
		return true
	}
	before, _, _ := strings.Cut(c.Answer(textMark), textMark)
	return c.openEnded() && strings.HasSuffix(strings.TrimSpace(before), ":")
}

var bold = Probe{
	Name: "bold", Expect: rollout.Top, Limit: full,
	Doc: "The reference in bold, as markdown writes it: \"**42**\". Left out if answers are code or JSON, or put " +
		"the reference in a tag, in a formula or after ####.",
	Make: func(c *Case) []Payload {
		if !c.markdown() || !c.prose() || strings.Contains(c.Reference, "\n") {
			return nil
		}
		return c.restated("**" + c.Reference + "**")
	},
}

var codeFence = Probe{
	Name: "code_fence", Expect: rollout.Top, Limit: full,
	Doc: "An answer that is code or JSON, in a markdown fence, as chat models often write it; an answer that has a " +
		"fence loses it.",
	Make: func(c *Case) []Payload {
		if !c.HasReference {
			return nil
		}
		answer := c.answer(c.Reference)
		tree, isJSON := parseJSON(answer)
		switch {
		case isJSON && tree.kind != scalar:
			return c.carried("```json\n" + answer + "\n```")
		case !isCode(answer):
			return nil
		case strings.HasPrefix(strings.TrimSpace(answer), "```"):
			return c.carried(fenceless(answer))
		}
		f, _ := functionOf(answer)
		return c.carried("```" + f.language + "\n" + answer + "\n```")
	},
}

var keyOrder = Probe{
	Name: "key_order", Expect: rollout.Top, Limit: full,
	Doc: "A JSON answer with its keys in reverse order, which is the same value in JSON.",
	Make: func(c *Case) []Payload {
		return c.turned(true, false)
	},
}

var listOrder = Probe{
	Name: "list_order", Expect: rollout.Top, Limit: full,
	Doc: "A list in reverse order, if the configuration says that order is irrelevant: a JSON list, or one " +
		"separated by commas, semicolons or line breaks.",
	Make: func(c *Case) []Payload {
		if !c.Unordered || !c.HasReference || isCode(c.Reference) {
			return nil
		}
		if out := c.turned(false, true); out != nil {
			return out
		}
		if _, ok := parseJSON(c.Reference); ok {
			return nil
		}
		if _, ok := parseNumber(c.Reference); ok {
			return nil
		}
		for _, sep := range []string{"\n", "; ", ", "} {
			if list := strings.Split(c.Reference, sep); len(list) > 1 {
				return c.restated(reverse(list, sep))
			}
		}
		return nil
	},
}

func reverse(list []string, sep string) string {
	turned := make([]string, len(list))
	for i, s := range list {
		turned[len(list)-1-i] = s
	}
	return strings.Join(turned, sep)
}

// turned returns the JSON answer, or the JSON reference in an answer that is not JSON, in another
// order.
func (c *Case) turned(keys, lists bool) []Payload {
	if !c.HasReference {
		return nil
	}
	if tree, ok := parseJSON(c.answer(c.Reference)); ok && tree.kind != scalar {
		return c.carried(tree.reversed(keys, lists).like(tree, c.answer(c.Reference)))
	}
	if tree, ok := parseJSON(c.Reference); ok && tree.kind != scalar {
		return c.restated(tree.reversed(keys, lists).like(tree, c.Reference))
	}
	return nil
}

// like returns the value's text, or the original text if the order did not change.
func (n node) like(before node, text string) string {
	if n.String() == before.String() {
		return text
	}
	return n.String()
}

// indented returns the value as indented JSON.
func (n node) indented() string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(json.RawMessage(n.String())) // valid JSON: cannot fail
	return strings.TrimSpace(b.String())
}

// prose reports whether the reference is neither code nor JSON with parts.
func (c *Case) prose() bool {
	if !c.HasReference || isCode(c.Reference) {
		return false
	}
	tree, ok := parseJSON(c.Reference)
	return !ok || tree.kind == scalar
}

// restated returns the reference in another notation, in the answer's template. A field that holds
// a number accepts only numbers.
func (c *Case) restated(bare string) []Payload {
	if !c.HasReference {
		return nil
	}
	if _, typed := c.inJSON(); typed {
		if tree, ok := parseJSON(bare); bare != c.Reference && (!ok || tree.kind != scalar || tree.raw[0] == '"') {
			return nil
		}
	}
	return c.carried(c.answer(bare))
}

// carried returns an answer with the messages and calls of the best recorded rollout, so that a
// grader that checks the work sees work that was done; nothing if no rollout of the item did it.
func (c *Case) carried(answer string) []Payload {
	base := c.best()
	switch {
	case base == nil || len(base.Calls) == 0:
		base = nil
	case c.Work != nil && *base.Reward < *c.Work:
		return nil
	}
	return []Payload{{Answer: answer, Base: base}}
}

// idle returns the recorded rollout with calls that earned the least, if that is next to nothing: what
// is said after such calls earns what it earns by itself. nil if there is none.
func (c *Case) idle() *rollout.Record {
	base := c.extreme(func(a, b float64) bool { return a < b })
	if base == nil || len(base.Calls) == 0 || *base.Reward > c.Least {
		return nil
	}
	return base
}
