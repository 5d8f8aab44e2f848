package audit

import (
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

func TestAnswerTemplate(t *testing.T) {
	for _, c := range []struct{ why, template, reference, want string }{
		{"text", "Answer: {{ reference }}!", `4"2`, `Answer: 4"2!`},
		{"JSON is escaped", `{"answer": "{{reference}}"}`, "a\"b\n", `{"answer": "a\"b\n"}`},
		{"within a longer string", `{"a": "it is \"{{reference}}\""}`, `x"`, `{"a": "it is \"x\"\""}`},
		{"a number without quotes", `{"a": {{reference}}}`, "4.5", `{"a": 4.5}`},
		{"a list without quotes", `{"a": {{reference}}}`, `["x"]`, `{"a": ["x"]}`},
		{"text without quotes gets some", `{"a": {{reference}}}`, "four", `{"a": "four"}`},
		{"a quoted text is a text", `{"a": {{reference}}}`, `"x"`, `{"a": "\"x\""}`},
		{"twice", "{{reference}} or {{reference}}", "x", "x or x"},
		{"a reference with braces stays", "<{{reference}}>", "{{reference}}", "<{{reference}}>"},
	} {
		wrap, err := AnswerTemplate(c.template)
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		if got := wrap(c.reference); got != c.want {
			t.Errorf("%s: got %q, want %q", c.why, got, c.want)
		}
	}
	for template, want := range map[string]string{"": "{{reference}}", "Answer:": "{{reference}}", "{{item.a}} {{reference}}": "{{item.a}}"} {
		if _, err := AnswerTemplate(template); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("template %q: %v", template, err)
		}
	}
}

// TestUnwrapTurnsTheTemplateAround: what a template made of a reference gives the
// reference again.
func TestUnwrapTurnsTheTemplateAround(t *testing.T) {
	for _, template := range []string{`{"answer": "{{reference}}"}`, `{"a": {"b": {{reference}}}, "c": 1}`, "Answer: {{reference}}", "<answer>{{reference}}</answer>", `\boxed{ {{reference}} }`} {
		wrap, err := AnswerTemplate(template)
		if err != nil {
			t.Fatal(err)
		}
		for _, ref := range []string{"42", "Paris", `a"b`, "x\ny"} {
			if got, ok := unwrap(wrap, wrap(ref)); !ok || got != ref {
				t.Errorf("%s of %q gives %q, %v", template, ref, got, ok)
			}
		}
	}
	wrap, _ := AnswerTemplate(`{"answer": "{{reference}}"}`)
	if got, ok := unwrap(wrap, `{"why": "long", "answer": 42}`); !ok || got != "42" {
		t.Errorf("another JSON answer gives %q, %v", got, ok)
	}
	for _, other := range []string{"42", `{"total": 42}`, `[1]`} {
		if got, ok := unwrap(wrap, other); ok {
			t.Errorf("%s has no answer, and gives %q", other, got)
		}
	}
	text, _ := AnswerTemplate("Answer: {{reference}}")
	if got, ok := unwrap(text, "I think.\nAnswer: 42"); !ok || got != "42" {
		t.Errorf("a text before the template: %q, %v", got, ok)
	}
}

func TestTheTemplateOfRecordedAnswers(t *testing.T) {
	for _, c := range []struct {
		why      string
		examples []example
		want     string
	}{
		{"nothing to learn from", nil, ""},
		{"bare answers", []example{{"42", "42"}, {" paris.", "Paris"}}, ""},
		{"a field", []example{{`{"answer": "42", "why": "so"}`, "42"}, {`{"answer":"Paris"}`, "Paris"}}, `{"answer": "{{reference}}"}`},
		{"a number field", []example{{`{"answer": 42}`, "42.0"}, {`{"answer":7}`, "7"}}, `{"answer": {{reference}}}`},
		{"a field within", []example{{`{"result": {"city": "Rome"}}`, "Rome"}}, `{"result": {"city": "{{reference}}"}}`},
		{"the object itself is the reference", []example{{`{"b": 2, "a": 1}`, `{"a":1,"b":2}`}}, ""},
		{"a tag", []example{{"Well.\n<answer>42</answer>", "42"}, {"<answer> Rome</answer>", "rome"}}, "<answer>{{reference}}</answer>"},
		{"LaTeX", []example{{`So \boxed{42}.`, "42"}}, `\boxed{{{reference}}}`},
		{"a heading", []example{{"Let me see.\nFinal answer: 42\n", "42"}}, "Final answer: {{reference}}"},
		{"no majority", []example{{"<answer>1</answer>", "1"}, {"it is 2", "2"}, {"3", "3"}}, ""},
		{"half is enough, ties go by the alphabet", []example{{`{"b": "x"}`, "x"}, {`{"a": "x"}`, "x"}}, `{"a": "{{reference}}"}`},
		{"no field says it", []example{{`{"a": 1}`, "2"}}, ""},
	} {
		var v votes
		for _, e := range c.examples {
			v.add(e)
		}
		got, ok := v.winner()
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%s: got %q, %v, want %q", c.why, got, ok, c.want)
		}
		if !ok {
			continue
		}
		wrap, err := AnswerTemplate(got)
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		if bare, ok := unwrap(wrap, wrap("x9")); !ok || bare != "x9" {
			t.Errorf("%s: an inferred template gives %q, %v", c.why, bare, ok)
		}
	}
}

func TestFieldReference(t *testing.T) {
	for _, c := range []struct {
		why    string
		fields map[string]any
		want   Reference
	}{
		{"text", map[string]any{"answer": "42"}, Reference{"42", "answer"}},
		{"a number is JSON", map[string]any{"label": 7}, Reference{"7", "label"}},
		{"so is an object", map[string]any{"expected": map[string]any{"a": []int{1}}}, Reference{`{"a":[1]}`, "expected"}},
		{"false is a reference", map[string]any{"gold": false}, Reference{"false", "gold"}},
		{"the likeliest field first", map[string]any{"label": "x", "reference_answer": "y"}, Reference{"y", "reference_answer"}},
		{"an empty field is none", map[string]any{"reference_answer": "", "target": nil, "solution": "z"}, Reference{"z", "solution"}},
		{"no field", map[string]any{"other": 1}, Reference{}},
	} {
		item := newItem(t, "q", "?", c.fields)
		got, ok := FieldReference(&item)
		if got != c.want || ok != (c.want.Field != "") {
			t.Errorf("%s: %+v, %v", c.why, got, ok)
		}
	}
	if _, ok := FieldReference(&rollout.Item{ID: "q"}); ok {
		t.Error("an item without a row has a reference")
	}
}

// FuzzAnswerTemplate reads any template: it never panics, and what it makes of a
// JSON template is JSON.
func FuzzAnswerTemplate(f *testing.F) {
	for _, s := range []string{"{{reference}}", `{"a": "{{reference}}"}`, `{"a": {{reference}}}`, `{"{{reference}}": 1}`, `"\"{{reference}}"`, `[{{reference}},{{reference}}]`, "{{"} {
		f.Add(s, "x\"\\\n")
	}
	f.Fuzz(func(t *testing.T, template, reference string) {
		wrap, err := AnswerTemplate(template)
		if err != nil {
			return
		}
		if _, ok := parseJSON(wrap("0")); !ok {
			return
		}
		if _, ok := parseJSON(wrap(reference)); !ok {
			t.Fatalf("%q makes %q of %q", template, wrap(reference), reference)
		}
	})
}
