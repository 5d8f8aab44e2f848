package burst

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// Config bounds a burst.
type Config struct {
	ID string // trace ids are derived from it, so no two bursts share one

	Least    int           // least total of rollouts at full size, in as many bursts as that takes
	Ramp     int           // rollouts of a smaller wave, if RampTime allows that many
	RampTime time.Duration // time after which such a wave starts no more rollouts than its size
	Repeats  int           // rollouts whose calls are made twice
	Gaps     bool          // keep the recorded time between the turns

	// Isolation starts and stops each rollout's session; nil means no sessions.
	Isolation sampler.Isolation
	Sessions  int // most sessions at one time; 0 is as many as rollouts

	// Agent makes the rollouts of a plan for an agent.
	Agent Agent

	ToolTimeout, GraderTimeout time.Duration // of one request
	IsolationTimeout           time.Duration // of one start or stop
	Retry                      limit.Retry   // the retry policy of the trainer
	Flight                     int           // most requests in flight; 0 is any number
}

// DefaultConfig makes enough rollouts to detect a share of 5 %, and retries requests as the
// documented trainer does. At most half of the connections that this process may open are in
// flight: a server in the same process opens the other ends.
func DefaultConfig() Config {
	return Config{
		Least: 80, Ramp: 80, RampTime: 20 * time.Second, Repeats: 24,
		ToolTimeout: 5 * time.Minute, GraderTimeout: 5 * time.Minute, Retry: limit.DefaultRetry(),
		Flight: flight(),
	}
}

// flight returns how many requests may be in flight: a server in the same process opens the other
// ends of their connections. 0 is unknown.
func flight() int {
	const others = 64 // files that are no connections
	n := endpoint.OpenFiles()
	if n == 0 {
		return 0
	}
	return max(2, n-others) / 2
}

// Validate reports invalid values.
func (c Config) Validate() error {
	switch {
	case c.ID == "":
		return errors.New("a burst needs an id")
	case c.Least < 0 || c.Ramp < 1 || c.Repeats < 0 || c.Flight < 0 || c.Sessions < 0:
		return errors.New("a burst cannot make a negative number of rollouts, and a smaller wave makes one at least")
	case c.RampTime < 0 || c.ToolTimeout <= 0 || c.GraderTimeout <= 0:
		return errors.New("tool_timeout and grader_timeout must be more than 0: a burst waits for every answer")
	case c.Isolation != nil && c.IsolationTimeout <= 0:
		return errors.New("session.timeout must be more than 0: a burst waits for every session")
	}
	if c.Agent.Agent != nil && c.Agent.Timeout <= 0 {
		return errors.New("agent.timeout must be more than 0: a burst waits for every rollout")
	}
	return c.Retry.Validate()
}

// fewTurned is the share of calls that a tool may refuse now, though it accepted them when they
// were recorded, without a note.
const fewTurned = 0.05

// ErrInterrupted means that a burst was stopped before its end.
var ErrInterrupted = errors.New("the burst was interrupted")

// Waves lists what a burst of the plan does, in order. The numbers of rollouts are upper bounds. An
// agent's requests are not repeated: its model may answer differently.
func (p *Plan) Waves(cfg Config) []rollout.Wave {
	n := len(p.Scripts)
	var waves []rollout.Wave
	if k := min(cfg.Repeats, n); k > 0 && !p.agent {
		waves = append(waves, rollout.Wave{Purpose: rollout.RepeatWave, Size: min(4, k), Rollouts: k})
	}
	ramp := cfg.Ramp
	if p.agent {
		ramp = min(ramp, agentRamp)
	}
	for size := 1; size < n; size *= 2 {
		waves = append(waves, rollout.Wave{Purpose: rollout.RampWave, Size: size, Rollouts: max(size, ramp)})
	}
	for made := 0; made == 0 || made < cfg.Least; made += n {
		waves = append(waves, rollout.Wave{Purpose: rollout.BurstWave, Size: n, Rollouts: n})
	}
	return waves
}

