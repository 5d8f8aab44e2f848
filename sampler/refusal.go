package sampler

import (
	"net/http"
	"slices"
	"strings"

	"gonogo/sampler/rollout"
)

// ModelRefusal describes a model's answer with an error status, as StatusFailure
// does; it is Fatal if every other rollout would get it, too. cutOff says why the
// refusal is the rollout's own doing, as CutOff does; "" if it is the endpoint's.
func ModelRefusal(address string, a Answer) (f *Failure, cutOff string) {
	code, message := APIError(a.Body)
	f = StatusFailure(address, a)
	if a.Status == http.StatusPaymentRequired || slices.Contains(endOfAll, code) {
		f.Temporary, f.Fatal = false, true
	}
	return f, CutOff(f, code, message)
}

// endOfAll are the codes that every other rollout would get too.
var endOfAll = []string{"model_not_found", "insufficient_quota", "billing_hard_limit_reached"}

// CutOff says why a model's refusal is the rollout's own doing and not the
// endpoint's: it outgrew the model's context, or its content was filtered. Such a
// rollout has no answer; no other rollout is affected. "" is the endpoint's.
func CutOff(f *Failure, code, message string) (why string) {
	if f.Temporary {
		return ""
	}
	text := strings.ToLower(code + " " + message)
	says := func(s string) bool { return strings.Contains(text, s) }
	switch {
	case f.Status == http.StatusRequestEntityTooLarge, slices.ContainsFunc(tooLong, says):
		return Brief("context_length_exceeded: " + message)
	case slices.ContainsFunc(notAllowed, says):
		return Brief("content_filter: " + message)
	}
	return ""
}

// FinishOfCutOff returns the finish of a rollout whose request was refused for a
// reason of CutOff.
func FinishOfCutOff(why string) rollout.Finish {
	if strings.HasPrefix(why, "content_filter") {
		return rollout.FinishFilter
	}
	return rollout.FinishLength
}

// tooLong is how servers say that a request does not fit the model's context:
// OpenAI, Azure and vLLM; llama.cpp; SGLang; Bedrock and Anthropic behind
// proxies.
var tooLong = []string{
	"context_length_exceeded", "maximum context length", "exceed_context_size", "available context size",
	"context window", "longer than the model's context", "prompt is too long", "input is too long", "string_above_max_length",
}

// notAllowed is how servers say that the content is not let through: Azure's
// filter, OpenAI's usage policy, OpenRouter's moderation.
var notAllowed = []string{"content_filter", "content_policy_violation", "invalid_prompt", "content management policy", "input was flagged", "requires moderation"}
