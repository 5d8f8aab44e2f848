package environment

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"gonogo/sampler"
	"gonogo/sampler/boundary/agent"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/credential"
)

// largestAnswer is the maximum length of an answer of the bridge, in bytes.
const largestAnswer = 512 << 20

// Source is an environment: it lists items, makes rollouts and grades them. It is safe for concurrent
// use.
type Source struct {
	cfg    Config
	bridge *bridge
	slots  chan struct{} // holds a token for each rollout
}

// New returns an environment. It starts nothing yet.
func New(cfg Config) (*Source, error) {
	if err := cfg.Settings.Validate(); err != nil {
		return nil, err
	}
	if cfg.HTTP == nil {
		cfg.HTTP = endpoint.HTTPClient(nil, cfg.Settings.InFlight)
	}
	return &Source{
		cfg: cfg, bridge: &bridge{cfg: cfg, token: rand.Text()}, slots: make(chan struct{}, max(1, cfg.Settings.InFlight)),
	}, nil
}

// Start starts the environment, so that one that cannot be used is found before anything is paid for.
func (s *Source) Start(ctx context.Context) error {
	_, err := s.bridge.address(ctx)
	return err
}

// Range returns the range of rewards that the weights of the environment's reward functions imply; nil if
// that is unknown, as before the start.
func (s *Source) Range() *[2]float64 {
	s.bridge.mu.Lock()
	defer s.bridge.mu.Unlock()
	return s.bridge.span
}

// Package returns the library with its version, and a hash of the environment's Python sources unless
// another machine serves it; "" before the start. Runs that are made with different ones do not compare.
func (s *Source) Package() string {
	s.bridge.mu.Lock()
	defer s.bridge.mu.Unlock()
	return s.bridge.what
}

// Items are the rows of one split.
type Items struct {
	Split rollout.Split
	Rows  []byte // JSON lines, in the environment's order
}

// Items lists the items of each split.
func (s *Source) Items(ctx context.Context) ([]Items, error) {
	url, err := s.bridge.address(ctx)
	if err != nil {
		return nil, err
	}
	var all []Items
	for _, split := range rollout.Splits() {
		if _, ok := s.cfg.Settings.splits()[string(split)]; !ok {
			continue
		}
		text, err := s.bridge.post(ctx, url, "/items", map[string]any{"split": split})
		if err != nil {
			return nil, fmt.Errorf("list the %s items of the environment: %w%s", split, err, s.bridge.lost(url))
		}
		var found struct {
			Rows    []json.RawMessage `json:"rows"`
			Refused string            `json:"refused"`
			Error   *agent.Error      `json:"error"`
		}
		if err := jsontext.Unmarshal(text, &found); err != nil {
			return nil, fmt.Errorf("list the %s items of the environment: %w", split, err)
		}
		switch {
		case found.Refused != "":
			return nil, &RefusedError{found.Refused}
		case found.Error != nil:
			return nil, &RefusedError{fmt.Sprintf("list the %s items of the environment: %s", split, found.Error.Message)}
		}
		one := Items{Split: split}
		for _, row := range found.Rows {
			one.Rows = append(append(one.Rows, row...), '\n')
		}
		all = append(all, one)
	}
	return all, nil
}

// URL returns the environment's name, for messages; a secret in it is masked.
func (s *Source) URL() string {
	return s.cfg.Settings.Kind() + " " + credential.MaskURL(s.cfg.Settings.Name())
}

