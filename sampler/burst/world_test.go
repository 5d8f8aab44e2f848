package burst_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"gonogo/fixtures/pipe"
	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/boundary/isolation"
	"gonogo/sampler/boundary/tool"
	"gonogo/sampler/burst"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server is the two endpoints of a test's job: the tool at /search, the grader
// at /grade. Its connections lie in memory, so its time is the bubble's.
type server struct {
	tools  map[string]sampler.Tool
	grader sampler.Grader
	keeper *isolation.Keeper
	client *http.Client
	mux    *http.ServeMux

	open, started atomic.Int64 // sessions now, and in all
}

// request is what a handler gets of one call or grading.
type request struct {
	CallID    string `json:"call_id"`
	TraceID   string `json:"trace_id"`
	Arguments string `json:"arguments"`
	flight    int64  // requests to this endpoint now, itself included
}

type answers func(w http.ResponseWriter, r request)

// echo answers after a tenth of a second, as the wire contract says.
func echo(w http.ResponseWriter, r request) {
	time.Sleep(100 * time.Millisecond)
	_ = json.NewEncoder(w).Encode(map[string]string{"type": "function_call_output", "call_id": r.CallID, "output": "found " + r.Arguments})
}

func score(w http.ResponseWriter, _ request) {
	time.Sleep(50 * time.Millisecond)
	_, _ = w.Write([]byte(`{"score":0.5}`))
}

// serve must be called within a bubble of testing/synctest.
func serve(t *testing.T, search, grade answers) *server {
	t.Helper()
	l := pipe.Listen()
	mux := http.NewServeMux()
	for path, f := range map[string]answers{"/search": search, "/grade": grade} {
		var flight atomic.Int64
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			req := request{flight: flight.Add(1)}
			defer flight.Add(-1)
			if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			f(w, req)
		})
	}
	out := &server{mux: mux}
	mux.HandleFunc("/start", func(http.ResponseWriter, *http.Request) {
		out.open.Add(1)
		out.started.Add(1)
		time.Sleep(200 * time.Millisecond)
	})
	mux.HandleFunc("/stop", func(http.ResponseWriter, *http.Request) { out.open.Add(-1) })
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: mux}}
	s.Start()
	transport := &http.Transport{
		DialContext:         func(ctx context.Context, _, _ string) (net.Conn, error) { return l.Dial(ctx) },
		MaxIdleConnsPerHost: 500,
	}
	client := endpoint.HTTPClient(burst.Watch(transport), 500)
	t.Cleanup(func() { client.CloseIdleConnections(); s.Close() })
	tools, err := tool.New([]tool.Config{{Name: "search", ServerURL: "http://world/search"}}, tool.Options{HTTP: client})
	if err != nil {
		t.Fatal(err)
	}
	g, err := grader.New(grader.Kinds(), json.RawMessage(`{"type":"endpoint","url":"http://world/grade"}`), grader.Env{HTTP: client})
	if err != nil {
		t.Fatal(err)
	}
	out.client, out.tools, out.grader = client, map[string]sampler.Tool{"search": tools[0]}, g
	out.keeper, err = isolation.New(isolation.Config{Start: "http://world/start", Stop: "http://world/stop", HTTP: client})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// recorded is the input of a plan: items with four rollouts each, of two calls
// in a turn each.
func recorded(items int) burst.Input {
	in := burst.Input{Seed: 1, Grade: true, Group: 4, Tools: []burst.Tool{{Name: "search"}}}
	var recs []*rollout.Record
	for i := range items {
		it := rollout.Item{ID: fmt.Sprintf("q%d", i), Split: rollout.Train, Row: json.RawMessage(fmt.Sprintf(`{"messages":[{"role":"user","content":"where is item %d"}]}`, i))}
		if err := it.Decode(); err != nil {
			panic(err)
		}
		in.Items = append(in.Items, it)
		for j := range 4 {
			rec := &rollout.Record{Item: it.ID, Split: it.Split, Sample: j, Outcome: rollout.Graded, Answer: "42"}
			for k := range 2 {
				rec.Calls = append(rec.Calls, rollout.Call{
					Turn: k, Name: "search", Arguments: fmt.Sprintf(`{"q":"%d %d %d"}`, i, j, k), Status: rollout.CallOK,
					Offset: rollout.Seconds(time.Duration(1+3*k) * time.Second), Elapsed: rollout.Seconds(time.Second),
				})
			}
			recs = append(recs, rec)
		}
	}
	in.Records = recordsOf(recs)
	return in
}

func recordsOf(recs []*rollout.Record) func(context.Context, rollout.ReadOptions, func(*rollout.Record) error) (rollout.Input, error) {
	return func(_ context.Context, _ rollout.ReadOptions, yield func(*rollout.Record) error) (rollout.Input, error) {
		for _, rec := range recs {
			if err := yield(rec); err != nil {
				return rollout.Input{}, err
			}
		}
		if len(recs) == 0 {
			return rollout.Input{}, rollout.ErrNoRecords
		}
		return rollout.Input{}, nil
	}
}

func plan(t *testing.T, in burst.Input) *burst.Plan {
	t.Helper()
	p, err := burst.NewPlan(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func config() burst.Config {
	cfg := burst.DefaultConfig()
	cfg.ID, cfg.Repeats, cfg.Ramp, cfg.Retry = "test", 16, 32, limit.Retry{Max: 3, Wait: 100 * time.Millisecond, Cap: time.Second}
	return cfg
}

func play(t *testing.T, cfg burst.Config, p *burst.Plan, s *server) (*rollout.Burst, []rollout.BurstCall) {
	t.Helper()
	b, calls, err := burst.Run(t.Context(), nil, cfg, p, s.tools, s.grader, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b, calls
}

// inBubble runs a test in virtual time.
func inBubble(t *testing.T, test func(*testing.T)) {
	t.Helper()
	defer oneProcessor()()
	synctest.Test(t, test)
}
