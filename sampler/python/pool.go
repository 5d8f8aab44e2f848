package python

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Pool is a set of workers. It is safe for use by several goroutines.
type Pool struct {
	cfg  Config
	free chan struct{} // one token for each worker that may be busy
	done chan struct{} // closed by Close

	planning sync.Mutex // held while plan is made
	mu       sync.Mutex // guards all below
	plan     *plan      // how a worker is started; nil before the first Load
	idle     []*worker  // the one used last is the last
	modules  int
	closed   bool
}

// module is a source that was loaded once without an error.
type module struct {
	Name     string `json:"name"`
	Source   string `json:"source"`
	Function string `json:"function"`
	Args     int    `json:"args"`
	index    int
}

// errClosed is what calls to a closed pool get.
var errClosed = errors.New("the python workers are closed")

// NewPool returns a pool that has started nothing yet. Close it.
func NewPool(cfg Config) (*Pool, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("python: %w", err)
	}
	return &Pool{cfg: cfg, free: make(chan struct{}, cfg.workers()), done: make(chan struct{})}, nil
}

// Load starts a worker, compiles the source in it and checks that it defines
// the function and that args arguments can be handed to it. name stands for the
// source in messages. The first Load finds the interpreter and the sandbox.
func (p *Pool) Load(ctx context.Context, name, source, function string, args int) (*Function, error) {
	if err := p.acquire(ctx); err != nil {
		return nil, err
	}
	defer p.release()
	m := &module{Name: name, Source: source, Function: function, Args: args}
	w, err := p.worker(ctx)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	m.index = p.modules
	p.modules++
	p.mu.Unlock()
	_, err = w.do(ctx, p.cfg.Timeout, m, nil)
	p.put(w)
	if err != nil {
		return nil, loadError(p.plan, name, err)
	}
	return &Function{pool: p, module: m}, nil
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
	for range cap(p.free) { // with every token in hand nobody is busy
		p.free <- struct{}{}
	}
	for _, w := range p.idle {
		w.kill()
	}
	p.idle = nil
	if p.plan == nil {
		return nil
	}
	return p.plan.close()
}

// acquire waits until a worker may be used.
func (p *Pool) acquire(ctx context.Context) error {
	select {
	case p.free <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-p.done:
		return errClosed
	}
	select {
	case <-p.done:
		p.release()
		return errClosed
	default:
		return nil
	}
}

func (p *Pool) release() { <-p.free }

// worker takes the worker that was used last, or starts one.
func (p *Pool) worker(ctx context.Context) (*worker, error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		w := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return w, nil
	}
	p.mu.Unlock()
	plan, err := p.planned(ctx)
	if err != nil {
		return nil, err
	}
	return plan.start(ctx)
}

// planned finds the interpreter and the sandbox, once.
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
	p.mu.Lock()
	p.plan = made
	p.mu.Unlock()
	return made, nil
}

// put gives a worker back; one that has ended is forgotten.
func (p *Pool) put(w *worker) {
	if w.ended {
		return
	}
	p.mu.Lock()
	p.idle = append(p.idle, w)
	p.mu.Unlock()
}
