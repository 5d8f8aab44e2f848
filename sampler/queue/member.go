package queue

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/jsontext"
)

// retryEvery is how long to wait for an answer before asking again.
const retryEvery = time.Second

// beatsPerLease is how many times a worker sends its state before a planner that hears none of them
// counts it as lost.
const beatsPerLease = 10

// orphaned is how long a worker waits for a planner that is gone, in units of AckWait.
const orphaned = 10

// sayHello joins the run. led reports whether a planner leads it. A refusal is an error.
func (m *Member) sayHello(ctx context.Context) (led bool, err error) {
	b, err := json.Marshal(hello{
		Schema: Schema, Worker: m.id, Host: m.me.Host, PID: m.me.PID, Version: m.me.Version,
		Slots: m.me.Slots,
	})
	if err != nil {
		return false, err
	}
	begun := time.Now()
	ask, cancel := context.WithTimeout(ctx, 2*retryEvery)
	defer cancel()
	reply, err := m.c.nc.RequestWithContext(ask, m.names.hello(), b)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case fatal(err) || m.c.refused(begun):
		return false, m.c.explain("join run "+m.run, err)
	default:
		return false, nil
	}
	var w welcome
	if err := jsontext.Unmarshal(reply.Data, &w); err != nil {
		return false, fmt.Errorf("join run %s: the planner's answer cannot be decoded: %w", m.run, err)
	}
	if w.Refused == "" {
		err = checkSchema(w.Schema, "its planner (gonogo "+endpoint.Brief(w.Version)+")")
	} else {
		err = errors.New(endpoint.Brief(w.Refused))
	}
	if err != nil {
		return false, fmt.Errorf("join run %s: refused: %w", m.run, err)
	}
	if w.AckWait <= 0 || w.Lease <= 0 {
		return false, fmt.Errorf("join run %s: its planner has no timeouts", m.run)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.term == "" {
		m.first = w
	} else if w.Seed != m.first.Seed || w.Fingerprint != m.first.Fingerprint ||
		!bytes.Equal(w.Description, m.first.Description) {
		if !m.stale {
			m.stale = true
			close(m.changed)
		}
	}
	m.term, m.lastSeen = w.Term, time.Now()
	return true, nil
}

// live periodically sends the worker's full state to the planner, and a progress signal for
// each of its jobs to the server.
func (m *Member) live() {
	beat := time.NewTicker(m.first.Lease / beatsPerLease)
	defer beat.Stop()
	sign := time.NewTicker(m.first.AckWait / 3)
	defer sign.Stop()
	for {
		select {
		case <-m.ctx.Done():
			return
		case <-m.c.closed:
			m.mu.Lock()
			m.finish(m.c.explain("work", m.c.last()))
			m.mu.Unlock()
			return
		case <-beat.C:
			m.mu.Lock()
			if m.end == nil {
				m.beat()
			}
			if time.Since(m.lastSeen) > orphaned*m.first.AckWait {
				m.finish(fmt.Errorf("run %s: %w", m.run, ErrOrphaned))
			}
			m.mu.Unlock()
		case <-sign.C:
			m.mu.Lock()
			for _, t := range m.has {
				_ = t.msg.InProgress() // if it is lost, the next one may arrive
			}
			m.mu.Unlock()
		}
	}
}

// beat sends the worker's full state to the planner. mu is held.
func (m *Member) beat() {
	b := &beat{
		Held: map[string][]uint64{}, Waiting: map[string][]uint64{}, Resting: map[string][]uint64{},
		Made: m.made, Missing: m.missing, Lacks: m.lacks,
	}
	for id, t := range m.turns {
		where := b.Waiting
		if t.granted {
			where = b.Held
		}
		where[t.endpoint] = append(where[t.endpoint], id)
	}
	for _, ids := range b.Waiting {
		slices.Sort(ids)
	}
	for id, endpoint := range m.resting {
		b.Resting[endpoint] = append(b.Resting[endpoint], id)
	}
	for k, t := range m.has {
		if t.begun {
			b.Jobs = append(b.Jobs, k)
		}
	}
	m.tell(workerMessage{Op: opBeat, Beat: b})
}

// tell sends the planner a message. If it is lost, the next beat makes up for it. mu is held,
// so messages arrive in the order of events.
func (m *Member) tell(t workerMessage) {
	t.Worker, t.Term = m.id, m.term
	b, err := json.Marshal(t)
	if err != nil {
		panic("queue: " + err.Error())
	}
	_ = m.c.nc.Publish(m.names.lines(), b)
}

// ask sends the planner a message, and repeats it until it is answered.
func (m *Member) ask(ctx context.Context, t workerMessage) (op, error) {
	answered := make(chan op, 1)
	m.mu.Lock()
	m.next++
	t.ID = m.next
	m.asked[t.ID] = answered
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.asked, t.ID)
	}()
	for {
		m.mu.Lock()
		m.tell(t)
		m.mu.Unlock()
		again := time.NewTimer(retryEvery)
		select {
		case o := <-answered:
			again.Stop()
			return o, nil
		case <-again.C:
		case <-m.ended:
			again.Stop()
			return "", m.end
		case <-ctx.Done():
			again.Stop()
			return "", context.Cause(ctx)
		}
	}
}

// hear handles the planner's messages.
func (m *Member) hear(msg *nats.Msg) {
	var a plannerReply
	if err := jsontext.Unmarshal(msg.Data, &a); err != nil {
		m.c.log.Warn("queue", slog.String("error", "the planner's message cannot be read"))
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if a.Op == opStranger {
		m.sayHelloAgain()
		return
	}
	if a.Term != m.term {
		return
	}
	m.lastSeen = time.Now()
	switch a.Op {
	case opGrant:
		m.granted(a.ID)
	case opDead:
		m.dead(a.ID, a.End)
	case opOver:
		m.finish(fmt.Errorf("%w: %s", errOver, endpoint.Brief(a.Why)))
	default:
		if c := m.asked[a.ID]; c != nil && len(c) == 0 {
			c <- a.Op
		}
	}
}

// sayHelloAgain joins again after the run's planner has changed. mu is held.
func (m *Member) sayHelloAgain() {
	if m.meeting || m.end != nil {
		return
	}
	m.meeting = true
	m.tasks.Go(func() {
		_, err := m.sayHello(m.ctx)
		m.mu.Lock()
		defer m.mu.Unlock()
		m.meeting = false
		if err != nil && m.ctx.Err() == nil {
			m.finish(err)
		}
		m.beat()
	})
}
