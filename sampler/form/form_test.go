package form

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// answers makes examples of a number each: %v of the text is the number.
func answers(text string) (list []Example) {
	for i := range 6 {
		n := fmt.Sprint(381 + 97*i)
		list = append(list, Example{strings.ReplaceAll(strings.ReplaceAll(text, "%v", n), "%n", fmt.Sprint(i)), n})
	}
	return list
}

func TestTheFormOfAnswers(t *testing.T) {
	fence := "```"
	for _, c := range []struct {
		why      string
		examples []Example
		want     string
	}{
		{"nothing to learn from", nil, ""},
		{"bare answers", []Example{{"42", "42"}, {" paris.", "Paris"}}, ""},
		{"a field", []Example{{`{"answer": "42", "why": "so"}`, "42"}, {`{"answer":"Paris"}`, "Paris"}}, `{"answer": "{{reference}}"}`},
		{"a number field", []Example{{`{"answer": 42}`, "42.0"}, {`{"answer":7}`, "7"}}, `{"answer": {{reference}}}`},
		{"a field within", []Example{{`{"result": {"city": "Rome"}}`, "Rome"}}, `{"result": {"city": "{{reference}}"}}`},
		{"the object itself is the reference", []Example{{`{"b": 2, "a": 1}`, `{"a":1,"b":2}`}}, ""},
		{"an object in a fence", answers("Sum.\n" + fence + "json\n{\"answer\": %v}\n" + fence), fence + "json\n{\"answer\": {{reference}}}\n" + fence},
		{"an object behind reasoning", answers("First %n.\n{\"answer\": %v}"), `{"answer": {{reference}}}`},
		{"a tag", []Example{{"Well.\n<answer>42</answer>", "42"}, {"<answer> Rome</answer>", "rome"}}, "<answer>{{reference}}</answer>"},
		{"a tag over several lines", answers("I think %n.\n<answer>\n%v\n</answer>"), "<answer>\n{{reference}}\n</answer>"},
		{"a label in a tag", answers("I think %n.\n<result>\nTotal: %v\n</result>"), "<result>\nTotal: {{reference}}\n</result>"},
		{"LaTeX", []Example{{`So \boxed{42}.`, "42"}}, `\boxed{{{reference}}}`},
		{"LaTeX in a formula", answers(`Thus $$\boxed{%v}$$ in case %n.`), `$$\boxed{{{reference}}}$$`},
		{"a heading", []Example{{"Let me see.\nFinal answer: 42\n", "42"}}, "Final answer: {{reference}}"},
		{"a label in capitals", answers("%n + %n is.\nANSWER: %v"), "ANSWER: {{reference}}"},
		{"one that reasoning says before", answers("%n + %n = %v\nANSWER: %v"), "ANSWER: {{reference}}"},
		{"one within a line", answers("So %n gives ANSWER: %v"), "ANSWER: {{reference}}"},
		{"a label without a space", answers("%n\nRESULT=%v"), "RESULT={{reference}}"},
		{"a label in bold", answers("%n\n**Answer:** %v"), "**Answer:** {{reference}}"},
		{"a value in bold", answers("The sum of %n is **%v** here."), "**{{reference}}**"},
		{"a label over its value", answers("%n is odd.\n## Answer\n\n%v"), "## Answer\n\n{{reference}}"},
		{"hashes", answers("%n so\n#### %v"), "#### {{reference}}"},
		{"a fence", answers("%n so\n" + fence + "\n%v\n" + fence), fence + "\n{{reference}}\n" + fence},
		{"brackets", answers("case %n [[%v]]"), "[[{{reference}}]]"},
		{"the last line", answers("%n is one.\n%v"), "{{reference}}"},
		{"a sentence with its full stop", answers("The final answer is %v."), "The final answer is {{reference}}."},
		{"a formula in a sentence", answers("I add %n.\nThe final answer is $%v$. I hope it is correct."), "The final answer is ${{reference}}$. I hope it is correct."},
		{"dollars in a sentence", answers("I add %n.\nThe price is $%v."), "The price is {{reference}}."},
		{"a line that few end with a full stop", []Example{{"ANSWER: 42", "42"}, {"ANSWER: 17", "17"}, {"ANSWER: 9.", "9"}}, "ANSWER: {{reference}}"},
		{"sentences that differ", []Example{{"It is 42 then.", "42"}, {"We get 17, I think.", "17"}, {"So 9 it is.", "9"}}, ""},
		{"sums", []Example{{"40 + 2 = 42", "42"}, {"10 + 7 = 17", "17"}, {"4 + 5 = 9", "9"}}, ""},
		{"words in a row", []Example{{"VERDICT: not guilty", "Not guilty"}, {"I see.\nVERDICT: Guilty.", "guilty"}}, "VERDICT: {{reference}}"},
		{"a choice", []Example{{"A cat is a B.\nANSWER: (B)", "B"}, {"It is a D.\nANSWER: (D)", "D"}, {"ANSWER: (A)", "A"}}, "ANSWER: ({{reference}})"},
		{"numbers as people write them", []Example{{"ANSWER: 1,200.00", "1200"}, {"ANSWER: 3,400", "$3400"}, {"ANSWER: -5", "-5"}}, "ANSWER: {{reference}}"},
		{"any case", []Example{{"ANSWER: 42", "42"}, {"Answer: 17", "17"}, {"ANSWER: 9", "9"}}, "ANSWER: {{reference}}"},
		{"what differs, where no reference is known", []Example{{"a\nANSWER: x", ""}, {"b\nANSWER: y", ""}, {"c\nANSWER: z", ""}}, "ANSWER: {{reference}}"},
		{"what differs, where references are written otherwise", []Example{{"a\nANSWER: one half", "0.5"}, {"b\nANSWER: two", "2"}, {"c\nANSWER: ten", "10"}}, "ANSWER: {{reference}}"},
		{"a closing line that is always the same", []Example{{"x\nNote: ask", ""}, {"y\nNote: ask", ""}, {"z\nNote: ask", ""}, {"v\nNote: ask", ""}, {"w\nNote: ask", ""}}, ""},
		{"reasoning in tags before a tag", answers("<think>\nI add %n.\n</think>\n<answer>%v</answer>"), "<think>Let me think.</think>\n<answer>{{reference}}</answer>"},
		{"reasoning in the line of a tag", answers("<think>I add %n.</think><answer>%v</answer>"), "<think>Let me think.</think><answer>{{reference}}</answer>"},
		{"reasoning that is always the same", answers("<think>I add.</think> ANSWER: %v"), "<think>I add.</think> ANSWER: {{reference}}"},
		{"reasoning before a bare answer", answers("<think>I add %n.</think>\n%v"), "<think>Let me think.</think>\n{{reference}}"},
		{"reasoning in half of the answers", append(answers("<think>I add %n.</think>\n<answer>%v</answer>"), answers("<answer>%v</answer>")...), "<answer>{{reference}}</answer>"},
		{"a line below, with what most answers say", append(answers("%n\nAnswer: %v\nConfidence: 0.9"), answers("%n\nAnswer: %v\nConfidence: 0.%n")...), "Answer: {{reference}}\nConfidence: 0.9"},
		{"two lines below, after an empty one", answers("Answer: %v\n\nConfidence: high\nEND\n"), "Answer: {{reference}}\n\nConfidence: high\nEND"},
		{"a line below in half of the answers", append(answers("Answer: %v\nConfidence: 0.9"), answers("Answer: %v")...), "Answer: {{reference}}"},
		{"a line below that states the answer again", answers("Answer: %v\nReason: it is %v."), "Reason: it is {{reference}}."},
		{"text below", answers("Answer: %v\nI add %n.\nThat is all."), "Answer: {{reference}}"},
		{"no majority", []Example{{"<answer>1</answer>", "1"}, {"it is 2", "2"}, {"3", "3"}}, ""},
		{"half is enough, ties go by the alphabet", []Example{{`{"b": "x"}`, "x"}, {`{"a": "x"}`, "x"}}, `{"a": "{{reference}}"}`},
		{"no field says it", []Example{{`{"a": 1}`, "2"}}, ""},
		{"a list in an object is no text", []Example{{`{"a": ["Rome"], "b": 1}`, "Rome"}, {`{"a": ["Oslo"], "b": 2}`, "Oslo"}}, ""},
	} {
		f, ok := Of(c.examples)
		if f.Template != c.want && ok || ok != (c.want != "") {
			t.Errorf("%s: got %q, %v, want %q", c.why, f.Template, ok, c.want)
			continue
		}
		for _, e := range c.examples {
			if ok && !f.Has(e.Answer) && !strings.Contains("half is enough", c.why[:4]) {
				t.Errorf("%s: %q has not its own form %q", c.why, e.Answer, f.Template)
			}
		}
		rand.Shuffle(len(c.examples), func(i, j int) { c.examples[i], c.examples[j] = c.examples[j], c.examples[i] })
		if again, _ := Of(c.examples); again.Template != f.Template {
			t.Errorf("%s: in another order it is %q, not %q", c.why, again.Template, f.Template)
		}
	}
}

