package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"gonogo/sampler/rollout"
)

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
var ends = map[string]rollout.Finish{
	"stop":          rollout.FinishStop, // all
	"tool_calls":    rollout.FinishStop, // all
	"function_call": rollout.FinishStop, // OpenAI, deprecated
	"completed":     rollout.FinishStop, // Responses, as a status
	"eos":           rollout.FinishStop, // Together
	"eos_token":     rollout.FinishStop, // TGI, watsonx
	"stop_sequence": rollout.FinishStop, // TGI, Anthropic, Bedrock
	"end_turn":      rollout.FinishStop, // Anthropic, Bedrock
	"tool_use":      rollout.FinishStop, // Anthropic, Bedrock

	"length":                        rollout.FinishLength, // all
	"max_output_tokens":             rollout.FinishLength, // Responses
	"max_tokens":                    rollout.FinishLength, // Anthropic, Bedrock, Gemini
	"model_length":                  rollout.FinishLength, // Mistral
	"model_context_window_exceeded": rollout.FinishLength, // Anthropic, Bedrock
	"repetition":                    rollout.FinishLength, // vLLM: cut off because it repeats itself

	"refusal": rollout.FinishRefusal, // Anthropic

	"content_filter":       rollout.FinishFilter, // OpenAI, Azure, Responses, OpenRouter
	"content_filtered":     rollout.FinishFilter, // Bedrock
	"guardrail_intervened": rollout.FinishFilter, // Bedrock
	"safety":               rollout.FinishFilter, // Gemini, and what follows
	"recitation":           rollout.FinishFilter,
	"blocklist":            rollout.FinishFilter,
	"prohibited_content":   rollout.FinishFilter,
	"spii":                 rollout.FinishFilter,
}

// FinishOf returns how a reply ended by the reason that its server gives: a
// finish_reason, a stop_reason, or the reason of an incomplete response. known is
// false for a reason that is no end of the model's own; "" is not known either.
func FinishOf(reason string) (f rollout.Finish, known bool) {
	f, known = ends[strings.ToLower(strings.TrimSpace(reason))]
	return f, known
}

// FinishOfReply reads the finish_reason of a whole reply. Some servers leave it out:
// then an answer says enough, and how it ended is not known (""). An error is the
// endpoint's failure: a reply that the server ended, or one that has not ended
// (null, as OpenAI documents it).
func FinishOfReply(reason json.RawMessage, answered bool) (rollout.Finish, error) {
	reason = bytes.TrimSpace(reason)
	if len(reason) == 0 || string(reason) == `""` {
		if !answered {
			return "", fmt.Errorf("the reply is empty and has no finish_reason")
		}
		return "", nil
	}
	if string(reason) == "null" {
		return "", fmt.Errorf("finish_reason is null: the server sent a reply that had not ended")
	}
	text := rollout.TextOrJSON(reason)
	f, known := FinishOf(text)
	if !known {
		return "", fmt.Errorf("finish_reason is %.100q: the server ended the reply, not the model", text)
	}
	return f, nil
}

// FinishOfIncomplete reads why a response of the Responses API is incomplete. An error
// is the endpoint's failure: a response that the server broke off.
func FinishOfIncomplete(reason string) (rollout.Finish, error) {
	f, known := FinishOf(reason)
	if !known || f == rollout.FinishStop {
		return "", fmt.Errorf("the response is incomplete for the reason %.100q: the server broke it off, not the model", reason)
	}
	return f, nil
}
