package rollout

import (
	"cmp"
	"slices"
	"strings"

	"gonogo/sampler/internal/failure"
	"gonogo/sampler/jsontext"
)

// ends maps the reasons that servers give for the end of a reply, in lower case, to a Finish, if
// the model itself ended it. Reasons that are not listed are failures of the server: vLLM's abort
// and error, SGLang's abort, Ollama's load and unload, DeepSeek's insufficient_system_resource,
// Mistral's error, Anthropic's pause_turn.
//
// Sources, read in November 2026:
//
//	OpenAI, Azure, OpenRouter, llama.cpp, Ollama: OpenAI's openapi.yaml, CreateChatCompletionResponse and
//	    Response.incomplete_details; openrouter.ai/docs, FinishReason; ollama#4235, #5995
//	vLLM: vllm/v1/engine, FINISH_REASON_STRINGS; vllm#57082 (abort, with status 200)
//	SGLang: sglang#446, #6693 (abort)
//	LiteLLM: litellm#494, #23800 (reasons that it cannot map are passed on as they come)
//	Together: ragas#1548, openai-dotnet#267 (eos); watsonx, TGI: ragas#1548 (eos_token), TGI's FinishReason
//	Mistral: its OpenAPI description, ChatCompletionChoice
//	Anthropic: Messages API, stop_reason; Bedrock: Converse, stopReason
//	Gemini: vertexai.generative_models.FinishReason
var ends = map[string]Finish{
	"stop":          FinishStop, // all
	"tool_calls":    FinishStop, // all
	"function_call": FinishStop, // OpenAI, deprecated
	"completed":     FinishStop, // Responses, as a status
	"eos":           FinishStop, // Together
	"eos_token":     FinishStop, // TGI, watsonx
	"stop_sequence": FinishStop, // TGI, Anthropic, Bedrock
	"end_turn":      FinishStop, // Anthropic, Bedrock
	"tool_use":      FinishStop, // Anthropic, Bedrock

	"length":                        FinishLength, // all
	"max_output_tokens":             FinishLength, // Responses
	"max_tokens":                    FinishLength, // Anthropic, Bedrock, Gemini
	"model_length":                  FinishLength, // Mistral
	"model_context_window_exceeded": FinishLength, // Anthropic, Bedrock
	"repetition":                    FinishLength, // vLLM: cut off because it repeats itself

	"refusal": FinishRefusal, // Anthropic

	"content_filter":       FinishFilter, // OpenAI, Azure, Responses, OpenRouter
	"content_filtered":     FinishFilter, // Bedrock
	"guardrail_intervened": FinishFilter, // Bedrock
	"safety":               FinishFilter, // Gemini, also the following
	"recitation":           FinishFilter,
	"blocklist":            FinishFilter,
	"prohibited_content":   FinishFilter,
	"spii":                 FinishFilter,

	// Words that logs, and lines written by hand, use instead.
	"complete":              FinishStop,
	"finished":              FinishStop,
	"tool_call":             FinishStop,
	"max_completion_tokens": FinishLength, // Chat Completions, by the name of the limit
	"max_new_tokens":        FinishLength, // transformers, likewise
	"max_length":            FinishLength,
	"context_length":        FinishLength,
	"truncated":             FinishLength,
	"refused":               FinishRefusal,
	"filter":                FinishFilter,
	"empty":                 FinishEmpty,
}

// FinishOf returns the Finish that a word means; "" for an unknown word.
func FinishOf(word string) Finish {
	if f, known := ends[word]; known {
		return f
	}
	return ends[plainWord(word)]
}

// otherEnds are known words for the end of a rollout that do not say how the last reply ended.
var otherEnds = []string{
	"unknown", "max_steps", "max_turns", "max_iterations", "user_stop", "agent_stop", "control_plane_signal",
	"in_progress", "done", "submitted",
}

// plainWord maps MAX_TOKENS and max tokens to the same word.
func plainWord(word string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(word)))
}

// knownEnd reports whether a word names a known end, or no end.
func knownEnd(word string) bool {
	return failure.None(word) || FinishOf(word) != "" || slices.Contains(otherEnds, plainWord(word))
}

// takeFinish reads the key "finish". An unknown word cannot be counted as an end: it stays among
// the unknown keys, so that a rewrite keeps it.
func (d *recordDecoder) takeFinish(v []byte) {
	if d.rec.Finish = FinishOf(jsontext.TextOrJSON(v)); d.rec.Finish != "" || jsontext.IsNull(v) || string(v) == `""` {
		v = nil
	}
	d.rec.setExtra("finish", v)
}

// UnknownEnd returns the word by which the line says why the last reply or the rollout ended, if
// the word is not a known one; else "". A word of failure takes precedence over others.
func (r *Record) UnknownEnd() (word string) {
	for _, end := range r.saidEnds() {
		if !knownEnd(end) && (word == "" || failure.Ended(end) && !failure.Ended(word)) {
			word = end
		}
	}
	return word
}

// saidEnds returns the values of the keys that say why the last reply or the rollout ended.
func (r *Record) saidEnds() (words []string) {
	var keys []string
	for key, v := range r.Extra {
		if failure.EndKey(key) >= 0 && len(v) > 0 && v[0] == '"' {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(failure.EndKey(a), failure.EndKey(b)), cmp.Compare(a, b))
	})
	for _, key := range keys {
		words = append(words, jsontext.TextOrJSON(r.Extra[key]))
	}
	return words
}

// KeepEnd keeps an unknown word under "finish".
func (r *Record) KeepEnd(word string) {
	if !knownEnd(word) {
		r.setExtra("finish", jsontext.AppendPageSafe(nil, word))
	}
}

// settleFinish takes the word of another tool's key if the line has no "finish".
func (r *Record) settleFinish() {
	if _, ok := r.Extra["finish"]; ok || r.Finish != "" {
		return
	}
	for _, word := range r.saidEnds() {
		if r.Finish = FinishOf(word); r.Finish != "" {
			return
		}
	}
}
