package model_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler"
	"gonogo/sampler/boundary/model"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

func TestResponsesRequest(t *testing.T) {
	f := serve(t, 200, `{"status":"completed","output":[]}`)
	ask := func(cfg model.Config, row string, turns ...sampler.Turn) any {
		t.Helper()
		if _, err := f.open(t, cfg).Reply(t.Context(), sampler.Request{Item: makeItem(t, row), Turns: turns}); err != nil {
			t.Fatal(err)
		}
		return f.last(t)
	}
	same(t, "all parameters", ask(model.Config{
		Temperature: ptr(0.5), TopP: ptr(0.9), MaxOutputTokens: ptr(100), ReasoningEffort: "low", ParallelToolCalls: ptr(false),
		ResponseFormat: json.RawMessage(`{"type":"json_schema","json_schema":{"name":"n","strict":true,"schema":{"type":"object"}}}`),
	}, toolRow), `{"model":"m","store":false,"include":["reasoning.encrypted_content"],"temperature":0.5,"top_p":0.9,"max_output_tokens":100,
"reasoning":{"effort":"low"},"text":{"format":{"type":"json_schema","name":"n","strict":true,"schema":{"type":"object"}}},
"tools":[{"type":"function","name":"search","description":"finds","parameters":{"type":"object"},"strict":true}],"parallel_tool_calls":false,
"input":[{"role":"developer","content":"be brief"},{"role":"user","content":"hi"}]}`)
	same(t, "no parameters: neither seed nor n nor any default of ours", ask(model.Config{}, plainRow),
		`{"model":"m","store":false,"include":["reasoning.encrypted_content"],"input":[{"role":"user","content":"hi"}]}`)
	same(t, "a row's earlier tool calls and content parts", ask(model.Config{}, `{"messages":[
{"role":"system","content":"s"},
{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:x","detail":"low"}}]},
{"role":"assistant","content":"wait","tool_calls":[{"id":"a","type":"function","function":{"name":"search","arguments":"{\"q\":1}"}},{"id":"","type":"function","function":{"name":"search","arguments":{"q":2}}}]},
{"role":"tool","tool_call_id":"a","content":"one"},{"role":"tool","content":"two"},
{"role":"assistant","content":[{"type":"text","text":"found"}]},{"role":"user","content":"and?"}]}`),
		`{"model":"m","store":false,"include":["reasoning.encrypted_content"],"input":[
{"role":"system","content":"s"},
{"role":"user","content":[{"type":"input_text","text":"look"},{"type":"input_image","image_url":"data:x","detail":"low"}]},
{"type":"message","role":"assistant","content":"wait"},
{"type":"function_call","call_id":"a","name":"search","arguments":"{\"q\":1}"},{"type":"function_call","call_id":"call_row_0","name":"search","arguments":"{\"q\":2}"},
{"type":"function_call_output","call_id":"a","output":"one"},{"type":"function_call_output","call_id":"call_row_0","output":"two"},
{"type":"message","role":"assistant","content":[{"type":"output_text","text":"found"}]},{"role":"user","content":"and?"}]}`)
}

