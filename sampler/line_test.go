package sampler_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/boundary/model"
	"gonogo/sampler/boundary/tool"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// boundary finds an endpoint by its name.
func boundary(t *testing.T, s sampler.Stats, name string) endpoint.State {
	t.Helper()
	i := slices.IndexFunc(s.Boundaries, func(b endpoint.State) bool { return b.Name == name })
	if i < 0 {
		t.Fatalf("no boundary %q among %+v", name, s.Boundaries)
	}
	return s.Boundaries[i]
}

// pound is a model server that notes how many requests it has at once, and
// refuses more than that many.
type pound struct {
	mu        sync.Mutex
	now, most int
	refused   int
	max       int
}

func (p *pound) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.max > 0 && p.now >= p.max {
		p.refused++
		return false
	}
	p.now++
	p.most = max(p.most, p.now)
	return true
}

func (p *pound) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now--
}

// capped makes the world's model refuse more than that many requests at once.
func (w *world) capped(p *pound, took time.Duration) {
	w.model = func(modelRequest) reply {
		if !p.enter() {
			return fails(429)
		}
		time.Sleep(took)
		p.leave()
		return says("42")
	}
}

func TestConcurrencyFindsWhatTheModelBears(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		p := &pound{max: 20}
		w.capped(p, 4*time.Second)
		begin := time.Now()
		stats, err := w.sample(t.Context(), nil, 300, 10, &list{})
		w.check(err)
		if stats.Outcomes[rollout.Graded] != 3000 {
			t.Errorf("outcomes %v: a 429 costs time, never a rollout", stats.Outcomes)
		}
		if share := float64(p.refused) / 3000; share >= 0.02 {
			t.Errorf("%.1f%% of the requests were refused", 100*share)
		}
		if took, best := time.Since(begin), 3000/20*4*time.Second; float64(took) > float64(best)/0.85 {
			t.Errorf("took %v, and a server that is kept busy takes %v", took, best)
		}
		m := boundary(t, stats, "model")
		if m.Limit > 21 || m.Limited != p.refused || m.Retries != p.refused || stats.Retries["model"] != p.refused || m.Requests != 3000+p.refused {
			t.Errorf("the model's boundary is %+v, after %d refusals", m, p.refused)
		}
		if m.P95 < 4*time.Second || m.P95 > 5*time.Second {
			t.Errorf("p95 is %v with answers after 4 s", m.P95)
		}
	})
}

func TestAFixedConcurrencyIsKeptExactly(t *testing.T) {
	for _, c := range []struct {
		why        string
		at, in     int // Concurrency, Rollouts
		most, took int // requests at once, seconds
	}{
		{"seven", 7, 0, 7, 1 + 10},
		{"with more rollouts under way", 7, 50, 7, 1 + 10},
		{"with fewer rollouts under way", 7, 3, 3, 1 + 23},
	} {
		t.Run(c.why, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				p := &pound{}
				w.capped(p, time.Second)
				w.cfg.Concurrency, w.cfg.Rollouts = c.at, c.in
				begin := time.Now()
				_, err := w.sample(t.Context(), nil, 71, 1, &list{})
				w.check(err)
				if took := int(time.Since(begin).Seconds()); p.most != c.most || took > c.took+1 {
					t.Errorf("%d at once, %d s; want %d, %d s", p.most, took, c.most, c.took)
				}
			})
		})
	}
}

func TestAJudgesRefusalsDoNotSlowTheModel(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.model = func(modelRequest) reply { a := says("42"); a.wait = time.Second; return a }
		n := 0
		w.judge = func(int) reply {
			w.mu.Lock()
			defer w.mu.Unlock()
			if n++; n%3 == 0 {
				return fails(429)
			}
			return says(`{"steps":[],"result":1}`)
		}
		stats, err := w.sample(t.Context(), nil, 40, 5, &list{})
		w.check(err)
		m, j := boundary(t, stats, "model"), boundary(t, stats, "judge")
		if m.Limited != 0 || m.Limit <= 8 || j.Limited == 0 || j.Limit >= 8 {
			t.Errorf("model %+v\njudge %+v: want the judge's limit shrunk and the model's grown", m, j)
		}
		if stats.Outcomes[rollout.Graded] != 200 || stats.Retries["judge"] != j.Limited || stats.Retries["grader"] != 0 {
			t.Errorf("outcomes %v, retries %v", stats.Outcomes, stats.Retries)
		}
	})
}

