package sampler

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// ModelRefusal describes a model's answer with an error status, as endpoint.StatusFailure
// does; it is Fatal if every other rollout would get it, too. cutOff says why the
// refusal is the rollout's own doing, as CutOff does; "" if it is the endpoint's.
func ModelRefusal(address string, a endpoint.Answer) (f *endpoint.Failure, cutOff string) {
	code, message := endpoint.APIError(a.Body)
	f = endpoint.StatusFailure(address, a)
	if a.Status == http.StatusPaymentRequired || slices.Contains(endOfAll, code) {
		f.Temporary, f.Fatal = false, true
	}
	if a.Status == http.StatusTooManyRequests && overLimit(message) {
		f.Temporary, f.RetryAfter, f.Hidden = false, 0, http.StatusRequestEntityTooLarge
		f.Err = fmt.Errorf("%w; this request alone is larger than the limit, so no retry can succeed", f.Err)
	}
	return f, CutOff(f, code, message)
}

// overLimit reports whether a rate limit is smaller than the one request that it refuses.
func overLimit(message string) bool {
	m := limitRequested.FindStringSubmatch(message)
	if m == nil {
		return false
	}
	limit, _ := strconv.Atoi(m[1])
	requested, _ := strconv.Atoi(m[2])
	return requested > limit
}

// limitRequested is how OpenAI and Groq write a limit of tokens per minute.
var limitRequested = regexp.MustCompile(`\bLimit:? (\d+),(?: Used:? \d+,)? Requested:? (\d+)`)

// endOfAll are the codes that every other rollout would get too.
var endOfAll = []string{"model_not_found", "insufficient_quota", "billing_hard_limit_reached"}

// CutOff says why a model's refusal is no failure of the endpoint that another request
// could pass: the conversation does not fit the model's context, or its content was
// filtered. No other rollout is affected. "" is the endpoint's failure, as is a temporary one;
// but 500 is also what a server may answer that did not check the length of a prompt.
func CutOff(f *endpoint.Failure, code, message string) (why string) {
	text := strings.ToLower(code + " " + message)
	tooLarge := f.Status == http.StatusRequestEntityTooLarge && !strings.Contains(text, "rate_limit")
	switch {
	case tooLarge || (!f.Temporary || f.Status == http.StatusInternalServerError) &&
		f.Status != http.StatusTooManyRequests && rollout.OutOfContext(text):
		return endpoint.Brief(rollout.ContextExceeded + ": " + cmp.Or(message, code, http.StatusText(f.Status)))
	case !f.Temporary && slices.ContainsFunc(notAllowed, func(s string) bool { return strings.Contains(text, s) }):
		return endpoint.Brief("content_filter: " + message)
	}
	return ""
}

// TooLong reports whether a reason of CutOff is that the request does not fit the context.
func TooLong(why string) bool { return strings.HasPrefix(why, rollout.ContextExceeded) }

// refusedRequest is how a rollout ends whose request was refused for a reason of CutOff,
// after a number of turns. A prompt that does not fit says nothing about the model. A
// conversation that the model itself made too long is its own doing, as it is in training,
// where the context ends somewhere, too; to leave such rollouts out would leave out the long
// ones alone.
func refusedRequest(why string, turns int) ending {
	switch {
	case !TooLong(why):
		return ending{outcome: rollout.NoAnswer, finish: FinishOfCutOff(why), why: "the reply was cut off: " + why}
	case turns == 0:
		return ending{
			outcome: rollout.PromptTooLong,
			why:     "the prompt does not fit the context of the model's server: " + why,
		}
	}
	return ending{
		outcome: rollout.NoAnswer, finish: rollout.FinishLength,
		why: "the conversation outgrew the context of the model's server: " + why,
	}
}

// FinishOfCutOff returns the finish of a rollout whose request was refused for a
// reason of CutOff.
func FinishOfCutOff(why string) rollout.Finish {
	if strings.HasPrefix(why, "content_filter") {
		return rollout.FinishFilter
	}
	return rollout.FinishLength
}

// notAllowed is how servers say that the content is not let through: Azure's
// filter, OpenAI's usage policy, OpenRouter's moderation.
var notAllowed = []string{
	"content_filter", "content_policy_violation", "invalid_prompt", "content management policy",
	"input was flagged", "requires moderation",
}
