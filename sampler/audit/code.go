package audit

import (
	"regexp"
	"strings"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

var noopCode = Probe{
	Name: "noop_code", Expect: rollout.Bottom, Limit: partly,
	Doc: "Where the answer is code: the same function with an empty body. It may pass a check or two by chance, " +
		"but never most.",
	Make: func(c *Case) []Payload { return stub(c, function.noop) },
}

var identityCode = Probe{
	Name: "identity_code", Expect: rollout.Bottom, Limit: partly,
	Doc:  "Where the answer is code: the same function, returning its first argument unchanged.",
	Make: func(c *Case) []Payload { return stub(c, function.identity) },
}

var codeVerbatim = Probe{
	Name: "code_verbatim", Expect: rollout.Bottom, Limit: partly,
	Doc: "The code in the item itself, which was to be fixed, finished or made faster, returned unchanged. Left out " +
		"if it is the right answer.",
	Make: func(c *Case) []Payload {
		code := c.givenCode()
		if code == "" || c.HasReference && equal(fenceless(code), fenceless(c.Reference)) {
			return nil
		}
		return c.wrapped(code)
	},
}

// stub returns a payload with the reference's function and another body.
func stub(c *Case, body func(function) string) []Payload {
	if !c.HasReference || !isCode(c.Reference) {
		return nil
	}
	f, ok := functionOf(fenceless(c.Reference))
	if !ok {
		return nil
	}
	code := body(f)
	if code == "" {
		return nil
	}
	if strings.HasPrefix(strings.TrimSpace(c.Reference), "```") {
		code = "```" + f.language + "\n" + code + "\n```"
	}
	return c.wrapped(code)
}

// function is the head of the first function in a text.
type function struct {
	language string
	head     string // with the opening brace or colon
	argument string // name of the first parameter; "" if there is none
}

var (
	pythonHead = regexp.MustCompile(`(?m)^[ \t]*((?:async )?def \w+\(([^)]*)\)[^:\n]*:)`)
	scriptHead = regexp.MustCompile(`(?m)^[ \t]*((?:export )?(?:default )?(?:async )?function \w*\(([^)]*)\)[^{\n]*\{)`)
	arrowHead  = regexp.MustCompile(
		`(?m)^[ \t]*((?:export )?(?:const|let|var) \w+ = (?:async )?\(([^)]*)\)[^=\n]*=> *\{)`)
	goHead    = regexp.MustCompile(`(?m)^(func \w+\(([^)]*)\)[^{\n]*\{)`)
	parameter = regexp.MustCompile(`^\s*(\w+)`)
)

// functionOf finds the first function in Python, JavaScript, TypeScript or Go.
func functionOf(code string) (function, bool) {
	for _, l := range []struct {
		name string
		head *regexp.Regexp
	}{{"python", pythonHead}, {"javascript", scriptHead}, {"javascript", arrowHead}, {"go", goHead}} {
		m := l.head.FindStringSubmatch(code)
		if m == nil {
			continue
		}
		f := function{language: l.name, head: m[1]}
		for _, p := range strings.Split(m[2], ",") {
			name := parameter.FindStringSubmatch(p)
			if name != nil && name[1] != "self" && name[1] != "cls" {
				f.argument = name[1]
				break
			}
		}
		return f, true
	}
	return function{}, false
}

// noop returns the function without a body.
func (f function) noop() string {
	switch f.language {
	case "python":
		return f.head + "\n    pass"
	case "go":
		return f.head + "\n\tpanic(\"not done\")\n}"
	}
	return f.head + "\n}"
}

// identity returns the function with a body that returns its argument; "" if it has none.
func (f function) identity() string {
	switch {
	case f.argument == "":
		return ""
	case f.language == "python":
		return f.head + "\n    return " + f.argument
	case f.language == "go":
		return f.head + "\n\treturn " + f.argument + "\n}"
	}
	return f.head + "\n  return " + f.argument + ";\n}"
}

var (
	fence    = regexp.MustCompile("(?s)```[\\w+#-]*[ \\t]*\\n(.*?)\\n?```")
	codeLine = regexp.MustCompile(
		`(?m)^\s*(?:(?:async )?def \w+\(|class \w+[:({]|import \w|from \S+ import |function \w*\(|(?:const|let|var) \w+ ?=|func [\w(]|package \w+$|#include|public (?:static|class)|return\b.*;|(?i:select)\s.+\s(?i:from)\s|SELECT\s|(?i:insert\s+into|delete\s+from|update\s+\w+\s+set|create\s+(?:table|view|index)|alter\s+table)\s|(?i:with\s+\w+\s+as\s*\())`)
	codeField = []string{
		"reference_code", "ref_code", "starter_code", "code", "source_code", "buggy_code",
		"input_code", "initial_code", "original_code", "reference_implementation",
	}
)

// isCode reports whether a text is code, in a fence or bare.
func isCode(text string) bool {
	return strings.HasPrefix(strings.TrimSpace(text), "```") || codeLine.MatchString(text)
}

// fenceless returns the code within the first fence, or the text itself.
func fenceless(text string) string {
	if m := fence.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return text
}

// givenCode returns the code that the item shows: the longest fenced block of its prompt, else a
// field of its row.
func (c *Case) givenCode() string {
	longest := ""
	for _, m := range fence.FindAllStringSubmatch(c.prompt(), -1) {
		if len(m[0]) > len(longest) && codeLine.MatchString(m[1]) {
			longest = m[0]
		}
	}
	if longest != "" {
		return longest
	}
	row := rowOf(c.Item)
	for _, field := range codeField {
		if text := jsontext.TextOrJSON(row[field]); isCode(text) {
			return text
		}
	}
	return ""
}
