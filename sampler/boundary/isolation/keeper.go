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
	Start       string            // a URL to POST to, or a shell command
	Stop        string            // the same; "" if the session ends with the processes of Start
	Headers     map[string]string // headers of both POSTs, with variables already replaced
	Concurrency int               // maximum number of sessions at one time; 0 = no limit
	Reads       []string          // names that tools and graders read: the answer of a start must have them
	// Canary is a file in the session to which the rollout's canary is written; "" for none.
	// {{session.NAME}} is replaced by the value that the start returned.
	Canary string
	HTTP   *http.Client // nil = a new client
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
		return errors.New("a session that is started by a URL needs a stop: nothing else stops it")
	case c.Concurrency < 0:
		return errors.New("the concurrency of sessions cannot be negative (0 = no bound)")
	case !process.Supported && (!IsURL(c.Start) || !IsURL(c.Stop)):
		return errors.New("this system cannot stop everything that a command starts: give the session's start and " +
			"stop as URLs")
	}
	return endpoint.CheckHeaders(c.Headers)
}

// Keeper starts and stops sessions. It implements sampler.Isolation and is safe for concurrent use.
type Keeper struct {
	cfg         Config
	start, stop sampler.Address // addresses of hooks that are URLs
	answered    atomic.Bool     // a start has returned all values that are read
	planted     atomic.Bool     // a canary was written
	kept        []string        // names whose values the stop reads, so the journal needs them
	slots       chan struct{}   // holds a token for each session; nil = no limit

	mu      sync.Mutex        // guards the fields below
	journal *Journal          // nil: no journal is written
	open    map[string]*state // sessions that are not stopped, by id
}

// state is the state of a session.
type state struct {
	hasSlot bool
	begun   bool // the start was attempted, so the session may exist
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
		k.slots = make(chan struct{}, cfg.Concurrency)
	}
	return k, nil
}

// Start makes one attempt to start a session that has passed Enter, and fills in the values that it
// returned. The caller must call Stop even if Start fails.
func (k *Keeper) Start(ctx context.Context, e *sampler.RolloutSession) error {
	// Record it first: a kill in between leaves at worst a session to stop that never started.
	if err := k.note(e); err != nil {
		return err
	}
	text, header, err := k.do(ctx, "start", k.cfg.Start, e)
	if err != nil {
		return err
	}
	if e.Values, err = values(text); err != nil {
		return &endpoint.Failure{
			URL: bareURL(k.cfg.Start), Status: statusOf(header), Temporary: true,
			Err: fmt.Errorf("the session's start answered %w", err),
		}
	}
	if name := e.Lacks(slices.Concat(k.kept, k.cfg.Reads)); name != "" {
		// If an earlier start returned all of them, only this answer is incomplete.
		f := &endpoint.Failure{
			URL: bareURL(k.cfg.Start), Status: statusOf(header),
			Err: fmt.Errorf("the answer of the session's start has no %q, which {{session.%s}} reads", name, name),
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

// Enter waits for a free slot and takes it.
func (k *Keeper) Enter(ctx context.Context, e *sampler.RolloutSession) error {
	if k.slots != nil {
		select {
		case k.slots <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.open[e.ID] = &state{hasSlot: k.slots != nil}
	return nil
}

// note records that a session may exist.
func (k *Keeper) note(e *sampler.RolloutSession) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if s := k.open[e.ID]; s != nil {
		s.begun = true
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

// Stop makes one attempt to stop a session, including all processes that its start left behind. It
// succeeds for a session that was never started or is already gone.
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
	if s := k.open[e.ID]; s != nil {
		s.stopped = true
	}
	if k.journal == nil {
		return nil
	}
	return k.journal.stopped(e)
}

// begun reports whether the session may exist. The journal lists sessions of an earlier invocation.
func (k *Keeper) begun(e *sampler.RolloutSession) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if s, known := k.open[e.ID]; known {
		return s.begun
	}
	return k.journal != nil && k.journal.holds(e)
}

// leave frees the slot after the first attempt to stop: a session that cannot be stopped must not
// block the others forever.
func (k *Keeper) leave(e *sampler.RolloutSession) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.open[e.ID]
	if s == nil {
		return
	}
	if s.hasSlot {
		s.hasSlot = false
		<-k.slots
	}
	if s.stopped || !s.begun {
		delete(k.open, e.ID)
	}
}

// do posts to a hook, or runs it as a command, and returns its answer.
func (k *Keeper) do(ctx context.Context, what, hook string,
	e *sampler.RolloutSession,
) (text []byte, header http.Header, err error) {
	body := describe(e)
	if !IsURL(hook) {
		text, err = run(ctx, what, hook, body, environment(e))
		return text, nil, err
	}
	hookAddress := k.start
	if what == "stop" {
		hookAddress = k.stop
	}
	address, head, secrets, err := hookAddress.In(e)
	if err != nil {
		if what == "stop" && e.Values == nil { // the start never answered, so the stop has no values to use
			err = nil
		}
		return nil, nil, err
	}
	a, err := e.Try.Post(ctx, k.cfg.HTTP, address, head, body, maxAnswer)
	if err != nil {
		return nil, nil, err
	}
	a = secrets.Answer(a) // the journal keeps values; neither model nor grader reads them
	switch {
	case a.Status >= 300:
		return nil, a.Header, endpoint.StatusFailure(address, a)
	case a.Over:
		return nil, a.Header, &endpoint.Failure{
			URL: bareURL(hook), Status: a.Status, Temporary: true,
			Err: fmt.Errorf("the answer is longer than %d bytes", maxAnswer),
		}
	}
	return a.Body, a.Header, nil
}

// statusOf returns the status of an accepted answer: 200, or 0 for a command's, which has no header.
func statusOf(header http.Header) int {
	if header == nil {
		return 0
	}
	return http.StatusOK
}

// bareURL returns a hook's URL for messages. It is "" for a command, which may contain a secret.
func bareURL(hook string) string {
	if IsURL(hook) {
		return credential.BareURL(hook)
	}
	return ""
}

// maxAnswer is the maximum length of an answer, in bytes.
const maxAnswer = 64 << 10

// values reads the JSON object that a start returned. An empty answer is an empty object.
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
