package model_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"gonogo/sampler"
	"gonogo/sampler/boundary/model"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a server that answers with what the test says and keeps what it was
// sent.
type fake struct {
	*httptest.Server
	mu      sync.Mutex
	bodies  []string
	headers []http.Header
	urls    []string
	answer  func(n int, body string) (status int, header map[string]string, text string)
}

// serve starts a server that always answers with status and text.
func serve(t *testing.T, status int, text string) *fake {
	return serveFunc(t, func(int, string) (int, map[string]string, string) { return status, nil, text })
}

func serveFunc(t *testing.T, answer func(n int, body string) (int, map[string]string, string)) *fake {
	t.Helper()
	f := &fake{answer: answer}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		f.mu.Lock()
		defer f.mu.Unlock()
		n := len(f.bodies)
		f.bodies, f.headers, f.urls = append(f.bodies, string(body)), append(f.headers, r.Header), append(f.urls, r.URL.String())
		status, header, text := f.answer(n, string(body))
		w.Header().Set("Content-Type", "application/json")
		for k, v := range header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(f.Server.Close)
	return f
}

// open returns a model at the server.
func (f *fake) open(t *testing.T, cfg model.Config) *model.Model {
	t.Helper()
	if cfg.Name == "" {
		cfg.Name = "m"
	}
	if cfg.BaseURL == "" {
		cfg.BaseURL = f.URL + "/v1"
	}
	m, err := model.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

// last returns the last request's body as a value.
func (f *fake) last(t *testing.T) any {
	t.Helper()
	return value(t, f.bodies[len(f.bodies)-1])
}

func value(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("not JSON: %v: %s", err, text)
	}
	return v
}

func makeItem(t *testing.T, row string) *rollout.Item {
	t.Helper()
	it := &rollout.Item{ID: "q", Row: json.RawMessage(row)}
	if err := it.Decode(); err != nil {
		t.Fatal(err)
	}
	return it
}

