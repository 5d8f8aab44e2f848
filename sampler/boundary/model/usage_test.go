package model_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler"
	"gonogo/sampler/boundary/model"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// Counts that were no whole numbers cost the whole answer; negative and huge
// ones were added up.
func TestOddUsageIsNotToldAndSpoilsNoAnswer(t *testing.T) {
	for _, c := range []struct {
		why, usage string
		want       rollout.Usage
	}{
		{"whole numbers", `{"I":10,"O":5}`, rollout.Usage{Input: ptr[int64](10), Output: ptr[int64](5)}},
		{"floats that are whole", `{"I":10.0,"O":5e0}`, rollout.Usage{Input: ptr[int64](10), Output: ptr[int64](5)}},
		{"negative counts", `{"I":-10,"O":5}`, rollout.Usage{Output: ptr[int64](5)}},
		{"counts whose sum overflows", `{"I":9223372036854775807,"O":9223372036854775807}`, rollout.Usage{}},
		{"fractions", `{"I":1.5,"O":5}`, rollout.Usage{Output: ptr[int64](5)}},
		{"words", `{"I":"10","O":"many"}`, rollout.Usage{}},
		{"nulls", `{"I":null,"O":null}`, rollout.Usage{}},
		{"zeros for all", `{"I":0,"O":0}`, rollout.Usage{}},
		{"a list", `[]`, rollout.Usage{}},
		{"null", `null`, rollout.Usage{}},
		{"a word", `"unknown"`, rollout.Usage{}},
	} {
		for api, answer := range map[string]string{
			model.Chat:      `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":%s}`,
			model.Responses: `{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"x"}]}],"usage":%s}`,
		} {
			t.Run(api+" "+c.why, func(t *testing.T) {
				in, out := "prompt_tokens", "completion_tokens"
				if api == model.Responses {
					in, out = "input_tokens", "output_tokens"
				}
				f := serve(t, 200, fmt.Sprintf(answer, named(c.usage, in, out)))
				got, err := f.open(t, model.Config{API: api}).Reply(t.Context(), sampler.Request{Item: makeItem(t, plainRow)})
				if err != nil || got.Text != "x" {
					t.Fatalf("text %q, error %v", got.Text, err)
				}
				if d := cmp.Diff(c.want, got.Usage); d != "" {
					t.Errorf("usage (-want +got):\n%s", d)
				}
			})
		}
	}
}

// A header's value may be a word of the answer: the run knows which values no grader may
// read.
func TestTheModelsOwnWordsStayAsTheyAre(t *testing.T) {
	f := serve(t, 200, `{"choices":[{"message":{"content":"in us-east-1 since 2024-10-01"},"finish_reason":"stop"}]}`)
	got, err := f.open(t, model.Config{API: model.Chat, APIKey: "us-east-1", Headers: map[string]string{"x-api-version": "2024-10-01"}}).Reply(t.Context(), sampler.Request{Item: makeItem(t, plainRow)})
	if err != nil || got.Text != "in us-east-1 since 2024-10-01" {
		t.Errorf("text %q, error %v", got.Text, err)
	}
}

// Such answers were taken for a turn without words, which is the model's own
// failure and earns the bottom of the range.
func TestAnAnswerOfAnotherFormatIsNoSilentTurn(t *testing.T) {
	for _, body := range []string{`{"output":[]}`, `{"output":[null]}`, `{"status":"completed","output":[{}]}`, `{"output":[{"text":"x"}]}`} {
		f := serve(t, 200, body)
		got, err := f.open(t, model.Config{}).Reply(t.Context(), sampler.Request{Item: makeItem(t, plainRow)})
		if failure, ok := endpoint.AsFailure(err); !ok || !failure.Temporary {
			t.Errorf("%s: reply %+v, error %v, want a failure worth another try", body, got, err)
		}
	}
}

func TestAKeyThatHTTPCannotCarryIsRefused(t *testing.T) {
	for why, cfg := range map[string]model.Config{
		"a line break in the key":  {APIKey: "sk-planted\nmore"},
		"a line break in a header": {Headers: map[string]string{"X-Key": "sk-planted\r\nX-Other: y"}},
		"a name with a space":      {Headers: map[string]string{"X Key": "v"}},
		"no name":                  {Headers: map[string]string{"": "v"}},
	} {
		cfg.BaseURL = "http://127.0.0.1/v1"
		if err := cfg.Validate(); err == nil || strings.Contains(err.Error(), "planted") {
			t.Errorf("%s: error is %v, want one without the value", why, err)
		}
	}
	if err := (model.Config{BaseURL: "http://127.0.0.1/v1", APIKey: "sk-1", Headers: map[string]string{"X-Key_1": "Bearer\té"}}).Validate(); err != nil {
		t.Errorf("good headers: %v", err)
	}
}

// named writes usage in the words of a wire format.
func named(usage, in, out string) string {
	return strings.NewReplacer(`"I"`, `"`+in+`"`, `"O"`, `"`+out+`"`).Replace(usage)
}
