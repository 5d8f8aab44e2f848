package queue

import (
	"context"

	"gonogo/sampler/endpoint"
)

// turn is a request that waits in the planner's queue, or has been granted. The member's mu
// guards it.
type turn struct {
	endpoint string
	ready    chan struct{} // closed when it is granted or dead
	granted  bool
	dead     error
}

// lines is the worker's side of the planner's endpoint queues. It implements endpoint.Queue.
type lines struct {
	*Member
	mask func(*requestOutcome) // masks the worker's secrets
}

// Enter waits in the planner's queue for the endpoint.
func (l lines) Enter(ctx context.Context, name string) (leave func(endpoint.Outcome), err error) {
	m := l.Member
	t := &turn{endpoint: name, ready: make(chan struct{})}
	m.mu.Lock()
	m.next++
	id := m.next
	m.turns[id] = t
	m.tell(workerMessage{Op: opEnter, ID: id, Endpoint: name})
	m.mu.Unlock()

	select {
	case <-t.ready:
	case <-ctx.Done():
		m.leave(id, nil)
		return nil, ctx.Err()
	}
	if t.dead != nil {
		return nil, t.dead
	}
	return func(c endpoint.Outcome) {
		out := &requestOutcome{Result: c.Result, Fault: c.Fault, Failure: sendFailure(c.Failure), Cause: c.Cause}
		l.mask(out)
		m.leave(id, out)
	}, nil
}

// leave reports that a request is over, or no longer waits.
func (m *Member) leave(id uint64, c *requestOutcome) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.turns[id] != nil {
		delete(m.turns, id)
		m.tell(workerMessage{Op: opLeave, ID: id, Came: c})
	}
}

// Rest reports a request that will be retried; rise reports that its pause is over.
func (l lines) Rest(name string) (rise func()) {
	m := l.Member
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next++
	id := m.next
	m.resting[id] = name
	m.tell(workerMessage{Op: opRest, ID: id, Endpoint: name})
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.resting, id)
		m.tell(workerMessage{Op: opRise, ID: id})
	}
}

// Arrived reports that a rollout is in its first queue.
func (l lines) Arrived(trace string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tell(workerMessage{Op: opArrive, Trace: trace})
}

// granted lets a request proceed. If it no longer waits, its turn is given back. mu is held.
func (m *Member) granted(id uint64) {
	t := m.turns[id]
	switch {
	case t == nil:
		m.tell(workerMessage{Op: opLeave, ID: id})
	case !t.granted:
		t.granted = true
		close(t.ready)
	}
}

// dead ends the wait of a request whose endpoint was given up. mu is held.
func (m *Member) dead(id uint64, end *ending) {
	t := m.turns[id]
	if t == nil || t.granted || end == nil {
		return
	}
	delete(m.turns, id)
	t.dead = end.error()
	close(t.ready)
}