func same(t *testing.T, what string, got any, want string) {
	t.Helper()
	if d := cmp.Diff(value(t, want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func ptr[T any](v T) *T { return &v }

const (
	plainRow = `{"messages":[{"role":"user","content":"hi"}]}`
	toolRow  = `{"messages":[{"role":"developer","content":"be brief"},{"role":"user","content":"hi"}],
"tools":[{"type":"function","function":{"name":"search","description":"finds","parameters":{"type":"object"},"strict":true}}]}`
)

func TestTheEnvironmentDoesNotInterfere(t *testing.T) {
	away := serve(t, 200, `{}`)
	for k, v := range map[string]string{
		"OPENAI_BASE_URL": away.URL, "OPENAI_API_KEY": "stray-key", "OPENAI_ORG_ID": "stray-org", "OPENAI_PROJECT_ID": "stray-project",
		"OPENAI_ADMIN_KEY": "stray-admin", "OPENAI_CUSTOM_HEADERS": "X-Stray: stray-header",
	} {
		t.Setenv(k, v)
	}
	f := serve(t, 200, `{"status":"completed","output":[]}`)
	if _, err := f.open(t, model.Config{}).Reply(t.Context(), sampler.Request{Item: makeItem(t, plainRow), RequestID: "trace_1/0"}); err != nil {
		t.Fatal(err)
	}
	if len(away.bodies) != 0 || len(f.bodies) != 1 {
		t.Fatalf("%d requests went to OPENAI_BASE_URL, %d to the configured server", len(away.bodies), len(f.bodies))
	}
	for k, v := range f.headers[0] {
		if strings.Contains(strings.Join(v, " "), "stray") {
			t.Errorf("header %s: %v comes from the environment", k, v)
		}
	}
	if h := f.headers[0]; h.Get("Authorization") != "" || h.Get("X-Client-Request-Id") != "trace_1/0" {
		t.Errorf("Authorization %q, X-Client-Request-Id %q; want none and the request id", h.Get("Authorization"), h.Get("X-Client-Request-Id"))
	}
}

func TestKeysHeadersAndQuery(t *testing.T) {
	f := serve(t, 200, `{"status":"completed","output":[]}`)
	for _, c := range []struct {
		why  string
		cfg  model.Config
		auth string
		url  string
	}{
		{"a key is a bearer token", model.Config{APIKey: "planted"}, "Bearer planted", "/v1/responses"},
		{"a header may replace it", model.Config{APIKey: "planted", Headers: map[string]string{"authorization": "Basic x"}}, "Basic x", "/v1/responses"},
		{"a query of the base URL is kept, as Azure needs it", model.Config{BaseURL: f.URL + "/openai/v1/?api-version=preview"}, "", "/openai/v1/responses?api-version=preview"},
		{"a base URL without a path", model.Config{BaseURL: f.URL, API: model.Chat}, "", "/chat/completions"},
		{"the query and the escapes of one, for chat", model.Config{BaseURL: f.URL + "/a%2Fb/?api-version=preview", API: model.Chat}, "", "/a%2Fb/chat/completions?api-version=preview"},
	} {
		t.Run(c.why, func(t *testing.T) {
			_, err := f.open(t, c.cfg).Reply(t.Context(), sampler.Request{Item: makeItem(t, plainRow)})
			if err != nil && c.cfg.API != model.Chat {
				t.Fatal(err)
			}
			n := len(f.urls) - 1
			if got := f.headers[n].Get("Authorization"); got != c.auth || f.urls[n] != c.url {
				t.Errorf("Authorization %q at %s, want %q at %s", got, f.urls[n], c.auth, c.url)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	// The bodies are those of WIRE traps: string errors, web pages, numbers as
	// codes, errors with status 200.
	for _, c := range []struct {
		why       string
		status    int
		header    map[string]string
		body      string
		temporary bool
		fatal     bool
		text      string
	}{
		{"OpenAI's error", 400, nil, `{"error":{"message":"bad value","code":"invalid_value"}}`, false, false, "invalid_value: bad value"},
		{"an error as string keeps its status", 503, nil, `{"error":"loading"}`, true, false, "status 503: loading"},
		{"a web page", 502, map[string]string{"Content-Type": "text/html"}, "<html>", true, false, "web page"},
		{"an empty body", 500, nil, "", true, false, "status 500"},
		{"an integer code", 400, nil, `{"error":{"message":"bad","code":400}}`, false, false, "400: bad"},
		{"unauthorized", 401, nil, `{"error":{"message":"key planted-key is wrong"}}`, false, true, "key ********** is wrong"},
		{"unknown model", 404, nil, `{"error":{"message":"nope","code":"model_not_found"}}`, false, true, "model_not_found"},
		{"unknown model as 400", 400, nil, `{"error":{"message":"nope","code":"model_not_found"}}`, false, true, "model_not_found"},
		{"rate limit", 429, map[string]string{"Retry-After": "3"}, `{"error":{"message":"slow down"}}`, true, false, "slow down"},
		{"a used-up account is no rate limit", 429, nil, `{"error":{"message":"check your plan","type":"insufficient_quota","code":"insufficient_quota"}}`, false, true, "insufficient_quota"},
		{"payment required", 402, nil, `{"error":{"message":"no credits","code":402}}`, false, true, "no credits"},
		{"an error with status 200", 200, nil, `{"error":{"message":"upstream is down","code":502}}`, true, false, "status 200: 502 upstream is down"},
		{"an error with status 200 that a repeat cannot mend", 200, nil, `{"error":{"message":"no such thing","code":404}}`, false, false, "no such thing"},
		{"a web page with status 200", 200, map[string]string{"Content-Type": "text/html"}, "<html>", true, false, "web page"},
		{"plain text with status 200", 200, map[string]string{"Content-Type": "text/plain"}, "hello", true, false, "cannot be used: hello"},
		{"nothing with status 200", 200, nil, "", true, false, "cannot be used"},
		{"an object of another kind", 200, nil, `{"hello":1}`, true, false, "status 200"},
	} {
		for _, api := range []string{model.Responses, model.Chat} {
			t.Run(api+": "+c.why, func(t *testing.T) {
				f := serveFunc(t, func(int, string) (int, map[string]string, string) { return c.status, c.header, c.body })
				_, err := f.open(t, model.Config{API: api, APIKey: "planted-key"}).Reply(t.Context(), sampler.Request{Item: makeItem(t, plainRow)})
				got, ok := endpoint.AsFailure(err)
				if !ok {
					t.Fatalf("error %v is no Failure", err)
				}
				if got.Temporary != c.temporary || got.Fatal != c.fatal || !strings.Contains(got.Error(), c.text) || got.Status != c.status {
					t.Errorf("temporary %v, fatal %v, status %d, %q; want %v, %v, %d, %q", got.Temporary, got.Fatal, got.Status, got, c.temporary, c.fatal, c.status, c.text)
				}
				if !strings.HasPrefix(got.URL, f.URL+"/v1/") || len(f.bodies) != 1 {
					t.Errorf("URL %q after %d requests; retries are not the model's", got.URL, len(f.bodies))
				}
				if strings.Contains(got.Error(), "planted-key") {
					t.Errorf("the key is shown: %q", got)
				}
			})
		}
	}
}

func TestWhatTheRolloutItselfCaused(t *testing.T) {
	for _, c := range []struct {
		why, body string
		status    int
		want      string
	}{
		{"OpenAI: context", `{"error":{"message":"This model's maximum context length is 8192 tokens","code":"context_length_exceeded"}}`, 400, "context_length_exceeded"},
		{"vLLM: context", `{"object":"error","message":"This model's maximum context length is 100 tokens.","code":400}`, 400, "context_length_exceeded"},
		{"llama.cpp: context", `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`, 400, "context_length_exceeded"},
		{"a body the server does not take", `{"error":"too large"}`, 413, "context_length_exceeded"},
		{"Azure's content filter", `{"error":{"code":"content_filter","message":"The response was filtered"}}`, 400, "content_filter"},
		{"OpenRouter's moderation", `{"error":{"code":403,"message":"Your input was flagged","metadata":{"reasons":["x"]}}}`, 403, "content_filter"},
		{"a usage policy, with status 200", `{"error":{"code":"invalid_prompt","message":"flagged"}}`, 200, "content_filter"},
	} {
		t.Run(c.why, func(t *testing.T) {
			f := serve(t, c.status, c.body)
			r, err := f.open(t, model.Config{}).Reply(t.Context(), sampler.Request{Item: makeItem(t, plainRow)})
			if err != nil || !strings.HasPrefix(r.CutOff, c.want) {
				t.Errorf("reply %+v, error %v; want a reply cut off by %s", r, err, c.want)
			}
		})
	}
}

func TestParametersThatAServerRefusesAreLeftOutFromThenOn(t *testing.T) {
	f := serveFunc(t, func(_ int, body string) (int, map[string]string, string) {
		switch {
		case strings.Contains(body, `"include"`):
			return 400, nil, `{"error":{"message":"Encrypted content is not supported with this model."}}`
		case strings.Contains(body, `"parallel_tool_calls"`):
			return 400, nil, `{"error":{"message":"Unsupported parameter: 'parallel_tool_calls'"}}`
		}
		return 200, nil, `{"status":"completed","output":[]}`
	})
	m := f.open(t, model.Config{})
	for range 3 {
		if _, err := m.Reply(t.Context(), sampler.Request{Item: makeItem(t, toolRow)}); err != nil {
			t.Fatal(err)
		}
	}
	if len(f.bodies) != 5 {
		t.Errorf("%d requests for 3 replies, want 5: two refusals, remembered", len(f.bodies))
	}
	m = f.open(t, model.Config{ParallelToolCalls: ptr(true)})
	if _, err := m.Reply(t.Context(), sampler.Request{Item: makeItem(t, toolRow)}); err == nil {
		t.Error("a configured parameter was left out")
	}
}

func TestWhatARefusalIsAbout(t *testing.T) {
	const none, include, parallel = "", "include", "parallel_tool_calls"
	for _, c := range []struct{ why, body, leavesOut string }{
		{"OpenAI: the param says it", `{"error":{"message":"Encrypted content is not supported with this model.","param":"include"}}`, include},
		{"an element of the param", `{"error":{"message":"Invalid value","param":"include[0]"}}`, include},
		{"OpenAI's unsupported parameter", `{"error":{"message":"Unsupported parameter: 'include'","param":null}}`, include},
		{"the value's name", `{"error":"reasoning.encrypted_content is unknown"}`, include},
		{"FastAPI's detail", `{"detail":[{"type":"extra_forbidden","loc":["body","include"],"msg":"Extra inputs are not permitted"}]}`, include},
		{"vLLM's text of pydantic", `{"message":"[{'type': 'extra_forbidden', 'loc': ('body', 'include'), 'msg': 'Extra inputs are not permitted'}]"}`, include},
		{"pydantic in one line", `{"error":{"message":"include: Extra inputs are not permitted"}}`, include},
		{"serde", "{\"error\":\"unknown field `include`, expected one of `input`, `model`\"}", include},
		{"the other parameter", `{"error":{"message":"Unknown parameter: 'parallel_tool_calls'.","param":"parallel_tool_calls"}}`, parallel},
		{"the other parameter, by its words", `{"error":"parallel_tool_calls is not supported by this model"}`, parallel},
		{"LiteLLM: a param of None", `{"error":{"message":"litellm.BadRequestError: Unsupported parameter: 'include'","type":"None","param":"None","code":"400"}}`, include},
		{"LiteLLM: one of several", `{"error":{"message":"litellm.UnsupportedParamsError: ollama does not support parameters: ['top_p', 'parallel_tool_calls'], for model=m.","param":"None"}}`, parallel},
		{"Azure: an argument that it does not know", `{"error":{"message":"Unrecognized request argument supplied: parallel_tool_calls","param":null}}`, parallel},
		{"Gemini: an unknown name", `[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"parallel_tool_calls\": Cannot find field."}}]`, parallel},
		{"include as a verb", `{"error":{"message":"Your request must include a model."}}`, none},
		{"a tool's schema with that word", `{"error":{"message":"Invalid schema for function 'grep': 'include' is not of type 'object'","param":"tools[0].parameters"}}`, none},
		{"the param is another one", `{"error":{"message":"Unsupported parameter: 'include' and more","param":"input[3]"}}`, none},
		{"encryption of something else", `{"error":{"message":"The encrypted file cannot be read."}}`, none},
	} {
		t.Run(c.why, func(t *testing.T) {
			f := serveFunc(t, func(_ int, body string) (int, map[string]string, string) {
				if c.leavesOut == none || strings.Contains(body, `"`+c.leavesOut+`":`) {
					return 400, nil, c.body
				}
				return 200, nil, `{"status":"completed","output":[]}`
			})
			m := f.open(t, model.Config{})
			for range 2 {
				if _, err := m.Reply(t.Context(), sampler.Request{Item: makeItem(t, toolRow)}); (err != nil) != (c.leavesOut == none) {
					t.Errorf("error %v", err)
				}
			}
			if want := map[bool]int{true: 2, false: 3}[c.leavesOut == none]; len(f.bodies) != want {
				t.Errorf("%d requests for 2 replies, want %d", len(f.bodies), want)
			}
			last, _ := f.last(t).(map[string]any)
			for _, name := range []string{include, parallel} {
				if _, sent := last[name]; sent == (name == c.leavesOut) {
					t.Errorf("%s was sent: %v", name, sent)
				}
			}
		})
	}
}

// Servers of before 2024-09 know the limit of tokens by its old name alone.
func TestALimitOfTokensGoesByItsOldName(t *testing.T) {
	const unknown = `{"error":{"message":"Unrecognized request argument supplied: max_completion_tokens"}}`
	answer := `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}`
	f := serveFunc(t, func(_ int, body string) (int, map[string]string, string) {
		if strings.Contains(body, `"max_completion_tokens"`) {
			return 400, nil, unknown
		}
		return 200, nil, answer
	})
	m := f.open(t, model.Config{API: model.Chat, MaxOutputTokens: ptr(7)})
	for range 2 {
		if _, err := m.Reply(t.Context(), sampler.Request{Item: makeItem(t, plainRow)}); err != nil {
			t.Fatal(err)
		}
	}
	last, _ := f.last(t).(map[string]any)
	if len(f.bodies) != 3 || last["max_tokens"] != 7.0 {
		t.Errorf("%d requests for 2 replies, the last with max_tokens %v; want 3 and 7", len(f.bodies), last["max_tokens"])
	}
	f = serveFunc(t, func(int, string) (int, map[string]string, string) {
		return 400, nil, `{"error":{"message":"max_completion_tokens is too large: 7","param":"max_completion_tokens"}}`
	})
	m = f.open(t, model.Config{API: model.Chat, MaxOutputTokens: ptr(7)})
	if _, err := m.Reply(t.Context(), sampler.Request{Item: makeItem(t, plainRow)}); err == nil || len(f.bodies) != 1 {
		t.Errorf("error %v after %d requests: a limit that is too large is no unknown parameter", err, len(f.bodies))
	}
}

func TestWhatIsToBeLeftOutIsNeverSent(t *testing.T) {
	for api, answer := range map[string]string{model.Responses: `{"status":"completed","output":[]}`, model.Chat: `{"choices":[{"message":{"content":"4"}}]}`} {
		f := serve(t, 200, answer)
		m := f.open(t, model.Config{
			API: api, Temperature: ptr(1.0), TopP: ptr(1.0), MaxOutputTokens: ptr(7), ReasoningEffort: "low", ParallelToolCalls: ptr(false),
			ResponseFormat: json.RawMessage(`{"type":"json_object"}`), LeaveOut: model.LeavesOut(),
		})
		if _, err := m.Reply(t.Context(), sampler.Request{Item: makeItem(t, toolRow)}); err != nil {
			t.Fatal(err)
		}
		sent := f.last(t).(map[string]any)
		for name := range sent {
			if !slices.Contains([]string{"model", "store", "input", "messages", "tools"}, name) {
				t.Errorf("%s: %s was sent", api, name)
			}
		}
	}
	if err := (model.Config{BaseURL: "http://localhost/v1", LeaveOut: []string{"max_tokens"}}).Validate(); err == nil || !strings.Contains(err.Error(), "max_output_tokens") {
		t.Errorf("an unknown name: %v", err)
	}
}

func TestARefusalThatTheRepeatGetsTooLeavesNothingOut(t *testing.T) {
	f := serveFunc(t, func(n int, _ string) (int, map[string]string, string) {
		if n < 2 {
			return 400, nil, `{"error":{"message":"unknown field include in tool grep"}}`
		}
		return 200, nil, `{"status":"completed","output":[]}`
	})
	m := f.open(t, model.Config{})
	if _, err := m.Reply(t.Context(), sampler.Request{Item: makeItem(t, plainRow)}); err == nil {
		t.Fatal("the repeat was refused too, and there is no error")
	}
	if _, err := m.Reply(t.Context(), sampler.Request{Item: makeItem(t, plainRow)}); err != nil {
		t.Fatal(err)
	}
	if sent, _ := f.last(t).(map[string]any); sent["include"] == nil {
		t.Error("encrypted reasoning is not asked for any more, although leaving it out did not help")
	}
}

func TestChatRepeatsNoRefusalOfWhatItNeverSends(t *testing.T) {
	f := serve(t, 400, `{"error":{"message":"unknown parameter: include","param":"include"}}`)
	if _, err := f.open(t, model.Config{API: model.Chat}).Reply(t.Context(), sampler.Request{Item: makeItem(t, plainRow)}); err == nil || len(f.bodies) != 1 {
		t.Errorf("error %v after %d requests, want one", err, len(f.bodies))
	}
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	for why, cfg := range map[string]model.Config{
		"no name":                   {BaseURL: "http://x/v1"},
		"no URL":                    {Name: "m"},
		"not a URL of HTTP":         {Name: "m", BaseURL: "localhost:8000/v1"},
		"an unknown wire format":    {Name: "m", BaseURL: "http://x", API: "completions"},
		"a format that is not JSON": {Name: "m", BaseURL: "http://x", ResponseFormat: json.RawMessage(`{`)},
	} {
		if _, err := model.New(cfg); err == nil {
			t.Errorf("%s: accepted", why)
		}
	}
}

func TestUnreachableServerIsTold(t *testing.T) {
	f := serve(t, 200, "")
	f.Close()
	_, err := f.open(t, model.Config{}).Reply(t.Context(), sampler.Request{Item: makeItem(t, plainRow)})
	if got, ok := endpoint.AsFailure(err); !ok || !got.Temporary || !endpoint.Unreachable(err) {
		t.Errorf("error %v", err)
	}
	var none *endpoint.Failure
	if !errors.As(err, &none) || strings.Contains(err.Error(), "Post ") {
		t.Errorf("error %q repeats the request", err)
	}
}

func TestRedirectToAnotherServerIsRefused(t *testing.T) {
	other := serve(t, 200, `{"status":"completed","output":[]}`)
	f := serveFunc(t, func(int, string) (int, map[string]string, string) {
		return 307, map[string]string{"Location": other.URL + "/v1/responses"}, ""
	})
	_, err := f.open(t, model.Config{APIKey: "planted"}).Reply(t.Context(), sampler.Request{Item: makeItem(t, plainRow)})
	if got, ok := endpoint.AsFailure(err); !ok || !got.Fatal || len(other.bodies) != 0 || !strings.Contains(err.Error(), "another server") {
		t.Errorf("error %v after %d requests to the other server", err, len(other.bodies))
	}
}

// Status 101 hands the connection over: no context would end the reading of it.
func TestAServerThatSwitchesProtocolsDoesNotHang(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n")
		_, _ = io.Copy(io.Discard, conn) // until the caller hangs up
	}))
	defer server.Close()
	m, err := model.New(model.Config{Name: "m", BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	_, err = m.Reply(t.Context(), sampler.Request{Item: makeItem(t, `{"messages":[{"role":"user","content":"q"}]}`)})
	if f, ok := endpoint.AsFailure(err); !ok || !f.Temporary || !strings.Contains(f.Error(), "another protocol") {
		t.Errorf("error %v", err)
	}
}
