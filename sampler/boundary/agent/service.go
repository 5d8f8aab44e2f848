package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/credential"
)

// ServiceConfig configures an agent behind a URL.
type ServiceConfig struct {
	// each rollout is POSTed here; {{session.NAME}} in it and in Headers is a value of its session
	URL     string
	Headers map[string]string // of all requests
	Poll    time.Duration     // between polls for a result; 0 means one second
	Options RequestOptions
	HTTP    *http.Client
}

// Service is an agent behind a URL: a POST starts a rollout; the answer is the
// result, or a URL to poll for it. It is safe for concurrent use.
type Service struct {
	cfg ServiceConfig
	at  sampler.Address
}

// place is where a service is for one rollout.
type place struct {
	client  *http.Client
	address string
	header  http.Header
	secrets endpoint.Secrets // of the headers: no message may show them
}

// NewService returns an agent. No request is made yet.
func NewService(cfg ServiceConfig) (*Service, error) {
	at, err := sampler.NewAddress("agent.url", cfg.URL, cfg.Headers)
	if err != nil {
		return nil, err
	}
	if cfg.Poll <= 0 {
		cfg.Poll = time.Second
	}
	return &Service{cfg, at}, nil
}

// SessionReads lists the session variables in its URL and headers.
func (s *Service) SessionReads() []string { return s.at.Reads() }

// URL returns its address, for messages.
func (s *Service) URL() string { return credential.BareURL(s.cfg.URL) }

// started is an answer that is not a result yet.
type started struct {
	Poll    string  `json:"poll"`          // where to ask for the result; relative to the service's URL
	Seconds float64 `json:"retry_after_s"` // before the next question; 0 leaves it to us
}

// Run POSTs the rollout and waits for its result. A start that failed in transport,
// or was put off, is worth another try: it cost nothing.
func (s *Service) Run(ctx context.Context, p sampler.AgentRequest) (done sampler.AgentResult, err error) {
	address, header, secrets, err := s.at.In(p.RolloutSession)
	if err != nil {
		return sampler.AgentResult{}, unreached(err)
	}
	text, err := s.result(ctx, place{s.cfg.HTTP, address, header, secrets}, p)
	switch {
	case context.Cause(ctx) == sampler.ErrAgentTimeout:
		return sampler.AgentResult{}, blaming(hung(p, ""), p)
	case ctx.Err() != nil:
		return sampler.AgentResult{}, context.Cause(ctx)
	case err == nil:
		if done, err = played(text, p, false); err != nil {
			_, err = played(secrets.Answer(endpoint.Answer{Body: text}).Body, p, false) // in other words the same
		}
	}
	return done, blaming(err, p)
}

// result starts the rollout and asks for its result until it is there.
func (s *Service) result(ctx context.Context, at place, p sampler.AgentRequest) ([]byte, error) {
	req, err := s.cfg.Options.request(p)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(req)
	if err != nil {
		return nil, fmt.Errorf("write the rollout for the agent: %w", err)
	}
	a, err := p.Try.Post(ctx, at.client, at.address, at.header, body, largestResult)
	if err != nil {
		return nil, unreached(err)
	}
	poll := ""
	for a.Status == http.StatusAccepted {
		var wait started
		_ = jsontext.Unmarshal(a.Body, &wait) // what it does not say stays as it was
		if wait.Poll != "" {
			if poll, err = at.beside(wait.Poll); err != nil {
				return nil, err
			}
		}
		if poll == "" {
			return nil, garbled(`the agent answered with status 202 and no "poll" that says where its result will be`)
		}
		if err := pause(ctx, max(s.cfg.Poll, time.Duration(wait.Seconds*float64(time.Second)))); err != nil {
			return nil, err
		}
		if a, err = at.ask(ctx, p.Try, poll, s.cfg.Poll); err != nil {
			return nil, err
		}
	}
	switch {
	case a.Status/100 != 2 && poll != "":
		return nil, failed(sampler.KindAgentCrashed, rollout.ToolFailed,
			fmt.Errorf("the agent started the rollout but has no result for it: status %d: %s", a.Status,
				endpoint.ErrorText(at.secrets.Answer(a))))
	case a.Status/100 != 2:
		return nil, unreached(endpoint.StatusFailure(at.address, at.secrets.Answer(a)))
	case a.Over:
		return nil, garbled("the agent answered with more than %d bytes", largestResult)
	}
	return a.Body, nil
}

// questionTime is how long an answer to a question may take to begin: of a
// connection that was lost on the way no one hears, and the rollout would hang with
// it.
const questionTime = 2 * time.Minute

// ask asks for a result. A question that failed is put again: the rollout goes on
// meanwhile, and ctx bounds it.
func (at place) ask(ctx context.Context, t *endpoint.Try, poll string, every time.Duration) (endpoint.Answer, error) {
	for {
		one, cancel := context.WithCancel(ctx)
		late := time.AfterFunc(questionTime, cancel)
		one = httptrace.WithClientTrace(one, &httptrace.ClientTrace{GotFirstResponseByte: func() { late.Stop() }})
		a, err := t.Get(one, at.client, poll, at.header, largestResult)
		late.Stop()
		cancel()
		if err == nil && !endpoint.Temporary(a.Status) {
			return a, nil
		}
		if f, ok := endpoint.AsFailure(err); ok && !f.Temporary {
			return endpoint.Answer{}, err
		}
		if err := pause(ctx, every); err != nil {
			return endpoint.Answer{}, err
		}
	}
}

// beside returns a result's address, which must be at the service's own host: its headers
// hold keys.
func (at place) beside(poll string) (string, error) {
	base, err := url.Parse(at.address)
	if err != nil {
		return "", err
	}
	to, err := base.Parse(poll)
	if err != nil || to.Host != base.Host || to.Scheme != base.Scheme {
		return "", garbled(`the agent's "poll" %s is not an address on its own server`, endpoint.Brief(poll))
	}
	return to.String(), nil
}

// pause waits.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// unreached is a service that did not start the rollout.
func unreached(err error) error {
	f, ok := endpoint.AsFailure(err)
	if !ok {
		return err
	}
	own := *f
	own.Err = &sampler.AgentError{Kind: sampler.KindAgentStart, Outcome: rollout.ToolFailed, Err: f.Err}
	return &own
}