func TestRetryAfterHoldsForAll(t *testing.T) {
	for _, c := range []struct {
		why    string
		status int
		header func() map[string]string
	}{
		{"in seconds", 429, func() map[string]string { return map[string]string{"Retry-After": "60"} }},
		{"as a date", 503, func() map[string]string {
			return map[string]string{"Retry-After": time.Now().Add(time.Minute).UTC().Format(http.TimeFormat)}
		}},
		{"as what is left of the requests", 429, func() map[string]string {
			return map[string]string{"X-Ratelimit-Remaining-Requests": "0", "X-Ratelimit-Reset-Requests": "1m0s"}
		}},
		{"as what is left of the tokens", 200, func() map[string]string {
			return map[string]string{"X-Ratelimit-Remaining-Tokens": "0", "X-Ratelimit-Reset-Tokens": "60"}
		}},
	} {
		t.Run(c.why, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var arrived []time.Time
				var until time.Time
				w.model = func(modelRequest) reply {
					w.mu.Lock()
					defer w.mu.Unlock()
					arrived = append(arrived, time.Now())
					a := says("42")
					if len(arrived) == 30 {
						a.header, a.status, until = c.header(), c.status, time.Now().Add(time.Minute)
					} else {
						a.wait = time.Second // who is in flight then is not held
					}
					return a
				}
				_, err := w.sample(t.Context(), nil, 100, 1, &list{})
				w.check(err)
				for _, at := range arrived[30:] {
					if at.Before(until.Add(-time.Second)) && at.After(arrived[29]) {
						t.Fatalf("a request came %v after the server asked for a minute", at.Sub(arrived[29]))
					}
				}
				if len(arrived) < 100 {
					t.Errorf("%d requests", len(arrived))
				}
			})
		})
	}
}

func TestTokensPerMinute(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.cfg.Minute = map[string]limit.Limits{"model": {Tokens: 900}} // a rollout uses 15
		begin := time.Now()
		stats, err := w.sample(t.Context(), nil, 300, 1, &list{})
		w.check(err)
		took := time.Since(begin).Minutes()
		if rate := float64(stats.Tokens) / took; rate > 960 || rate < 850 {
			t.Errorf("%.0f tokens a minute over %.1f minutes, want 900", rate, took)
		}
	})
}

// A server in trouble for a while costs waiting, no rollouts.
func TestAnOutageIsWaitedOut(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var down, up time.Time
		during, before := 0, 0
		w.model = func(modelRequest) reply {
			w.mu.Lock()
			defer w.mu.Unlock()
			now := time.Now()
			if down.IsZero() {
				down = now.Add(5 * time.Second)
				up = down.Add(40 * time.Second)
			}
			if now.After(down) && now.Before(up) {
				if during++; during == 1 {
					before = w.most
				}
				return fails(503)
			}
			a := says("42")
			a.wait = time.Second
			return a
		}
		stats, err := w.sample(t.Context(), nil, 200, 5, &list{})
		w.check(err)
		if lost := stats.Outcomes[rollout.ModelAPI]; lost > 3 {
			t.Errorf("%d rollouts were lost in an outage of 40 s", lost)
		}
		// Those in flight fail, then those that take their places and the first
		// repeats: the pauses begin with the second wave. After that one at a time
		// is tried.
		if m := boundary(t, stats, "model"); during > 3*before+20 || m.Limit < before/2 {
			t.Errorf("%d requests were made in the outage, %d at once before it; the limit is %d afterwards: trouble pauses and does not shrink", during, before, m.Limit)
		}
	})
}

