package form

import (
	"regexp"
	"slices"
	"strings"
)

// Asked finds the form that at least half of the prompts ask for: a tag, \boxed{}, "####", a label
// such as "Answer:", a line in backticks, or the key of a JSON object. ok is false if there is none. A
// prompt that names several forms asks for the one that it names last: reasoning comes before the answer.
func Asked(prompts []string) (template string, ok bool) {
	counts := map[string]int{}
	for _, prompt := range prompts {
		if asked := askedBy(prompt); asked != "" {
			counts[asked]++
		}
	}
	for asked, n := range counts {
		if 2*n >= len(prompts) && (template == "" || n > counts[template] || n == counts[template] && asked < template) {
			template = asked
		}
	}
	return template, template != ""
}

var (
	// a tag that is called one, or that is closed around nothing or a placeholder
	askedTag = regexp.MustCompile(`(?i)<([a-z][\w-]{1,30})>(?:\s*</[\w-]+>)?["'”’` + "`" + `]?[ \t]+(?:xml[ \t]+)?tags?\b|` +
		`\btags?:?[ \t]+["'“‘` + "`" + `]?<([a-z][\w-]{1,30})>|` +
		`<([a-z][\w-]{1,30})>\s*(?:[.…_?*-]*|[^<>]*\b(?:your|here|the|final|letter|number)\b[^<>]*)\s*</[\w-]+>`)
	askedLabel = regexp.MustCompile(`(?m)(?:^|["“'` + "`" + `]|\b(?:with|as|form|format|line|write|reply|respond|end):?[ \t]+)` +
		`["“'` + "`" + `]?((?i:final answer|the answer is|answer|verdict|result|solution|label)[ \t]*:)`)
	// a label with a placeholder in backticks, as in: end with a line `Decision: N`
	askedLine = regexp.MustCompile("\\b(?:with|as|form|format|line|write|reply|respond|end):?[ \\t]+`" +
		"([A-Z][A-Za-z]{1,20}(?: [A-Za-z]{1,20})?:)[ \\t]*[^`\\n]{1,40}`")
	askedKey = regexp.MustCompile(`\{\s*"([A-Za-z]\w{0,30})"\s*:`)
	// thinkingTags hold reasoning, which an answer in the form also has.
	thinkingTags = []string{"think", "thinking", "reasoning", "scratchpad", "reason"}
	// reasoningTags hold what comes before an answer, and what a prompt gives rather than asks for.
	reasoningTags = []string{
		"think", "thinking", "reasoning", "scratchpad", "reason", "context", "document", "documents", "question",
		"problem", "instructions", "example", "examples", "input", "passage", "text", "br", "code", "tool_call",
	}
)

// askedBy returns the template that a prompt asks for, "" if none.
func askedBy(prompt string) string {
	at, template := -1, ""
	last := func(place int, found string) {
		if place > at {
			at, template = place, found
		}
	}
	thinks := ""
	for _, m := range askedTag.FindAllStringSubmatch(prompt, -1) {
		tag := m[1] + m[2] + m[3]
		switch {
		case slices.Contains(thinkingTags, strings.ToLower(tag)):
			thinks = "<" + tag + ">" + someThought + "</" + tag + ">\n"
		case !slices.Contains(reasoningTags, strings.ToLower(tag)):
			last(strings.LastIndex(prompt, "<"+tag+">"), thinks+"<"+tag+">"+Variable+"</"+tag+">")
		}
	}
	last(strings.LastIndex(prompt, `\boxed`), `\boxed{`+Variable+"}")
	i := strings.LastIndex(prompt, "####")
	if i > 0 && prompt[i-1] != '#' && strings.TrimSpace(prompt[strings.LastIndex(prompt[:i], "\n")+1:i]) != "" { // else a heading
		last(i, "#### "+Variable)
	}
	for _, m := range askedLabel.FindAllStringSubmatchIndex(prompt, -1) {
		if m[0] < m[2] || strings.TrimSpace(prompt[m[1]:]) != "" { // else the model continues there
			last(m[2], prompt[m[2]:m[3]]+" "+Variable)
		}
	}
	for _, m := range askedLine.FindAllStringSubmatchIndex(prompt, -1) {
		last(m[2], prompt[m[2]:m[3]]+" "+Variable)
	}
	if keys := askedKey.FindAllStringSubmatchIndex(prompt, -1); len(keys) > 0 && strings.Count(prompt, `"`) < 5 {
		m := keys[len(keys)-1]
		last(m[0], `{"`+prompt[m[2]:m[3]]+`": `+Variable+"}")
	}
	return template
}

// filled matches a form with something in it.
var filled = regexp.MustCompile(`<([A-Za-z][\w-]{1,30})>\s*([^<>]{1,80}?)\s*</([A-Za-z][\w-]{1,30})>|` +
	`\\boxed\{\s*([^{}]{1,80}?)\s*\}|####[ \t]*(\S[^\n]{0,80})|` +
	`(?m:^|["“'` + "`" + `(])(?i:(?:final )?answer|verdict|result)[ \t]*:[ \t]*([^\s"”'` + "`" + `][^\n"”'` + "`" + `]{0,80})`)

// Shown returns the content of the last filled form in a prompt, as in "reply with <answer>B</answer>".
// ok is false if there is none, or only a placeholder such as "your answer" or "…".
func Shown(prompt string) (content string, ok bool) {
	for _, m := range filled.FindAllStringSubmatch(prompt, -1) {
		if m[1] != m[3] || slices.Contains(reasoningTags, strings.ToLower(m[1])) && m[1] != "" {
			continue
		}
		if text := strings.TrimSpace(m[2] + m[4] + m[5] + m[6]); !placeholder.MatchString(text) {
			content, ok = text, true
		}
	}
	return content, ok
}

// placeholder matches what stands for an answer in a prompt.
var placeholder = regexp.MustCompile(`(?i)^(?:[.…_?*-]+|x+|n|\W*|.*(?:\byour\b|\bhere\b|\bthe\b|\banswer\b|\bletter\b|\bnumber\b|\bresult\b|[\[{<]).*)$`)
