package mutant

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"gonogo/sampler/boundary/python"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/jsontext"
)

//go:embed mutant.py
var source string

// Maker makes mutants. It is safe for use by several goroutines.
type Maker struct {
	pool  *python.Pool
	limit time.Duration // for one run of an item's tests

	mu   sync.Mutex // held while made is loaded
	made *python.Function
}

// mostRun bounds the processor time of one run of an item's tests; a run may wait three times as long. The runs of one
// call fit into its time limit.
const (
	mostRun = 4 * time.Second
	runs    = 3 * 12
)

// New returns a Maker; it starts no interpreter yet. The caller must close it.
func New(cfg python.Config) (*Maker, error) {
	if cfg.Sandbox == python.Auto {
		cfg.Sandbox = python.Required // it runs code that the grader may never have run
	}
	pool, err := python.NewPool(cfg)
	return &Maker{pool: pool, limit: min(mostRun, cfg.Timeout/runs)}, err
}

// Close ends the interpreters.
func (m *Maker) Close() { _ = m.pool.Close() } // whatever it returns, the processes have ended

// Make takes the first of programs that passes the tests of the row, and returns a copy of it with one token
// changed that fails most of them, or for even seeds a program that knows only the result of the first, with the
// place of the right one among the programs. The copy is "" if there is none: the row
// has no tests, no program passes them, no change is proven wrong, or two programs give different answers to an input.
// Numbers within a thousandth of each other, or that differ only in rounding, are no failure. The same seed gives the
// same copy.
func (m *Maker) Make(ctx context.Context, row json.RawMessage, programs []string,
	seed uint64,
) (code string, place int, err error) {
	f, err := m.function(ctx)
	if err != nil {
		return "", 0, err
	}
	args := []json.RawMessage{row}
	for _, v := range []any{programs, seed, m.limit.Seconds()} {
		b, err := json.Marshal(v)
		if err != nil {
			return "", 0, fmt.Errorf("write a program for python: %w", err)
		}
		args = append(args, b)
	}
	result, err := f.Call(ctx, nil, args...)
	if err != nil {
		return "", 0, err
	}
	var found struct {
		Of   int    `json:"of"`
		Code string `json:"code"`
	}
	if err := jsontext.Unmarshal(result, &found); err != nil || found.Of < 0 || found.Of >= len(programs) {
		return "", 0, fmt.Errorf("read a mutant from python: %s", endpoint.Brief(string(result)))
	}
	return found.Code, found.Of, nil
}

// function loads the source on first use.
func (m *Maker) function(ctx context.Context) (*python.Function, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.made == nil {
		f, err := m.pool.Load(ctx, "the tests of items", source, "mutant", 4)
		if err != nil {
			return nil, err
		}
		m.made = f
	}
	return m.made, nil
}
