package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/internal/failure"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/credential"
)

// The dialects that an agent behind a URL may speak.
const (
	DialectGonogo    = "gonogo"    // Request and Result
	DialectSageMaker = "sagemaker" // the job runtime of SageMaker AI's Agentic RFT
)

// SageMakerConfig configures an agent that was written for SageMaker AI's Agentic RFT.
type SageMakerConfig struct {
	// each rollout is POSTed here; {{session.NAME}} here and in Headers is replaced by a session's value
	URL     string
	Headers map[string]string // headers of these requests
	Listen  string            // address of the job runtime; "" is a free port of 127.0.0.1
	Hide    []string          // row fields that the instance does not contain
	Prompt  string            // the row field with the prompt; "" is prompt, else the messages
	Params  SageMakerParams   // inference parameters that the agent is asked to use
	HTTP    *http.Client

	// Graded says that the run has a grader of its own: a rollout then ends without a reward.
	Graded bool
	// Quiet is how long an agent may make no call after it answered its invocation; 0 is a minute.
	Quiet time.Duration
}

// SageMakerParams are inference parameters. The zero value stands for the defaults of a training job.
type SageMakerParams struct {
	Temperature *float64
	TopP        *float64
	MaxTokens   *int
}

// SageMaker is an agent that was written for SageMaker AI's Agentic RFT. Each rollout is POSTed to it, as
// the platform does; it calls the model, and reports the rollout's end and its rewards, at a job
// runtime on this machine. It is safe for concurrent use.
type SageMaker struct {
	cfg     SageMakerConfig
	address sampler.Address
	runtime *jobRuntime
}

// NewSageMaker returns an agent. It makes no request, and serves the job runtime from the first
// rollout.
func NewSageMaker(cfg SageMakerConfig) (*SageMaker, error) {
	address, err := sampler.NewAddress("agent.url", cfg.URL, cfg.Headers)
	if err != nil {
		return nil, err
	}
	if cfg.Listen == "" {
		cfg.Listen = "127.0.0.1:0"
	}
	if err := CheckListen(cfg.Listen); err != nil {
		return nil, err
	}
	if cfg.Quiet <= 0 {
		cfg.Quiet = time.Minute
	}
	return &SageMaker{cfg, address, newJobRuntime(cfg.Listen)}, nil
}

// CheckListen returns an error unless address is one of this machine's loopback interface, with a port.
func CheckListen(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil || port == "" {
		return fmt.Errorf("%q is not an address with a port, such as 127.0.0.1:9180", address)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("%q is not on the loopback interface: the job runtime is served on 127.0.0.1 only", address)
	}
	return nil
}

// SessionReads lists the session variables in its URL and headers.
func (s *SageMaker) SessionReads() []string { return s.address.Reads() }

// URL returns its address, for messages.
func (s *SageMaker) URL() string { return credential.BareURL(s.cfg.URL) }

// Close stops the job runtime. No rollout may be in flight.
func (s *SageMaker) Close() error { return s.runtime.close() }

// linger is how long a rollout that has ended waits for the agent to answer its invocation: the answer
// may say why it failed.
const linger = 10 * time.Second

// invocation is what became of the POST of a rollout.
type invocation struct {
	endpoint.Answer
	err error
}

// Run POSTs the rollout and waits until the agent has completed it and reported a reward. A start that
// failed in transport, or that the agent postponed, is retryable.
func (s *SageMaker) Run(ctx context.Context, p sampler.AgentRequest) (sampler.AgentResult, error) {
	if p.Model == nil {
		return sampler.AgentResult{}, errors.New("the agent needs the run's model")
	}
	address, header, secrets, err := s.address.In(p.RolloutSession)
	if err != nil {
		return sampler.AgentResult{}, unreached(err)
	}
	if err := s.runtime.start(); err != nil {
		return sampler.AgentResult{}, err
	}
	t := s.runtime.open(*p.Model)
	body, err := s.payload(t, p.Item)
	if err != nil {
		return sampler.AgentResult{}, err
	}
	header = header.Clone()
	header.Set("X-Amzn-Bedrock-AgentCore-Runtime-Session-Id", t.id) // as AgentCore sends it
	postCtx, cancel := context.WithCancel(ctx)
	posted := make(chan invocation, 1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		a, err := p.Try.Post(postCtx, s.cfg.HTTP, address, header, body, largestResult)
		posted <- invocation{secrets.Answer(a), err}
	}()
	done, err := s.attend(ctx, t, posted, p)
	s.runtime.end(t)
	cancel()
	<-ended
	return done, blaming(err, p)
}

