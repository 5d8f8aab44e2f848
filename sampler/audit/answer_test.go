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
		{"an object in a fence is escaped", "```json\n{\"a\": {{reference}}}\n```", `a"b`, "```json\n{\"a\": \"a\\\"b\"}\n```"},
		{"code in a fence is not", "```python\n{{reference}}\n```", "x = \"y\"\n", "```python\nx = \"y\"\n\n```"},
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
	lines, _ := AnswerTemplate("Answer: {{reference}}\nConfidence: 0.9")
	if got, ok := unwrap(lines, "Answer: 42\nConfidence: 0.5"); !ok || got != "42" {
		t.Errorf("a line below that says something else: %q, %v", got, ok)
	}
}

func TestFieldReference(t *testing.T) {
	for _, c := range []struct {
		why    string
		fields map[string]any
		want   Reference
	}{
		{"text", map[string]any{"answer": "42"}, Reference{Text: "42", Field: "answer"}},
		{"a number is JSON", map[string]any{"label": 7}, Reference{Text: "7", Field: "label"}},
		{"so is an object", map[string]any{"expected": map[string]any{"a": []int{1}}}, Reference{Text: `{"a":[1]}`, Field: "expected"}},
		{"false is a reference", map[string]any{"gold": false}, Reference{Text: "false", Field: "gold"}},
		{"the likeliest field first", map[string]any{"label": "x", "reference_answer": "y"}, Reference{Text: "y", Field: "reference_answer"}},
		{"an empty field is none", map[string]any{"reference_answer": "", "target": nil, "solution": "z"}, Reference{Text: "z", Field: "solution"}},
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
