package rollout

import (
	"regexp"

	"gonogo/sampler/internal/failure"
)

// ContextExceeded starts the cause of a request that did not fit the model's context.
const ContextExceeded = "context_length_exceeded"

// NoLimitSent is part of the cause of a reply that was cut off although its request set no limit.
const NoLimitSent = "max_output_tokens is not set"

// OutOfContext reports whether an error says that a request does not fit the model's context.
// Sources, read in November 2026:
//
//	OpenAI, Azure, DeepSeek: "maximum context length is", "exceeds the context window", context_length_exceeded
//	llama.cpp: exceed_context_size_error, "exceeds the available context size"
//	vLLM: "maximum context length is", "the model's context length is only", "longer than the maximum model length of"
//	SGLang: "is longer than the model's context length", "exceeds the maximum allowed length", "exceeds the model's maximum context length"
//	TGI, Together: "`inputs` must have less than 1024 tokens", "`inputs` tokens + `max_new_tokens` must be <="
//	Ollama, LM Studio: "exceeds the context length", "exceeded max context length", "greater than the context length"
//	Anthropic, Bedrock: "prompt is too long", "input is too long", "exceed context limit"
//	Gemini: "input token count (…) exceeds the maximum number of tokens"; Mistral: "too large for model with … maximum context length"
//	xAI: "maximum prompt length is"; LiteLLM: ContextWindowExceededError
//	TensorRT-LLM: "prompt length (…) … should not exceed max_num_tokens", "default_max_tokens (-…) must be greater than 0"
//	LM Studio: "when context the overflows"; Cohere: "tokens in the prompt cannot exceed"; older vLLM: "max_tokens must be at least 1, got -…"
func OutOfContext(text string) bool { return outOfContext.MatchString(text) }

var outOfContext = regexp.MustCompile(
	`(?i)context_?(length|window)_?exceeded|prompt_too_long|overlong_?prompt|exceed_context_size|string_above_max_length|context window` +
		`|exceed\w* (the |this )?(model'?s? )?(available |maximum |max )?context|(longer|larger|greater) than (the )?(maximum |model'?s? )*(context|model) length` +
		`|maximum (context|prompt|input) length|context length is only|available context size|max_(input|model)_len` +
		`|(prompt|input) is too long|prompt too long|exceeds the maximum (allowed length|number of tokens)|reduce the length of the messages` +
		`|should not exceed max_(num_tokens|seq_len)|default_max_tokens \(-\d+\) must be|when (the )?context (the )?overflows` +
		`|tokens in the prompt cannot exceed|max_tokens must be at least 1, got -\d` +
		"|inputs`?( tokens)?( \\+ `?max_new_tokens`?)? must (have less than|be <=)")

// Boundary infers from the words of an error which boundary failed: the model's, unless a word
// refers to a tool or to grading.
func Boundary(text string) Outcome { return OutcomeOf(failure.Blame(text), ModelAPI) }

// OutcomeOf returns the outcome of a failure at a boundary, or otherwise if the boundary is
// unknown.
func OutcomeOf(whose failure.Whose, otherwise Outcome) Outcome {
	switch whose {
	case failure.Model:
		return ModelAPI
	case failure.Tool:
		return ToolFailed
	case failure.Grader:
		return GraderFailed
	}
	return otherwise
}

// settleMarks turns a line that has no outcome, or graded, into a failure if it marks itself as not
// judged, by an unknown key or by the word for its end. ours says that gonogo wrote the line; then
// an outcome of graded is final: since the keys that it keeps were written, another grader may have
// graded.
func (r *Record) settleMarks(ours bool) (failed bool) {
	if r.Outcome != "" && (r.Outcome != Graded || ours) || len(r.Grades) > 0 || r.Source == Probe || len(r.Extra) == 0 {
		return false
	}
	var marks failure.Marks
	for key, value := range r.Extra {
		marks.Row(key, value)
	}
	if f, ok := marks.First(); ok {
		r.Outcome, r.Error = OutcomeOf(f.Whose, ModelAPI), f.Text()
		return true
	}
	if word := r.UnknownEnd(); failure.Ended(word) {
		r.Outcome, r.Error = Boundary(word), word
		return true
	}
	return false
}
