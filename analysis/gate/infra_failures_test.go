package gate

import (
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/sampler/rollout"
)

func TestWhatToFixFollowsTheCause(t *testing.T) {
	for cause, want := range map[string]string{
		"POST https://m/v1/responses: status 401: invalid API key":       "refuses the key",
		"POST https://m/v1/responses: status 403: forbidden":             "refuses the key",
		"POST https://m/v1/responses: status 404: no such model":         "model name",
		"POST https://m/v1/responses: status 429: slow down":             "limits the rate",
		"POST https://m/v1/responses: status 503: unavailable":           "server itself fails",
		"Post \"http://m\": dial tcp 127.0.0.1:1: connection refused":    "Nothing answers",
		"POST https://m/v1/responses: context deadline exceeded":         "too slowly",
		"the reply is not JSON: unexpected status of the letters 401401": "Fix this endpoint",
	} {
		sr := &analysis.SplitResult{Failures: []analysis.FailureCause{
			{Outcome: rollout.NoAnswer, Error: "status 401", Count: 9}, // the model's own, of which nothing was lost
			{Outcome: rollout.ModelAPI, Error: cause, Count: 5},
		}}
		if got := fixFor(sr).String(); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q in it", cause, got, want)
		}
	}
}
