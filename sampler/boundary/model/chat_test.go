package model_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler"
	"gonogo/sampler/boundary/model"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

func TestChatRequest(t *testing.T) {
	f := serve(t, 200, `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}`)
	format := `{"type":"json_schema","json_schema":{"name":"n","strict":true,"schema":{"type":"object"}}}`
	ask := func(cfg model.Config, row string) any {
		t.Helper()
		cfg.API = model.Chat
		if _, err := f.open(t, cfg).Reply(t.Context(), sampler.Request{Item: makeItem(t, row)}); err != nil {
			t.Fatal(err)
		}
		return f.last(t)
	}
	same(t, "all parameters", ask(model.Config{Temperature: ptr(0.0), TopP: ptr(0.9), MaxOutputTokens: ptr(100), ReasoningEffort: "low", ResponseFormat: json.RawMessage(format)}, toolRow),
		`{"model":"m","temperature":0,"top_p":0.9,"max_completion_tokens":100,"reasoning_effort":"low","response_format":`+format+`,"parallel_tool_calls":true,
"tools":[{"type":"function","function":{"name":"search","description":"finds","parameters":{"type":"object"},"strict":true}}],
"messages":[{"role":"system","content":"be brief"},{"role":"user","content":"hi"}]}`) // system: many templates drop developer
	same(t, "no parameters", ask(model.Config{}, plainRow), `{"model":"m","messages":[{"role":"user","content":"hi"}]}`)
	same(t, "a row with no tools in its list", ask(model.Config{}, `{"messages":[{"role":"user","content":"hi"}],"tools":[]}`), `{"model":"m","messages":[{"role":"user","content":"hi"}]}`)
}

func TestChatSendsReasoningBackInItsField(t *testing.T) {
	for _, field := range []string{"reasoning", "reasoning_content"} {
		f := serve(t, 200, `{"choices":[{"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"`+field+`":"hm",
"tool_calls":[{"index":0,"id":"","type":"function","function":{"name":"search","arguments":{"q":1}}}]}}],
"usage":{"prompt_tokens":3,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":1},"completion_tokens_details":{"reasoning_tokens":2}}}`)
		m, item := f.open(t, model.Config{API: model.Chat}), makeItem(t, plainRow)
		r, err := m.Reply(t.Context(), sampler.Request{Item: item})
		if err != nil {
			t.Fatal(err)
		}
		carry := r.Carry
		r.Carry = nil
		want := sampler.Reply{
			Finish: rollout.FinishStop, Reasoning: "hm", Calls: []rollout.ToolCall{{ID: "call_0_0", Name: "search", Arguments: `{"q":1}`}},
			Usage: rollout.Usage{Input: ptr[int64](3), Output: ptr[int64](4), Reasoning: ptr[int64](2), Cached: ptr[int64](1)},
		}
		if d := cmp.Diff(want, r); d != "" {
			t.Errorf("reply (-want +got):\n%s", d)
		}
		r.Carry = carry
		if _, err := m.Reply(t.Context(), sampler.Request{Item: item, Turns: []sampler.Turn{{Reply: r, Outputs: []string{"out"}}}}); err != nil {
			t.Fatal(err)
		}
		same(t, "second request's messages", f.last(t).(map[string]any)["messages"], `[{"role":"user","content":"hi"},
{"role":"assistant","content":null,"`+field+`":"hm","tool_calls":[{"id":"call_0_0","type":"function","function":{"name":"search","arguments":"{\"q\":1}"}}]},
{"role":"tool","tool_call_id":"call_0_0","content":"out"}]`)
	}
}

func TestChatReplies(t *testing.T) {
	for _, c := range []struct {
		why, finish, message string
		want                 sampler.Reply
	}{
		{"an answer", "stop", `{"content":"a"}`, sampler.Reply{Text: "a", Final: true, Finish: rollout.FinishStop}},
		{"text beside a call is not final", "tool_calls", `{"content":"a","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}`, sampler.Reply{Text: "a", Calls: []rollout.ToolCall{{ID: "1", Name: "f", Arguments: "{}"}}, Finish: rollout.FinishStop}},
		{"content as parts", "stop", `{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, sampler.Reply{Text: "ab", Final: true, Finish: rollout.FinishStop}},
		{"a refusal", "stop", `{"content":null,"refusal":"no"}`, sampler.Reply{Refusal: "no", Finish: rollout.FinishStop}},
		{"cut off by length", "length", `{"content":"a"}`, sampler.Reply{Text: "a", Final: true, CutOff: "max_output_tokens is not set, so it was the server's context or its default limit", Finish: rollout.FinishLength}},
		{"cut off by a filter", "content_filter", `{"content":""}`, sampler.Reply{CutOff: "content_filter", Finish: rollout.FinishFilter}},
		{"nothing", "stop", `{"content":null}`, sampler.Reply{Finish: rollout.FinishStop}},
		{"a server that says that the model refused", "refusal", `{"content":"not this"}`, sampler.Reply{Text: "not this", Refusal: "not this", Final: true, Finish: rollout.FinishRefusal}},
		{"a server that writes an empty reason beside an answer", "", `{"content":"a"}`, sampler.Reply{Text: "a", Final: true}},
	} {
		t.Run(c.why, func(t *testing.T) {
			f := serve(t, 200, `{"choices":[{"finish_reason":"`+c.finish+`","message":`+c.message+`}]}`)
			got, err := f.open(t, model.Config{API: model.Chat}).Reply(t.Context(), sampler.Request{Item: makeItem(t, plainRow)})
			if err != nil {
				t.Fatal(err)
			}
			got.Carry = nil
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("reply (-want +got):\n%s", d)
			}
		})
	}
	for why, body := range map[string]string{
		"no choices":             `{"choices":[]}`,
		"choices are null":       `{"choices":null}`,
		"a choice of nothing":    `{"choices":[{"finish_reason":"stop"}]}`,
		"an error in a choice":   `{"choices":[{"error":{"code":502,"message":"upstream"},"message":{"content":""}}]}`,
		"a choice that errored":  `{"choices":[{"finish_reason":"error","message":{"content":""}}]}`,
		"an engine that aborts":  `{"choices":[{"finish_reason":"abort","message":{"content":"The answer is 4"}}]}`,
		"a reply under way":      `{"choices":[{"finish_reason":null,"message":{"content":"The answer is 4"}}]}`,
		"a reason of no model's": `{"choices":[{"finish_reason":"insufficient_system_resource","message":{"content":"The"}}]}`,
		"neither end nor answer": `{"choices":[{"message":{"content":""}}]}`,
	} {
		f := serve(t, 200, body)
		_, err := f.open(t, model.Config{API: model.Chat}).Reply(t.Context(), sampler.Request{Item: makeItem(t, plainRow)})
		if got, ok := endpoint.AsFailure(err); !ok || !got.Temporary || got.Fatal {
			t.Errorf("%s: error %v, want a failure worth another try", why, err)
		}
	}
}
