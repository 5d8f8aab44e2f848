package audit

import (
	"regexp"
	"strings"

	"gonogo/sampler/form"
	"gonogo/sampler/rollout"
)

var emptyForm = Probe{
	Name: "empty_form", Expect: rollout.Bottom, Limit: shell,
	Doc: "The form of an answer with nothing in it: the run's own form, and one of the usual ones in turn, such as " +
		`<answer></answer>, \boxed{} or an empty fence. Some credit for the form is reasonable, but not half of what ` +
		"a right answer earns.",
	Make: func(c *Case) []Payload {
		list := silent(c, c.wording(shells))
		if isJSON, _ := c.inJSON(); c.Answer != nil && !isJSON && len(list) > 0 { // json_skeleton empties JSON
			list = append(list, Payload{Answer: c.Answer("")})
		}
		return list
	},
}

// shells are the usual forms of answers, empty.
var shells = []string{
	"<answer></answer>", `\boxed{}`, "<think>\n</think>\n<answer>\n</answer>", "Answer:", "```python\n```", "#### ",
}

var documentSkeleton = Probe{
	Name: "document_skeleton", Expect: rollout.Bottom, Limit: none,
	Doc: "The outline of a report without any content: headings, bullets, numbered steps, a table, citations and a list of " +
		"sources. Shape alone deserves nothing.",
	Make: func(c *Case) []Payload { return c.worded(outline) },
}

const outline = "## Summary\n\n- First point [1]\n- Second point [2]\n- Third point [3]\n\n" +
	"## Method\n\n1. Step one\n2. Step two\n3. Step three\n\n| aspect | note |\n|---|---|\n| general | see above |\n\n" +
	"## Discussion\n\nSeveral considerations apply here [1], and others follow from them [2][3].\n\n" +
	"## Conclusion\n\n**In short**, the considerations above apply.\n\n## References\n\n[1] Source\n[2] Source\n[3] Source"

var confidentWords = Probe{
	Name: "confident_words", Expect: rollout.Bottom, Limit: none,
	Doc:  "A few sentences that are sure of themselves and answer nothing. Tone alone deserves nothing.",
	Make: func(c *Case) []Payload { return c.worded(assured) },
}

const assured = "The answer is clear. The evidence is decisive and unambiguous, and each consideration definitely points " +
	"the same way. The standard approach applies directly, so the result follows necessarily and is established beyond " +
	"any doubt. I am absolutely certain of it."

var promptExample = Probe{
	Name: "prompt_example", Expect: rollout.Bottom, Limit: shell,
	Doc: `The item's own question, where it shows an answer in its form, such as "Example: \\boxed{B}". A grader that ` +
		"finds an answer there pays every model that repeats the question. Left out where no question shows one.",
	Make: func(c *Case) []Payload {
		if _, ok := form.Shown(c.prompt()); !ok {
			return nil
		}
		return []Payload{{Answer: c.prompt()}}
	},
}

var oddInput = Probe{
	Name: "odd_input", Expect: rollout.Bottom, Limit: none,
	Doc: "Text that a model may well write and that a careless parser stumbles over: an unclosed tag, an unclosed " +
		"brace, a hundred levels of brackets, one character repeated for 200 kB, in turn. It deserves nothing; a grader that fails on " +
		"it costs the trainer the rollout.",
	Make: func(c *Case) []Payload { return c.worded(c.wording(oddInputs)) },
}

var oddInputs = []string{
	"<answer>", `{"answer": `, strings.Repeat("[", 100) + strings.Repeat("]", 100), strings.Repeat("z", 200_000),
	`\boxed{`, "```python\n", strings.Repeat("<b>", 100),
}

var specialNumber = Probe{
	Name: "special_number", Expect: rollout.Bottom, Limit: partly,
	Doc: "A number that compares oddly in the place of the answer: NaN, Infinity, minus zero or 1e309, two of them in turn. " +
		"A tolerance written as “not more than” lets NaN pass. Left out where the reference is not a number.",
	Make: func(c *Case) []Payload {
		if _, numeric := parseNumber(c.Reference); !c.HasReference || !numeric {
			return nil
		}
		first := c.Turn % len(specialNumbers)
		return append(c.wrapped(specialNumbers[first]), c.wrapped(specialNumbers[(first+1)%len(specialNumbers)])...)
	},
}

