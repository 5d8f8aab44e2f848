package rollout

import "strings"

// ends lists the reasons that servers give for the end of a reply, in lower case,
// where that end is the model's own. Whatever is not listed is the server's: vLLM's
// abort and error, SGLang's abort, Ollama's load and unload, DeepSeek's
// insufficient_system_resource, Mistral's error, Anthropic's pause_turn.
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
	"safety":               FinishFilter, // Gemini, and what follows
	"recitation":           FinishFilter,
	"blocklist":            FinishFilter,
	"prohibited_content":   FinishFilter,
	"spii":                 FinishFilter,

	// What logs, and lines that people write, say in their place.
	"complete":              FinishStop,
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
	return ends[strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(word)))]
}

// finishKeys are the keys of a line by which other tools say why the last reply
// ended.
var finishKeys = []string{"finish_reason", "stop_reason"}

// takeFinish reads the key "finish". A word that is not known is no way to end
// that could be counted: it stays among the unknown keys, so a rewrite
// keeps it.
func (d *recordDecoder) takeFinish(v []byte) {
	d.rec.Finish = FinishOf(TextOrJSON(v))
	if d.rec.Finish == "" && !isNull(v) && string(v) != `""` {
		d.extra("finish", v)
	} else if delete(d.rec.Extra, "finish"); len(d.rec.Extra) == 0 {
		d.rec.Extra = nil
	}
}

// settleFinish takes the word of another tool's key where the line has no
// "finish" of its own.
func (r *Record) settleFinish() {
	if _, own := r.Extra["finish"]; own || r.Finish != "" {
		return
	}
	for _, key := range finishKeys {
		if v := r.Extra[key]; len(v) > 0 && v[0] == '"' {
			if r.Finish = FinishOf(TextOrJSON(v)); r.Finish != "" {
				return
			}
		}
	}
}