// Rollouts returns how many rollouts the waves have an agent make at most.
func (p *Plan) Rollouts(cfg Config) int {
	n := 0
	if p.agent {
		for _, w := range p.Waves(cfg) {
			n += w.Rollouts
		}
	}
	return n
}

// Gradings returns the largest number of gradings in the waves, not counting retries.
func (p *Plan) Gradings(cfg Config) int {
	n := 0
	for _, w := range p.Waves(cfg) {
		switch {
		case !p.grade || p.judged() && w.Purpose != rollout.BurstWave:
		case w.Purpose == rollout.RepeatWave:
			n += 2 * w.Rollouts
		default:
			n += w.Rollouts
		}
	}
	return n
}

func (p *Plan) judged() bool {
	return slices.ContainsFunc(p.Endpoints, func(e rollout.BurstEndpoint) bool { return e.Judged })
}

// Run plays the waves of the plan and returns the outcome. Tools and grader must use a client with
// Watch's transport: otherwise their requests are not recorded. Only cfg limits or retries
// requests. watch, if not nil, is called with each completed wave. After an error there is no
// result: it is ErrInterrupted if drain was closed, or ctx's own if ctx ended. If all rollouts of a
// smaller wave are discarded, the burst itself comes next: further small waves would show nothing.
func Run(ctx context.Context, drain <-chan struct{}, cfg Config, p *Plan, tools map[string]sampler.Tool,
	g sampler.Grader, watch func(rollout.Wave),
) (*rollout.Burst, []rollout.BurstCall, error) {
	if err := cfg.Validate(); err != nil {
		return nil, nil, err
	}
	s := &stage{
		cfg: cfg, plan: p, tools: tools, grader: g, drain: drain, ids: &canaries{owner: map[string]int{}},
		flights: map[string]*atomic.Int64{},
	}
	for _, e := range p.Endpoints {
		s.flights[e.Name] = new(atomic.Int64)
	}
	if cfg.Flight > 0 {
		s.slots = make(chan struct{}, cfg.Flight)
	}
	if cfg.Isolation != nil && cfg.Sessions > 0 {
		s.places = make(chan struct{}, cfg.Sessions)
	}
	began := time.Now()
	b := &rollout.Burst{
		ID: cfg.ID, Started: began, Rollouts: len(p.Scripts), BatchSize: p.batch, GroupSize: p.group, Split: p.Split,
		Gaps: cfg.Gaps, Retries: cfg.Retry.Max, MaxFlight: cfg.Flight, Endpoints: p.Endpoints,
		Notes: append([]string{}, p.Notes...),
	}
	hopeless := false
	for _, w := range p.Waves(cfg) {
		if hopeless && w.Purpose != rollout.BurstWave {
			continue
		}
		if room := cfg.Agent.Room; room != nil && p.agent {
			if err := room(w.Rollouts); err != nil {
				return nil, nil, err
			}
		}
		if err := s.wave(ctx, len(b.Waves), &w); err != nil {
			return nil, nil, err
		}
		hopeless = hopeless || w.Purpose == rollout.RampWave && w.Discarded == w.Rollouts
		b.Waves = append(b.Waves, w)
		if watch != nil {
			watch(w)
		}
	}
	if hopeless {
		b.Notes = append(b.Notes, "a wave with few rollouts at once lost all of them: the remaining smaller "+
			"waves were skipped")
	}
	if s.waited.Load() {
		b.Notes = append(b.Notes, fmt.Sprintf("this machine can open no more than %d requests at once: some waited, "+
			"which does not count in their time; raise the limit of open files (ulimit -n)", cfg.Flight))
	}
	if s.queued.Load() {
		b.Notes = append(b.Notes, fmt.Sprintf("at most %d sessions may exist at once (session.concurrency): some "+
			"rollouts waited for one, which is not counted as time, so this is not the load of a step whose rollouts all "+
			"start at once", cfg.Sessions))
	}
	if n, all := s.turned.Load(), s.taken.Load(); float64(n) > fewTurned*float64(all) {
		b.Notes = append(b.Notes, fmt.Sprintf("of %d calls that the tools accepted when they were recorded, they "+
			"refuse %d now: the data behind those may be gone, and then this is not the load of a training step", all,
			n))
	}
	if n := s.leftOpen.Load(); n > 0 {
		b.Notes = append(b.Notes, fmt.Sprintf("sessions that could not be stopped: %d; the next run of the command "+
			"tries again", n))
	}
	b.Elapsed = rollout.Seconds(time.Since(began))
	slices.SortStableFunc(s.calls, func(a, b rollout.BurstCall) int {
		return cmp.Or(cmp.Compare(a.Wave, b.Wave), cmp.Compare(a.Rollout, b.Rollout), cmp.Compare(a.At, b.At))
	})
	return b, s.calls, nil
}

