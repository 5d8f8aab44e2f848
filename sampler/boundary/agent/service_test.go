package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/boundary/agent"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// What a service answers that is not a result has its name; what cost nothing is tried
// again.
func TestAServiceThatFails(t *testing.T) {
	s := newSite(t)
	for _, c := range []struct {
		why    string
		start  http.HandlerFunc
		result http.HandlerFunc // of the second question; the first is put off
		kind   string
		says   string
		tries  int32
	}{
		{"full", status(503), nil, sampler.KindAgentStart, "status 503", 3},
		{"a request it does not take", status(422), nil, sampler.KindAgentStart, "status 422", 1},
		{"no result", text("thinking"), nil, sampler.KindAgentGarbled, `wrote "thinking" instead of a JSON object`, 1},
		{"nothing", text(""), nil, sampler.KindAgentGarbled, "the agent wrote nothing", 1},
		{"later, and not where", accepted(`{}`), nil, sampler.KindAgentGarbled, `no "poll"`, 1},
		{"later, at another server", accepted(`{"poll":"http://elsewhere.example/1"}`), nil, sampler.KindAgentGarbled, "not an address on its own server", 1},
		{"a result that was forgotten", accepted(`{"poll":"result"}`), status(404), sampler.KindAgentCrashed, "started the rollout but has no result for it: status 404", 1},
		{"a result that never comes", accepted(`{"poll":"result"}`), accepted(`{}`), sampler.KindAgentHung, "no result within 500ms (agent.timeout)", 1},
		{"an answer that never comes", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, nil, sampler.KindAgentHung, "no result within 500ms", 1},
		{"another rollout's", text(`{"trace_id":"trace_0","output":"42"}`), nil, sampler.KindAgentGarbled, "trace_0", 1},
	} {
		t.Run(c.why, func(t *testing.T) {
			var tries atomic.Int32
			mux := http.NewServeMux()
			mux.HandleFunc("/start", func(w http.ResponseWriter, r *http.Request) {
				tries.Add(1)
				_, _ = r.Body.Read(make([]byte, 1<<16)) // so that its end is noticed
				c.start(w, r)
			})
			if c.result != nil {
				mux.HandleFunc("/result", c.result)
			}
			server := httptest.NewServer(mux)
			defer server.Close()
			a, err := agent.NewService(agent.ServiceConfig{URL: server.URL + "/start", Poll: time.Millisecond, HTTP: s.client})
			if err != nil {
				t.Fatal(err)
			}
			cfg := sampler.DefaultConfig()
			cfg.Concurrency, cfg.AgentTimeout, cfg.Breaker, cfg.Retry.Max, cfg.Retry.Wait = 1, time.Minute, 0, 2, time.Millisecond
			if c.kind == sampler.KindAgentHung {
				cfg.AgentTimeout = 500 * time.Millisecond
			}
			var got records
			if _, err := sampler.Sample(t.Context(), sampler.SampleOptions{
				Config: cfg, Seed: 7, Rollouts: s.jobs[:1],
				Boundaries: sampler.Boundaries{Agent: a, Grader: s.grader}, Sink: &got,
			}); err != nil {
				t.Fatal(err)
			}
			if r := got[0]; r.Outcome != rollout.ToolFailed || r.Kind != c.kind || !strings.Contains(r.Error, c.says) || tries.Load() != c.tries {
				t.Errorf("outcome %s, kind %q, %d tries: %s; want %q, %d: …%s…", r.Outcome, r.Kind, tries.Load(), r.Error, c.kind, c.tries, c.says)
			}
		})
	}
}

// trip answers requests without a network.
type trip func(*http.Request) (*http.Response, error)

func (t trip) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// A question for the result whose connection is lost is put again: it held the
// rollout until agent.timeout, and lost it.
func TestAQuestionThatIsLostIsPutAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		answer := func(code int, body string) (*http.Response, error) {
			return &http.Response{StatusCode: code, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}, nil
		}
		client := &http.Client{Transport: trip(func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodPost {
				return answer(http.StatusAccepted, `{"poll":"result"}`)
			}
			if asked++; asked == 1 {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return answer(http.StatusOK, `{"output":"42"}`)
		})}
		a, err := agent.NewService(agent.ServiceConfig{URL: "http://agent.test/start", HTTP: client})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
		defer cancel()
		begin := time.Now()
		done, err := a.Run(ctx, sampler.AgentRequest{Item: &rollout.Item{ID: "q", Row: json.RawMessage(`{}`)}, TraceID: "trace_1"})
		if took := time.Since(begin); err != nil || done.Output != "42" || took > 5*time.Minute {
			t.Errorf("output %q after %v, error %v", done.Output, took, err)
		}
	})
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, s) }
}

func accepted(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprint(w, s)
	}
}

