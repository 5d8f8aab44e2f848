package isolation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"gonogo/sampler"
	"gonogo/sampler/boundary/internal/process"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout/credential"
)

// Config says how sessions are started and stopped.
type Config struct {
	Start       string            // a URL to POST to, or a command for the shell
	Stop        string            // so; "" for what ends with the processes of Start
	Headers     map[string]string // of both POSTs; final values
	Concurrency int               // sessions at one time; 0 = no bound
	Reads       []string          // names that tools and graders read: a start must answer them
	// a file in the session's place that the rollout's canary is written to; {{session.NAME}} stands for
	// what the start answered; "": none
	Canary string
	HTTP   *http.Client // nil = one of our own
}

// IsURL reports whether a hook is a URL to POST to and not a command.
func IsURL(hook string) bool {
	return strings.HasPrefix(hook, "http://") || strings.HasPrefix(hook, "https://")
}

// Validate reports invalid settings.
func (c Config) Validate() error {
	switch {
	case c.Start == "":
		return errors.New("a session has no start")
	case IsURL(c.Start) && c.Stop == "":
		return errors.New("a session that is started by a URL needs a stop: nothing else ends it")
	case c.Concurrency < 0:
		return errors.New("the concurrency of sessions cannot be negative (0 = no bound)")
	case !process.Supported && (!IsURL(c.Start) || !IsURL(c.Stop)):
		return errors.New("this system cannot stop everything that a command starts: give the session's start and " +
			"stop as URLs")
	}
	return endpoint.CheckHeaders(c.Headers)
}

// Keeper starts and stops sessions. It implements sampler.Isolation and is safe
// for concurrent use.
type Keeper struct {
	cfg         Config
	start, stop sampler.Address // of hooks that are URLs
	answered    atomic.Bool     // a start answered all that is read
	planted     atomic.Bool     // a canary was written
	kept        []string        // names whose values the stop reads, so the journal needs them
	places      chan struct{}

	mu      sync.Mutex        // guards what follows
	journal *Journal          // nil: nothing is written down
	open    map[string]*state // not stopped, by id
}

// state is how far a session has come.
type state struct {
	placed  bool // it holds a place
	begun   bool // it may be there
	stopped bool
}

// New returns a keeper without a journal.
func New(cfg Config) (*Keeper, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.HTTP == nil {
		cfg.HTTP = endpoint.HTTPClient(nil, 16)
	}
	k := &Keeper{cfg: cfg, open: make(map[string]*state)}
	k.cfg.Reads = slices.Concat(cfg.Reads, sampler.SessionVariables(cfg.Canary))
	var err error
	if IsURL(cfg.Start) {
		if k.start, err = sampler.NewAddress("session.start", cfg.Start, cfg.Headers); err != nil {
			return nil, err
		}
	}
	if IsURL(cfg.Stop) {
		if k.stop, err = sampler.NewAddress("session.stop", cfg.Stop, cfg.Headers); err != nil {
			return nil, err
		}
		k.kept = k.stop.Reads()
	}
	if cfg.Concurrency > 0 {
		k.places = make(chan struct{}, cfg.Concurrency)
	}
	return k, nil
}

// Start makes one try to start a session that has a place, and fills in what it
// returned. Whatever it returns, Stop must be called.
func (k *Keeper) Start(ctx context.Context, e *sampler.RolloutSession) error {
	// First the note, then the deed: a kill in between costs a stop of nothing.
	if err := k.note(e); err != nil {
		return err
	}
	text, header, err := k.do(ctx, "start", k.cfg.Start, e)
	if err != nil {
		return err
	}
	if e.Values, err = values(text); err != nil {
		return &endpoint.Failure{
			URL: k.where(k.cfg.Start), Status: statusOf(header), Temporary: true,
			Err: fmt.Errorf("the session's start answered %w", err),
		}
	}
	if name := e.Lacks(slices.Concat(k.kept, k.cfg.Reads)); name != "" {
		// It answered all of them before: then it is this one answer that was broken.
		f := &endpoint.Failure{
			URL: k.where(k.cfg.Start), Status: statusOf(header),
			Err: fmt.Errorf("the session's start answered no %q, which {{session.%s}} reads", name, name),
		}
		f.Temporary = k.answered.Load()
		f.Fatal = !f.Temporary
		return f
	}
	k.answered.Store(true)
	if len(k.kept) > 0 {
		if err := k.note(e); err != nil {
			return err
		}
	}
	return k.plant(ctx, e)
}

