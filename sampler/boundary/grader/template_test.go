package grader

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

const templateRow = `{"reference_answer":"42","n":12.50,"list":[1, "two", null],"deep":{"b":{"c":"<x>"},"a":1},"none":null,"yes":true,"a b":"spaced","k.[x]":"dotted","it's":"quoted","rows":[{"name":"first"},{"name":"second"}],"":"empty"}`

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
		{"a quoted key with signs in it", `{{ item["k.[x]"] }}{{item[ "it's" ]}}`, "dottedquoted", 0},
		{"brackets after a quoted key", `{{item['deep']["b"].c}}`, "<x>", 0},
		{"the whole row's list, in part", "{{item.rows[1].name}}", "second", 0},
		{"the whole sample, in part", "{{sample.choices[0].message.role}}", "assistant", 0},
		{"single braces around a variable", `{"a": {{item.n}} }`, `{"a": 12.50 }`, 0},
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
	for _, c := range []struct{ bad, says string }{
		{"{{item.x", `without "}}"`},
		{"{{}}", "a name is missing"},
		{"{{ }}", "a name is missing"},
		{"{{reference}}", `"reference" is not a namespace: the name must begin with item or sample`},
		{"{{items.x}}", `"items" is not a namespace`},
		{"{{{item.x}}}", "cannot contain"},
		{"{{sample.text}}", "sample has no \"text\"; it has output_text, output_json, output_tools, output_reasoning_summary, choices; did you mean output_text?"},
		{"{{sample.output}}", "did you mean output"},
		{"{{sample.ouput_text}}", "did you mean output_text?"},
		{"{{sample.model}}", "sample has no \"model\""},
		{"{{sample.output_audio}}", "are text: sample has no output_audio"},
		{"{{sample[0]}}", "sample is not a list"},
		{"{{item.}}", "a name is missing"},
		{"{{item..x}}", "a name is missing"},
		{"{{.item}}", "a name is missing"},
		{"{{item[x]}}", `index "x" is neither`},
		{"{{item[-1]}}", `index "-1" is neither`},
		{"{{item[]}}", `index "" is neither`},
		{"{{item[1}}", `without "]"`},
		{`{{item["a}}`, "not a quoted key"},
		{`{{item["a"}}`, "not a quoted key"},
		{`{{item["a"x]}}`, "not a quoted key"},
		{`{{item[""]}}`, "not a quoted key"},
		{"{{item.x]}}", `write such a key as ["key"]`},
		{"{{item.{x}}", `write such a key as ["key"]`},
		{"{{[0]}}", "namespace"},
		{"{{item[0]x}}", "a dot is missing"},
	} {
		if _, err := ParseTemplate(c.bad); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", c.bad, err, c.says)
		}
	}
}

// TestWhatARowLacks: the message tells what there is at the last place on the
// path that exists, and what was probably meant.
func TestWhatARowLacks(t *testing.T) {
	many := make(map[string]int)
	for i := range 40 {
		many["field_"+strconv.Itoa(100+i)] = i
	}
	wide, err := json.Marshal(many)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ why, row, variable, says string }{
		{"a mistyped field", `{"answer":"x","messages":[]}`, "item.anwser", "the row has no {{item.anwser}}; its fields are answer, messages; did you mean answer?"},
		{"another case", `{"Answer":"x","id":1}`, "item.answer", "its fields are Answer, id; did you mean Answer?"},
		{"a part of the name", `{"reference_answer":"x"}`, "item.reference", "; did you mean reference_answer?"},
		{"nothing like it", `{"answer":"x"}`, "item.zzz", "the row has no {{item.zzz}}; its fields are answer"},
		{"a nested field", `{"a":{"b":{"c":1,"count":2}}}`, "item.a.b.coumt", "item.a.b has the fields c, count; did you mean count?"},
		{"a field of what is none", `{"a":"text"}`, "item.a.b", `; item.a is "text"`},
		{"a field of null", `{"a":null}`, "item.a.b", "; item.a is null"},
		{"past the end of a list", `{"a":[1,2]}`, "item.a[2]", "; item.a is a list of 2"},
		{"a field of a list", `{"a":[{"b":1}]}`, "item.a.b", "; item.a is a list of 1"},
		{"a field of a list's element", `{"a":[{"b":1}]}`, "item.a[0].c", "; item.a[0] has the fields b"},
		{"an index of an object", `{"a":1}`, "item[0]", "; its fields are a"},
		{"a row of many fields", string(wide), "item.x", "field_129 and 10 more"},
		{"a row of no fields", `{}`, "item.x", "; its fields are none"},
		{"no row", ``, "item.x", "; the row is empty"},
		{"a row of no fields, as a whole", ``, "item", "; the row is empty"},
	} {
		tm, err := ParseTemplate("{{" + c.variable + "}}")
		if err != nil {
			t.Fatalf("%s: %v", c.why, err)
		}
		it := &rollout.Item{Row: json.RawMessage(c.row)}
		if err := tm.CheckItem(it); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", c.why, err, c.says)
		}
		if _, _, err := tm.Render(it.Row, templateSample()); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: rendered with error %v, want %q", c.why, err, c.says)
		}
	}
}

func TestReferencesAreWhatReadsNothingOfSample(t *testing.T) {
	for _, c := range []struct {
		why, a, b string
		want      string
	}{
		{"as the contract names them", "{{item.answer}}", "{{sample.output_text}}", "{{item.answer}}"},
		{"the other way round", "{{sample.output_text}}", "{{item.answer}}", "{{item.answer}}"},
		{"a constant", "yes", "{{sample.output_json.x}}", "yes"},
		{"both of the output", "{{sample.output_text}}", "{{sample.output_text}}{{item.answer}}", ""},
		{"neither of the output", "{{item.question}}", "{{item.answer}}", ""},
	} {
		a, errA := ParseTemplate(c.a)
		b, errB := ParseTemplate(c.b)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		got := ""
		for _, r := range references(a, b) {
			got += r.source
		}
		if got != c.want {
			t.Errorf("%s: references %q, want %q", c.why, got, c.want)
		}
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
	for _, s := range []string{"", "{{item.a[0].b}}", "{{sample.output_text}}", "{{", "}}", "{{item['a']}}", "{{item[\"", "{{sample.choices[0].message}}", "{{item.\xff}}", "{{item['", "{{item[\"a]\"]}}", "{{item[ 'a' ][0]}}", "{{sample[}}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tm, err := ParseTemplate(s)
		if err != nil {
			return
		}
		got, _, err := tm.Render(json.RawMessage(templateRow), templateSample())
		_ = tm.CheckItem(&rollout.Item{Row: json.RawMessage(templateRow)})
		if !strings.Contains(s, "{{") && (err != nil || got != s) {
			t.Fatalf("%q renders as %q, %v", s, got, err)
		}
	})
}
