package python

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Pool is a set of workers. It is safe for use by several goroutines.
type Pool struct {
	cfg  Config
	free chan struct{} // one token for each worker that may be busy
	done chan struct{} // closed by Close

	planning sync.Mutex // held while plan is made
	watching sync.WaitGroup

	mu      sync.Mutex // guards all below
	plan    *plan      // how a worker is started; nil before the first Load
	idle    []*worker  // the one used last is the last
	busy    map[*worker]time.Time
	modules int
	closed  bool
}

// module is a source that was loaded once without an error.
type module struct {
	Name     string `json:"name"`
	Source   string `json:"source"`
	Function string `json:"function"`
	Args     int    `json:"args"`
	Extra
	index int
}

// Extra is what may come with a source.
type Extra struct {
	// Modules are sources that the source may import, by name. Where two sources
	// have modules of one name, an import within a function finds the one loaded
	// last.
	Modules map[string]string `json:"modules,omitempty"`
	// Adapter is a source of a module with a function adapt(space, options), which
	// gets the module of the first source and returns the function to call;
	// "" calls one of the first source. It raises an exception named Unfit where
	// the source is not what was asked for.
	Adapter string          `json:"adapter,omitempty"`
	Options json.RawMessage `json:"options,omitempty"`
}

// startError is a call for which there was no worker.
type startError struct{ error }

func (e startError) Unwrap() error { return e.error }

// errClosed is what calls to a closed pool get.
var errClosed = errors.New("the python workers are closed")

// NewPool returns a pool that has started nothing yet. Close it.
func NewPool(cfg Config) (*Pool, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("python: %w", err)
	}
	return &Pool{
		cfg: cfg, free: make(chan struct{}, cfg.workers()), done: make(chan struct{}),
		busy: make(map[*worker]time.Time),
	}, nil
}

// Load starts a worker, compiles the source in it and checks that it defines
// the function and that args arguments can be handed to it. name stands for the
// source in messages. The first Load finds the interpreter and the sandbox.
func (p *Pool) Load(ctx context.Context, name, source, function string, args int) (*Function, error) {
	return p.LoadWith(ctx, name, source, function, args, Extra{})
}

// LoadWith is Load of a source with extras. With an adapter
// function is only a word for messages.
func (p *Pool) LoadWith(ctx context.Context, name, source, function string, args int, extra Extra) (*Function, error) {
	m := &module{Name: name, Source: source, Function: function, Args: args, Extra: extra, index: p.next()}
	err := p.with(ctx, func(w *worker) error { return w.load(ctx, p.cfg.Timeout, m) })
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, p.loadError(name, err)
	}
	return &Function{pool: p, module: m}, nil
}

// with hands a worker to use, and another one if that had died before.
func (p *Pool) with(ctx context.Context, use func(*worker) error) error {
	for again := false; ; again = true {
		w, err := p.take(ctx)
		if err != nil {
			return startError{err}
		}
		err = use(w)
		p.put(w)
		if again || !errors.Is(err, errNotBegun) {
			return err
		}
	}
}

// next numbers a module.
func (p *Pool) next() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.modules++
	return p.modules
}

// Isolation says in one sentence what holds the functions, and what does not.
// It is "" before the first Load.
func (p *Pool) Isolation() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.plan == nil {
		return ""
	}
	return p.plan.sentence()
}

// Interpreter says which interpreter runs, such as "/usr/bin/python3 (Python
// 3.11.2)". It is "" before the first Load.
func (p *Pool) Interpreter() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.plan == nil {
		return ""
	}
	return p.plan.interpreter.String()
}

// Close ends all workers and what they have started, and waits for them. Calls
// under way end first; later ones fail.
func (p *Pool) Close() error {
	p.mu.Lock()
	again := p.closed
	p.closed = true
	p.mu.Unlock()
	if again {
		return nil
	}
	close(p.done)
	for range cap(p.free) { // with every token in hand no one is busy
		p.free <- struct{}{}
	}
	p.watching.Wait()
	for w := p.pop(); w != nil; w = p.pop() {
		w.kill()
	}
	if p.plan == nil {
		return nil
	}
	return p.plan.close()
}

// take waits for a worker: the one that was used last, or a new one. It must be
// put back.
func (p *Pool) take(ctx context.Context) (*worker, error) {
	if ctx.Err() != nil { // select would take a free worker as readily
		return nil, context.Cause(ctx)
	}
	select {
	case p.free <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-p.done:
		return nil, errClosed
	}
	w := p.pop()
	var err error
	if w == nil {
		w, err = p.start(ctx)
	}
	if err != nil {
		<-p.free
		return nil, err
	}
	p.mu.Lock()
	p.busy[w] = time.Now()
	p.mu.Unlock()
	return w, nil
}

// pop takes an idle worker, nil when there is none. Those that have died while
// no one used them are dropped.
func (p *Pool) pop() *worker {
	for {
		p.mu.Lock()
		n := len(p.idle)
		if n == 0 {
			p.mu.Unlock()
			return nil
		}
		w := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		if w.alive() {
			return w
		}
		w.kill()
	}
}

// put gives a worker back.
func (p *Pool) put(w *worker) {
	p.mu.Lock()
	delete(p.busy, w)
	p.mu.Unlock()
	if w.overuse.Load() != nil {
		w.kill()
	}
	if !w.ended {
		p.mu.Lock()
		p.idle = append(p.idle, w)
		p.mu.Unlock()
	}
	<-p.free
}

// start starts a worker.
func (p *Pool) start(ctx context.Context) (*worker, error) {
	select {
	case <-p.done:
		return nil, errClosed
	default:
	}
	plan, err := p.planned(ctx)
	if err != nil {
		return nil, err
	}
	return plan.start(ctx)
}

// planned finds the interpreter and the sandbox, and begins to watch, once.
func (p *Pool) planned(ctx context.Context) (*plan, error) {
	p.planning.Lock()
	defer p.planning.Unlock()
	p.mu.Lock()
	made := p.plan
	p.mu.Unlock()
	if made != nil {
		return made, nil
	}
	made, err := newPlan(ctx, p.cfg)
	if err != nil {
		return nil, err
	}
	p.begin(made)
	return made, nil
}

// begin has workers started by a plan, and watched.
func (p *Pool) begin(made *plan) {
	p.mu.Lock()
	p.plan = made
	p.mu.Unlock()
	p.watching.Go(p.watch)
}
