package sampler_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// most counts how many are in at once.
type most struct{ now, most atomic.Int64 }

func (m *most) enter() (leave func()) {
	n := m.now.Add(1)
	for was := m.most.Load(); n > was && !m.most.CompareAndSwap(was, n); was = m.most.Load() {
	}
	return func() { m.now.Add(-1) }
}

func itemJobs(n int) (jobs []sampler.Rollout) {
	for i := range n {
		jobs = append(jobs, sampler.Rollout{Item: &rollout.Item{ID: fmt.Sprint("i", i), Split: rollout.Train}})
	}
	return jobs
}

// paced is a grader whose endpoint takes one request a second.
type paced struct {
	most
	turn chan struct{}
}

func (g *paced) Grade(ctx context.Context, out sampler.Output) (sampler.Grade, error) {
	defer g.enter()()
	r := out.Request
	r.Enter = func(context.Context) (func(), error) {
		g.turn <- struct{}{}
		time.Sleep(time.Second)
		<-g.turn
		return nil, nil
	}
	_, err := out.Caller.Do(ctx, r, func(context.Context, *endpoint.Try) error { return nil })
	return sampler.Grade{Reward: 1}, err
}

// What waits for an endpoint's own pace holds back what would only wait with it.
func TestGradingsBeginNoFasterThanTheirGraderTakesThem(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		g := &paced{turn: make(chan struct{}, 1)}
		drain, begun := make(chan struct{}), time.Now()
		time.AfterFunc(10*time.Second, func() { close(drain) })
		if _, err := sampler.Regrade(t.Context(), sampler.RegradeOptions{
			Config: sampler.DefaultConfig(), Tasks: feed(tasks(300, 1), nil), Total: 300, Grader: g,
			Sink: &list{}, Drain: drain,
		}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); g.most.most.Load() > 32 || took > 45*time.Second {
			t.Errorf("%d gradings at once; drained after 10 s, it ended after %v", g.most.most.Load(), took)
		}
	})
}

// parting is a grader of two endpoints, of which one refuses the key while the other waits.
type parting struct{}

func (parting) Grade(ctx context.Context, out sampler.Output) (sampler.Grade, error) {
	r := out.Request
	r.Endpoint = "grader b"
	fails := &endpoint.Failure{URL: "http://b", Status: 429, Temporary: true, RetryAfter: time.Minute, Err: errors.New("later")}
	if out.TraceID == "trace_0" {
		r.Endpoint, fails = "grader a", &endpoint.Failure{URL: "http://a", Status: 401, Fatal: true, Err: errors.New("no such key")}
	}
	_, err := out.Caller.Do(ctx, r, func(context.Context, *endpoint.Try) error {
		time.Sleep(5 * time.Second)
		return fails
	})
	return sampler.Grade{}, err
}

// Without one of the endpoints that grade there is no grade: the others are asked no more.
func TestAPartThatIsGivenUpEndsAllGrading(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		begun := time.Now()
		_, err := sampler.Regrade(t.Context(), sampler.RegradeOptions{
			Config: sampler.DefaultConfig(), Tasks: feed(tasks(2, 1), nil), Total: 2, Grader: parting{},
			Sink: &list{},
		})
		dead, ok := errors.AsType[*endpoint.Error](err)
		if took := time.Since(begun); !ok || dead.Boundary != "grader a" || took > 10*time.Second {
			t.Errorf("it ended after %v with %v", took, err)
		}
	})
}

// restarting is an agent whose service fails for a while when the model has answered
// it, or whose model refuses what it asks.
type restarting struct {
	n     atomic.Int64
	fails error
	heard sampler.ModelTraffic
}

func (a *restarting) Open(context.Context, sampler.AgentRequest) (sampler.ModelAccess, func() sampler.ModelTraffic, error) {
	return sampler.ModelAccess{}, func() sampler.ModelTraffic { return a.heard }, nil
}

func (a *restarting) Run(context.Context, sampler.AgentRequest) (sampler.AgentResult, error) {
	n := a.n.Add(1)
	time.Sleep(10 * time.Second)
	if n > 10 && n <= 30 {
		return sampler.AgentResult{}, a.fails
	}
	return sampler.AgentResult{Output: "42"}, nil
}

// An agent's endpoint is judged by how its own request ended, not by what that says of the
// rollout.
func TestAnAgentIsJudgedByItsOwnRequest(t *testing.T) {
	long := &endpoint.Failure{URL: "http://model", Status: 400, Err: errors.New("context_length_exceeded")}
	for _, c := range []struct {
		why   string
		agent *restarting
	}{
		{"a service that is restarted", &restarting{fails: &endpoint.Failure{URL: "http://agent", Temporary: true, Err: errors.New("EOF")}, heard: sampler.ModelTraffic{Turns: 3}}},
		{"conversations that the model refuses", &restarting{heard: sampler.ModelTraffic{Turns: 3, Failed: long, CutOff: "context_length_exceeded"}}},
	} {
		t.Run(c.why, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				sink := &list{}
				b := sampler.Boundaries{Agent: c.agent, ModelProxy: c.agent, Grader: worked{}}
				if _, err := sampler.Sample(t.Context(), sampler.SampleOptions{
					Config: sampler.DefaultConfig(), Seed: 1, Rollouts: itemJobs(60), Boundaries: b, Sink: sink,
				}); err != nil || len(sink.records) != 60 {
					t.Errorf("%d of 60 recorded, %v", len(sink.records), err)
				}
			})
		})
	}
}

