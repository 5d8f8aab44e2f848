package burst

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// maxParallelCalls bounds the calls of one turn that run at once, as in sampling.
const maxParallelCalls = 8

// episode is one rollout that is replayed.
type episode struct {
	*stage
	script Script
	serial int // number of the rollout, over all waves
	trace  string
	twice  bool                    // each request is made twice
	box    *sampler.RolloutSession // the rollout's session; nil without one
	made   *rollout.Record         // made by an agent; else nil
	base   rollout.BurstCall
	began  time.Time // start of the wave

	mu    sync.Mutex // guards the fields below
	calls []rollout.BurstCall
	asked int
}

// play starts the rollout's session, makes the calls turn by turn, or has the agent make the
// rollout, and then has it graded. A call that fails for good ends the rollout once the other calls
// of its turn have ended.
func (e *episode) play(ctx context.Context, grade bool) (lost bool, err error) {
	if e.cfg.Isolation != nil {
		release, err := e.place(ctx)
		if err != nil {
			return false, err
		}
		defer release()
		if lost, err = e.startSession(ctx); lost || err != nil {
			return lost, err
		}
		defer e.vacate(ctx, e.box)
	}
	defer sampler.ReleaseTools(e.tools, e.trace)
	if e.plan.agent {
		if lost, err = e.attend(ctx); lost || err != nil {
			return lost, err
		}
		grade = grade && e.made.Answer != "" // without an answer there is nothing to grade
	}
	for _, turn := range e.script.Turns {
		if e.cfg.Gaps {
			if err := sleep(ctx, turn.Gap); err != nil {
				return false, err
			}
		}
		var group errgroup.Group
		group.SetLimit(maxParallelCalls)
		failed := make([]bool, len(turn.Calls))
		for i, call := range turn.Calls {
			group.Go(func() (err error) {
				failed[i], err = e.call(ctx, call)
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return false, err
		}
		if slices.Contains(failed, true) {
			return true, nil
		}
	}
	if !grade {
		return false, nil
	}
	return e.grade(ctx)
}

// answer is the result of one request, for comparing it with its repeat.
type answer struct {
	text   string
	status int
	reward float64
}

// call makes one tool call.
func (e *episode) call(ctx context.Context, c Call) (failed bool, err error) {
	tool := e.tools[c.Name]
	e.mu.Lock()
	id := callPrefix + e.hash("call", e.serial, e.asked)
	e.asked++
	e.mu.Unlock()
	e.ids.plant(id, e.serial)
	out := sampler.Call{ID: id, Arguments: c.Arguments, TraceID: e.trace, Item: e.script.Item, RolloutSession: e.box}
	same := sameRequest(c.Name, e.script.Item.ID, c.Arguments)
	return e.ask(ctx, errand{
		endpoint: toolEndpoint(c.Name), call: id, same: same, timeout: e.cfg.ToolTimeout,
		try: func(ctx context.Context, _ *endpoint.Caller, rec *rollout.BurstCall) (answer, error) {
			res, err := tool.Call(ctx, out)
			if err == nil && res.Error != "" && res.HTTPStatus >= 400 {
				rec.Kind, rec.Error = refused(res.HTTPStatus), endpoint.Brief(res.Error)
			}
			if err == nil && !c.Generated && !c.Refused {
				e.taken.Add(1)
				if rec.Kind != "" {
					e.turned.Add(1)
				}
			}
			return answer{text: res.Output, status: res.HTTPStatus}, err
		},
	})
}

// grade has the recorded output, or the agent's, graded under the rollout's own trace id.
func (e *episode) grade(ctx context.Context) (failed bool, err error) {
	rec := *e.script.Record
	if e.made != nil {
		rec = *e.made
	}
	rec.TraceID = e.trace
	out := sampler.OutputOf(e.script.Item, &rec)
	out.RolloutSession = e.box
	same := sameRequest(graderEndpoint, rec.Item, strconv.Itoa(rec.Sample))
	enter := sampler.Entry(e.grader)
	if enter != nil { // the errand waits for it
		out.Request.Enter = func(context.Context) (leave func(), err error) { return nil, nil }
	}
	return e.ask(ctx, errand{
		endpoint: graderEndpoint, same: same, enter: enter, timeout: e.cfg.GraderTimeout,
		try: func(ctx context.Context, by *endpoint.Caller, _ *rollout.BurstCall) (answer, error) {
			out := out
			out.Caller = by
			g, err := e.grader.Grade(ctx, out)
			return answer{reward: g.Reward}, err
		},
	})
}

// errand is one request, to be retried while it fails.
type errand struct {
	endpoint string
	call     string        // id of a tool call
	same     string        // equal for requests with the same content
	timeout  time.Duration // 0: the request has its own
	paid     bool          // a try costs as much as a rollout: one that failed midway is not repeated
	try      func(context.Context, *endpoint.Caller, *rollout.BurstCall) (answer, error)

	enter func(context.Context) (leave func(), err error) // as endpoint.Request.Enter; nil waits for nothing
}

// sameRequest returns a name for the content of a request, the same for every rollout.
func sameRequest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:6])
}

