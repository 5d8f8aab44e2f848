package queue

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"gonogo/sampler"
)

// Me is a worker.
type Me struct {
	Host    string
	PID     int
	Slots   int // rollouts at once
	Version string
}

// Member is a worker that was let into a run.
type Member struct {
	c     *Conn
	me    Me
	id    string
	names names
	run   string
	jobs  jetstream.Consumer
	sub   *nats.Subscription
	first welcome
	about []byte // the description

	ctx   context.Context // ends when it leaves
	stop  context.CancelFunc
	tasks sync.WaitGroup

	mu      sync.Mutex // guards what follows, and the order of what is told
	term    string
	heard   time.Time     // the planner, last
	meeting bool          // it says hello again
	end     error         // why the run is over for this worker; nil while it is not
	ended   chan struct{} // closed then
	changed chan struct{} // closed when the run is led with another description
	stale   bool          // it is

	next    uint64
	turns   map[uint64]*turn
	resting map[uint64]string // endpoints
	asked   map[uint64]chan op
	has     map[key]*task
	made    int
	missing int
	lacks   string
}

// ErrOrphaned is that nobody leads the run any more.
var ErrOrphaned = errors.New("nobody leads the run any more")

// Why a run is over for a worker.
var (
	errOver = errors.New("the run is over")
	errLeft = errors.New("this worker has left")
)

// retryEvery is how long to wait before asking again what was not answered.
const retryEvery = time.Second

// orphaned is how many times AckWait a worker waits for a planner that is gone.
const orphaned = 10

// Join waits until somebody leads the run, or any for "", and joins it. A run
// that refuses is an error. Leave ends it.
func (c *Conn) Join(ctx context.Context, run string, me Me) (*Member, error) {
	for n := 0; ; n++ {
		name := run
		if name == "" {
			led, err := c.Status(ctx, "")
			if err != nil {
				return nil, err
			}
			if len(led) > 0 {
				name = led[0].Run
			}
		}
		if name != "" {
			m, err := c.join(ctx, name, me)
			if m != nil || err != nil {
				return m, err
			}
		}
		if n == 0 {
			c.log.Info("worker waits for a run", slog.String("run", run), slog.String("server", c.server))
		}
		if !pause(ctx, min(backoff(n), retryEvery)) {
			return nil, context.Cause(ctx)
		}
	}
}

// join joins a run; nil when nobody leads it.
func (c *Conn) join(ctx context.Context, run string, me Me) (*Member, error) {
	m := &Member{
		c: c, me: me, id: nuid.Next(), names: safe(run), run: run, heard: time.Now(),
		ended: make(chan struct{}), changed: make(chan struct{}),
		turns: map[uint64]*turn{}, resting: map[uint64]string{}, asked: map[uint64]chan op{}, has: map[key]*task{},
	}
	m.ctx, m.stop = context.WithCancel(context.Background())
	var err error
	if m.sub, err = c.nc.Subscribe(m.names.worker(m.id), m.hear); err != nil {
		m.stop()
		return nil, c.explain("join run "+run, err)
	}
	led, err := m.meet(ctx)
	if err == nil && led {
		err = m.prepare(ctx)
	}
	if err != nil || !led {
		m.stop()
		_ = m.sub.Unsubscribe()
		return nil, err
	}
	m.tasks.Go(m.live)
	return m, nil
}

// prepare gets what the run's jobs come from.
func (m *Member) prepare(ctx context.Context) error {
	h := nats.Header{}
	if m.first.Packed {
		h.Set(packedHeader, "zstd")
	}
	var err error
	if m.about, err = unpack(m.first.Description, h); err != nil {
		return fmt.Errorf("join run %s: read its description: %w", m.run, err)
	}
	return m.c.persist(ctx, "join run "+m.run, func(ctx context.Context) error {
		m.jobs, err = m.c.js.Consumer(ctx, m.names.jobs(), jobsConsumer)
		return err
	})
}

// Run is the run's id.
func (m *Member) Run() string { return m.run }

// Name is what the run is called.
func (m *Member) Name() string { return m.first.Name }

// Seed is the run's.
func (m *Member) Seed() uint64 { return m.first.Seed }

// Version is that of the tool that leads the run.
func (m *Member) Version() string { return m.first.Version }

// Description is the plan's.
func (m *Member) Description() []byte { return m.about }

// Lacks tells the planner that this worker takes no jobs, and why; "" that it
// takes them again.
func (m *Member) Lacks(ctx context.Context, reason string) error {
	m.mu.Lock()
	m.lacks = reason
	m.mu.Unlock()
	_, err := m.ask(ctx, told{Op: opLacks, Why: reason})
	return err
}