// hooks is an Isolation of functions.
type hooks struct {
	most
	places      chan struct{}
	start, stop func() error
}

func (h *hooks) Enter(context.Context, *sampler.RolloutSession) error {
	defer h.enter()()
	if h.places != nil {
		h.places <- struct{}{}
	}
	return nil
}

func (h *hooks) Start(context.Context, *sampler.RolloutSession) error { return h.start() }

func (h *hooks) Stop(context.Context, *sampler.RolloutSession) error {
	if h.places != nil {
		<-h.places
	}
	return h.stop()
}

// slowly is a model that takes its time.
type slowly time.Duration

func (s slowly) Reply(context.Context, sampler.Request) (sampler.Reply, error) {
	time.Sleep(time.Duration(s))
	return sampler.Reply{Text: "42", Final: true}, nil
}

func TestSessions(t *testing.T) {
	for _, c := range []struct {
		why  string
		jobs int
		test func(t *testing.T, cfg *sampler.Config) (check func(err error))
	}{
		{"what was started by a try that failed is stopped when another may start", 5, func(t *testing.T, cfg *sampler.Config) func(error) {
			begun, n := time.Now(), 0
			var mu sync.Mutex
			var starts []time.Duration
			cfg.Concurrency, cfg.Rollouts, cfg.Breaker = 1, 8, 0
			cfg.Isolation = &hooks{start: func() error {
				mu.Lock()
				starts, n = append(starts, time.Since(begun)), n+1
				first := n == 1
				mu.Unlock()
				if time.Sleep(time.Second); first {
					return nil
				}
				return &endpoint.Failure{URL: "http://start", Status: 400, Err: errors.New("no")}
			}, stop: func() error { time.Sleep(15 * time.Second); return nil }}
			return func(err error) {
				if last := starts[len(starts)-1]; err != nil || last > 10*time.Second {
					t.Errorf("starts at %v, %v", starts, err)
				}
			}
		}},
		{"a session that stays open is reported with its reason", 1, func(t *testing.T, cfg *sampler.Config) func(error) {
			var log bytes.Buffer
			cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
			cfg.Isolation = &hooks{start: func() error { return nil }, stop: func() error {
				time.Sleep(3 * time.Second)
				return &endpoint.Failure{URL: "http://stop", Status: 503, Temporary: true, RetryAfter: 8 * time.Second, Err: errors.New("disk full")}
			}}
			return func(err error) {
				if err != nil || !strings.Contains(log.String(), "session left open") || !strings.Contains(log.String(), "disk full\"") {
					t.Errorf("%v; the log says\n%s", err, log.String())
				}
			}
		}},
		{"rollouts do not begin to wait for a place", 200, func(t *testing.T, cfg *sampler.Config) func(error) {
			h := &hooks{places: make(chan struct{}, 4), start: func() error { time.Sleep(time.Second); return nil }, stop: func() error { return nil }}
			cfg.Isolation = h
			return func(err error) {
				if n := h.most.most.Load(); err != nil || n > 40 {
					t.Errorf("%d waited for a place, %v", n, err)
				}
			}
		}},
	} {
		t.Run(c.why, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				cfg := sampler.DefaultConfig()
				cfg.IsolationTimeout = 10 * time.Second
				if c.jobs == 5 {
					cfg.IsolationTimeout = 20 * time.Second
				}
				check := c.test(t, &cfg)
				_, err := sampler.Sample(t.Context(), sampler.SampleOptions{
					Config: cfg, Seed: 1, Rollouts: itemJobs(c.jobs),
					Boundaries: sampler.Boundaries{Model: slowly(10 * time.Second), Grader: worked{}},
					Sink:       &list{},
				})
				check(err)
			})
		})
	}
}

// planners is a planner's queue, which lets nobody through for five minutes.
type planners struct {
	begun   time.Time
	mu      sync.Mutex
	entered []time.Duration
}

func (q *planners) Enter(context.Context, string) (func(endpoint.Outcome), error) {
	q.mu.Lock()
	q.entered = append(q.entered, time.Since(q.begun))
	q.mu.Unlock()
	time.Sleep(5 * time.Minute)
	return func(endpoint.Outcome) {}, nil
}
func (*planners) Rest(string) func() { return func() {} }
func (*planners) Arrived(string)     {}

// The first request of a worker that waits in its planner's queue holds the others up for
// no longer than one that its endpoint works on.
func TestAWorkersFirstRequestHoldsNobodyUp(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := &planners{begun: time.Now()}
		cfg := sampler.DefaultConfig()
		cfg.Queue, cfg.Rollouts = q, 8
		jobs := func(context.Context) iter.Seq2[sampler.Rollout, error] {
			return func(yield func(sampler.Rollout, error) bool) {
				for _, j := range itemJobs(3) {
					if !yield(j, nil) {
						return
					}
				}
			}
		}
		_, err := sampler.Work(t.Context(), nil, cfg, 1, jobs, sampler.Boundaries{Model: slowly(time.Second), Grader: worked{}}, &list{}, nil)
		if err != nil || len(q.entered) != 3 || q.entered[2] > 3*time.Second {
			t.Errorf("in the queue after %v, %v", q.entered, err)
		}
	})
}