func TestWhatHasAForm(t *testing.T) {
	for _, c := range []struct{ of, has, lacks string }{
		{"%n\nANSWER: %v", "ANSWER: 7", "The answer is 7."},
		{"%n\nANSWER: %v", "x\nANSWER:7", "Answer: 7"},
		{"%n\n<answer>%v</answer>", "<answer>x</answer>", "<answer>x"},
		{`{"answer": %v}`, `{"why": 1, "answer": 2}`, `{"total": 2}`},
		{`{"answer": %v}`, "So:\n{\"answer\": null}", "2"},
		{"%n is one.\n%v", "I add.\n7", "I add.\nThe answer is 7."},
	} {
		f, ok := Of(answers(c.of))
		if !ok || !f.Has(c.has) || f.Has(c.lacks) {
			t.Errorf("%q: %v, %q: %v, %q: %v", c.of, ok, c.has, f.Has(c.has), c.lacks, f.Has(c.lacks))
		}
	}
	for _, c := range []struct{ of, whole, partly string }{
		{"%n\nAnswer: %v\nConfidence: 0.9", "Answer: 7\nconfidence: 0.5\n", "Answer: 7"},
		{"<think>I add %n.</think>\n<answer>%v</answer>", "<think>So.</think><answer>7</answer>", "<answer>7</answer>"},
		{`{"answer": %v, "why": "%n"}`, `{"answer": 7, "note": ""}`, `{"answer": 7}`},
	} {
		f, ok := Of(answers(c.of))
		if !ok || !f.Whole(c.whole) || f.Whole(c.partly) || !f.Has(c.partly) {
			t.Errorf("%q: %v, %q: %v, %q: %v", c.of, ok, c.whole, f.Whole(c.whole), c.partly, f.Whole(c.partly))
		}
	}
	for _, c := range []struct {
		of      string
		partial bool
	}{{`{"answer": %v}`, false}, {`{"answer": %v, "why": "%n"}`, true}} {
		if f, _ := Of(answers(c.of)); f.Partial != c.partial {
			t.Errorf("%s: partial %v", c.of, f.Partial)
		}
	}
}