// Leave tells the planner that this worker goes.
func (m *Member) Leave() {
	m.mu.Lock()
	m.tell(told{Op: opBye})
	m.finish(errLeft)
	m.mu.Unlock()
	m.stop()
	_ = m.sub.Unsubscribe() // the connection may be gone
	m.tasks.Wait()
}

// finish says that the run is over for this worker. mu is held.
func (m *Member) finish(why error) {
	if m.end == nil {
		m.end = why
		close(m.ended)
	}
}

// meet says hello. led is whether somebody leads the run; the error is a refusal.
func (m *Member) meet(ctx context.Context) (led bool, err error) {
	b, err := json.Marshal(hello{Schema: Schema, Worker: m.id, Host: m.me.Host, PID: m.me.PID, Version: m.me.Version, Slots: m.me.Slots})
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
	if err := json.Unmarshal(reply.Data, &w); err != nil {
		return false, fmt.Errorf("join run %s: who leads it cannot be understood: %w", m.run, err)
	}
	if w.Refused == "" {
		err = checkSchema(w.Schema, "who leads it (gonogo "+sampler.Brief(w.Version)+")")
	} else {
		err = errors.New(sampler.Brief(w.Refused))
	}
	if err != nil {
		return false, fmt.Errorf("join run %s: refused: %w", m.run, err)
	}
	if w.AckWait <= 0 || w.Lease <= 0 {
		return false, fmt.Errorf("join run %s: who leads it gives no times", m.run)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.term == "" {
		m.first = w
	} else if w.Seed != m.first.Seed || w.Fingerprint != m.first.Fingerprint || !bytes.Equal(w.Description, m.first.Description) {
		if !m.stale {
			m.stale = true
			close(m.changed)
		}
	}
	m.term, m.heard = w.Term, time.Now()
	return true, nil
}

// live tells the planner all that the worker has, and the server that it is at
// its jobs, again and again.
func (m *Member) live() {
	beat := time.NewTicker(m.first.Lease / 10)
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
			m.beat()
			if time.Since(m.heard) > orphaned*m.first.AckWait {
				m.finish(fmt.Errorf("run %s: %w", m.run, ErrOrphaned))
			}
			m.mu.Unlock()
		case <-sign.C:
			m.mu.Lock()
			for _, t := range m.has {
				_ = t.msg.InProgress() // the next one may come through
			}
			m.mu.Unlock()
		}
	}
}

// beat tells all that the worker has. mu is held.
func (m *Member) beat() {
	b := &beat{Held: map[string][]uint64{}, Waiting: map[string][]uint64{}, Resting: map[string][]uint64{}, Made: m.made, Missing: m.missing, Lacks: m.lacks}
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
	m.tell(told{Op: opBeat, Beat: b})
}

// tell tells the planner something. What is lost is told again by a beat. mu is
// held, so that things arrive in the order in which they happen.
func (m *Member) tell(t told) {
	t.Worker, t.Term = m.id, m.term
	b, err := json.Marshal(t)
	if err != nil {
		panic("queue: " + err.Error())
	}
	_ = m.c.nc.Publish(m.names.lines(), b)
}

// ask tells the planner something until it is answered.
func (m *Member) ask(ctx context.Context, t told) (op, error) {
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

// hear hears what the planner tells.
func (m *Member) hear(msg *nats.Msg) {
	var a answer
	if err := json.Unmarshal(msg.Data, &a); err != nil {
		m.c.log.Warn("queue", slog.String("error", "what the planner told cannot be read"))
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if a.Op == opStranger {
		m.meetAgain()
		return
	}
	if a.Term != m.term {
		return
	}
	m.heard = time.Now()
	switch a.Op {
	case opGrant:
		m.granted(a.ID)
	case opDead:
		m.dead(a.ID, a.End)
	case opOver:
		m.finish(fmt.Errorf("%w: %s", errOver, sampler.Brief(a.Why)))
	default:
		if c := m.asked[a.ID]; c != nil && len(c) == 0 {
			c <- a.Op
		}
	}
}

// meetAgain says hello to another planner of the run. mu is held.
func (m *Member) meetAgain() {
	if m.meeting || m.end != nil {
		return
	}
	m.meeting = true
	m.tasks.Go(func() {
		_, err := m.meet(m.ctx)
		m.mu.Lock()
		defer m.mu.Unlock()
		m.meeting = false
		if err != nil && m.ctx.Err() == nil {
			m.finish(err)
		}
		m.beat()
	})
}
