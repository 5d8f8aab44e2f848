package sampler_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// asked is a model's request of an agent: after so long it is made, waits in our
// line and is worked on.
type asked struct{ after, queue, work time.Duration }

// busyAgent makes its requests at once, each list of them one after the other, and is
// its own model proxy: requests are made by the caller that Open was given.
type busyAgent struct {
	threads [][]asked
	by      *endpoint.Caller
}

func (a *busyAgent) Open(_ context.Context, p sampler.AgentRequest) (sampler.ModelAccess, func() sampler.ModelTraffic, error) {
	a.by = p.Caller
	return sampler.ModelAccess{}, func() sampler.ModelTraffic { return sampler.ModelTraffic{Turns: 1} }, nil
}

func (a *busyAgent) Run(ctx context.Context, p sampler.AgentRequest) (sampler.AgentResult, error) {
	var all sync.WaitGroup
	for _, thread := range a.threads {
		all.Go(func() {
			for _, r := range thread {
				_ = pause(ctx, r.after) // that the time is over shows below
				ended := a.by.Track()
				request := endpoint.Request{Endpoint: endpoint.Model, Once: true, Enter: func(ctx context.Context) (func(), error) { return nil, pause(ctx, r.queue) }}
				_, _ = a.by.Do(ctx, request, func(ctx context.Context, t *endpoint.Try) error {
					_ = pause(ctx, r.work)
					resp := &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("a byte of the answer"))}
					_ = t.Watch(resp)
					_, _ = resp.Body.Read(make([]byte, 9))
					return nil
				})
				ended()
			}
		})
	}
	all.Wait()
	if errors.Is(context.Cause(ctx), sampler.ErrAgentTimeout) {
		return sampler.AgentResult{}, &endpoint.Failure{Hidden: http.StatusOK, Err: &sampler.AgentError{Kind: sampler.KindAgentHung, Outcome: rollout.ToolFailed, Err: sampler.ErrAgentTimeout}}
	}
	return sampler.AgentResult{Output: "42"}, context.Cause(ctx)
}

// An agent's time stops while all that it asks the model waits in our line.
func TestAnAgentsTimeIsNotThatOfOurLine(t *testing.T) {
	const hour = time.Hour
	for _, c := range []struct {
		why  string
		a    busyAgent
		late time.Duration // when it is ended; 0: it is not
	}{
		{"an hour in line before each of three turns", busyAgent{threads: [][]asked{{{0, hour, 3 * time.Second}, {0, hour, 3 * time.Second}, {0, hour, 3 * time.Second}}}}, 0},
		{"the work of its model is its time", busyAgent{threads: [][]asked{{{0, 0, 11 * time.Second}}}}, 10 * time.Second},
		{"bytes of answers give it none", busyAgent{threads: [][]asked{{{0, 0, 6 * time.Second}, {0, 0, 6 * time.Second}}}}, 10 * time.Second},
		{"its own thoughts are its time", busyAgent{threads: [][]asked{{{6 * time.Second, hour, 0}, {6 * time.Second, 0, 0}}}}, hour + 10*time.Second},
		{"two requests that both wait", busyAgent{threads: [][]asked{{{0, hour, time.Second}}, {{0, hour, time.Second}}}}, 0},
		{"one that waits beside one that is worked on", busyAgent{threads: [][]asked{{{0, hour, time.Second}}, {{0, 0, hour}}}}, 10 * time.Second},
		{"one that waits beside one that is worked on for a while", busyAgent{threads: [][]asked{{{0, hour, time.Second}}, {{0, 0, 8 * time.Second}}}}, 0},
	} {
		t.Run(c.why, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				cfg := sampler.DefaultConfig()
				cfg.AgentTimeout = 10 * time.Second
				it := &rollout.Item{ID: "a", Split: rollout.Train}
				sink := &list{}
				begin := time.Now()
				if _, err := sampler.Sample(t.Context(), sampler.SampleOptions{
					Config: cfg, Seed: 1, Rollouts: []sampler.Rollout{{Item: it}},
					Boundaries: sampler.Boundaries{Agent: &c.a, ModelProxy: &c.a, Grader: worked{}}, Sink: sink,
				}); err != nil {
					t.Fatal(err)
				}
				r, took := sink.records[0], time.Since(begin)
				switch {
				case c.late == 0 && r.Outcome != rollout.Graded:
					t.Errorf("outcome %s, kind %q: %s after %v", r.Outcome, r.Kind, r.Error, took)
				case c.late > 0 && (r.Kind != sampler.KindAgentHung || took != c.late):
					t.Errorf("outcome %s, kind %q: %s after %v, want it ended after %v", r.Outcome, r.Kind, r.Error, took, c.late)
				}
			})
		})
	}
}

// failingAgent fails in a way that is worth another try.
type failingAgent struct {
	turns int // of the model, before
	tries int
}

func (a *failingAgent) Open(context.Context, sampler.AgentRequest) (sampler.ModelAccess, func() sampler.ModelTraffic, error) {
	return sampler.ModelAccess{}, func() sampler.ModelTraffic { return sampler.ModelTraffic{Turns: a.turns} }, nil
}

func (a *failingAgent) Run(context.Context, sampler.AgentRequest) (sampler.AgentResult, error) {
	a.tries++
	return sampler.AgentResult{}, &endpoint.Failure{URL: "http://agent", Status: http.StatusInternalServerError, Temporary: true, Err: errors.New("KeyError: 'x'")}
}

// A service that fails in the middle of a rollout is not handed it again: that
// would cost what a rollout costs.
func TestAnAgentThatFailedInTheMiddleIsNotAskedAgain(t *testing.T) {
	for _, c := range []struct {
		turns, tries int
		kind         string
	}{{0, 1 + sampler.DefaultConfig().Retry.Max, ""}, {3, 1, sampler.KindAgentCrashed}} {
		inBubble(t, func(t *testing.T) {
			a, sink := &failingAgent{turns: c.turns}, &list{}
			cfg := sampler.DefaultConfig()
			cfg.Breaker = 0
			it := &rollout.Item{ID: "a", Split: rollout.Train}
			if _, err := sampler.Sample(t.Context(), sampler.SampleOptions{
				Config: cfg, Seed: 1, Rollouts: []sampler.Rollout{{Item: it}},
				Boundaries: sampler.Boundaries{Agent: a, ModelProxy: a, Grader: worked{}}, Sink: sink,
			}); err != nil {
				t.Fatal(err)
			}
			if r := sink.records[0]; a.tries != c.tries || r.Kind != c.kind || !strings.Contains(r.Error, "KeyError") {
				t.Errorf("after %d turns: %d tries, kind %q: %s; want %d, %q", c.turns, a.tries, r.Kind, r.Error, c.tries, c.kind)
			}
		})
	}
}