func TestTheSameFailureAgainAndAgainStopsTheRun(t *testing.T) {
	broken := func(n int) reply {
		return reply{status: 500, body: fmt.Sprintf(`{"error":{"message":"CUDA error in request req-%d"}}`, n)}
	}
	for _, c := range []struct {
		why      string
		breaker  int
		after    int // requests that are answered first
		answer   func(n int) reply
		says     string
		requests int // that failed, at most
		lost     int // rollouts recorded as lost, at most
	}{
		{"a 500 from the start", 5, 0, broken, "failed 5 times in a row with the same error, status 500: CUDA error", 5 + 2*8, 2},
		{"a 500 from then on", 5, 100, broken, "http://model.test/v1/responses failed 5 times in a row", 5 + 2*160, 160}, // two rounds of what was in flight,
		{"a 400 of all items", 5, 0, func(int) reply { return fails(400) }, "status 400: broken", 5 + 16, 5 + 16},
		{"answers that cannot be used", 5, 0, func(int) reply { return reply{body: `{"error":{"message":"upstream"}}`} }, "status 200", 40, 10},
		{"no answers at all", 5, 0, func(int) reply { return reply{hangUp: true} }, "gave no answer", 40, 10},
		{"never, when it is switched off", 0, 0, func(int) reply { return fails(400) }, "", 200, 200},
	} {
		t.Run(c.why, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.cfg.Breaker = c.breaker
				n := 0
				w.model = func(modelRequest) reply {
					w.mu.Lock()
					defer w.mu.Unlock()
					n++
					a := says("42")
					if n > c.after {
						a = c.answer(n)
					}
					a.wait = 100 * time.Millisecond
					return a
				}
				sink := &list{}
				items := 200
				if c.after > 0 {
					items = 1000 // at the end of a run nothing is given up any more
				}
				stats, err := w.sample(t.Context(), nil, items, 1, sink)
				if c.says == "" {
					w.check(err)
					return
				}
				var dead *endpoint.Error
				if !errors.As(err, &dead) || dead.Boundary != "model" || dead.Times < 5 || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "sampling.breaker") {
					t.Fatalf("error %v", err)
				}
				if n > c.after+c.requests || stats.StoppedBy != sampler.StoppedByError || stats.Outcomes[rollout.ModelAPI] > c.lost {
					t.Errorf("%d requests after the first failed, %d rollouts recorded as lost, stopped by %q", n-c.after, stats.Outcomes[rollout.ModelAPI], stats.StoppedBy)
				}
				if graded := stats.Outcomes[rollout.Graded]; graded != c.after || len(sink.records) != stats.Recorded {
					t.Errorf("%d rollouts are kept of the %d that were answered", graded, c.after)
				}
			})
		})
	}
}

// Trouble that differs, or that an answer interrupts, is measured to the end.
func TestMixedFailuresDoNotStopTheRun(t *testing.T) {
	for _, at := range []int{0, 1, 32} {
		inWorld(t, func(t *testing.T, w *world) {
			w.cfg.Concurrency = at
			n := 0
			w.model = func(modelRequest) reply {
				w.mu.Lock()
				defer w.mu.Unlock()
				n++
				switch n % 7 {
				case 0, 1:
					return fails(500)
				case 2:
					return fails(503)
				case 3:
					return reply{hangUp: true}
				}
				return says("42")
			}
			stats, err := w.sample(t.Context(), nil, 100, 2, &list{})
			w.check(err)
			if stats.Recorded != 200 || stats.Outcomes[rollout.Graded] < 150 {
				t.Errorf("at concurrency %d: %+v", at, stats)
			}
		})
	}
}

// trickle serves an answer in pieces, each after a wait.
func trickle(wait time.Duration, pieces int, stall bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		text := `{"output":"` + strings.Repeat("x", pieces) + `"}`
		for i := range text {
			_, _ = io.WriteString(w, text[i:i+1])
			if i%(len(text)/pieces) == 0 {
				w.(http.Flusher).Flush()
				time.Sleep(wait)
			}
			if stall && i > len(text)/2 {
				<-r.Context().Done()
				return
			}
		}
	})
}

