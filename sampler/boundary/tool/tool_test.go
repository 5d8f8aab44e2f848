package tool_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"gonogo/sampler"
	"gonogo/sampler/boundary/tool"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const row = `{"messages": [], "answer":  "<42>"}`

// open returns a tool at a server that answers with f.
func open(t *testing.T, cfg tool.Config, opts tool.Options, f http.HandlerFunc) sampler.Tool {
	t.Helper()
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	opts.HTTP = endpoint.HTTPClient(nil, 4)
	t.Cleanup(opts.HTTP.CloseIdleConnections)
	cfg.Name, cfg.ServerURL = "search", server.URL+"/search?token=planted"
	tools, err := tool.New([]tool.Config{cfg}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return tools[0]
}

func call(t *testing.T, tl sampler.Tool) (sampler.Result, error) {
	t.Helper()
	return tl.Call(t.Context(), sampler.Call{ID: "call_1", Arguments: `{"q":"a"}`, TraceID: "trace_x", Item: &rollout.Item{Row: json.RawMessage(row)}})
}

func TestRequestIsTheWireFormat(t *testing.T) {
	var body, key string
	tl := open(t, tool.Config{
		Headers: map[string]string{"Authorization": "Bearer planted-key"},
		Extra:   map[string]json.RawMessage{"rate": json.RawMessage(`{"qps":5}`), "b": json.RawMessage(`1`)},
	}, tool.Options{}, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		body, key = string(b), r.Header.Get("Authorization")
		_, _ = io.WriteString(w, `{"output":"ok"}`)
	})
	if _, err := call(t, tl); err != nil {
		t.Fatal(err)
	}
	// WIRE: POST server_url; the item goes along byte for byte.
	want := `{"type":"function_call","id":"fc_call_1","call_id":"call_1","name":"search","arguments":"{\"q\":\"a\"}","trace_id":"trace_x","item":` + row + `,"b":1,"rate":{"qps":5}}`
	if body != want {
		t.Errorf("body\n%s\nwant\n%s", body, want)
	}
	if key != "Bearer planted-key" {
		t.Errorf("Authorization %q", key)
	}
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		why    string
		status int
		body   string
		want   sampler.Result
	}{
		{"an output", 200, `{"type":"function_call_output","call_id":"call_1","id":"x","output":"found"}`, sampler.Result{Output: "found"}},
		{"output is all that is needed", 200, `{"output":""}`, sampler.Result{}},
		{"an output within result", 200, `{"result":{"output":"found"}}`, sampler.Result{Output: "found"}},
		{"another status of success", 201, `{"output":"found"}`, sampler.Result{Output: "found"}},
		{"an object is shown as JSON and noted", 200, `{"output":{"a":[1]}}`, sampler.Result{Output: `{"a":[1]}`, Note: "the output is not a string: shown as JSON"}},
		{"null is shown as JSON and noted", 200, `{"output":null}`, sampler.Result{Output: `null`, Note: "the output is not a string: shown as JSON"}},
		{"a refusal with output", 422, `{"output":"bad query"}`, sampler.Result{Output: "bad query", Error: `status 422: {"output":"bad query"}`}},
		{"a refusal without output shows its payload", 400, `{"error":"bad query"}`, sampler.Result{Output: `Error 400: {"error":"bad query"}`, Error: "status 400: bad query", NoOutput: true}},
		{"a refusal without a body", 404, "", sampler.Result{Output: "Error 404: Not Found", Error: "status 404: no text", NoOutput: true}},
		{"a conflict is the tool's own word", 409, `{"error":"sold out"}`, sampler.Result{Output: `Error 409: {"error":"sold out"}`, Error: "status 409: sold out", NoOutput: true}},
		{"what a header says may be an answer", 200, `{"output":"version planted-key"}`, sampler.Result{Output: "version planted-key"}},
		{"but no message shows a key", 400, `{"output":"you sent planted-key"}`, sampler.Result{Output: "you sent planted-key", Error: `status 400: {"output":"you sent **********"}`}},
		{"an output that is too long", 200, `{"output":"` + strings.Repeat("x", 1000) + `"}`, sampler.Result{Output: "Error: 413: the tool's output is longer than 500 bytes", Error: "413: the tool's output is longer than 500 bytes"}},
		{"a long refusal is cut", 400, strings.Repeat("é", 249), sampler.Result{Output: "Error 400: " + strings.Repeat("é", 249), Error: "status 400: " + strings.Repeat("é", 249), NoOutput: true}},
	} {
		t.Run(c.why, func(t *testing.T) {
			tl := open(t, tool.Config{Headers: map[string]string{"X-Key": "planted-key"}}, tool.Options{MaxReply: 500}, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			})
			got, err := call(t, tl)
			if err != nil {
				t.Fatal(err)
			}
			c.want.HTTPStatus = c.status
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("result (-want +got):\n%s", d)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	for _, c := range []struct {
		why    string
		status int
		body   string
		text   string
	}{
		{"a server error", 500, `{"error":"boom planted-key"}`, "status 500: boom **********"},
		{"a server error with an output is one too", 503, `{"output":"x"}`, "status 503"},
		{"a server error that is too long", 502, strings.Repeat("x", 600), "too long"},
		{"408", 408, `{}`, "status 408"},
		{"425", 425, `{}`, "status 425"},
		{"429", 429, `{}`, "status 429"},
		{"not JSON", 200, "<html>", "JSON object"},
		{"no output", 200, `{"outputs":"x"}`, "not a JSON object with an \"output\""},
		{"a list", 200, `[]`, "JSON object"},
		{"a result that is no object", 200, `{"result":"x"}`, "JSON object"},
	} {
		t.Run(c.why, func(t *testing.T) {
			tl := open(t, tool.Config{Headers: map[string]string{"X-Key": "planted-key"}}, tool.Options{MaxReply: 500}, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "2")
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			})
			_, err := call(t, tl)
			f, ok := endpoint.AsFailure(err)
			if !ok || !f.Temporary || f.Fatal || f.Status != c.status || !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %v, want a failure worth another try that says %q", err, c.text)
			}
			if strings.Contains(err.Error(), "planted") {
				t.Errorf("error %q shows a secret", err)
			}
		})
	}
}