// Enter takes a place, as soon as one is free.
func (k *Keeper) Enter(ctx context.Context, e *sampler.RolloutSession) error {
	if k.places != nil {
		select {
		case k.places <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.open[e.ID] = &state{placed: k.places != nil}
	return nil
}

// note writes down that a session may be there.
func (k *Keeper) note(e *sampler.RolloutSession) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if at := k.open[e.ID]; at != nil {
		at.begun = true
	}
	if k.journal == nil {
		return nil
	}
	kept := make(map[string]json.RawMessage)
	for _, name := range k.kept {
		name, _, _ = strings.Cut(name, ".")
		if raw, ok := e.Values[name]; ok {
			kept[name] = raw
		}
	}
	return k.journal.started(e, kept)
}

// Stop makes one try to stop a session, with all processes that its start left
// behind. It succeeds for one that never began or is already gone.
func (k *Keeper) Stop(ctx context.Context, e *sampler.RolloutSession) error {
	defer k.leave(e)
	if !k.begun(e) {
		return nil
	}
	var err error
	if k.cfg.Stop != "" {
		_, _, err = k.do(ctx, "stop", k.cfg.Stop, e)
		if f, ok := endpoint.AsFailure(err); ok && (f.Status == http.StatusNotFound || f.Status == http.StatusGone) {
			err = nil
		}
	}
	if !IsURL(k.cfg.Start) {
		process.KillMarked(mark(e))
	}
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if at := k.open[e.ID]; at != nil {
		at.stopped = true
	}
	if k.journal == nil {
		return nil
	}
	return k.journal.stopped(e)
}

// begun reports whether there may be something to stop. The journal has those
// that an earlier call began.
func (k *Keeper) begun(e *sampler.RolloutSession) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if at, known := k.open[e.ID]; known {
		return at.begun
	}
	return k.journal != nil && k.journal.holds(e)
}

// leave gives the place back, after the first try to stop: one that cannot be
// stopped must not hold the others up for ever.
func (k *Keeper) leave(e *sampler.RolloutSession) {
	k.mu.Lock()
	defer k.mu.Unlock()
	at := k.open[e.ID]
	if at == nil {
		return
	}
	if at.placed {
		at.placed = false
		<-k.places
	}
	if at.stopped || !at.begun {
		delete(k.open, e.ID)
	}
}

// do posts to a hook or runs it and returns what it answered.
func (k *Keeper) do(ctx context.Context, what, hook string,
	e *sampler.RolloutSession,
) (text []byte, header http.Header, err error) {
	body := describe(e)
	if !IsURL(hook) {
		text, err = run(ctx, what, hook, body, environment(e))
		return text, nil, err
	}
	at := k.start
	if what == "stop" {
		at = k.stop
	}
	address, head, secrets, err := at.In(e)
	if err != nil {
		if what == "stop" && e.Values == nil { // the start never answered: there is nothing to stop by this
			err = nil
		}
		return nil, nil, err
	}
	a, err := e.Try.Post(ctx, k.cfg.HTTP, address, head, body, maxAnswer)
	if err != nil {
		return nil, nil, err
	}
	a = secrets.Answer(a) // values are kept in a journal, and neither model nor grader reads them
	switch {
	case a.Status >= 300:
		return nil, a.Header, endpoint.StatusFailure(address, a)
	case a.Over:
		return nil, a.Header, &endpoint.Failure{
			URL: k.where(hook), Status: a.Status, Temporary: true,
			Err: fmt.Errorf("the answer is longer than %d bytes", maxAnswer),
		}
	}
	return a.Body, a.Header, nil
}

// statusOf is the status of an answer that was taken; a command has none.
func statusOf(header http.Header) int {
	if header == nil {
		return 0
	}
	return http.StatusOK
}

// where is a hook as messages name it: a command is not, for it may hold a
// secret.
func (k *Keeper) where(hook string) string {
	if IsURL(hook) {
		return credential.BareURL(hook)
	}
	return ""
}

// maxAnswer bounds what a start may answer.
const maxAnswer = 64 << 10

// values reads the JSON object that a start answered; nothing is an empty one.
func values(text []byte) (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	if len(strings.TrimSpace(string(text))) == 0 {
		return out, nil
	}
	if err := jsontext.Unmarshal(text, &out); err != nil || out == nil {
		return nil, fmt.Errorf("neither a JSON object nor empty: %s", endpoint.Brief(string(text)))
	}
	return out, nil
}