// A connection hangs when no byte comes, however long the answer takes.
func TestHungConnectionsAreFoundByProgress(t *testing.T) {
	const silence = 400 * time.Millisecond
	for _, c := range []struct {
		why     string
		handler http.Handler
		fails   string // "" = answered
	}{
		{"slow but alive, for three times as long", trickle(silence/8, 24, false), ""},
		{"stalled in the middle", trickle(time.Millisecond, 8, true), "the answer started, then no byte of it came for 400ms"},
		{"silent from the start", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // only then is the end of the connection noticed
			<-r.Context().Done()
		}), "no answer within 400ms"},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(c.handler)
			defer server.Close()
			client := endpoint.HTTPClient(nil, 1)
			defer client.CloseIdleConnections()
			tools, err := tool.New([]tool.Config{{Name: "search", ServerURL: server.URL}}, tool.Options{HTTP: client})
			if err != nil {
				t.Fatal(err)
			}
			cfg := sampler.DefaultConfig()
			cfg.ToolTimeout, cfg.Retry = silence, limit.Retry{}
			items := makeItems(1)
			r, err := sampler.Rehearse(t.Context(), cfg, 1, sampler.Rollout{Item: &items[0]}, sampler.Boundaries{
				Model: asking{}, Tools: map[string]sampler.Tool{"search": tools[0]}, Grader: gradeFunc(func(context.Context, sampler.Output) (sampler.Grade, error) { return sampler.Grade{Reward: 1}, nil }),
			})
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case c.fails == "" && r.Outcome != rollout.Graded:
				t.Errorf("outcome %s: %s", r.Outcome, r.Error)
			case c.fails != "" && !strings.Contains(r.Error, c.fails):
				t.Errorf("outcome %s: %q, want %q", r.Outcome, r.Error, c.fails)
			}
		})
	}
}

// asking is a model that calls the tool once and then answers.
type asking struct{}

func (asking) Reply(_ context.Context, req sampler.Request) (sampler.Reply, error) {
	if len(req.Turns) == 0 {
		return sampler.Reply{Calls: []rollout.ToolCall{{ID: "c", Name: "search", Arguments: "{}"}}}, nil
	}
	return sampler.Reply{Text: "42", Final: true}, nil
}

// Waiting for a turn is neither a rollout's time nor a call's, and no time limit
// counts it.
func TestWaitingForATurnTakesNoTime(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.cfg.Concurrency, w.cfg.Rollouts, w.cfg.RolloutTimeout, w.cfg.ToolTimeout = 1, 64, 10*time.Second, 5*time.Second
		w.model = func(r modelRequest) reply {
			a := script(wants("search"), says("42"))(r)
			a.wait = time.Second
			return a
		}
		w.tool = func(toolRequest) reply { a := gives("x"); a.wait = 3 * time.Second; return a }
		sink := &list{}
		_, err := w.sample(t.Context(), nil, 64, 1, sink)
		w.check(err)
		for _, r := range sink.records {
			if r.Outcome != rollout.Graded || time.Duration(r.Elapsed) != 5*time.Second || time.Duration(r.Calls[0].Elapsed) != 3*time.Second {
				t.Fatalf("outcome %s, elapsed %v, the call %v: %s", r.Outcome, time.Duration(r.Elapsed), time.Duration(r.Calls[0].Elapsed), r.Error)
			}
		}
	})
}

// Rollouts begin as the endpoints have room for them, not all at once.
func TestRolloutsBeginAsThereIsRoom(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		p := &pound{max: 4}
		w.capped(p, 10*time.Second)
		most := 0
		jobs := sampler.Plan(makeItems(600), map[rollout.Split]int{rollout.Train: 1}, nil)
		_, err := sampler.Sample(t.Context(), sampler.SampleOptions{
			Config: w.cfg, Seed: 1, Rollouts: jobs, Boundaries: w.serve(), Sink: &list{},
			Watch: func(e sampler.Event) {
				if e.Recorded > 400 {
					most = max(most, e.InFlight)
				}
			},
		})

		w.check(err)
		if most > 100 { // of 600: those on their way to the line, in it, and resting before a repeat
			t.Errorf("%d rollouts under way at an endpoint that bears 4 requests", most)
		}
	})
}

