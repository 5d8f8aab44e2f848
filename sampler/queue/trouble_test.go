package queue_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/queue"
	"gonogo/sampler/rollout"
)

// team are workers that stay while planners come and go.
func (s *site) team(t *testing.T, urls ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var crew sync.WaitGroup
	for i, url := range urls {
		c := dialTCP(t, url)
		crew.Go(func() {
			defer c.Close()
			for ctx.Err() == nil {
				m, err := c.Join(ctx, "", queue.WorkerInfo{Host: "host", PID: i, Slots: 8, Version: "test"})
				if err != nil {
					return
				}
				_, err = m.Work(ctx, nil, s.cfg, s.w.boundaries(), nil, nil)
				if err != nil && ctx.Err() == nil {
					t.Error(err)
				}
				m.Leave()
			}
		})
	}
	t.Cleanup(func() {
		cancel()
		crew.Wait()
	})
}

// lead makes rollouts by whoever is there.
func (s *site) lead(ctx context.Context, p *queue.Planner, jobs []sampler.Rollout, k *sink) (sampler.Stats, error) {
	b := s.w.boundaries()
	b.Remote = p
	return sampler.Sample(ctx, sampler.SampleOptions{
		Config: s.cfg, Seed: s.plan.Seed, Rollouts: jobs, Boundaries: b, Sink: k,
	})
}

// short are times after which workers and jobs are given up soon, though not by a machine
// that is only busy.
func (s *site) short() *site {
	s.plan.AckWait, s.plan.Lease = 3*time.Second, 2*time.Second
	return s
}

func TestAPlannerThatWasKilledIsFollowedByAnother(t *testing.T) {
	t.Parallel()
	server := embed(t, t.TempDir(), -1)
	s := newSite(t, 3, nil)
	s.w.model = func(string) reply { return reply{text: "42", wait: 10 * time.Millisecond} }
	s.team(t, server.URL(), server.URL(), server.URL())
	jobs, k := makeJobs(100), new(sink)

	first := dialTCP(t, server.URL())
	p := check(first.Lead(t.Context(), s.plan))(t)
	cut, die := context.WithCancelCause(t.Context())
	k.after = map[int]func(){30: func() {
		first.Close() // as a killed process does
		die(errors.New("killed"))
	}}
	if _, err := s.lead(cut, p, jobs, k); err == nil {
		t.Fatal("it went on without a connection")
	}

	next := dialTCP(t, server.URL())
	defer next.Close()
	p = check(next.Lead(t.Context(), s.plan))(t)
	k.after = nil
	check(s.lead(t.Context(), p, rest(jobs, k.list()), k))(t)
	whole(t, jobs, k.list())
	if n := s.w.again(); n != 0 || p.PaidTwice() != 0 {
		t.Errorf("%d rollouts made again, %d paid twice", n, p.PaidTwice())
	}
	if err := p.Close(true); err != nil {
		t.Error(err)
	}
}

// A planner dies together with the worker in its process: the jobs that this worker held do not wait
// until the server takes it for lost.
func TestJobsOfAWorkerThatDiedWithItsPlannerDoNotWait(t *testing.T) {
	t.Parallel()
	server := embed(t, t.TempDir(), -1)
	s := newSite(t, 3, nil)
	s.plan.AckWait, s.plan.Lease = time.Minute, 2*time.Second
	held := make(chan struct{})
	var once sync.Once
	s.w.model = func(string) reply {
		once.Do(func() { close(held) })
		return reply{text: "42", wait: 100 * time.Millisecond}
	}
	jobs, k := makeJobs(16), new(sink)
	first, here := dialTCP(t, server.URL()), dialTCP(t, server.URL())
	p := check(first.Lead(t.Context(), s.plan))(t)
	m := check(here.Join(t.Context(), s.plan.Run, queue.WorkerInfo{Host: "host", Slots: 16}))(t)
	cut, die := context.WithCancelCause(t.Context())
	var process sync.WaitGroup
	process.Go(func() { _, _ = m.Work(cut, nil, s.cfg, s.w.boundaries(), nil, nil) })
	process.Go(func() {
		<-held
		first.Close() // as a killed process does
		here.Close()
		die(errors.New("killed"))
	})
	if _, err := s.lead(cut, p, jobs, k); err == nil {
		t.Fatal("it went on without a connection")
	}
	process.Wait()

	s.team(t, server.URL())
	next := dialTCP(t, server.URL())
	defer next.Close()
	begun := time.Now()
	p = check(next.Lead(t.Context(), s.plan))(t)
	check(s.lead(t.Context(), p, rest(jobs, k.list()), k))(t)
	whole(t, jobs, k.list())
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("it took %v, want a few seconds", took)
	}
	if err := p.Close(true); err != nil {
		t.Error(err)
	}
}