// attend waits for the end of a rollout and returns how it ended.
func (s *SageMaker) attend(ctx context.Context, t *trajectory, posted <-chan invocation,
	p sampler.AgentRequest,
) (sampler.AgentResult, error) {
	var answered *invocation
	strays := s.runtime.strays()
	timer := time.NewTimer(s.cfg.Quiet)
	defer timer.Stop()
	for {
		now := t.now()
		over := now.status == statusFailed || now.status == statusRewarded || s.cfg.Graded && now.status == statusReady
		wait := s.cfg.Quiet - time.Since(now.lastCall)
		switch {
		case over && answered == nil && time.Since(now.changed) < linger:
			wait = linger - time.Since(now.changed)
		case over:
			return s.ended(now, answered)
		case answered != nil && answered.err != nil:
			return sampler.AgentResult{}, unreached(answered.err)
		case answered != nil && answered.Status/100 != 2:
			return sampler.AgentResult{}, unreached(endpoint.StatusFailure(s.URL(), answered.Answer))
		case answered == nil || now.inFlight > 0 || answered.postponed() && now.status == statusOpen:
			wait = time.Hour // only the agent's timeout counts
		case wait <= 0:
			return sampler.AgentResult{}, failed(sampler.KindAgentCrashed, rollout.ToolFailed, fmt.Errorf(
				"the agent answered its invocation, made no call for %v after that, and %s%s", s.cfg.Quiet, now.missing(),
				s.runtime.strayed(strays)))
		}
		timer.Reset(wait)
		select {
		case a := <-posted:
			answered, posted = &a, nil
			t.called()
		case <-t.signal:
		case <-timer.C:
		case <-ctx.Done():
			if context.Cause(ctx) != sampler.ErrAgentTimeout {
				return sampler.AgentResult{}, context.Cause(ctx)
			}
			return sampler.AgentResult{}, failed(sampler.KindAgentHung, rollout.ToolFailed,
				fmt.Errorf("within %v (agent.timeout) the agent %s%s", p.Timeout, t.now().missing(),
					s.runtime.strayed(strays)))
		}
	}
}

// ended returns the result of a rollout that the agent has completed or reported as failed. answered is
// nil if the agent did not answer its invocation in time.
func (s *SageMaker) ended(now state, answered *invocation) (sampler.AgentResult, error) {
	switch {
	case now.status == statusFailed:
		return sampler.AgentResult{}, failed(sampler.KindAgentError, rollout.ToolFailed,
			fmt.Errorf("the agent reported the rollout as failed (CompleteRollout with the status failed)%s",
				answered.cause()))
	case now.requests == 0:
		return sampler.AgentResult{}, failed(sampler.KindAgentError, rollout.ToolFailed,
			fmt.Errorf("the agent completed the rollout without one request to the model (Sample): it calls another "+
				"model, or none"))
	}
	return sampler.AgentResult{LastReply: true, Rewards: now.rewards}, nil
}

// postponed reports whether the agent says that it goes on in the background.
func (a *invocation) postponed() bool {
	var said struct {
		Status string `json:"status"`
	}
	_ = jsontext.Unmarshal(a.Body, &said) // any answer will do
	switch said.Status {
	case "accepted", "started", "queued", "pending", "running", "processing", "in_progress":
		return true
	}
	return a.Status == http.StatusAccepted
}

// cause returns why a rollout failed, as the agent answered; "" if it does not say.
func (a *invocation) cause() string {
	if a == nil || a.err != nil {
		return ""
	}
	if a.Status/100 != 2 {
		return fmt.Sprintf(": it answered with status %d: %s", a.Status, endpoint.ErrorText(a.Answer))
	}
	var said struct {
		Error json.RawMessage `json:"error"`
	}
	_ = jsontext.Unmarshal(a.Body, &said) // any answer will do
	if text := jsontext.TextOrJSON(said.Error); !failure.None(text) {
		return ": " + endpoint.Brief(text)
	}
	return ""
}
