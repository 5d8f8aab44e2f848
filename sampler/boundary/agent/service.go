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
	// each rollout is POSTed here; {{session.NAME}} here and in Headers is replaced by a session's value
	URL     string
	Headers map[string]string // headers of all requests
	Poll    time.Duration     // time between polls for a result; 0 means one second
	Options RequestOptions
	// reads what else an answer with a result holds; nil reads nothing
	More func(answer []byte, done *sampler.AgentResult) error
	HTTP *http.Client
}

// Service is an agent behind a URL. A POST starts a rollout; the answer is the result, or a URL to poll
// for it. It is safe for concurrent use.
type Service struct {
	cfg     ServiceConfig
	address sampler.Address
}

// place is a service's address for one rollout, and what is needed to reach it.
type place struct {
	client  *http.Client
	address string
	header  http.Header
	secrets endpoint.Secrets // secrets in the headers, which no message may show
}

// NewService returns an agent. It makes no request yet.
func NewService(cfg ServiceConfig) (*Service, error) {
	address, err := sampler.NewAddress("agent.url", cfg.URL, cfg.Headers)
	if err != nil {
		return nil, err
	}
	if cfg.Poll <= 0 {
		cfg.Poll = time.Second
	}
	return &Service{cfg, address}, nil
}

// SessionReads lists the session variables in its URL and headers.
func (s *Service) SessionReads() []string { return s.address.Reads() }

// URL returns its address, for messages.
func (s *Service) URL() string { return credential.BareURL(s.cfg.URL) }

// started is the answer while there is no result yet.
type started struct {
	Poll    string  `json:"poll"`          // URL to poll for the result; relative to the service's URL
	Seconds float64 `json:"retry_after_s"` // time until the next poll; 0 means ServiceConfig.Poll
}

// Run POSTs the rollout and waits for its result. A start that failed in transport, or that the
// service postponed, is retryable: it cost nothing.
func (s *Service) Run(ctx context.Context, p sampler.AgentRequest) (done sampler.AgentResult, err error) {
	address, header, secrets, err := s.address.In(p.RolloutSession)
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
			_, err = played(secrets.Answer(endpoint.Answer{Body: text}).Body, p, false) // without secrets
		} else if s.cfg.More != nil {
			if err = s.cfg.More(text, &done); err != nil {
				err = garbled("%v", err)
			}
		}
	}
	return done, blaming(err, p)
}

// result starts the rollout and polls for its result.
func (s *Service) result(ctx context.Context, pl place, p sampler.AgentRequest) ([]byte, error) {
	req, err := s.cfg.Options.request(p)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(req)
	if err != nil {
		return nil, fmt.Errorf("write the rollout for the agent: %w", err)
	}
	a, err := p.Try.Post(ctx, pl.client, pl.address, pl.header, body, largestResult)
	if err != nil {
		return nil, unreached(err)
	}
	poll := ""
	for a.Status == http.StatusAccepted {
		var wait started
		_ = jsontext.Unmarshal(a.Body, &wait) // without a new poll URL, the last one is used
		if wait.Poll != "" {
			if poll, err = pl.pollURL(wait.Poll); err != nil {
				return nil, err
			}
		}
		if poll == "" {
			return nil, garbled(`the agent answered with status 202 but no "poll" that says where its result will be`)
		}
		if err := pause(ctx, max(s.cfg.Poll, time.Duration(wait.Seconds*float64(time.Second)))); err != nil {
			return nil, err
		}
		if a, err = pl.ask(ctx, p.Try, poll, s.cfg.Poll); err != nil {
			return nil, err
		}
	}
	switch {
	case a.Status/100 != 2 && poll != "":
		return nil, failed(sampler.KindAgentCrashed, rollout.ToolFailed,
			fmt.Errorf("the agent started the rollout but has no result for it: status %d: %s", a.Status,
				endpoint.ErrorText(pl.secrets.Answer(a))))
	case a.Status/100 != 2:
		return nil, unreached(endpoint.StatusFailure(pl.address, pl.secrets.Answer(a)))
	case a.Over:
		return nil, garbled("the agent answered with more than %d bytes", largestResult)
	}
	return a.Body, nil
}

// pollTimeout is how long the first byte of an answer to a poll may take. Without it, a connection that
// was silently lost would hang the rollout.
const pollTimeout = 2 * time.Minute

// ask polls for the result. It repeats a poll that failed: the rollout continues in the meantime, and
// ctx limits the time.
func (pl place) ask(ctx context.Context, t *endpoint.Try, poll string, every time.Duration) (endpoint.Answer, error) {
	for {
		pollCtx, cancel := context.WithCancel(ctx)
		timer := time.AfterFunc(pollTimeout, cancel)
		pollCtx = httptrace.WithClientTrace(pollCtx, &httptrace.ClientTrace{
			GotFirstResponseByte: func() { timer.Stop() },
		})
		a, err := t.Get(pollCtx, pl.client, poll, pl.header, largestResult)
		timer.Stop()
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

// pollURL returns the URL to poll. It must be on the service's own host, because the headers contain
// keys.
func (pl place) pollURL(poll string) (string, error) {
	base, err := url.Parse(pl.address)
	if err != nil {
		return "", err
	}
	target, err := base.Parse(poll)
	if err != nil || target.Host != base.Host || target.Scheme != base.Scheme {
		return "", garbled(`the agent's "poll" %s is not an address on its own server`, endpoint.Brief(poll))
	}
	return target.String(), nil
}

// pause waits for d, or until ctx ends.
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

// unreached returns the failure of a service that did not start the rollout.
func unreached(err error) error {
	f, ok := endpoint.AsFailure(err)
	if !ok {
		return err
	}
	wrapped := *f
	wrapped.Err = &sampler.AgentError{Kind: sampler.KindAgentStart, Outcome: rollout.ToolFailed, Err: f.Err}
	return &wrapped
}
