package sampler

import (
	"net/http"
	"strings"
	"testing"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// What servers say of a prompt that does not fit: its words, and the status that they give it.
var tooLongPrompts = []struct {
	server string
	status int
	body   string
}{
	{"llama.cpp", 400, `{"error":{"code":400,"message":"request (2345 tokens) exceeds the available context size (2048 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":2345,"n_ctx":2048}}`},
	{"vLLM", 400, `{"object":"error","message":"This model's maximum context length is 2048 tokens. However, you requested 2345 tokens in the messages, Please reduce the length of the messages.","type":"BadRequestError","param":null,"code":400}`},
	{"vLLM 0.13", 400, `{"error":{"message":"You passed 2345 input tokens and requested 100 output tokens. However, the model's context length is only 2048 tokens","type":"BadRequestError","code":400}}`},
	{"vLLM engine", 500, `{"error":{"message":"The decoder prompt (length 2345) is longer than the maximum model length of 2048.","type":"InternalServerError","code":500}}`},
	{"SGLang", 400, `{"object":"error","message":"The input (2345 tokens) is longer than the model's context length (2048 tokens).","type":"BadRequest","code":400}`},
	{"SGLang 0.5", 400, `{"object":"error","message":"Input length (2345 tokens) exceeds the maximum allowed length (2042 tokens). Use a shorter input or enable --allow-auto-truncate.","type":"BadRequest","code":400}`},
	{"SGLang total", 400, `{"object":"error","message":"Requested token count exceeds the model's maximum context length of 2048 tokens. You requested a total of 2345 tokens","type":"BadRequest","code":400}`},
	{"OpenAI", 400, `{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}`},
	{"TGI", 422, "{\"error\":\"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 2345 `inputs` tokens and 100 `max_new_tokens`\",\"error_type\":\"validation\"}"},
	{"TGI input", 422, "{\"error\":\"Input validation error: `inputs` must have less than 1024 tokens. Given: 2345\",\"error_type\":\"validation\"}"},
	{"Ollama", 400, `{"error":{"message":"prompt too long; exceeded max context length by 297 tokens","type":"invalid_request_error"}}`},
	{"LiteLLM", 400, `{"error":{"message":"litellm.BadRequestError: litellm.ContextWindowExceededError: no room","type":null,"param":null,"code":"400"}}`},
	{"Anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`},
	{"Anthropic, both", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"input length and ` + "`max_tokens`" + ` exceed context limit: 190000 + 20000 > 200000"}}`},
	{"Gemini", 400, `{"error":{"code":400,"message":"The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`},
	{"xAI", 400, `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 200000 tokens."}`},
	{"a proxy", 413, `Request Entity Too Large`},
	{"TensorRT-LLM", 400, `{"object":"error","message":"The sum of prompt length (4488.0), query length (0) max_tokens (512) should not exceed max_num_tokens (2048)","type":"BadRequestError","code":400}`},
	{"TensorRT-LLM, no room", 500, `{"object":"error","message":"default_max_tokens (-100) must be greater than 0, ` + "`default_max_tokens` = max_seq_len (2048) - `splited_prompt_len`" + ` (4488)","type":"InternalServerError","code":500}`},
	{"LM Studio", 400, `{"error":"Trying to keep the first 4488 tokens when context the overflows. However, the model is loaded with context length of only 2048 tokens, which is not enough."}`},
	{"Cohere", 400, `{"message":"too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000. Try using a shorter prompt."}`},
	{"older vLLM", 400, `{"error":{"message":"max_tokens must be at least 1, got -2440.","type":"BadRequestError","code":400}}`},
	{"OpenRouter", 200, `{"error":{"code":400,"message":"This endpoint's maximum context length is 2048 tokens. However, you requested about 2345 tokens"}}`},
}

// A request that does not fit the context is recognized by any server's words, whatever
// status it gives them.
func TestAContextThatIsTooSmallIsRecognized(t *testing.T) {
	for _, c := range tooLongPrompts {
		f, why := ModelRefusal("http://m", endpoint.Answer{Status: c.status, Body: []byte(c.body)})
		if !TooLong(why) || FinishOfCutOff(why) != rollout.FinishLength {
			t.Errorf("%s: %q, %v", c.server, why, f)
		}
	}
	for _, body := range []string{`{"error":{"message":"max_tokens must be at least 1, got 0."}}`, `{"error":{"message":"temperature should not exceed 2"}}`} {
		if f, why := ModelRefusal("http://m", endpoint.Answer{Status: 400, Body: []byte(body)}); why != "" {
			t.Errorf("%q, %v", why, f)
		}
	}
	for status, body := range map[int]string{
		400: `{"error":{"message":"Cannot determine type of 'item'","type":"invalid_request_error"}}`,
		401: `{"error":{"message":"the key is wrong, and the input is not read","code":"invalid_api_key"}}`,
		413: `{"error":{"message":"Request too large for model m on tokens per minute (TPM): Limit 6000, Requested 7000","type":"tokens","code":"rate_limit_exceeded"}}`,
		429: `{"error":{"message":"Too many tokens for the maximum context length of this tier"}}`,
		500: `{"error":{"message":"CUDA out of memory while extending the context"}}`,
		503: `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`,
	} {
		if f, why := ModelRefusal("http://m", endpoint.Answer{Status: status, Body: []byte(body)}); why != "" {
			t.Errorf("%d: %q, %v", status, why, f)
		}
	}
}

// A request that is larger than the limit of a minute was repeated for a quarter of an hour.
func TestRequestOverTheRateLimitIsNotRetried(t *testing.T) {
	for _, c := range []struct {
		words string
		class limit.Class
	}{
		{"Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 44880. The input or output tokens must be reduced.", limit.Refused},
		{"Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 44880.", limit.Refused},
		{"Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 1500. Please try again in 1s.", limit.Limited},
		{"Rate limit reached on requests per min (RPM): Limit 3, Used 3, Requested 1.", limit.Limited},
		{"Too many requests", limit.Limited},
	} {
		body := `{"error":{"message":"` + c.words + `","type":"tokens","code":"rate_limit_exceeded"}}`
		f, why := ModelRefusal("http://m", endpoint.Answer{Status: 429, Header: http.Header{"Retry-After": {"1"}}, Body: []byte(body)})
		if refused := c.class == limit.Refused; why != "" || f.Temporary == refused || f.Fatal || f.Class() != c.class || f.Status != 429 || strings.Contains(f.Error(), "no retry can succeed") != refused {
			t.Errorf("%s: %v is %v, retried: %t, cut off: %q", c.words, f, f.Class(), f.Temporary, why)
		}
	}
}

// A prompt that does not fit says nothing about the model; a conversation that the model
// itself made too long is its own doing.
func TestWhoMadeAConversationTooLong(t *testing.T) {
	why := rollout.ContextExceeded + ": no room"
	for turns, want := range map[int]rollout.Outcome{0: rollout.PromptTooLong, 1: rollout.NoAnswer, 7: rollout.NoAnswer} {
		if end := refusedRequest(why, turns); end.outcome != want || !strings.Contains(end.why, why) || (end.finish == rollout.FinishLength) != (turns > 0) {
			t.Errorf("after %d turns: %+v", turns, end)
		}
	}
	if end := refusedRequest("content_filter: no", 0); end.outcome != rollout.NoAnswer || end.finish != rollout.FinishFilter {
		t.Errorf("%+v", end)
	}
}
