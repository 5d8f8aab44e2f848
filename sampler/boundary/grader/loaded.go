package grader

import (
	"context"
	"sync"

	"gonogo/sampler/boundary/python"
)

// loaded is a function that Start, or else the first call, loads.
type loaded struct {
	pool *python.Pool
	name string // for messages
	load func(context.Context) (*python.Function, error)

	loading sync.Mutex // held while the function is loaded
	made    *python.Function
}

// Start loads the source, so that a missing interpreter, module or function, or a syntax error,
// is reported before anything is sampled.
func (l *loaded) Start(ctx context.Context) error {
	_, err := l.function(ctx)
	return err
}

// function returns the function, and loads it first if necessary.
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
