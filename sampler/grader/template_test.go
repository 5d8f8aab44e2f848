package grader

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

const templateRow = `{"reference_answer":"42","n":12.50,"list":[1, "two", null],"deep":{"b":{"c":"<x>"},"a":1},"none":null,"yes":true,"a b":"spaced","":"empty"}`

func templateSample() *Sample {
	return NewSample(sampler.Output{
		Text: ` {"a":{"b":[10,20]}, "s":"t"} `, FinishReason: "stop", Reasoning: "because",
		Calls: []rollout.Call{{Turn: 0, ID: "1", Name: "search", Arguments: `{"q":1}`}, {Turn: 1, ID: "2", Name: "cat", Arguments: "{}"}},
	}, All)
}

func TestRender(t *testing.T) {
	for _, c := range []struct {
		why, template, want string
		missing             int
	}{
		{"no variable", "plain } { text", "plain } { text", 0},
		{"a string is raw", "[{{item.reference_answer}}]", "[42]", 0},
		{"spaces within the braces", "{{ item.reference_answer }}{{  item.n\n}}", "4212.50", 0},
		{"a number keeps its digits", "{{item.n}}", "12.50", 0},
		{"a list is JSON without spaces", "{{item.list}}", `[1,"two",null]`, 0},
		{"an object is JSON in its own order", "{{item.deep}}", `{"b":{"c":"<x>"},"a":1}`, 0},
		{"null is nothing", "[{{item.none}}]", "[]", 0},
		{"a boolean", "{{item.yes}}", "true", 0},
		{"a path", "{{item.deep.b.c}}", "<x>", 0},
		{"an index", "{{item.list[1]}}", "two", 0},
		{"a quoted key", `{{item["a b"]}}{{item['a b']}}`, "spacedspaced", 0},
		{"the output's text", "{{sample.output_text}}", ` {"a":{"b":[10,20]}, "s":"t"} `, 0},
		{"the output as JSON", "{{sample.output_json.a.b[1]}}", "20", 0},
		{"a call", "{{sample.output_tools[0].function.name}} {{sample.output_tools[1].function.arguments}}", "search {}", 0},
		{"a choice", "{{sample.choices[0].message.content}}|{{sample.choices[0].finish_reason}}", ` {"a":{"b":[10,20]}, "s":"t"} |stop`, 0},
		{"the reasoning", "{{sample.output_reasoning_summary}}", "because", 0},
		{"what the model did not write is nothing, and noted", "[{{sample.output_json.x.y}}]{{sample.output_tools[7].id}}", "[]", 2},
		{"values are not templates themselves", "{{item.reference_answer}}}}", "42}}", 0},
	} {
		t.Run(c.why, func(t *testing.T) {
			tm, err := ParseTemplate(c.template)
			if err != nil {
				t.Fatal(err)
			}
			got, missing, err := tm.Render(json.RawMessage(templateRow), templateSample())
			if err != nil || got != c.want || len(missing) != c.missing {
				t.Errorf("got %q, missing %v, error %v; want %q", got, missing, err, c.want)
			}
		})
	}
}

func TestTemplateErrorsAreKnownBeforeSampling(t *testing.T) {
	for _, bad := range []string{
		"{{item.x", "{{}}", "{{ }}", "{{reference}}", "{{items.x}}", "{{sample.text}}", "{{sample.output}}", "{{item.}}", "{{item..x}}",
		"{{item[x]}}", "{{item[-1]}}", "{{item[1}}", "{{[0]}}", "{{item[0]x}}", "{{.item}}",
	} {
		if _, err := ParseTemplate(bad); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
	tm, err := ParseTemplate("{{item.deep.b.d}}")
	if err != nil {
		t.Fatal(err)
	}
	it := &rollout.Item{Row: json.RawMessage(templateRow)}
	if err := tm.CheckItem(it); err == nil || !strings.Contains(err.Error(), "item.deep.b.d") {
		t.Errorf("a row without the field: %v", err)
	}
	if _, _, err := tm.Render(it.Row, templateSample()); err == nil {
		t.Error("a variable that the row does not have was rendered")
	}
}

func TestReads(t *testing.T) {
	for template, want := range map[string][]string{
		"{{item.x}}": nil,
		"{{sample.output_text}} {{sample.output_tools[0].id}} {{sample.output_text}}": {"output_text", "output_tools"},
		"{{sample}}": {"choices", "output_json", "output_reasoning_summary", "output_text", "output_tools"},
	} {
		tm, err := ParseTemplate(template)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, tm.Reads()); d != "" {
			t.Errorf("%s reads (-want +got):\n%s", template, d)
		}
	}
}

