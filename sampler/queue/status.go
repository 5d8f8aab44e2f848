package queue

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"sort"
	"time"

	"github.com/nats-io/nats.go"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// Status is the progress of a run, as its planner reports it.
type Status struct {
	Schema     string                  `json:"schema"`
	Run        string                  `json:"run"`
	Name       string                  `json:"name,omitempty"`
	Version    string                  `json:"version"`
	Host       string                  `json:"host"` // of the planner
	PID        int                     `json:"pid"`
	Since      time.Time               `json:"since"`
	Told       bool                    `json:"told"` // the fields from Jobs to Boundaries are known
	Jobs       int                     `json:"jobs"`
	Recorded   int                     `json:"recorded"`
	InFlight   int                     `json:"in_flight"`
	Outcomes   map[rollout.Outcome]int `json:"outcomes,omitempty"`
	Tokens     int64                   `json:"tokens"`
	USD        *float64                `json:"usd,omitempty"` // nil if no rollout has a known cost
	USDUnknown int                     `json:"usd_unknown"`   // rollouts whose cost is unknown
	Elapsed    time.Duration           `json:"elapsed_ns"`
	Boundaries []endpoint.State        `json:"boundaries,omitempty"`
	Workers    []WorkerState           `json:"workers"`
	PaidTwice  int                     `json:"paid_twice"`
}

// question is a request for the status of runs.
type question struct {
	Schema string `json:"schema"`
	Run    string `json:"run,omitempty"` // "" asks the planners of all runs
}

// How long to wait for the first planner to answer, and after that for all others.
const (
	statusWait  = 2 * time.Second
	statusAfter = 200 * time.Millisecond
)

// Status returns what the planners of all runs report, or the planner of the given run, sorted
// by run.
func (c *Conn) Status(ctx context.Context, run string) ([]Status, error) {
	b, err := json.Marshal(question{Schema, run})
	if err != nil {
		return nil, err
	}
	subject, begun := plansSubject, time.Now()
	if run != "" {
		subject = safe(run).status()
	}
	inbox := c.nc.NewRespInbox()
	sub, err := c.nc.SubscribeSync(inbox)
	if err == nil {
		defer func() { _ = sub.Unsubscribe() }() // the connection may be gone by then
		err = c.nc.PublishRequest(subject, inbox, b)
	}
	if err != nil {
		return nil, c.explain("ask who leads a run", err)
	}
	var all []Status
	ctx, cancel := context.WithTimeout(ctx, statusWait)
	defer cancel()
	for {
		m, err := sub.NextMsgWithContext(ctx)
		switch {
		case err == nil && m.Header.Get("Status") == "503": // no planner listens
			return all, nil
		case err != nil && len(all) == 0 && (fatal(err) || c.refused(begun)):
			return nil, c.explain("ask who leads a run", err)
		case errors.Is(err, nats.ErrNoResponders), err != nil:
			sort.Slice(all, func(i, j int) bool { return all[i].Run < all[j].Run })
			return all, nil
		}
		var s Status
		if jsontext.Unmarshal(m.Data, &s) == nil && s.Run != "" {
			all = append(all, s)
		}
		if run != "" && len(all) > 0 {
			return all, nil
		}
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, statusAfter)
		defer stop()
	}
}

// asked answers a question with the run's status.
func (p *Planner) asked(m *nats.Msg) {
	var q question
	if err := jsontext.Unmarshal(m.Data, &q); err != nil || q.Run != "" && q.Run != p.plan.Run {
		return
	}
	p.reply(m, p.status())
}

func (p *Planner) status() Status {
	s := Status{
		Schema: Schema, Run: p.plan.Run, Name: p.plan.Name, Version: p.plan.Version, Host: p.host, PID: os.Getpid(),
		Since:   p.since,
		Workers: p.Workers(), PaidTwice: p.PaidTwice(),
	}
	p.mu.Lock()
	e := p.event
	p.mu.Unlock()
	if e == nil {
		return s
	}
	s.Told = true
	s.Jobs, s.Recorded, s.InFlight, s.Outcomes = e.Rollouts, e.Recorded, e.InFlight, e.Outcomes
	s.Tokens, s.USDUnknown, s.Elapsed, s.Boundaries = e.Tokens, e.USDUnknown, e.Elapsed, e.Boundaries
	if e.USD.N > 0 {
		s.USD = &e.USD.Total
	}
	return s
}
