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
	free chan struct{} // holds a token for each busy worker
	done chan struct{} // closed by Close

	planning sync.Mutex // held while plan is made
	watching sync.WaitGroup

	mu      sync.Mutex            // guards the fields below
	plan    *plan                 // how to start a worker; nil before the first Load
	idle    []*worker             // the most recently used is last
	busy    map[*worker]time.Time // when each call started
	modules int
	closed  bool
}

// module is a source to load in each worker.
type module struct {
	Name     string `json:"name"`
	Source   string `json:"source"`
	Function string `json:"function"`
	Args     int    `json:"args"`
	Extra
	index int
}

// Extra holds optional additions to a source.
type Extra struct {
	// Modules holds sources that the source may import, by name. If two sources have modules with
	// the same name, an import within a function finds the one that was loaded last.
	Modules map[string]string `json:"modules,omitempty"`
	// Adapter is the source of a module with a function adapt(space, options), which gets the module
	// of the main source and returns the function to call. "" calls a function of the main source.
	// adapt raises an exception named Unfit if the main source does not have what it needs.
	Adapter string          `json:"adapter,omitempty"`
	Options json.RawMessage `json:"options,omitempty"`
}

// startError reports that a call got no worker.
type startError struct{ error }

func (e startError) Unwrap() error { return e.error }

// errClosed is the error of calls to a closed pool.
var errClosed = errors.New("the python workers are closed")

// NewPool returns a pool; it starts no worker yet. The caller must close it.
func NewPool(cfg Config) (*Pool, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("python: %w", err)
	}
	return &Pool{
		cfg: cfg, free: make(chan struct{}, cfg.workers()), done: make(chan struct{}),
		busy: make(map[*worker]time.Time),
	}, nil
}

// Load starts a worker, compiles the source in it, and checks that the source defines the function
// and that the function accepts args arguments. name is the name of the source in messages. The
// first Load finds the interpreter and the sandbox.
func (p *Pool) Load(ctx context.Context, name, source, function string, args int) (*Function, error) {
	return p.LoadWith(ctx, name, source, function, args, Extra{})
}

// LoadWith is Load for a source with extras. With an adapter, function is only a name for messages.
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

// with calls use with a worker, and once more with another worker if the first had already died.
func (p *Pool) with(ctx context.Context, use func(*worker) error) error {
	for again := false; ; again = true {
		w, err := p.take(ctx)
		if err != nil {
			return startError{err}
		}
		err = use(w)
		p.put(w)
		if again || !errors.Is(err, errWorkerGone) {
			return err
		}
	}
}

// next returns the next module number.
func (p *Pool) next() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.modules++
	return p.modules
}

// Isolation returns a sentence about how the functions are isolated, and what is not enforced. It
// is "" before the first Load.
func (p *Pool) Isolation() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.plan == nil {
		return ""
	}
	return p.plan.sentence()
}

// Interpreter returns the path and version of the interpreter, such as "/usr/bin/python3 (Python
// 3.11.2)". It is "" before the first Load.
func (p *Pool) Interpreter() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.plan == nil {
		return ""
	}
	return p.plan.interpreter.String()
}

// Close waits for the calls in flight, and ends all workers with everything that they started. Later
// calls fail.
func (p *Pool) Close() error {
	p.mu.Lock()
	again := p.closed
	p.closed = true
	p.mu.Unlock()
	if again {
		return nil
	}
	close(p.done)
	for range cap(p.free) { // once all tokens are taken, no worker is busy
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

// take waits for a worker: the most recently used one, or a new one. The caller must put it back.
func (p *Pool) take(ctx context.Context) (*worker, error) {
	if ctx.Err() != nil { // select might prefer a free worker
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

// pop takes an idle worker; nil if there is none. It drops workers that died while idle.
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

// put returns a worker to the pool.
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

// planned returns the plan. The first call finds the interpreter and the sandbox, and starts the
// watch.
func (p *Pool) planned(ctx context.Context) (*plan, error) {
	p.planning.Lock()
	defer p.planning.Unlock()
	p.mu.Lock()
	plan := p.plan
	p.mu.Unlock()
	if plan != nil {
		return plan, nil
	}
	plan, err := newPlan(ctx, p.cfg)
	if err != nil {
		return nil, err
	}
	p.begin(plan)
	return plan, nil
}

// begin sets the plan for starting workers, and starts to watch them.
func (p *Pool) begin(plan *plan) {
	p.mu.Lock()
	p.plan = plan
	p.mu.Unlock()
	p.watching.Go(p.watch)
}
