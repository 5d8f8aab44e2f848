package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"gonogo/sampler"
)

// Handout is a run whose rollouts are distributed by a queue, over one or more calls of
// sampler.Sample. Its fields are set before the first call.
type Handout struct {
	Dir      string // the run directory
	Plan     Plan   // without its Description
	Address  Address
	Shown    string              // the address without credentials
	Conn     *Conn               // to a queue outside this process; nil for one inside it
	Log      func() *slog.Logger // for a queue in this process
	Here     WorkerInfo          // the worker that serves a queue in this process
	Describe func(context.Context) ([]byte, error)

	server   *Server // nil unless the queue is in this process
	planner  *Planner
	complete bool // the last call ended with all rollouts recorded

	makers, paidTwice int // counted at Close
}

// errDrained ends the worker in the planner's process.
var errDrained = errors.New("the run was interrupted")

// RefusedError reports that the run cannot be distributed as it is, or not by this queue.
type RefusedError struct{ Err error }

// Error returns the cause.
func (e *RefusedError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *RefusedError) Unwrap() error { return e.Err }

// lead starts leading the run, unless it already does.
func (h *Handout) lead(ctx context.Context) (err error) {
	if h.planner != nil {
		return nil
	}
	trace := Trace{Queue: h.Shown, Run: h.Plan.Run}
	if h.Address.Embedded() {
		if h.server, err = EmbedIn(h.Dir, h.Address.Port(), h.Address.Token); err != nil {
			return &RefusedError{fmt.Errorf("the queue in this process: %w", err)}
		}
		if h.Conn, err = h.server.Dial(ctx, h.Log()); err != nil {
			h.server.Close()
			h.server, h.Conn = nil, nil
			return err
		}
		if h.Address.Port() > 0 {
			trace.Queue = h.server.URL()
		}
	}
	plan := h.Plan
	plan.Reconnects = h.server != nil && h.Address.URL != Embedded
	if h.Address.URL != Embedded { // others can join
		if plan.Description, err = h.Describe(ctx); err != nil {
			return &RefusedError{err}
		}
	}
	if err := trace.Write(h.Dir); err != nil {
		return err
	}
	if h.planner, err = h.Conn.Lead(ctx, plan); err != nil {
		h.planner = nil
		return &RefusedError{err}
	}
	return nil
}

// Open prepares the queue for one call of sampler.Sample. It returns the context of that
// call, its RemoteMaker, and a function to call with its outcome. With a queue in this
// process, work makes rollouts as well. If the run or the queue cannot be used, the error is
// a *RefusedError.
func (h *Handout) Open(ctx context.Context,
	work func(context.Context, *Member, <-chan struct{}) error) (context.Context, *Planner,
	func(sampler.Stats, error), error,
) {
	if err := h.lead(ctx); err != nil {
		return ctx, nil, nil, err
	}
	h.complete = false
	ended := func(s sampler.Stats, err error) { h.complete = err == nil && s.StoppedBy == "" }
	if h.server == nil {
		return ctx, h.planner, ended, nil
	}
	ctx, end := WorkHere(ctx, func(ctx context.Context, drain <-chan struct{}) error {
		conn, err := h.server.Dial(ctx, h.Log())
		if err != nil {
			return err
		}
		defer conn.Close()
		m, err := conn.Join(ctx, h.Plan.Run, h.Here)
		if err != nil {
			return err
		}
		defer m.Leave()
		return work(ctx, m, drain)
	})
	return ctx, h.planner, func(s sampler.Stats, err error) {
		ended(s, err)
		if err == nil && s.StoppedBy == sampler.StoppedByDrain {
			err = errDrained // what the worker still has waits for endpoints that only fail
		}
		end(err)
	}, nil
}

// Finish notes that all rollouts are already recorded, so that Close removes what an earlier
// call left in the queue.
func (h *Handout) Finish(ctx context.Context) error {
	if _, was := ReadTrace(h.Dir); !was {
		return nil
	}
	if !h.Address.Embedded() {
		if err := h.lead(ctx); err != nil {
			return err
		}
	}
	h.complete = true
	return nil
}

// Close stops leading the run. If the run is complete, Close removes what it left in the queue
// and in its directory.
func (h *Handout) Close() (err error) {
	if h.planner != nil {
		err = h.planner.Close(h.complete)
		h.makers, h.paidTwice = makers(h.planner.Workers()), h.planner.PaidTwice()
		h.planner = nil
	}
	if h.server != nil {
		h.Conn.Close()
		h.server.Close()
		h.server = nil
	}
	if h.complete {
		err = errors.Join(err, RemoveTrace(h.Dir))
	}
	if err != nil {
		return fmt.Errorf("close the queue: %w", err)
	}
	return nil
}

// Makers returns how many workers were able to take jobs; 0 before Close.
func (h *Handout) Makers() int { return h.makers }

// PaidTwice returns how many rollouts were made and paid for twice; 0 before Close.
func (h *Handout) PaidTwice() int { return h.paidTwice }

// makers returns how many of the workers were able to take jobs: they lack nothing, or made
// rollouts before they did.
func makers(workers []WorkerState) (n int) {
	for _, w := range workers {
		if w.Lacks == "" || w.Made > 0 {
			n++
		}
	}
	return n
}
