package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"gonogo/sampler"
)

// Handout is a run whose rollouts a queue hands out, over as many calls of sampler.Sample as
// they take. Its fields are set before the first.
type Handout struct {
	Dir      string // of the run
	Plan     Plan   // but for its Description
	Address  Address
	Shown    string              // the address, without credentials
	Conn     *Conn               // to a queue elsewhere; nil for one in this process
	Log      func() *slog.Logger // of a queue in this process
	Here     WorkerInfo          // the worker of a queue in this process
	Describe func(context.Context) ([]byte, error)

	server  *Server // in this process
	planner *Planner
	whole   bool // the last call came to its end

	makers, paidTwice int // when it ended
}

// RefusedError says that a run cannot be handed out as it is, or by this queue.
type RefusedError struct{ Err error }

// Error returns the cause.
func (e *RefusedError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *RefusedError) Unwrap() error { return e.Err }

// lead begins to lead the run, unless it does already.
func (h *Handout) lead(ctx context.Context) (err error) {
	if h.planner != nil {
		return nil
	}
	at := Trace{Queue: h.Shown, Run: h.Plan.Run}
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
			at.Queue = h.server.URL()
		}
	}
	plan := h.Plan
	if h.Address.URL != Embedded { // others can join
		if plan.Description, err = h.Describe(ctx); err != nil {
			return &RefusedError{err}
		}
	}
	if err := at.Write(h.Dir); err != nil {
		return err
	}
	if h.planner, err = h.Conn.Lead(ctx, plan); err != nil {
		h.planner = nil
		return &RefusedError{err}
	}
	return nil
}

// Open has the queue make the rollouts of one call of sampler.Sample. It returns the context
// of that call, its RemoteMaker, and what to call with its outcome. With a queue in this
// process, work makes rollouts as well. What speaks against the run or the queue is a
// *RefusedError.
func (h *Handout) Open(ctx context.Context,
	work func(context.Context, *Member, <-chan struct{}) error) (context.Context, *Planner,
	func(sampler.Stats, error), error,
) {
	if err := h.lead(ctx); err != nil {
		return ctx, nil, nil, err
	}
	h.whole = false
	ended := func(s sampler.Stats, err error) { h.whole = err == nil && s.StoppedBy == "" }
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
		end(err)
	}, nil
}

// Finish says that all rollouts are recorded already: Close then removes what an earlier call
// left in the queue.
func (h *Handout) Finish(ctx context.Context) error {
	if _, was := ReadTrace(h.Dir); !was {
		return nil
	}
	if !h.Address.Embedded() {
		if err := h.lead(ctx); err != nil {
			return err
		}
	}
	h.whole = true
	return nil
}

// Close stops leading the run, and removes what a complete one left in the queue and in its
// directory.
func (h *Handout) Close() (err error) {
	if h.planner != nil {
		err = h.planner.Close(h.whole)
		h.makers, h.paidTwice = makers(h.planner.Workers()), h.planner.PaidTwice()
		h.planner = nil
	}
	if h.server != nil {
		h.Conn.Close()
		h.server.Close()
		h.server = nil
	}
	if h.whole {
		err = errors.Join(err, RemoveTrace(h.Dir))
	}
	if err != nil {
		return fmt.Errorf("let go of the queue: %w", err)
	}
	return nil
}

// Makers is how many workers could take jobs, and PaidTwice how many rollouts were made and
// paid for a second time. Both are 0 before Close.
func (h *Handout) Makers() int { return h.makers }

// PaidTwice is how many rollouts were paid for twice, counted with Makers.
func (h *Handout) PaidTwice() int { return h.paidTwice }

// makers is how many of the workers could take jobs: they lack nothing, or made some before
// they did.
func makers(workers []WorkerState) (n int) {
	for _, w := range workers {
		if w.Lacks == "" || w.Made > 0 {
			n++
		}
	}
	return n
}
