package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
	"gonogo/sampler/wording"
)

// RunStatus is the progress of a run, read from its directory or reported by its planner.
type RunStatus struct {
	Run       string                  `json:"run"`
	Name      string                  `json:"name,omitempty"`
	Directory string                  `json:"directory,omitempty"`
	Queue     string                  `json:"queue,omitempty"`
	Host      string                  `json:"host,omitempty"` // of the process that leads or writes it
	PID       string                  `json:"pid,omitempty"`
	Live      bool                    `json:"live"` // that process is running
	Version   string                  `json:"version,omitempty"`
	Recorded  int                     `json:"recorded"`
	Of        int                     `json:"of"` // planned rollouts
	InFlight  int                     `json:"in_flight"`
	Outcomes  map[rollout.Outcome]int `json:"outcomes"`
	Tokens    int64                   `json:"tokens"`
	USD       *float64                `json:"usd"` // null if unknown
	PaidTwice int                     `json:"paid_twice"`
	PerMinute float64                 `json:"per_minute"`
	Told      string                  `json:"told"`  // the period that the rate covers
	ETA       *float64                `json:"eta_s"` // at that rate; null if unknown
	Endpoints []EndpointStatus        `json:"endpoints"`
	Workers   []WorkerStatus          `json:"workers"`
	Note      string                  `json:"note,omitempty"`
}

// EndpointStatus is the state of an endpoint of the run.
type EndpointStatus struct {
	Name      string  `json:"name"`
	InFlight  int     `json:"in_flight"`
	Waiting   int     `json:"waiting"`
	Limit     int     `json:"limit"`
	HeldBy    string  `json:"held_by,omitempty"`
	PerSecond float64 `json:"per_second"`
	P95       float64 `json:"p95_s"`
	Requests  int     `json:"requests"`
	Errors    int     `json:"errors"`
	Limited   int     `json:"limited"`
	Paused    float64 `json:"paused_s"`
	Silent    float64 `json:"silent_s"` // how long no answer has come
	Cause     string  `json:"cause,omitempty"`

	Boundary endpoint.State `json:"-"`
}

// WorkerStatus is the state of a worker of the run.
type WorkerStatus struct {
	Host      string  `json:"host"`
	PID       int     `json:"pid"`
	Version   string  `json:"version"`
	State     string  `json:"state"` // works, lacks, lost or left
	Lacks     string  `json:"lacks,omitempty"`
	Slots     int     `json:"slots"`
	InFlight  int     `json:"in_flight"`
	Waiting   int     `json:"waiting"` // requests waiting for their turn
	Made      int     `json:"made"`
	Missing   int     `json:"missing"` // how many of them an endpoint failed
	PerMinute float64 `json:"per_minute"`
	Silent    float64 `json:"silent_s"`
}

// Runs returns the status of all runs on the queue, or of the given one, including runs
// that no planner leads. url is the address that is shown for the queue.
func (c *Conn) Runs(ctx context.Context, run, url string) ([]*RunStatus, error) {
	led, err := c.Status(ctx, run)
	if err != nil {
		return nil, err
	}
	leaderless, err := c.Leaderless(ctx, run, led)
	if err != nil {
		return nil, err
	}
	out := []*RunStatus{}
	for _, one := range led {
		out = append(out, one.ofRun(url))
	}
	for _, one := range leaderless {
		s := newRunStatus(one.Run)
		s.Queue, s.Note = url, fmt.Sprintf("the queue keeps %s and %s that are not recorded; to continue, rerun the "+
			"command that started it", count(one.Jobs, "job"), count(one.Results, "result"))
		out = append(out, s)
	}
	return out, nil
}

func count(n int, what string) string { return fmt.Sprintf("%d %s", n, wording.Plural(n, what)) }

func newRunStatus(run string) *RunStatus {
	return &RunStatus{
		Run: run, Outcomes: map[rollout.Outcome]int{}, Endpoints: []EndpointStatus{},
		Workers: []WorkerStatus{},
	}
}

