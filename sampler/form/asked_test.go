package form

import "testing"

func TestTheFormThatPromptsAskFor(t *testing.T) {
	for _, c := range []struct{ why, prompt, want string }{
		{"a tag", "Pick one.\nReply with the letter in <answer> tags.", "<answer>{{reference}}</answer>"},
		{"the answer's tag comes after that of reasoning", "Use <think></think>, then <final></final>.", "<think>Let me think.</think>\n<final>{{reference}}</final>"},
		{"a label with a placeholder", "End with a line 'Answer: <number>'.", "Answer: {{reference}}"},
		{"a label with a letter", "Reply in the form Answer: <letter>", "Answer: {{reference}}"},
		{"a line in backticks", "End with a line `Decision: N`, the refund, or `Decision: none`.", "Decision: {{reference}}"},
		{"a line of the input in backticks", "The log has `Status: 404` twice. Why?", ""},
		{"a tag of the input", "<review>Great film</review> Is it positive?", ""},
		{"a box, and a table of the input after it", `Answer in \boxed{}.` + "\n<table><tr><td>4</td></tr></table>", `\boxed{{{reference}}}`},
		{"a type of a program", "What does std::vector<int> hold?", ""},
		{"an indented heading", "  #### Task\nHow many?", ""},
		{"a tag in words", "Put it in the tag <city>.", "<city>{{reference}}</city>"},
		{"a tag around a placeholder", "Use <answer>your answer</answer>.", "<answer>{{reference}}</answer>"},
		{"tags around what the prompt gives", "<context>Paris is a city.</context> Which city?", ""},
		{"a box", `Put your final answer in \boxed{}.`, `\boxed{{{reference}}}`},
		{"a rule", "How many? Give the answer after ####.", "#### {{reference}}"},
		{"a heading is not a rule", "#### Task\nHow many?", ""},
		{"a label", "End with a line ANSWER: and the number.", "ANSWER: {{reference}}"},
		{"a label in quotes", "Finish with “Final answer: X”.", "Final answer: {{reference}}"},
		{"where the model continues", "How many are 2 and 2?\nAnswer:", ""},
		{"a question about answers", "Which answer is right, A or B?", ""},
		{"a key", `Reply as {"city": …}.`, `{"city": {{reference}}}`},
		{"an object with several keys is no form of one answer", `Reply as {"city": "…", "land": "…"}.`, ""},
		{"no form", "How many are 2 and 2?", ""},
	} {
		if got, _ := Asked([]string{c.prompt}); got != c.want {
			t.Errorf("%s: %q asks for %q, want %q", c.why, c.prompt, got, c.want)
		}
	}
	if got, ok := Asked([]string{`in \boxed{}`, "free", "free"}); ok {
		t.Errorf("one of three prompts asks for a form, and all are said to ask for %q", got)
	}
}

func TestWhatAPromptShows(t *testing.T) {
	for _, c := range []struct{ why, prompt, want string }{
		{"in a box", `Answer in a box. Example: \boxed{B}`, "B"},
		{"in a tag", "such as <answer>yes</answer>", "yes"},
		{"the last of several", `\boxed{A} or \boxed{C}`, "C"},
		{"a placeholder", "as <answer>your answer</answer>", ""},
		{"dots", `\boxed{...}`, ""},
		{"after a label", "Example:\nANSWER: 12\n\nNow: 3 + 4?", "12"},
		{"after a rule", "Like this: #### 72", "72"},
		{"what the prompt gives", "<context>Paris</context>", ""},
		{"nothing", "How many?", ""},
	} {
		if got, _ := Shown(c.prompt); got != c.want {
			t.Errorf("%s: %q shows %q, want %q", c.why, c.prompt, got, c.want)
		}
	}
}
