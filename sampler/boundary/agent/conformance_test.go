package agent_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gonogo/fixtures"
	"gonogo/sampler"
	"gonogo/sampler/boundary/agent"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/boundary/model"
	"gonogo/sampler/boundary/proxy"
	"gonogo/sampler/boundary/tool"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/input/dataset"
	"gonogo/sampler/rollout"
)

// records keeps what a run writes.
type records []*rollout.Record

func (r *records) Append(rec *rollout.Record) error {
	*r = append(*r, rec)
	return nil
}

// site is the tiny world, served, and the jobs of a few of its items.
type site struct {
	url    string
	client *http.Client
	jobs   []sampler.Rollout
	grader sampler.Grader
}

func newSite(t *testing.T) *site {
	t.Helper()
	world, err := fixtures.Find("tiny")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := world.Write(dir); err != nil {
		t.Fatal(err)
	}
	server, err := world.Serve(fixtures.ServeOptions{RequireKey: "the-run's-own-key"})
	if err != nil {
		t.Fatal(err)
	}
	transport := endpoint.HTTPTransport(64)
	s := &site{url: server.URL(), client: endpoint.HTTPClient(transport, 64)}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	file, err := dataset.Load(dir+"/"+fixtures.TrainFile, rollout.Train, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.jobs = sampler.Plan(file.Items, map[rollout.Split]int{rollout.Train: 4}, nil)
	raw := json.RawMessage(`{"type":"endpoint","name":"stated_figure","url":"` + s.url + `/grade"}`)
	if s.grader, err = grader.New(grader.Kinds(), raw, grader.Env{HTTP: s.client}); err != nil {
		t.Fatal(err)
	}
	return s
}

// sample makes all rollouts by those boundaries, and returns them in order.
func (s *site) sample(t *testing.T, b sampler.Boundaries) []*rollout.Record {
	t.Helper()
	b.Grader = s.grader
	cfg := sampler.DefaultConfig()
	cfg.Concurrency, cfg.MaxSteps, cfg.AgentTimeout = 8, 24, time.Minute
	var got records
	if _, err := sampler.Sample(t.Context(), sampler.SampleOptions{
		Config: cfg, Seed: 7, Rollouts: s.jobs, Boundaries: b, Sink: &got,
	}); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(got, func(a, b *rollout.Record) int { return strings.Compare(a.TraceID, b.TraceID) })
	return got
}

func (s *site) door(t *testing.T) *proxy.Proxy { return s.doorWith(t, "the-run's-own-key") }

func (s *site) doorWith(t *testing.T, key string) *proxy.Proxy {
	t.Helper()
	p, err := proxy.New(proxy.Config{BaseURL: s.url + "/v1", Model: "scripted-policy", API: "chat", APIKey: key, HTTP: s.client})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// builtIn is the run's own loop.
func (s *site) builtIn(t *testing.T) sampler.Boundaries {
	t.Helper()
	policy, err := model.New(model.Config{Name: "scripted-policy", BaseURL: s.url + "/v1", API: model.Chat, APIKey: "the-run's-own-key", HTTP: s.client})
	if err != nil {
		t.Fatal(err)
	}
	b := sampler.Boundaries{Model: policy, Tools: map[string]sampler.Tool{}}
	var cfgs []tool.Config
	for _, name := range []string{"search", "list", "cat"} {
		cfgs = append(cfgs, tool.Config{Name: name, ServerURL: s.url + "/tools/" + name})
	}
	tools, err := tool.New(cfgs, tool.Options{HTTP: s.client})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range tools {
		b.Tools[x.Name()] = x
	}
	return b
}

// command is this test binary as an agent.
func command(t testing.TB, how string, change func(*agent.CommandConfig)) *agent.Command {
	t.Helper()
	t.Setenv(behaviour, how)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cfg := agent.CommandConfig{Argv: []string{program}, Processes: 8, Options: agent.RequestOptions{Hide: agent.Hidden()}}
	if change != nil {
		change(&cfg)
	}
	c, err := agent.NewCommand(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// service is the plain loop behind a URL. Every other rollout is asked for later.
func service(t *testing.T, s *site) *agent.Service {
	t.Helper()
	var results sync.Map
	mux := http.NewServeMux()
	mux.HandleFunc("POST /start", func(w http.ResponseWriter, r *http.Request) {
		var req agent.Request
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			t.Error(err)
		}
		result := loop(s.client, req, s.url+"/tools")
		if req.Sample%2 == 1 {
			results.Store(req.TraceID, result)
			w.WriteHeader(http.StatusAccepted)
			_, _ = w.Write([]byte(`{"poll":"result/` + req.TraceID + `"}`))
			return
		}
		_ = json.NewEncoder(w).Encode(result)
	})
	mux.HandleFunc("GET /result/{trace}", func(w http.ResponseWriter, r *http.Request) {
		result, _ := results.Load(r.PathValue("trace"))
		_ = json.NewEncoder(w).Encode(result)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	a, err := agent.NewService(agent.ServiceConfig{URL: server.URL + "/start", Poll: time.Millisecond, HTTP: s.client, Options: agent.RequestOptions{Hide: agent.Hidden()}})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// known is what every way of making a rollout must agree on.
type known struct {
	Trace, Outcome, Answer string
	Reward                 float64
	Turns                  int
	Calls                  []string
	Outputs                int
	Tokens                 int64
}

func knownOf(t *testing.T, recs []*rollout.Record) []known {
	t.Helper()
	var out []known
	for _, r := range recs {
		k := known{Trace: r.TraceID, Outcome: string(r.Outcome), Answer: r.Answer, Turns: r.Turns}
		if r.Reward != nil {
			k.Reward = *r.Reward
		}
		for _, c := range r.Calls {
			k.Calls = append(k.Calls, c.Name+c.Arguments)
			k.Outputs += c.OutputBytes
		}
		if r.Usage.Output != nil {
			k.Tokens = *r.Usage.Output
		}
		out = append(out, k)
	}
	return out
}

// Whatever makes the rollouts, the records are the same.
func TestEveryWayMakesTheSameRollouts(t *testing.T) {
	s := newSite(t)
	t.Setenv(toolsAt, s.url+"/tools")
	want := knownOf(t, s.sample(t, s.builtIn(t)))
	for name, b := range map[string]sampler.Boundaries{
		"a command":                  {Agent: command(t, "loop", nil), ModelProxy: s.door(t)},
		"a command for each rollout": {Agent: command(t, "loop", func(c *agent.CommandConfig) { c.PerRollout = true }), ModelProxy: s.door(t)},
		"a service":                  {Agent: service(t, s), ModelProxy: s.door(t)},
		"an agent for SageMaker":     {Agent: sageMaker(t, s), ModelProxy: s.door(t)},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(want, knownOf(t, s.sample(t, b))); d != "" {
				t.Errorf("other rollouts than by the loop here (-here +there):\n%s", d)
			}
		})
	}
}