// stage is what the waves of one burst share.
type stage struct {
	cfg    Config
	plan   *Plan
	tools  map[string]sampler.Tool
	grader sampler.Grader
	drain  <-chan struct{}
	ids    *canaries
	slots  chan struct{} // a token for each request in flight; nil is no bound
	waited atomic.Bool   // a request had to wait for a token
	places chan struct{} // a token for each session; nil is no bound
	queued atomic.Bool   // a rollout had to wait for a token

	leftOpen      atomic.Int64 // sessions that could not be stopped
	taken, turned atomic.Int64 // calls that a tool accepted when recorded, and how many of them it refuses now

	flights map[string]*atomic.Int64 // requests in flight, by endpoint

	mu    sync.Mutex // guards the fields below
	calls []rollout.BurstCall
	made  int // rollouts, over all waves
}

// wave plays rollouts, w.Size of them in parallel. All workers start at the same moment.
func (s *stage) wave(ctx context.Context, index int, w *rollout.Wave) error {
	var next, discarded, made atomic.Int64
	begin := make(chan struct{})
	var began time.Time
	var workers errgroup.Group
	for range min(w.Size, w.Rollouts) {
		workers.Go(func() error {
			<-begin
			for {
				i := int(next.Add(1)) - 1
				late := i >= w.Size && w.Purpose != rollout.BurstWave && time.Since(began) > s.cfg.RampTime
				if i >= w.Rollouts || late {
					return nil
				}
				if s.drained() {
					return ErrInterrupted
				}
				lost, err := s.rollout(ctx, index, i, w.Purpose, began)
				if err != nil {
					return err
				}
				made.Add(1)
				if lost {
					discarded.Add(1)
				}
			}
		})
	}
	began = time.Now()
	close(begin)
	err := workers.Wait()
	w.Rollouts, w.Discarded, w.Elapsed = int(made.Load()), int(discarded.Load()), rollout.Seconds(time.Since(began))
	return err
}

func (s *stage) drained() bool {
	select {
	case <-s.drain:
		return true
	default:
		return false
	}
}

// rollout plays one script and reports whether a trainer would discard it.
func (s *stage) rollout(ctx context.Context, wave, index int, purpose rollout.Purpose,
	began time.Time,
) (lost bool, err error) {
	s.mu.Lock()
	serial := s.made
	s.made++
	s.mu.Unlock()
	script := s.plan.Scripts[index%len(s.plan.Scripts)]
	e := &episode{
		stage: s, script: script, serial: serial, trace: tracePrefix + s.hash("trace", serial, 0),
		twice: purpose == rollout.RepeatWave,
	}
	e.base = rollout.BurstCall{Wave: wave, Rollout: index, Item: script.Item.ID, TraceID: e.trace}
	e.began = began
	s.ids.plant(e.trace, serial)
	grade := s.plan.grade && (purpose == rollout.BurstWave || !s.plan.judged())
	lost, err = e.play(ctx, grade)
	s.mu.Lock()
	s.calls = append(s.calls, e.calls...)
	s.mu.Unlock()
	return lost, err
}

// hash returns an id of something that belongs to a rollout.
func (s *stage) hash(space string, serial, n int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "gonogo/burst/1\x00%s\x00%s\x00%d\x00%d", s.cfg.ID, space, serial, n))
	return hex.EncodeToString(sum[:idBytes])
}
