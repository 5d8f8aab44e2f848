package grader

import (
	"context"
	"sync"

	"gonogo/sampler/boundary/python"
)

// loaded is a function that is loaded when it is called first, or by Start.
type loaded struct {
	pool *python.Pool
	name string // for messages
	load func(context.Context) (*python.Function, error)

	loading sync.Mutex // held while the function is loaded
	made    *python.Function
}

// Start loads the source, so a missing interpreter, module or function and
// a syntax error are reported before anything is sampled.
func (l *loaded) Start(ctx context.Context) error {
	_, err := l.function(ctx)
	return err
}

// function returns the function, and loads it where that has not been done.
func (l *loaded) function(ctx context.Context) (*python.Function, error) {
	l.loading.Lock()
	defer l.loading.Unlock()
	if l.made != nil {
		return l.made, nil
	}
	f, err := l.load(ctx)
	if err == nil {
		l.made = f
	}
	return f, err
}