func TestResponsesCarriesEveryItemVerbatim(t *testing.T) {
	items := `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"think"}],"encrypted_content":"abc=="},{"type":"of_the_future","x":[1, 2]},{"type":"function_call","id":"fc_1","call_id":"call_1","name":"search","arguments":"{ \"q\": 1 }","status":"completed"}`
	f := serveFunc(t, func(n int, _ string) (int, map[string]string, string) {
		if n == 0 {
			return 200, nil, `{"status":"completed","output":[` + items + `],"usage":{"input_tokens":3,"output_tokens":4,"input_tokens_details":{"cached_tokens":1},"output_tokens_details":{"reasoning_tokens":2}}}`
		}
		return 200, nil, `{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"4"},{"type":"output_text","text":"2"}]}]}`
	})
	m, item := f.open(t, model.Config{}), makeItem(t, plainRow)
	first, err := m.Reply(t.Context(), sampler.Request{Item: item})
	if err != nil {
		t.Fatal(err)
	}
	want := sampler.Reply{
		Reasoning: "think", Calls: []rollout.ToolCall{{ID: "call_1", Name: "search", Arguments: `{ "q": 1 }`}}, Carry: json.RawMessage(items),
		Finish: rollout.FinishStop, Usage: rollout.Usage{Input: ptr[int64](3), Output: ptr[int64](4), Reasoning: ptr[int64](2), Cached: ptr[int64](1)},
	}
	if d := cmp.Diff(want, first); d != "" {
		t.Errorf("first reply (-want +got):\n%s", d)
	}
	second, err := m.Reply(t.Context(), sampler.Request{Item: item, Turns: []sampler.Turn{{Reply: first, Outputs: []string{"<out>\n"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if !second.Final || second.Text != "42" || second.Usage != (rollout.Usage{}) {
		t.Errorf("second reply %+v, want a final 42 whose usage is not known", second)
	}
	same(t, "second request's input", f.last(t).(map[string]any)["input"],
		`[{"role":"user","content":"hi"},`+items+`,{"type":"function_call_output","call_id":"call_1","output":"<out>\n"}]`)
}

func TestResponsesReplies(t *testing.T) {
	message := func(text string) string {
		return fmt.Sprintf(`{"type":"message","content":[{"type":"output_text","text":%q}]}`, text)
	}
	call := func(id, args string) string {
		return fmt.Sprintf(`{"type":"function_call","call_id":%q,"name":"f","arguments":%s}`, id, args)
	}
	for _, c := range []struct {
		why, status, output string
		want                sampler.Reply // without Carry and Usage
	}{
		{"a message alone is final", "completed", message("a"), sampler.Reply{Text: "a", Final: true}},
		{"a message before a call is not", "completed", message("a") + "," + call("1", `"{}"`), sampler.Reply{Text: "a", Calls: []rollout.ToolCall{{ID: "1", Name: "f", Arguments: "{}"}}}},
		{"a message after a call is, and the call is not made", "completed", call("1", `"{}"`) + "," + message("a"), sampler.Reply{Text: "a", Final: true}},
		{"a message that something else follows is", "completed", message("a") + `,{"type":"reasoning","summary":[]},` + call("1", `"{}"`), sampler.Reply{Text: "a", Final: true}},
		{"a message labelled commentary is not", "completed", `{"type":"message","phase":"commentary","content":[{"type":"output_text","text":"a"}]},{"type":"reasoning","summary":[]},` + call("1", `"{}"`), sampler.Reply{Text: "a", Calls: []rollout.ToolCall{{ID: "1", Name: "f", Arguments: "{}"}}}},
		{"commentary beside a final message is not part of the answer", "completed", `{"type":"message","phase":"commentary","content":[{"type":"output_text","text":"Let me see. "}]},{"type":"message","phase":"final_answer","content":[{"type":"output_text","text":"42"}]}`, sampler.Reply{Text: "42", Final: true}},
		{"nor when it comes last", "completed", message("42") + `,{"type":"message","phase":"commentary","content":[{"type":"output_text","text":"Done."}]}`, sampler.Reply{Text: "42", Final: true}},
		{"commentary alone is what there is", "completed", `{"type":"message","phase":"commentary","content":[{"type":"output_text","text":"a"}]}`, sampler.Reply{Text: "a", Final: true}},
		{"empty and repeated ids are replaced", "completed", call("", `"{}"`) + "," + call("1", `"{}"`) + "," + call("1", `"{}"`), sampler.Reply{Calls: []rollout.ToolCall{{ID: "call_0_0", Name: "f", Arguments: "{}"}, {ID: "1", Name: "f", Arguments: "{}"}, {ID: "call_0_2", Name: "f", Arguments: "{}"}}}},
		{"arguments as object", "completed", call("1", `{"q": 1}`), sampler.Reply{Calls: []rollout.ToolCall{{ID: "1", Name: "f", Arguments: `{"q": 1}`}}}},
		{"a refusal", "completed", `{"type":"message","content":[{"type":"refusal","refusal":"no"}]}`, sampler.Reply{Refusal: "no", Final: true}},
		{"reasoning as text, as vLLM sends it", "completed", `{"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]},` + message("a"), sampler.Reply{Text: "a", Reasoning: "hm", Final: true}},
		{"reasoning alone", "completed", `{"type":"reasoning","summary":[]}`, sampler.Reply{}},
		{"nothing at all", "completed", ``, sampler.Reply{}},
		{"an absent status is completed", "", message("a"), sampler.Reply{Text: "a", Final: true}},
		{"incomplete", "incomplete", message("a"), sampler.Reply{Text: "a", Final: true, CutOff: "content_filter", Finish: rollout.FinishFilter}},
	} {
		t.Run(c.why, func(t *testing.T) {
			f := serve(t, 200, fmt.Sprintf(`{"status":%q,"error":null,"incomplete_details":{"reason":"content_filter"},"output":[%s]}`, c.status, c.output))
			got, err := f.open(t, model.Config{}).Reply(t.Context(), sampler.Request{Item: makeItem(t, plainRow)})
			if err != nil {
				t.Fatal(err)
			}
			got.Carry = nil
			if c.status == "completed" {
				c.want.Finish = rollout.FinishStop
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("reply (-want +got):\n%s", d)
			}
		})
	}
	for _, status := range []string{"failed", "cancelled", "queued", "in_progress"} {
		f := serve(t, 200, `{"status":"`+status+`","error":null,"output":[]}`)
		_, err := f.open(t, model.Config{}).Reply(t.Context(), sampler.Request{Item: makeItem(t, plainRow)})
		if got, ok := endpoint.AsFailure(err); !ok || !got.Temporary {
			t.Errorf("status %s: error %v, want a failure worth another try", status, err)
		}
	}
	for why, body := range map[string]string{
		"incomplete for an unknown reason": `{"status":"incomplete","incomplete_details":{"reason":"aborted"},"output":[` + message("a") + `]}`,
		"incomplete for no reason":         `{"status":"incomplete","incomplete_details":null,"output":[` + message("a") + `]}`,
		"neither a status nor an answer":   `{"output":[{"type":"reasoning","summary":[]}]}`,
	} {
		f := serve(t, 200, body)
		_, err := f.open(t, model.Config{}).Reply(t.Context(), sampler.Request{Item: makeItem(t, plainRow)})
		if got, ok := endpoint.AsFailure(err); !ok || !got.Temporary || got.Fatal {
			t.Errorf("%s: error %v, want a failure worth another try", why, err)
		}
	}
}

func TestResponsesSendsOurIdsBack(t *testing.T) {
	f := serve(t, 200, `{"status":"completed","output":[{"type":"function_call","id":"fc","call_id":"","name":"f","arguments":{"q":1}}]}`)
	m, item := f.open(t, model.Config{}), makeItem(t, plainRow)
	var turns []sampler.Turn
	for range 2 {
		r, err := m.Reply(t.Context(), sampler.Request{Item: item, Turns: turns})
		if err != nil {
			t.Fatal(err)
		}
		turns = append(turns, sampler.Turn{Reply: r, Outputs: []string{"x"}})
	}
	if _, err := m.Reply(t.Context(), sampler.Request{Item: item, Turns: turns}); err != nil {
		t.Fatal(err)
	}
	same(t, "third request's input", f.last(t).(map[string]any)["input"], `[{"role":"user","content":"hi"},
{"type":"function_call","id":"fc","call_id":"call_0_0","name":"f","arguments":"{\"q\":1}"},{"type":"function_call_output","call_id":"call_0_0","output":"x"},
{"type":"function_call","id":"fc","call_id":"call_1_0","name":"f","arguments":"{\"q\":1}"},{"type":"function_call_output","call_id":"call_1_0","output":"x"}]`)
}

func TestUsageOfZerosIsUnknown(t *testing.T) {
	f := serve(t, 200, `{"status":"completed","output":[],"usage":{"input_tokens":0,"output_tokens":0}}`)
	r, err := f.open(t, model.Config{}).Reply(t.Context(), sampler.Request{Item: makeItem(t, plainRow)})
	if err != nil || r.Usage != (rollout.Usage{}) {
		t.Errorf("usage %+v, error %v: a request of no tokens cannot be", r.Usage, err)
	}
}