// A model that refuses the run's key is found out by the first rollout.
func TestAModelThatRefusesTheKeyEndsTheRun(t *testing.T) {
	s := newSite(t)
	t.Setenv(toolsAt, s.url+"/tools")
	door, cfg := s.doorWith(t, "another-key"), sampler.DefaultConfig()
	cfg.Concurrency, cfg.AgentTimeout = 1, time.Minute
	var got records
	_, err := sampler.Sample(t.Context(), sampler.SampleOptions{
		Config: cfg, Seed: 7, Rollouts: s.jobs,
		Boundaries: sampler.Boundaries{Agent: command(t, "loop", nil), ModelProxy: door, Grader: s.grader},
		Sink:       &got,
	})
	if err == nil || !strings.Contains(err.Error(), "model endpoint") || !strings.Contains(err.Error(), "refuses the request with status 401") || len(got) > 0 {
		t.Errorf("%d records, %v", len(got), err)
	}
}

// An agent mostly does not tell what it was answered: what was refused here is
// before what it says.
func TestARefusedRequestIsNamed(t *testing.T) {
	s := newSite(t)
	cfg := sampler.DefaultConfig()
	cfg.Concurrency, cfg.AgentTimeout = 1, time.Minute
	var got records
	if _, err := sampler.Sample(t.Context(), sampler.SampleOptions{
		Config: cfg, Seed: 7, Rollouts: s.jobs[:1],
		Boundaries: sampler.Boundaries{Agent: command(t, "another model", nil), ModelProxy: s.door(t), Grader: s.grader},
		Sink:       &got,
	}); err != nil {
		t.Fatal(err)
	}
	const want = `its last request was not forwarded to the model: this run measures the model "scripted-policy", not "gpt-4"`
	if r := got[0]; r.Outcome != rollout.ModelAPI || !strings.HasPrefix(r.Error, "agent: "+want) || !strings.Contains(r.Error, "then: the agent says that its model failed: ") {
		t.Errorf("outcome %s: %s", r.Outcome, r.Error)
	}
}

// A service may lie in the rollout's own session.
func TestAServiceInASession(t *testing.T) {
	server := httptest.NewServer(text(`{"output":"42"}`))
	defer server.Close()
	client := endpoint.HTTPClient(nil, 1)
	defer client.CloseIdleConnections()
	a, err := agent.NewService(agent.ServiceConfig{URL: "http://127.0.0.1:{{session.port}}/rollouts", HTTP: client})
	if err != nil || len(a.SessionReads()) != 1 {
		t.Fatal(a, err)
	}
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	p := sampler.AgentRequest{Item: &rollout.Item{ID: "q"}, RolloutSession: &sampler.RolloutSession{Values: map[string]json.RawMessage{"port": json.RawMessage(port)}}}
	if got, err := a.Run(t.Context(), p); err != nil || got.Output != "42" {
		t.Errorf("%+v, %v", got, err)
	}
	p.RolloutSession = nil
	if _, err := a.Run(t.Context(), p); err == nil || !strings.Contains(err.Error(), `the session has no "port"`) {
		t.Errorf("without a session: %v", err)
	}
}

// Keys that a service echoes, whole or in why it failed, are shown to no one: those of a
// session are known here alone.
func TestAServiceThatEchoesItsKey(t *testing.T) {
	const key = "key-of-this-session"
	for _, c := range []struct {
		why           string
		start, result int // statuses
	}{{"in its result", 200, 0}, {"in why it refuses", 422, 0}, {"in why it has no result", 202, 404}, {"in a result that comes later", 202, 200}} {
		mux := http.NewServeMux()
		echo := func(status int) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(status)
				fmt.Fprintf(w, `{"poll":"result","output":%q,"error":{"message":%[1]q}}`, r.Header.Get("Authorization"))
			}
		}
		mux.HandleFunc("/start", echo(c.start))
		mux.HandleFunc("/result", echo(c.result))
		server := httptest.NewServer(mux)
		client := endpoint.HTTPClient(nil, 1)
		a, err := agent.NewService(agent.ServiceConfig{URL: server.URL + "/start", Headers: map[string]string{"Authorization": "Bearer {{session.token}}"}, Poll: time.Millisecond, HTTP: client})
		if err != nil {
			t.Fatal(err)
		}
		p := sampler.AgentRequest{Item: &rollout.Item{ID: "q"}, RolloutSession: &sampler.RolloutSession{Values: map[string]json.RawMessage{"token": json.RawMessage(`"` + key + `"`)}}}
		got, err := a.Run(t.Context(), p)
		if err == nil || strings.Contains(fmt.Sprint(got, err), key) || !strings.Contains(err.Error(), "**********") {
			t.Errorf("%s: %+v, %v", c.why, got, err)
		}
		client.CloseIdleConnections()
		server.Close()
	}
}