// First come, first served; who leaves the line leaves no trace.
func TestTheLine(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		cfg := sampler.DefaultConfig()
		cfg.Concurrency, cfg.Rollouts = 1, 20
		var order []string
		var mu sync.Mutex
		var at atomic.Int32
		g := gradeFunc(func(ctx context.Context, out sampler.Output) (sampler.Grade, error) {
			n := time.Duration(at.Add(1))
			time.Sleep(n * time.Millisecond) // they come one after the other
			waits, cancel := ctx, context.CancelFunc(func() {})
			if n%3 == 0 {
				waits, cancel = context.WithTimeout(ctx, 1500*time.Millisecond) // and some leave
			}
			defer cancel()
			_, err := out.Caller.Do(waits, endpoint.Request{Endpoint: endpoint.Grader}, func(context.Context, *endpoint.Try) error {
				mu.Lock()
				order = append(order, fmt.Sprintf("%02d", n))
				mu.Unlock()
				if n > 1 { // the first answer is there at once, so all may ask
					time.Sleep(time.Second)
				}
				return nil
			})
			return sampler.Grade{Reward: 1}, err
		})
		stats, err := sampler.Regrade(t.Context(), sampler.RegradeOptions{
			Config: cfg, Tasks: feed(tasks(20, 1), nil), Total: 20, Grader: g, Sink: &list{},
		})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSorted(order) || len(order) < 13 {
			t.Errorf("served in the order %v", order)
		}
		if b := boundary(t, stats, "grader"); b.InFlight != 0 || b.Waiting != 0 || b.Requests != len(order) {
			t.Errorf("after the run: %+v", b)
		}
	})
}

func TestTheLogTellsOfRetriesAndLimits(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var log bytes.Buffer
		w.cfg.Log = slog.New(slog.NewJSONHandler(&log, nil))
		p := &pound{max: 3}
		w.capped(p, time.Second)
		_, err := w.sample(t.Context(), nil, 30, 1, &list{})
		w.check(err)
		seen := map[string]map[string]any{}
		for _, line := range strings.Split(strings.TrimSpace(log.String()), "\n") {
			var e map[string]any
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatal(err)
			}
			seen[e["msg"].(string)] = e
		}
		if r := seen["retry"]; r["boundary"] != "model" || r["class"] != "limited" || r["status"] != 429.0 || r["retry"] == nil || r["wait_s"] == nil || r["item"] == nil || r["trace_id"] == nil {
			t.Errorf("retry: %v", r)
		}
		if l := seen["limit"]; l["boundary"] != "model" || l["after"] != "limited" || l["limit"] == nil || l["was"] == nil {
			t.Errorf("limit: %v", l)
		}
	})
}

// A storm of 429s on a real server: no rollout is lost, and after it the rest
// goes on.
func TestAStormOnARealServer(t *testing.T) {
	var n, storm atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if i := n.Add(1); i > 20 && i <= 60 {
			storm.Add(1)
			w.Header().Set("Retry-After-Ms", "20")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, says("42").body)
	}))
	defer server.Close()
	m, err := model.New(model.Config{Name: "m", BaseURL: server.URL, APIKey: "k"})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	g, err := grader.New(grader.Kinds(), json.RawMessage(`{"type":"string_check","name":"s","input":"{{sample.output_text}}","reference":"42","operation":"eq"}`), grader.Env{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := sampler.DefaultConfig()
	cfg.Retry.Wait = time.Millisecond
	jobs := sampler.Plan(makeItems(50), map[rollout.Split]int{rollout.Train: 6}, nil)
	stats, err := sampler.Sample(t.Context(), sampler.SampleOptions{
		Config: cfg, Seed: 1, Rollouts: jobs, Boundaries: sampler.Boundaries{Model: m, Grader: g}, Sink: &list{},
	})
	if err != nil || stats.Outcomes[rollout.Graded] != 300 {
		t.Fatalf("%v, outcomes %v", err, stats.Outcomes)
	}
	if b := boundary(t, stats, "model"); b.Limited != int(storm.Load()) || b.Retries != 40 || b.InFlight != 0 {
		t.Errorf("the model's boundary: %+v", b)
	}
}
