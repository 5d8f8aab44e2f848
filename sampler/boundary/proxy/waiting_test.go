package proxy_test

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

// hasty is an agent that asks the model twice at once, and fails while one request
// is answered and the other waits for its turn.
type hasty struct {
	s     *stage
	begun chan struct{} // closed when the model is asked
	under *sync.WaitGroup
}

func (h hasty) Run(ctx context.Context, p sampler.AgentRequest) (sampler.AgentResult, error) {
	for range 2 {
		h.under.Go(func() { _ = h.ask(ctx, p) }) // broken off with the rollout
	}
	<-h.begun
	time.Sleep(100 * time.Millisecond) // the other one is in line
	own := &sampler.AgentError{Kind: sampler.KindAgentGarbled, Outcome: rollout.ToolFailed, Err: errors.New("it wrote nonsense")}
	return sampler.AgentResult{}, &endpoint.Failure{URL: endpoint.Agent, Hidden: http.StatusOK, Err: own}
}

func (h hasty) ask(ctx context.Context, p sampler.AgentRequest) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.Model.BaseURL+"/chat/completions", strings.NewReader(asks))
	if err != nil {
		return err
	}
	resp, err := h.s.http.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// last keeps the last record.
type last struct{ *rollout.Record }

func (l *last) Append(rec *rollout.Record) error {
	l.Record = rec
	return nil
}

// A request that still waits when its rollout ends is not a failure of the model: what
// the agent did is the rollout's outcome.
func TestARequestThatWaitedIsNoFailureOfTheModel(t *testing.T) {
	h := hasty{begun: make(chan struct{}), under: new(sync.WaitGroup)}
	h.s = newStage(t, sampler.AgentRequest{}, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(h.begun) // one of them alone comes here
		<-r.Context().Done()
	})
	cfg := sampler.DefaultConfig()
	cfg.Concurrency, cfg.AgentTimeout = 1, time.Minute
	it := &rollout.Item{ID: "q1", Split: rollout.Train, Messages: []rollout.Message{{Role: "user", Content: "6 x 7?"}}}
	var got last
	if _, err := sampler.Sample(t.Context(), sampler.SampleOptions{
		Config: cfg, Seed: 7, Rollouts: []sampler.Rollout{{Item: it}},
		Boundaries: sampler.Boundaries{Agent: h, ModelProxy: h.s.proxy, Grader: ungraded{}}, Sink: &got,
	}); err != nil {
		t.Fatal(err)
	}
	h.under.Wait()
	if got.Record == nil || got.Outcome != rollout.ToolFailed || got.Kind != sampler.KindAgentGarbled {
		t.Errorf("%+v", got.Record)
	}
}

// ungraded is a grader that nothing comes to.
type ungraded struct{}

func (ungraded) Grade(context.Context, sampler.Output) (sampler.Grade, error) {
	return sampler.Grade{}, errors.New("nothing was to be graded")
}