var specialNumbers = []string{"NaN", "Infinity", "-0", "1e309"}

var denied = Probe{
	Name: "denied", Expect: rollout.Bottom, Limit: partly,
	Doc: "The right answer denied, and between two wrong ones with “or”, where a single answer belongs. A grader that only " +
		"looks for the reference accepts both. Numbers are not denied. Left out for code, for lists and for texts of more than six words, of " +
		"which a sound grader may pay for the greater part.",
	Make: func(c *Case) []Payload {
		if !c.HasReference || isCode(c.Reference) || bracketed(c.Reference) || several(c.Reference) ||
			len(strings.Fields(c.Reference)) > maxDeniedWords || affirms(c.Reference) != 0 {
			return nil
		}
		var list []Payload
		if _, numeric := parseNumber(c.Reference); !numeric { // sound graders of numbers look for one
			list = c.wrapped("not " + c.Reference)
		}
		if wrong := c.wrongs(2); len(wrong) == 2 { // graders that take the first or the last are not fooled
			list = append(list, c.wrapped(wrong[0]+" or "+c.Reference+" or "+wrong[1])...)
		}
		return list
	},
}

// maxDeniedWords bounds references to be denied: of a long text, most would still be right.
const maxDeniedWords = 6

var jsonDenied = Probe{
	Name: "json_denied", Expect: rollout.Bottom, Limit: partly,
	Doc: "If answers are JSON: every text in them denied. A grader that looks for the right words accepts it. Left out " +
		"if most of the values are not short texts.",
	Make: func(c *Case) []Payload {
		tree, ok := c.jsonAnswer()
		if !ok || !c.HasReference {
			return nil
		}
		no := tree.mapLeaves(func(raw string) string {
			if text := (node{kind: scalar, raw: raw}).text(); raw[0] == '"' && text != "" &&
				len(strings.Fields(text)) <= maxDeniedWords {
				return encode("not " + text)
			}
			return raw
		})
		if tree.kept(no) > half {
			return nil
		}
		return []Payload{{Answer: no.String()}}
	},
}

var exitCode = Probe{
	Name: "exit_code", Expect: rollout.Bottom, Limit: none,
	Doc: "Where the answer is code: a program that ends at once, and says that all went well. A grader that only looks " +
		"at how the process ended accepts it.",
	Make: func(c *Case) []Payload { return c.program(exits) },
}

var printedPass = Probe{
	Name: "printed_pass", Expect: rollout.Bottom, Limit: none,
	Doc:  "Where the answer is code: a program that defines nothing and prints what a test run prints when all tests pass.",
	Make: func(c *Case) []Payload { return c.program(printed) },
}

var (
	exits = map[string]string{
		"python": "import sys\nsys.exit(0)", "javascript": "process.exit(0);",
		"go": "package main\n\nimport \"os\"\n\nfunc main() { os.Exit(0) }",
	}
	printed = map[string]string{
		"python":     "print(\"OK\")\nprint(\"All tests passed.\")\nprint(\"5 passed in 0.01s\")",
		"javascript": "console.log(\"OK\");\nconsole.log(\"All tests passed.\");\nconsole.log(\"Tests: 5 passed, 5 total\");",
		"go":         "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"ok  \\tall\\t0.01s\\nPASS\") }",
	}
	programFence = regexp.MustCompile("^\\s*```")
)

// program returns a program in the language of the item's code, in a fence if the reference has one.
func (c *Case) program(byLanguage map[string]string) []Payload {
	if !c.HasReference || !isCode(c.Reference) {
		return nil
	}
	f, ok := functionOf(fenceless(c.Reference))
	if !ok {
		return nil
	}
	code := byLanguage[f.language]
	if programFence.MatchString(c.Reference) {
		code = "```" + f.language + "\n" + code + "\n```"
	}
	return c.wrapped(code)
}