func TestWhatAnAnswerStates(t *testing.T) {
	for _, c := range []struct {
		answer, reference string
		want              bool
	}{
		{"The answer is 42.", "42", true},
		{"40 + 2 = 42", "42.0", true},
		{"It costs $1,200.", "1200", true},
		{"42 and then 17", "42", false},
		{"142", "42", false},
		{"The capital is Rome, of course.", "rome", true},
		{"Rome was my guess.\nNow I say Oslo.", "Rome", false},
		{"It is A or B. I take (B).", "B", true},
		{"A cat.", "A", false},
		{"I take a", "A", false},
		{"", "x", false},
	} {
		if got := States(c.answer, c.reference); got != c.want {
			t.Errorf("%q states %q: %v", c.answer, c.reference, got)
		}
	}
}

// FuzzOf reads any answers: it never panics, and a template has its variable.
func FuzzOf(f *testing.F) {
	for _, s := range []string{"ANSWER: x", "<a>\nx\n</a>", "```json\n{\"a\": \"x\"}\n```", `\boxed{x}`, "{{x", "1e999999999"} {
		f.Add(s, "x")
	}
	f.Fuzz(func(t *testing.T, answer, reference string) {
		found, ok := Of([]Example{{answer, reference}, {answer + " ", reference}, {"z" + answer, reference}})
		if ok && !strings.Contains(found.Template, Variable) {
			t.Fatalf("%q", found.Template)
		}
		found.Has(answer)
		States(answer, reference)
	})
}
