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

// ModelRefusal describes a model's answer with an error status, as endpoint.StatusFailure does; it
// is Fatal if every other rollout would get it, too. cutOff says why the rollout itself caused the
// refusal (see CutOff); "" if the endpoint did.
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

// overLimit reports whether a rate limit is smaller than the single request that it refuses.
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

// endOfAll lists the codes that every other rollout would get, too.
var endOfAll = []string{"model_not_found", "insufficient_quota", "billing_hard_limit_reached"}

// CutOff says why a refusal of the model is not a failure of the endpoint that another request
// could pass: the conversation does not fit the model's context, or its content was filtered. No
// other rollout is affected. It is "" if the endpoint failed, as with every temporary failure
// except a 500 that names the context: a server may answer 500 if it did not check the length of a
// prompt.
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

// refusedRequest returns how a rollout ends whose request was refused for a reason of CutOff, after
// a number of turns. A prompt that does not fit says nothing about the model. A conversation that
// the model itself made too long counts against it, as in training, where the context ends
// somewhere, too; leaving such rollouts out would leave out only long ones.
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

// notAllowed lists how servers say that content is blocked: Azure's filter, OpenAI's usage policy,
// OpenRouter's moderation.
var notAllowed = []string{
	"content_filter", "content_policy_violation", "invalid_prompt", "content management policy",
	"input was flagged", "requires moderation",
}