// ofRun converts a planner's answer.
func (q Status) ofRun(url string) *RunStatus {
	s := newRunStatus(q.Run)
	s.Name, s.Queue, s.Host, s.PID, s.Live, s.Version, s.Told = q.Name, url, q.Host, fmt.Sprint(q.PID), true,
		q.Version, "mean of this call so far"
	s.Recorded, s.Of, s.InFlight, s.Outcomes, s.Tokens, s.USD, s.PaidTwice = q.Recorded, q.Jobs, q.InFlight,
		q.Outcomes, q.Tokens, q.USD, q.PaidTwice
	s.rate(q.Recorded, q.Jobs-q.Recorded, q.Elapsed)
	if !q.Told {
		s.Note = "no rollout has started"
	}
	for _, b := range q.Boundaries {
		s.Endpoints = append(s.Endpoints, EndpointStatus{
			Name: b.Name, InFlight: b.InFlight, Waiting: b.Waiting, Limit: b.Limit, PerSecond: b.Rate,
			P95: b.P95.Seconds(), Requests: b.Requests,
			Errors: b.Errors, Limited: b.Limited, Paused: b.Paused.Seconds(), HeldBy: string(b.HeldBy),
			Silent: b.Silent.Seconds(), Cause: b.Cause, Boundary: b,
		})
	}
	for _, w := range q.Workers {
		s.Workers = append(s.Workers, WorkerStatus{
			Host: w.Host, PID: w.PID, Version: w.Version, State: w.word(), Lacks: w.Lacks, Slots: w.Slots,
			InFlight: w.InFlight, Waiting: w.Waiting,
			Made: w.Made, Missing: w.Missing, PerMinute: perMinute(w.Made, time.Since(w.Joined)),
			Silent: w.Silent.Seconds(),
		})
	}
	return s
}

// word names the state of a worker.
func (w WorkerState) word() string {
	switch {
	case w.Left:
		return "left"
	case w.Lost:
		return "lost"
	case w.Lacks != "":
		return "lacks"
	}
	return "works"
}

// rate sets the rate at which rollouts were made, and the time that the remaining ones will take.
func (s *RunStatus) rate(made, remaining int, in time.Duration) {
	s.PerMinute = perMinute(made, in)
	if s.PerMinute > 0 && remaining >= 0 {
		eta := float64(remaining) / s.PerMinute * 60
		s.ETA = &eta
	}
}

func perMinute(n int, in time.Duration) float64 {
	if in <= 0 {
		return 0
	}
	return float64(n) / in.Minutes()
}

// lately is the period for which ReadRun computes the rate.
const lately = 5 * time.Minute

// ReadRun reads the progress of a run from its directory. price returns the cost of a rollout,
// and whether it is known.
func ReadRun(ctx context.Context, dir string, run *rollout.Run,
	price func(*rollout.Record) (usd float64, known bool),
) (*RunStatus, error) {
	m := run.Manifest
	if m == nil || m.Planned == nil {
		return nil, fmt.Errorf("%s was not sampled by gonogo: it has no plan to compare its rollouts with", dir)
	}
	s := newRunStatus(m.ID)
	s.Name, s.Directory, s.Version = m.Name, dir, m.ToolVersion
	s.PID, s.Live = rollout.LockedBy(dir)
	for split, n := range m.Planned.Samples {
		s.Of += n * m.Planned.Items[split]
	}
	var spans []span
	usd, known := 0.0, true
	_, err := run.Records(ctx, rollout.ReadOptions{Lean: true}, func(r *rollout.Record) error {
		s.Recorded++
		s.Outcomes[r.Outcome]++
		spans = append(spans, span{r.Started, r.Started.Add(time.Duration(r.Elapsed))})
		if n := sampler.TokensOf(r); n != nil {
			s.Tokens += *n
		}
		cost, ok := price(r)
		usd, known = usd+cost, known && ok
		return nil
	})
	if err != nil && !errors.Is(err, rollout.ErrNoRecords) {
		return nil, err
	}
	if known && s.Recorded > 0 {
		s.USD = &usd
	}
	end, all, last := time.Now(), "since it began", "the last "
	if !s.Live { // its time ends with its last rollout
		end, all, last = m.Started, "while it ran", "its last "
		for _, x := range spans {
			end = later(end, x.end)
		}
	}
	since := m.Started
	if end.Sub(since) > lately {
		since = end.Add(-lately)
	}
	made, in := lastOf(spans, since, end)
	if s.Told = all; end.Sub(m.Started) > in+time.Second {
		s.Told = last + in.Round(time.Second).String()
	}
	if s.rate(made, max(0, s.Of-s.Recorded), in); !s.Live {
		s.ETA = nil
	}
	return s, nil
}

// span holds when a rollout began and ended.
type span struct{ begin, end time.Time }

// lastOf returns how many rollouts ended after since, and the time until end in which they
// were made. It starts with the first of them, because a run may have been interrupted before.
func lastOf(spans []span, since, end time.Time) (made int, in time.Duration) {
	first := end
	for _, x := range spans {
		if x.end.After(since) {
			made++
			if x.begin.Before(first) {
				first = x.begin
			}
		}
	}
	return made, end.Sub(later(first, since))
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