// ask makes a request until it is answered or the trainer would give up, and, if requests are made
// twice, once more.
func (e *episode) ask(ctx context.Context, do errand) (failed bool, err error) {
	first, failed, err := e.until(ctx, do, nil)
	if err != nil || failed || !e.twice {
		return failed, err
	}
	_, failed, err = e.until(ctx, do, &first)
	return failed, err
}

// until retries a request while it fails. before is the answer to the same request the first time;
// nil if this is the first.
func (e *episode) until(ctx context.Context, do errand, before *answer) (a answer, failed bool, err error) {
	for made := 0; ; made++ {
		rec := e.base
		rec.Endpoint, rec.CallID, rec.Request, rec.Try = do.endpoint, do.call, do.same, made
		a, err := e.once(ctx, do, &rec)
		if ctx.Err() != nil {
			return answer{}, false, context.Cause(ctx)
		}
		if err == nil {
			if before != nil {
				rec.Again = rollout.SameAnswer
				if a != *before {
					rec.Again = rollout.OtherAnswer
				}
			}
			e.note(rec)
			return a, false, nil
		}
		rec.Failed, rec.Kind, rec.Error = true, kindOfFailure(err), endpoint.Brief(err.Error())
		wait, more := again(e.cfg.Retry, err, made, e.jitter(do, made))
		if f, ok := endpoint.AsFailure(err); do.paid && ok {
			more = more && f.Temporary
		}
		rec.Discards = !more
		e.note(rec)
		if !more {
			return answer{}, true, nil
		}
		if err := sleep(ctx, wait); err != nil {
			return answer{}, false, err
		}
	}
}

// once makes one request and records what was exchanged. Waiting for the endpoint's own pace, or
// for the limit on open files, does not count as its time.
func (e *episode) once(ctx context.Context, do errand, rec *rollout.BurstCall) (answer, error) {
	if do.enter != nil {
		leave, err := do.enter(ctx)
		if err != nil {
			return answer{}, err
		}
		if leave != nil {
			defer leave()
		}
	}
	release, err := e.slot(ctx)
	if err != nil {
		return answer{}, err
	}
	defer release()
	flight := e.flights[do.endpoint]
	rec.Flight = int(flight.Add(1))
	defer flight.Add(-1)
	x := new(seen)
	rec.At = rollout.Seconds(time.Since(e.began))
	by := (*endpoint.Caller)(nil).Until(context.WithValue(ctx, seenKey{}, x), do.timeout, context.DeadlineExceeded)
	defer by.Stop()
	a, err := do.try(by.Context(), by, rec)
	rec.Elapsed = rollout.Seconds(by.Active())
	noted(rec, x, e.ids, e.serial)
	return a, err
}

// slot waits until one more request may be in flight.
func (s *stage) slot(ctx context.Context) (release func(), err error) {
	if s.slots == nil {
		return func() {}, nil
	}
	select {
	case s.slots <- struct{}{}:
	default:
		s.waited.Store(true)
		select {
		case s.slots <- struct{}{}:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return func() { <-s.slots }, nil
}

func (e *episode) note(c rollout.BurstCall) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls = append(e.calls, c)
}

// jitter returns a number in [0, 1) that depends only on the request.
func (e *episode) jitter(do errand, made int) float64 {
	n, err := strconv.ParseUint(e.hash("jitter "+do.endpoint+do.call, e.serial, made)[:6], 16, 32)
	if err != nil {
		panic("burst: a hash that is not a hexadecimal number: " + err.Error())
	}
	return float64(n) / (1 << 24)
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