// A worker that can take no jobs waited until a planner that is gone was taken for
// gone, minutes, and said nothing meanwhile.
func TestWhoTakesNoJobsDoesNotWaitForAPlannerThatIsGone(t *testing.T) {
	t.Parallel()
	server := embed(t, t.TempDir(), -1)
	plan := quick
	plan.AckWait = time.Minute
	first, c := dialTCP(t, server.URL()), dialTCP(t, server.URL())
	defer c.Close()
	p := check(first.Lead(t.Context(), plan))(t)
	m := check(c.Join(t.Context(), plan.Run, queue.WorkerInfo{Host: "host", Slots: 1}))(t)
	defer m.Leave()
	first.Close() // as a killed process does
	defer func() { _ = p.Close(false) }()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if err := m.Lacks(ctx, "there is no key"); err == nil || ctx.Err() != nil {
		t.Errorf("it learned of it in time: %v, with %v", ctx.Err() == nil, err)
	}
}

func TestAServerThatWasRestartedLosesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server, err := queue.Embed(dir, -1, token)
	if err != nil {
		t.Fatal(err)
	}
	url := server.URL()
	_, port, err := net.SplitHostPort(strings.TrimPrefix(url, "nats://"))
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, 3, nil)
	s.plan.AckWait = time.Second // for jobs that were on their way
	s.w.model = func(string) reply { return reply{text: "42", wait: 10 * time.Millisecond} }
	s.team(t, url, url, url)
	c := dialTCP(t, url)
	defer c.Close()
	p := check(c.Lead(t.Context(), s.plan))(t)
	restarted := make(chan struct{})
	jobs := makeJobs(100)
	k := &sink{after: map[int]func(){30: func() {
		go func() {
			defer close(restarted)
			server.Close()
			time.Sleep(300 * time.Millisecond)
			embed(t, dir, check(strconv.Atoi(port))(t))
		}()
	}}}
	check(s.lead(t.Context(), p, jobs, k))(t)
	<-restarted
	whole(t, jobs, k.list())
	if n := s.w.again(); n != p.PaidTwice() {
		t.Errorf("%d rollouts made again, %d told as paid twice", n, p.PaidTwice())
	}
	if err := p.Close(true); err != nil {
		t.Error(err)
	}
}

func TestAWorkerThatIsCutOffLosesItsPlaceAndComesBack(t *testing.T) {
	t.Parallel()
	server := embed(t, t.TempDir(), -1)
	s := newSite(t, 2, nil).short()
	s.cfg.Concurrency = 4
	s.w.model = func(string) reply { return reply{text: "42", wait: 20 * time.Millisecond} }
	wire := cuttable(t, server.URL())
	s.team(t, server.URL(), wire.url)
	c := dialTCP(t, server.URL())
	defer c.Close()
	p := check(c.Lead(t.Context(), s.plan))(t)
	jobs := makeJobs(100)
	k := &sink{after: map[int]func(){
		10: func() { wire.cut(true) },
		40: func() {
			lost := 0
			for _, w := range p.Workers() {
				if w.Lost {
					lost++
				}
			}
			if lost == 0 {
				time.AfterFunc(time.Second, func() { wire.cut(false) })
				return
			}
			wire.cut(false)
		},
	}}
	check(s.lead(t.Context(), p, jobs, k))(t)
	whole(t, jobs, k.list())
	if _, most := s.w.requests(); most > 2*s.cfg.Concurrency { // what was cut off is still under way at the model
		t.Errorf("%d requests at once", most)
	}
	if n := s.w.again(); n > 8 {
		t.Errorf("%d rollouts made again", n)
	}
	if err := p.Close(true); err != nil {
		t.Error(err)
	}
}

