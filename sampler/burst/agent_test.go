package burst_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/boundary/agent"
	"gonogo/sampler/burst"
	"gonogo/sampler/rollout"
)

// room is a proxy to a model that answered that many turns, or failed.
type room struct {
	turns  int
	failed error
}

func (r room) Open(context.Context, sampler.AgentRequest) (sampler.ModelAccess, func() sampler.ModelTraffic, error) {
	tokens := int64(100)
	return sampler.ModelAccess{BaseURL: "http://model"}, func() sampler.ModelTraffic {
		heard := sampler.ModelTraffic{Turns: r.turns, Failed: r.failed}
		if r.turns > 0 {
			heard.Usage = rollout.Usage{Input: &tokens, Output: &tokens}
		}
		return heard
	}, nil
}

// asked plays a burst of 16 rollouts that a service makes, and returns the
// requests to it.
func asked(t *testing.T, door room, service func(w http.ResponseWriter, n int, req agent.Request), change func(*burst.Config)) (b *rollout.Burst, calls, grades []rollout.BurstCall, used int, err error) {
	t.Helper()
	var mu sync.Mutex
	n := 0
	s := serve(t, echo, score)
	s.mux.HandleFunc("/agent", func(w http.ResponseWriter, r *http.Request) {
		var req agent.Request
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			t.Error(err)
		}
		mu.Lock()
		n++
		own := n
		mu.Unlock()
		service(w, own, req)
	})
	a, err := agent.NewService(agent.ServiceConfig{URL: "http://world/agent", HTTP: s.client})
	if err != nil {
		t.Fatal(err)
	}
	cfg := config()
	cfg.Least = 16
	cfg.Agent = burst.Agent{Agent: a, ModelProxy: door, Timeout: time.Minute, Used: func(rec *rollout.Record) {
		mu.Lock()
		defer mu.Unlock()
		if rec.Usage.Input != nil {
			used += int(*rec.Usage.Input)
		}
	}}
	if change != nil {
		change(&cfg)
	}
	in := recorded(20)
	in.Agent, in.Rollouts = true, 16
	b, all, err := burst.Run(t.Context(), nil, cfg, plan(t, in), s.tools, s.grader, nil)
	if err != nil {
		return nil, nil, nil, used, err
	}
	return b, of(b, all, "agent", rollout.BurstWave), of(b, all, "grader", rollout.BurstWave), used, nil
}

func answers42(w http.ResponseWriter, _ int, req agent.Request) {
	time.Sleep(2 * time.Second)
	_ = json.NewEncoder(w).Encode(map[string]string{"trace_id": req.TraceID, "output": "42"})
}

// A service that makes the rollouts is asked for a step of them at once, and what it
// answers is graded. No request is made twice, and no recorded call again.
func TestABurstOfAnAgentsService(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b, calls, grades, used, err := asked(t, room{turns: 2}, answers42, nil)
		if err != nil {
			t.Fatal(err)
		}
		var waves []string
		made := 0
		for _, w := range b.Waves {
			waves = append(waves, string(w.Purpose))
			made += w.Rollouts
		}
		if got := strings.Join(waves, " "); got != "ramp ramp ramp ramp burst" || made != 4*8+16 || used != 100*made {
			t.Errorf("waves %s of %d rollouts, which used %d tokens", got, made, used)
		}
		if len(calls) != 16 || len(grades) != 16 || len(b.Endpoints) != 2 || b.Endpoints[0].Name != "agent" {
			t.Fatalf("%d rollouts, %d gradings at %+v", len(calls), len(grades), b.Endpoints)
		}
		for _, c := range calls {
			if c.Elapsed != rollout.Seconds(2*time.Second) || c.Failed || len(c.Odd) > 0 || c.Leak != "" || c.Again != "" || c.Status != 200 {
				t.Errorf("%+v", c)
			}
		}
	})
}

// What goes wrong has its name, and only what cost nothing is tried again.
func TestABurstOfAnAgentsServiceThatFails(t *testing.T) {
	for _, c := range []struct {
		why     string
		door    room
		service func(w http.ResponseWriter, n int, req agent.Request)
		kind    string
		tries   int
		odd     string
	}{
		{"full before it began", room{}, func(w http.ResponseWriter, _ int, _ agent.Request) {
			http.Error(w, "full", http.StatusServiceUnavailable)
		}, "status 503", 4, ""},
		{"failed in the middle", room{turns: 2}, func(w http.ResponseWriter, _ int, _ agent.Request) {
			http.Error(w, "KeyError", http.StatusInternalServerError)
		}, sampler.KindAgentCrashed, 1, ""},
		{"too slow", room{turns: 2}, func(w http.ResponseWriter, n int, req agent.Request) {
			time.Sleep(2 * time.Minute)
			answers42(w, n, req)
		}, sampler.KindAgentHung, 1, ""},
		{"no result", room{turns: 2}, func(w http.ResponseWriter, _ int, _ agent.Request) { _, _ = w.Write([]byte("done")) }, sampler.KindAgentGarbled, 1, rollout.NoOutput},
		{"its model failed", room{turns: 2, failed: errors.New("429")}, func(w http.ResponseWriter, _ int, req agent.Request) {
			_, _ = w.Write([]byte(`{"error":{"message":"no answer"}}`))
		}, "model_api", 1, ""},
		{"it says that a tool failed", room{turns: 2}, func(w http.ResponseWriter, _ int, req agent.Request) {
			_, _ = w.Write([]byte(`{"error":{"boundary":"tool","message":"locked"}}`))
		}, "tool", 1, ""},
	} {
		t.Run(c.why, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				b, calls, grades, _, err := asked(t, c.door, c.service, nil)
				if err != nil {
					t.Fatal(err)
				}
				if last := b.Waves[len(b.Waves)-1]; last.Discarded != 16 || len(calls) != 16*c.tries || len(grades) > 0 {
					t.Errorf("%d discarded after %d requests and %d gradings", last.Discarded, len(calls), len(grades))
				}
				if calls[0].Kind != c.kind || !calls[0].Failed || strings.Join(calls[0].Odd, " ") != c.odd {
					t.Errorf("kind %q, want %q, odd %q: %s", calls[0].Kind, c.kind, calls[0].Odd, calls[0].Error)
				}
			})
		})
	}
}

// An answer that names another rollout is reported, an empty one is graded by no one,
// and a cap ends the burst before the next wave.
func TestABurstOfAnAgentsServiceLooksAtAnswers(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var mu sync.Mutex
		before := ""
		_, calls, grades, _, err := asked(t, room{turns: 1}, func(w http.ResponseWriter, _ int, req agent.Request) {
			mu.Lock()
			defer mu.Unlock()
			_ = json.NewEncoder(w).Encode(map[string]string{"output": "", "refusal": "as for " + before})
			before = req.TraceID
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if n := count(calls, func(c rollout.BurstCall) bool { return c.Leak != "" }); n == 0 || len(grades) > 0 {
			t.Errorf("%d leaks, %d gradings", n, len(grades))
		}
		full := errors.New("full")
		waves := 0
		_, _, _, _, err = asked(t, room{turns: 1}, answers42, func(cfg *burst.Config) {
			cfg.Agent.Room = func(rollouts int) error {
				if waves++; waves > 2 {
					return full
				}
				return nil
			}
		})
		if !errors.Is(err, full) {
			t.Errorf("%v, want it ended by the cap", err)
		}
	})
}
