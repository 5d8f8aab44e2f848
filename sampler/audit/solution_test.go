package audit

import (
	"slices"
	"testing"

	"gonogo/sampler/form"

	"gonogo/sampler/rollout"
)

// The reference of a row with a worked solution was all of it, so that no probe with a wrong answer
// applied, and a grader that looks for the number anywhere passed.
func TestTheAnswerOfAWorkedSolution(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"GSM8K":                     {"11*21=<<11*21=231>>231 eggs.\nHe eats 3.\n#### 228", "228"},
		"GSM8K, with a space after": {"2+2=4\n####  4 \n", "4"},
		"MATH":                      {`The sum is $12+110=122$, so it is $\boxed{122}$.`, "122"},
		"a fraction in a box":       {`Half of it is $\boxed{\frac{1}{2}}$ of it.`, `\frac{1}{2}`},
		"the last of two boxes":     {`First $\boxed{1}$, then $\boxed{2}$.`, "2"},
		"a bare answer":             {"228", "228"},
		"a box alone is an answer":  {`\boxed{228}`, `\boxed{228}`},
		"hashes within a line":      {"see #### 5", "see #### 5"},
		"a last heading":            {"# Report\n\nBoth signed.\n\n#### Conclusion", "# Report\n\nBoth signed.\n\n#### Conclusion"},
		"a word":                    {"It lies on the Seine.\n#### Paris", "Paris"},
		"a heading with a number":   {"#### Step 1\nFirst.\n#### Step 2", "#### Step 1\nFirst.\n#### Step 2"},
		"a numbered heading":        {"## 1. Question\nFirst.\n#### 3. Conclusion", "## 1. Question\nFirst.\n#### 3. Conclusion"},
		"a unit":                    {"2+2=4\n#### 4 dollars", "4 dollars"},
		"money and a sign":          {"2-6=-4\n#### -$1,200.50", "-$1,200.50"},
		"an equation":               {"solve\n#### x = 5", "x = 5"},
		"a formula":                 {"halve\n#### \\frac{1}{2}", "\\frac{1}{2}"},
		"a choice":                  {"It is the second.\n#### (B)", "(B)"},
		"yes or no":                 {"He can.\n#### Yes", "Yes"},
		"a heading is no answer":    {"Intro\n#### Part\nText of the part.", "Intro\n#### Part\nText of the part."},
		"a box that is not closed":  {`so \boxed{12`, `so \boxed{12`},
		"an empty box":              {`so \boxed{}.`, `so \boxed{}.`},
		"prose":                     {"Write to the bank and ask for the form.", "Write to the bank and ask for the form."},
	} {
		before, got, after := form.Solved(c.text)
		if got != c.want || before+got+after != c.text {
			t.Errorf("%s: %q, %q, %q; want %q", name, before, got, after, c.want)
		}
	}
}

// Until a rollout shows a form, a wrong answer is tried in the row's own solution and alone.
func TestAWrongAnswerTakesThePlaceInTheSolution(t *testing.T) {
	it := &rollout.Item{ID: "q", Row: []byte(`{"answer":"11*21=231\n#### 231"}`)}
	ref, ok := FieldReference(it)
	c := common{}.judged(&surveyed{item: it, ref: ref, has: ok})
	want := []Payload{{Answer: "11*21=231\n#### 5"}, {Answer: "5"}}
	if got := c.wrapped("5"); c.Reference != "231" || !slices.Equal(got, want) {
		t.Errorf("reference %q, payloads %v; want %v", c.Reference, got, want)
	}
}