func TestAJobThatWorkersAreLostOverIsGivenUp(t *testing.T) {
	t.Parallel()
	server := embed(t, t.TempDir(), -1)
	s := newSite(t, 1, nil).short()
	s.plan.Deliveries = 2
	jobs := makeJobs(10)
	poison := sampler.TraceID(s.plan.Seed, rollout.Train, "q3", 0, 0)
	killed := make(chan struct{}, 10)
	s.w.model = func(trace string) reply {
		if trace == poison {
			killed <- struct{}{}
			return reply{text: "42", wait: time.Minute}
		}
		return reply{text: "42"}
	}
	c := dialTCP(t, server.URL())
	defer c.Close()
	p := check(c.Lead(t.Context(), s.plan))(t)
	ctx, cancel := context.WithCancel(context.Background())
	var crew sync.WaitGroup
	crew.Go(func() {
		for ctx.Err() == nil {
			c := dialTCP(t, server.URL())
			m, err := c.Join(ctx, "", queue.WorkerInfo{Host: "host", PID: 1, Slots: 1}) // no other rollout is lost with it
			if err != nil {
				c.Close()
				return
			}
			over := make(chan struct{})
			go func() {
				defer close(over)
				_, _ = m.Work(ctx, nil, s.cfg, s.w.boundaries(), nil, nil) // it ends with its connection
			}()
			select {
			case <-killed:
				c.Close()
			case <-over:
			}
			<-over
			m.Leave()
			c.Close()
		}
	})
	k := new(sink)
	check(s.lead(t.Context(), p, jobs, k))(t)
	cancel()
	crew.Wait()
	if err := p.Close(false); err != nil {
		t.Error(err)
	}
	for _, r := range k.list() {
		want := "the worker that made this rollout was lost 2 times"
		if lost := r.Kind == queue.KindWorkerLost; lost != (r.Item == "q3") || lost && (r.Outcome != rollout.ToolFailed || !strings.HasPrefix(r.Error, want)) {
			t.Errorf("%s is %s, %s: %s", r.Item, r.Outcome, r.Kind, r.Error)
		}
	}
	if n := len(k.list()); n != 10 {
		t.Errorf("%d records", n)
	}
}

// wire passes on what goes between a client and a server, until it is cut.
type wire struct {
	url string
	to  string

	mu    sync.Mutex // guards what follows
	down  bool
	conns []net.Conn
}

func cuttable(t *testing.T, url string) *wire {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{url: "nats://" + l.Addr().String(), to: strings.TrimPrefix(url, "nats://")}
	var conns sync.WaitGroup
	conns.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", w.to)
			if err != nil {
				near.Close()
				continue
			}
			if !w.keep(near, far) {
				continue
			}
			conns.Go(func() { _, _ = io.Copy(near, far); near.Close(); far.Close() })
			conns.Go(func() { _, _ = io.Copy(far, near); near.Close(); far.Close() })
		}
	})
	t.Cleanup(func() {
		l.Close()
		w.cut(true)
		conns.Wait()
	})
	return w
}

// keep notes a connection, unless the wire is cut.
func (w *wire) keep(conns ...net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range conns {
		if w.down {
			c.Close()
		}
	}
	w.conns = append(w.conns, conns...)
	return !w.down
}

// cut cuts the wire, or fixes it.
func (w *wire) cut(down bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = down
	if down {
		for _, c := range w.conns {
			c.Close()
		}
		w.conns = nil
	}
}
