package burst

import (
	"context"
	"strconv"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// place waits until one more session may exist: that is not part of the time of its start.
func (s *stage) place(ctx context.Context) (release func(), err error) {
	if s.places == nil {
		return func() {}, nil
	}
	select {
	case s.places <- struct{}{}:
	default:
		s.queued.Store(true)
		select {
		case s.places <- struct{}{}:
		case <-s.drain:
			return nil, ErrInterrupted
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return func() { <-s.places }, nil
}

// startSession starts the rollout's session. Each try starts its own, and stops it after a failure:
// it may be half started.
func (e *episode) startSession(ctx context.Context) (failed bool, err error) {
	made := 0
	var box *sampler.RolloutSession
	enter := func(ctx context.Context) (leave func(), err error) {
		box = &sampler.RolloutSession{
			ID: "session_" + e.hash("session", e.serial, made), TraceID: e.trace,
			Item: e.script.Item, Sample: e.base.Rollout,
		}
		made++
		return nil, e.cfg.Isolation.Enter(ctx, box)
	}
	_, failed, err = e.until(ctx,
		errand{
			endpoint: sessionEndpoint, same: sameRequest(sessionEndpoint, e.script.Item.ID),
			timeout: e.cfg.IsolationTimeout, enter: enter, try: func(ctx context.Context, _ *endpoint.Caller,
				_ *rollout.BurstCall,
			) (answer, error) {
				err := e.cfg.Isolation.Start(ctx, box)
				if err != nil {
					e.vacate(ctx, box)
					return answer{}, err
				}
				e.box = box
				return answer{}, nil
			},
		}, nil)
	if err != nil && e.box != nil { // the burst ended just as the session started
		e.vacate(ctx, e.box)
	}
	return failed, err
}

// vacate stops a session, however the burst ended. It retries as requests do, but for no longer
// than two tries may take.
func (e *episode) vacate(ctx context.Context, box *sampler.RolloutSession) {
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), 2*e.cfg.IsolationTimeout)
	defer end()
	for made := 0; ; made++ {
		try, cancel := context.WithTimeout(ctx, e.cfg.IsolationTimeout)
		err := e.cfg.Isolation.Stop(try, box)
		cancel()
		if err == nil {
			return
		}
		wait, more := again(e.cfg.Retry, err, made,
			e.jitter(errand{endpoint: sessionEndpoint, call: strconv.Itoa(made)}, made))
		if !more || sleep(ctx, wait) != nil {
			e.leftOpen.Add(1)
			return
		}
	}
}
