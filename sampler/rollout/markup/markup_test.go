package markup_test

import (
	"testing"

	"gonogo/sampler/rollout/markup"
)

func TestAnswers(t *testing.T) {
	plain := `{"messages":[{"role":"user","content":"17 x 23?"}],"reference_answer":"391"}`
	for _, c := range []struct {
		why, row, answer string
		want             markup.Kind // "" when there is none
	}{
		{"an answer", plain, "391", ""},
		{"comparisons and lists are none", plain, "a < b, [1] and <b>391</b>", ""},
		{"Hermes and Qwen", plain, "<tool_call>\n{\"name\":\"search\"}\n</tool_call>", markup.Tool},
		{"Llama 3.1", plain, `<function=search>{"q":"x"}</function>`, markup.Tool},
		{"Mistral", plain, `[TOOL_CALLS][{"name":"search"}]`, markup.Tool},
		{"Llama 3", plain, `<|python_tag|>search.call(query="x")`, markup.Tool},
		{"DeepSeek", plain, "<｜tool▁calls▁begin｜>", markup.Tool},
		{"reasoning", plain, "<think>17 x 20 is 340 …</think>391", markup.Reasoning},
		{"reasoning whose beginning the template wrote", plain, "17 x 20 is 340 …</think>391", markup.Reasoning},
		{"gpt-oss", plain, "<|channel|>analysis<|message|>17 x 20<|end|><|start|>assistant<|channel|>final<|message|>391", markup.Reasoning},
		{"gpt-oss without its special tokens", plain, "analysisWe multiply 17 by 23.assistantfinal391", markup.Reasoning},
		{"a call of gpt-oss", plain, "<|channel|>commentary to=functions.search<|message|>{}", markup.Tool},
		{"ChatML", plain, "391<|im_end|>\n<|im_start|>user", markup.Template},
		{"a token that is quoted", plain, "Qwen ends a turn with `<|im_end|>`:\n```\n<|im_start|>user\n```", ""},
		{"a prompt that asks for it", `{"messages":[{"role":"system","content":"Reason inside \u003cthink\u003e tags."}]}`, "<think>hm</think>391", ""},
		{"a reference that holds it", `{"reference_answer":"<|im_start|>"}`, "The token is <|im_start|>.", ""},
		{"one that is asked for does not excuse another", `{"messages":[{"role":"system","content":"Reason inside <think> tags."}]}`, "<think>hm</think><tool_call>{}</tool_call>", markup.Tool},
	} {
		got, ok := markup.In(c.answer, markup.OwnOf([]byte(c.row)))
		if got.Kind != c.want || ok != (c.want != "") {
			t.Errorf("%s: %+v, want kind %q", c.why, got, c.want)
		}
	}
	if _, ok := markup.In("<think>hm</think>391", 0); !ok {
		t.Error("without an item nothing excuses a token")
	}
}
