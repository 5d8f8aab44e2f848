package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"gonogo/sampler/rollout"
)

// WorkerInfo describes a worker.
type WorkerInfo struct {
	Host    string
	PID     int
	Slots   int // rollouts at once
	Version string
}

// Member is a worker that has joined a run.
type Member struct {
	c     *Conn
	me    WorkerInfo
	id    string
	names names
	run   string
	jobs  jetstream.Consumer
	sub   *nats.Subscription
	first welcome
	room  int    // largest size of a record in bytes
	about []byte // the plan's description, unpacked

	ctx   context.Context // ends when the worker leaves
	stop  context.CancelFunc
	tasks sync.WaitGroup

	mu       sync.Mutex // guards what follows, and the order of the messages sent
	term     string
	lastSeen time.Time     // time of the planner's last message
	meeting  bool          // it is saying hello again
	end      error         // why the run is over for this worker; nil while it lasts
	ended    chan struct{} // closed when end is set
	changed  chan struct{} // closed when a planner leads the run with another description
	stale    bool          // changed is closed

	next    uint64
	turns   map[uint64]*turn
	resting map[uint64]string // endpoints
	asked   map[uint64]chan op
	has     map[key]*task
	made    int
	missing int
	lacks   string
}

// ErrOrphaned means that the run has lost its planner.
var ErrOrphaned = errors.New("no planner leads the run any more")

// The reasons why a run is over for a worker.
var (
	errOver = errors.New("the run is over")
	errLeft = errors.New("this worker has left")
)

// Join waits until a planner leads the run, or any run for "", and joins it. A refusal is an
// error. With "", runs in before, which this worker could not work for, come last. Leave ends
// the membership.
func (c *Conn) Join(ctx context.Context, run string, me WorkerInfo, before ...string) (*Member, error) {
	for n := 0; ; n++ {
		name := run
		if name == "" {
			led, err := c.Status(ctx, "")
			if err != nil {
				return nil, err
			}
			name = pick(led, before)
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

// pick returns which of the led runs to join; "" if there is none.
func pick(led []Status, before []string) string {
	for _, s := range led {
		if s.Schema == Schema && !slices.Contains(before, s.Run) {
			return s.Run
		}
	}
	if len(led) == 0 {
		return ""
	}
	return led[0].Run
}

// join joins a run. It returns nil if no planner leads it.
func (c *Conn) join(ctx context.Context, run string, me WorkerInfo) (*Member, error) {
	m := &Member{
		c: c, me: me, room: rollout.MaxLine, id: nuid.Next(), names: safe(run), run: run, lastSeen: time.Now(),
		ended: make(chan struct{}), changed: make(chan struct{}),
		turns: map[uint64]*turn{}, resting: map[uint64]string{}, asked: map[uint64]chan op{}, has: map[key]*task{},
	}
	m.ctx, m.stop = context.WithCancel(context.Background())
	var err error
	if m.sub, err = c.nc.Subscribe(m.names.worker(m.id), m.hear); err != nil {
		m.stop()
		return nil, c.explain("join run "+run, err)
	}
	led, err := m.sayHello(ctx)
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

// prepare unpacks the run's description and looks up the consumer of its jobs.
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

// Run returns the run's id.
func (m *Member) Run() string { return m.run }

// Name returns the run's name.
func (m *Member) Name() string { return m.first.Name }

// Seed returns the run's seed.
func (m *Member) Seed() uint64 { return m.first.Seed }

// Version returns the version of the planner's program.
func (m *Member) Version() string { return m.first.Version }

// Description returns the plan's description.
func (m *Member) Description() []byte { return m.about }

// Lacks tells the planner that this worker takes no jobs, and why; with "" it takes
// them again. If the planner does not answer soon, it learns of it from the worker's beats.
func (m *Member) Lacks(ctx context.Context, reason string) error {
	m.mu.Lock()
	m.lacks = reason
	m.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, backFor)
	defer cancel()
	_, err := m.ask(ctx, workerMessage{Op: opLacks, Why: reason})
	return err
}

// Leave tells the planner that this worker is leaving.
func (m *Member) Leave() {
	m.mu.Lock()
	m.tell(workerMessage{Op: opBye})
	m.finish(errLeft)
	m.mu.Unlock()
	m.stop()
	_ = m.sub.Unsubscribe() // the connection may be gone
	m.tasks.Wait()
}

// finish marks the run as over for this worker. mu is held.
func (m *Member) finish(why error) {
	if m.end == nil {
		m.end = why
		close(m.ended)
	}
}