// The words of plain headers were masked in what the model reads.
func TestAPlainHeaderLeavesTheOutputAlone(t *testing.T) {
	headers := map[string]string{"X-Env": "production", "X-Mode": "output", "Accept": "application/json"}
	tl := open(t, tool.Config{Headers: headers}, tool.Options{}, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"output":"production sends application/json"}`)
	})
	if got, err := call(t, tl); err != nil || got.Output != "production sends application/json" {
		t.Errorf("output %q, error %v", got.Output, err)
	}
}

func TestABrokenConnectionIsWorthAnotherTry(t *testing.T) {
	tl := open(t, tool.Config{}, tool.Options{}, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	_, err := call(t, tl)
	if f, ok := endpoint.AsFailure(err); !ok || !f.Temporary || endpoint.Unreachable(err) || strings.Contains(err.Error(), "planted") {
		t.Errorf("error %v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	ok := tool.Config{Name: "a", ServerURL: "http://host/a"}
	for why, cfgs := range map[string][]tool.Config{
		"no name":                        {{ServerURL: "http://host"}},
		"no URL":                         {{Name: "a"}},
		"a URL of another kind":          {{Name: "a", ServerURL: "file:///etc/passwd"}},
		"two of one name":                {ok, ok},
		"an extra key that is ours":      {{Name: "a", ServerURL: "http://h", Extra: map[string]json.RawMessage{"item": json.RawMessage(`1`)}}},
		"a header with a line break":     {{Name: "a", ServerURL: "http://h", Headers: map[string]string{"X-Key": "a\nb"}}},
		"an extra value that is no JSON": {{Name: "a", ServerURL: "http://h", Extra: map[string]json.RawMessage{"x": json.RawMessage(`{`)}}},
	} {
		if _, err := tool.New(cfgs, tool.Options{}); err == nil {
			t.Errorf("%s: accepted", why)
		}
	}
	if tools, err := tool.New([]tool.Config{ok}, tool.Options{}); err != nil || len(tools) != 1 || tools[0].Name() != "a" {
		t.Errorf("a good tool: %v, %v", tools, err)
	}
}

// An answer that names another call belongs to that one, where the tool has shown
// that it names the calls it answers.
func TestAnAnswerToAnotherCallIsAskedForAgain(t *testing.T) {
	for name, row := range map[string]struct {
		named []string // by the answers to c1, c2, c3
		taken []bool
	}{
		"each names its own":              {[]string{"c1", "c2", "c3"}, []bool{true, true, true}},
		"the third is another's":          {[]string{"c1", "c2", "c1"}, []bool{true, true, false}},
		"none is named":                   {[]string{"", "", ""}, []bool{true, true, true}},
		"the third names none":            {[]string{"c1", "c2", ""}, []bool{true, true, true}},
		"always the same, which once fit": {[]string{"c1", "c1", "c1"}, []bool{true, true, true}},
		"names of its own":                {[]string{"a", "b", "c"}, []bool{true, true, true}},
	} {
		t.Run(name, func(t *testing.T) {
			at := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprintf(w, `{"output":"found","call_id":%q}`, row.named[at])
			}))
			defer server.Close()
			tools, err := tool.New([]tool.Config{{Name: "search", ServerURL: server.URL}}, tool.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for at = range row.named {
				res, err := tools[0].Call(t.Context(), sampler.Call{ID: fmt.Sprintf("c%d", at+1), Arguments: "{}"})
				if f, failed := endpoint.AsFailure(err); failed == row.taken[at] || failed && (!f.Temporary || !strings.Contains(f.Error(), "another call, c1")) || !failed && res.Output != "found" {
					t.Errorf("the answer to call %d: %+v, error %v", at+1, res, err)
				}
			}
		})
	}
}

// A tool that keeps its answers gives the same one to the repeat: it is taken.
func TestAToolThatKeepsItsAnswersIsBelieved(t *testing.T) {
	var named string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"output":"found","call_id":%q}`, named)
	}))
	defer server.Close()
	tools, err := tool.New([]tool.Config{{Name: "search", ServerURL: server.URL}}, tool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range []struct {
		id, named string
		taken     bool
	}{
		{"c1", "c1", true},
		{"c2", "c2", true},
		{"c3", "c1", false},
		{"c3", "c1", true}, // the repeat
		{"c4", "c1", false},
		{"c4", "c2", false}, // another one again
		{"c4", "c4", true},
	} {
		named = step.named
		if _, err := tools[0].Call(t.Context(), sampler.Call{ID: step.id, Arguments: "{}"}); (err == nil) != step.taken {
			t.Errorf("step %d: %s answered as %s: error %v", i, step.id, step.named, err)
		}
	}
}
