package model_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gonogo/sampler"
	"gonogo/sampler/boundary/model"
	"gonogo/sampler/rollout"
)

// Replies of servers that speak the chat API, with what each adds to it or leaves out.
func TestRepliesOfServers(t *testing.T) {
	usage := func(in, out int64) rollout.Usage { return rollout.Usage{Input: &in, Output: &out} }
	for _, c := range []struct {
		file, source string // where its keys are from, or the whole reply
		want         sampler.Reply
	}{
		{
			"vllm-tool-calls", "keys of ChatCompletionResponse, vllm-project/vllm 002032ee, vllm/entrypoints/openai/chat_completion/protocol.py",
			sampler.Reply{Calls: []rollout.ToolCall{{ID: "chatcmpl-tool-92c0ba11642926e1", Name: "search", Arguments: `{"q": 1}`}}, Reasoning: "I should look.", Finish: rollout.FinishStop, Usage: usage(184, 25)},
		},
		{
			"vllm-stop-token", "reasoning_content of docs.vllm.ai/en/v0.8.3/features/reasoning_outputs, stop_reason of the same protocol.py",
			sampler.Reply{Text: "9.8", Reasoning: "9.8 is 9.80.", Final: true, Finish: rollout.FinishStop, Usage: usage(17, 23)},
		},
		{
			"sglang", "a whole reply of SGLang with Qwen2-VL-7B, as public logs and docs.sglang.io have it",
			sampler.Reply{Text: "Hello!", Final: true, Finish: rollout.FinishStop, Usage: usage(26, 3)},
		},
		{
			"ollama", "a whole reply, ollama/ollama issue 6394",
			sampler.Reply{Text: "Hello! How can I assist you today? 😊", Final: true, Finish: rollout.FinishStop, Usage: usage(4, 13)},
		},
		{
			"ollama-tool-calls", "keys of docs.ollama.com/api/openai-compatibility: content is empty, not null",
			sampler.Reply{Calls: []rollout.ToolCall{{ID: "call_k3l4x1zy", Name: "search", Arguments: `{"q":1}`}}, Reasoning: "I should look.", Finish: rollout.FinishStop, Usage: usage(159, 21)},
		},
		{
			"azure", "keys of vllm-project/semantic-router issue 3496",
			sampler.Reply{Text: "hi", Final: true, Finish: rollout.FinishStop, Usage: usage(1, 1)},
		},
		{
			"azure-filtered", "Azure's page on content filtering: a completion that is filtered has no content",
			sampler.Reply{CutOff: "content_filter", Finish: rollout.FinishFilter, Usage: usage(40, 12)},
		},
	} {
		body, err := os.ReadFile("testdata/servers/" + c.file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		got, err := serve(t, 200, string(body)).open(t, model.Config{API: model.Chat}).Reply(t.Context(), sampler.Request{Item: makeItem(t, toolRow)})
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		got.Carry = nil
		if d := cmp.Diff(c.want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(sampler.Reply{}, "Served"), cmpopts.IgnoreFields(rollout.Usage{}, "Reasoning", "Cached")); d != "" {
			t.Errorf("%s, %s (-want +got):\n%s", c.file, c.source, d)
		}
	}

	// A prompt that Azure's filter refuses is not a failure of the endpoint: asking again changes nothing.
	body, err := os.ReadFile("testdata/servers/azure-prompt-filtered.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := serve(t, 400, string(body)).open(t, model.Config{API: model.Chat}).Reply(t.Context(), sampler.Request{Item: makeItem(t, plainRow)})
	if err != nil || !strings.HasPrefix(got.CutOff, "content_filter") || got.Finish != rollout.FinishFilter {
		t.Errorf("a prompt that is filtered: %+v, %v", got, err)
	}
}

// A response that comes as a stream, though none was asked for, is read from its last
// event: recorded of transformers serve 5.23.0, which streams unless stream is false.
func TestAResponseComesAsAStream(t *testing.T) {
	recorded, err := os.ReadFile("testdata/servers/transformers-stream.txt")
	if err != nil {
		t.Fatal(err)
	}
	in, out, none := int64(8), int64(4), int64(0)
	stream := string(recorded)
	ended := strings.LastIndex(stream, "data: ")
	for _, c := range []struct {
		what, body string
		want       sampler.Reply
		err        string
	}{
		{"whole", stream, sampler.Reply{Text: ": : : :", Final: true, Finish: rollout.FinishStop, Served: "tiny@main", Usage: rollout.Usage{Input: &in, Output: &out, Reasoning: &none, Cached: &none}}, ""},
		{"without its end", stream[:ended], sampler.Reply{}, "the answer cannot be used"},
		{"that failed", stream[:ended] + `data: {"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"out of memory"},"output":[]}}` + "\n\n", sampler.Reply{}, "out of memory"},
	} {
		got, err := serve(t, 200, c.body).open(t, model.Config{API: model.Responses}).Reply(t.Context(), sampler.Request{Item: makeItem(t, toolRow)})
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error is %v, want %q", c.what, err, c.err)
			}
			continue
		}
		if d := cmp.Diff(c.want, got, cmpopts.IgnoreFields(sampler.Reply{}, "Carry")); err != nil || d != "" {
			t.Errorf("%s: error %v, reply (-want +got):\n%s", c.what, err, d)
		}
	}
}

// Behind LiteLLM two deployments answer under one name: only headers tell them apart.
func TestReplyNamesTheDeploymentThatAnswered(t *testing.T) {
	f := serveFunc(t, func(n int, _ string) (int, map[string]string, string) {
		head := map[string]string{"x-litellm-model-id": []string{"3ad0", "77fe"}[n%2], "x-litellm-model-api-base": "http://gpu:8000/v1"}
		return 200, head, `{"model":"m","choices":[{"finish_reason":"stop","message":{"content":"x"}}]}`
	})
	m := f.open(t, model.Config{API: model.Chat})
	for _, want := range []string{"m 3ad0 http://gpu:8000/v1", "m 77fe http://gpu:8000/v1"} {
		if reply, err := m.Reply(t.Context(), sampler.Request{Item: makeItem(t, plainRow)}); err != nil || reply.Served != want {
			t.Errorf("served by %q, want %q: %v", reply.Served, want, err)
		}
	}
}