// Enter waits for a free slot, which the caller of Run must hold.
func (s *Source) Enter(ctx context.Context) (leave func(), err error) {
	select {
	case s.slots <- struct{}{}:
		return func() { <-s.slots }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Run makes a rollout in the environment.
func (s *Source) Run(ctx context.Context, p sampler.AgentRequest) (sampler.AgentResult, error) {
	url, err := s.bridge.address(ctx)
	if err != nil {
		return sampler.AgentResult{}, unusable(ctx, err)
	}
	service, err := agent.NewService(agent.ServiceConfig{
		URL: url + "/rollout", Headers: s.bridge.headers(), HTTP: s.cfg.HTTP,
		Options: agent.RequestOptions{Hide: hidden(p.Item)}, More: takeGrade,
	})
	if err != nil {
		return sampler.AgentResult{}, err
	}
	done, err := service.Run(ctx, p)
	if context.Cause(ctx) == sampler.ErrAgentTimeout {
		s.bridge.killIfStuck(url)
		return done, err
	}
	if f, ok := endpoint.AsFailure(err); ok && ctx.Err() == nil && f.Temporary {
		if how := s.bridge.lost(url); how != "" {
			agentErr := &sampler.AgentError{
				Kind: sampler.KindAgentCrashed, Outcome: rollout.ToolFailed,
				Err: fmt.Errorf("the environment's process ended during the rollout: %s", how),
			}
			return done, &endpoint.Failure{URL: endpoint.Agent, Temporary: true, Err: agentErr}
		}
	}
	return done, err
}

// hidden lists all fields of a row: the environment has its own copy of the item.
func hidden(it *rollout.Item) []string {
	var names []string
	for name := range it.Fields() {
		names = append(names, name)
	}
	return slices.Compact(names)
}

// unusable returns the failure of an environment that does not start: all rollouts would fail.
func unusable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	agentErr := &sampler.AgentError{Kind: sampler.KindAgentStart, Outcome: rollout.ToolFailed, Err: err}
	_, refused := errors.AsType[*RefusedError](err)
	return &endpoint.Failure{URL: endpoint.Agent, Temporary: !refused, Fatal: refused, Err: agentErr}
}

// grade is a reward as a bridge gives it, or why there is none.
type grade struct {
	Reward  *float64           `json:"reward"`
	Parts   map[string]float64 `json:"parts"`
	Error   json.RawMessage    `json:"error"`
	Kind    string             `json:"kind"`
	Refused string             `json:"refused"`
}

// failure returns why there is no reward; nil if there is one.
func (g grade) failure() *sampler.GradeError {
	if g.Reward != nil {
		return nil
	}
	return &sampler.GradeError{Kind: kindOf(g.Kind), Err: errors.New(why(g.Error, g.Refused))}
}

// takeGrade adds to a result the grade that came with it, if the environment gave one.
func takeGrade(answer []byte, done *sampler.AgentResult) error {
	var with struct {
		Grade *grade `json:"grade"`
	}
	if err := jsontext.Unmarshal(answer, &with); err != nil {
		return fmt.Errorf("the environment's grade: %w", err)
	}
	if g := with.Grade; g != nil && g.Reward != nil {
		done.Rewards, done.Parts = []float64{*g.Reward}, g.Parts
	} else if g != nil {
		done.NoReward = g.failure()
	}
	return nil
}

// asked is a grading that a bridge makes.
type asked struct {
	ItemID   string          `json:"item_id"`
	Split    rollout.Split   `json:"split"`
	Text     string          `json:"text"`
	Messages json.RawMessage `json:"messages,omitempty"`
}

// Grade plays an episode in which the model replies what was recorded, and returns the reward that the
// environment gives it. The reward of a rollout comes with its result.
func (s *Source) Grade(ctx context.Context, out sampler.Output) (sampler.Grade, error) {
	url, err := s.bridge.address(ctx)
	if err != nil {
		return sampler.Grade{}, &sampler.GradeError{Kind: sampler.KindStart, Err: err}
	}
	q := asked{ItemID: out.Item.ID, Split: out.Item.Split, Text: out.Text}
	if q.Messages, err = replies(out); err != nil {
		return sampler.Grade{}, &sampler.GradeError{Kind: sampler.KindOther, Err: err}
	}
	if err := s.take(ctx, out); err != nil {
		return sampler.Grade{}, err
	}
	defer func() { <-s.slots }()
	text, err := s.bridge.post(ctx, url, "/grade", q)
	if ctx.Err() != nil {
		s.bridge.killIfStuck(url)
		return sampler.Grade{}, context.Cause(ctx)
	}
	if err != nil {
		err = fmt.Errorf("the environment gave no grade: %w %s", err, s.bridge.lost(url))
		return sampler.Grade{}, &endpoint.Failure{URL: s.URL(), Temporary: true, Err: err}
	}
	var reply grade
	if err := jsontext.Unmarshal(text, &reply); err != nil {
		err = fmt.Errorf("the environment's grade: %w", err)
		return sampler.Grade{}, &sampler.GradeError{Kind: sampler.KindMalformed, Err: err}
	}
	if failed := reply.failure(); failed != nil {
		return sampler.Grade{}, failed
	}
	return sampler.Grade{Reward: *reply.Reward, Parts: reply.Parts}, nil
}

// take waits for a free slot. The wait does not count against the limit of the grading.
func (s *Source) take(ctx context.Context, out sampler.Output) error {
	defer out.Caller.Pause()()
	_, err := s.Enter(ctx)
	return err
}

// kindOf returns the kind of a failed grading.
func kindOf(name string) string {
	if name == sampler.KindNotANumber {
		return name
	}
	return sampler.KindReported
}

// why returns the text of a grading without a reward.
func why(raw json.RawMessage, refused string) string {
	var text string
	var e agent.Error
	switch {
	case refused != "":
		return refused
	case jsontext.Unmarshal(raw, &text) == nil && text != "":
		return text
	case jsontext.Unmarshal(raw, &e) == nil && e.Message != "":
		return e.Message
	}
	return "the environment gave no reward"
}

// replies returns the model's messages of a rollout with their tool calls; nil if there are none.
func replies(out sampler.Output) (json.RawMessage, error) {
	var list []map[string]any
	for _, m := range out.Messages {
		if m.Role != "assistant" {
			continue
		}
		one := map[string]any{"role": m.Role, "content": m.Content}
		var calls []map[string]string
		for _, c := range m.ToolCalls {
			calls = append(calls, map[string]string{"id": c.ID, "name": c.Name, "arguments": c.Arguments})
		}
		if calls != nil {
			one["tool_calls"] = calls
		}
		list = append(list, one)
	}
	if list == nil {
		return nil, nil
	}
	return json.Marshal(list)
}

// Close ends the environment. No rollout may be in flight.
func (s *Source) Close() { s.bridge.close() }

// headers returns the headers of requests to the bridge.
func (b *bridge) headers() map[string]string {
	return map[string]string{"Authorization": "Bearer " + b.token}
}

// post makes a request to the bridge.
func (b *bridge) post(ctx context.Context, url, path string, body any) ([]byte, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	for name, value := range b.headers() {
		req.Header.Set(name, value)
	}
	res, err := b.cfg.HTTP.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d", res.StatusCode)
	}
	answer, err := io.ReadAll(io.LimitReader(res.Body, largestAnswer+1))
	if err == nil && len(answer) > largestAnswer {
		err = fmt.Errorf("more than %d bytes", largestAnswer)
	}
	return answer, err
}