func TestSampleNamespace(t *testing.T) {
	calls := []rollout.Call{
		{Turn: 0, ID: "1", Name: "a", Arguments: "{}"}, {Turn: 2, ID: "2", Name: "b", Arguments: "{}"}, {Turn: 2, ID: "3", Name: "c", Arguments: `{"x":1}`},
	}
	tool := func(id, name, args string) string {
		return `{"id":"` + id + `","type":"function","function":{"name":"` + name + `","arguments":"` + args + `"}}`
	}
	b, c := tool("2", "b", "{}"), tool("3", "c", `{\"x\":1}`)
	for _, test := range []struct {
		why, tools string
		out        sampler.Output
		want       string
	}{
		{
			"all calls, as one reference helper has it", All,
			sampler.Output{Text: "hi", Calls: calls, FinishReason: "stop"},
			`{"output_text":"hi","output_json":null,"output_reasoning_summary":null,"output_tools":[` + tool("1", "a", "{}") + `,` + b + `,` + c + `],
"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"hi","refusal":null,"tool_calls":[]}}]}`,
		},
		{
			"the last turn's calls, as most recorded evaluations have it", Last,
			sampler.Output{Text: "hi", Calls: calls, FinishReason: "tool_calls"},
			`{"output_text":"hi","output_json":null,"output_reasoning_summary":null,"output_tools":[` + b + `,` + c + `],
"choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":"hi","refusal":null,"tool_calls":[` + b + `,` + c + `]}}]}`,
		},
		{
			"an answer that is a JSON object", "",
			sampler.Output{Text: `{"a":1}`, Reasoning: "r"},
			`{"output_text":"{\"a\":1}","output_json":{"a":1},"output_reasoning_summary":"r","output_tools":[],
"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"{\"a\":1}","refusal":null,"tool_calls":[]}}]}`,
		},
		{
			"an answer that is a JSON array stays text", "",
			sampler.Output{Text: `[1]`},
			`{"output_text":"[1]","output_json":null,"output_reasoning_summary":null,"output_tools":[],
"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"[1]","refusal":null,"tool_calls":[]}}]}`,
		},
	} {
		t.Run(test.why, func(t *testing.T) {
			var got, want any
			if err := json.Unmarshal(NewSample(test.out, test.tools).JSON(), &got); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(test.want), &want); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("sample (-want +got):\n%s", d)
			}
		})
	}
}

func TestTheJudgesStepsComeBeforeItsResult(t *testing.T) {
	schema := scoreSchema(0, 1)
	if !json.Valid(schema) || strings.Index(string(schema), `"steps":`) > strings.Index(string(schema), `"result":`) {
		t.Errorf("schema %s", schema)
	}
}

// FuzzTemplate reads any text: it never panics, and a text without "{{"
// renders as itself.
func FuzzTemplate(f *testing.F) {
	for _, s := range []string{"", "{{item.a[0].b}}", "{{sample.output_text}}", "{{", "}}", "{{item['a']}}", "{{item[\"", "{{sample.choices[0].message}}", "{{item.\xff}}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tm, err := ParseTemplate(s)
		if err != nil {
			return
		}
		got, _, err := tm.Render(json.RawMessage(templateRow), templateSample())
		if !strings.Contains(s, "{{") && (err != nil || got != s) {
			t.Fatalf("%q renders as %q, %v", s, got, err)
		}
	})
}
