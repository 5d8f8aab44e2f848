package queue_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/boundary/model"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/queue"
	"gonogo/sampler/rollout"
)

func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "8"); err != nil { // they wait, for disks and for times, more than they compute
		panic(err)
	}
	// nats.go 1.55: an object store's Put that is cancelled at once may take away the
	// channel of this goroutine before it has read it. All others of an open
	// connection would still be found.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"))
}

// world is a model and a grader behind HTTP on loopback.
type world struct {
	t     testing.TB
	url   string
	model func(trace string) reply
	grade func(trace string) reply
	says  func(sampler.Model) sampler.Model // the outcome of the model's answers on their way; nil: themselves

	mu             sync.Mutex // guards what follows
	asked          map[string]int
	when           []time.Time // the model was asked
	inFlight, most int
}

// reply is an answer; its zero status is 200.
type reply struct {
	status int
	header map[string]string
	text   string
	wait   time.Duration
}

func newWorld(t testing.TB) *world {
	w := &world{t: t, asked: map[string]int{}}
	w.model = func(string) reply { return reply{text: "42"} }
	w.grade = func(string) reply { return reply{text: `{"score":1}`} }
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/responses", func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		trace, _, _ := strings.Cut(r.Header.Get("X-Client-Request-Id"), "/")
		w.enter(trace)
		defer w.leave()
		a := w.model(trace)
		if a.status == 0 {
			q, err := json.Marshal(a.text)
			if err != nil {
				t.Error(err)
			}
			a.text = `{"status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":` + string(q) + `}]}],"usage":{"input_tokens":10,"output_tokens":5}}`
		}
		a.write(rw, r)
	})
	mux.HandleFunc("POST /grade", func(rw http.ResponseWriter, r *http.Request) {
		var in struct {
			TraceID string `json:"trace_id"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			return // the client broke off
		}
		w.grade(in.TraceID).write(rw, r)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	w.url = s.URL
	return w
}

func (a reply) write(rw http.ResponseWriter, r *http.Request) {
	if a.wait > 0 {
		select {
		case <-time.After(a.wait):
		case <-r.Context().Done():
			return
		}
	}
	rw.Header().Set("Content-Type", "application/json")
	for k, v := range a.header {
		rw.Header().Set(k, v)
	}
	rw.WriteHeader(cmp.Or(a.status, http.StatusOK))
	_, _ = io.WriteString(rw, a.text)
}

func (w *world) enter(trace string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked[trace]++
	w.when = append(w.when, time.Now())
	w.inFlight++
	w.most = max(w.most, w.inFlight)
}

func (w *world) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.inFlight--
}

// requests returns when the model was asked, and the most at once.
func (w *world) requests() (when []time.Time, most int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.when), w.most
}

// again returns how many rollouts the model was asked for more than once.
func (w *world) again() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, times := range w.asked {
		if times > 1 {
			n++
		}
	}
	return n
}

// boundaries are those of one process.
func (w *world) boundaries() sampler.Boundaries {
	w.t.Helper()
	transport := endpoint.HTTPTransport(256)
	w.t.Cleanup(transport.CloseIdleConnections)
	client := endpoint.HTTPClient(transport, 256)
	m, err := model.New(model.Config{Name: "m", BaseURL: w.url + "/v1", APIKey: "planted-key-1", HTTP: client})
	if err != nil {
		w.t.Fatal(err)
	}
	g, err := grader.New(grader.Kinds(), json.RawMessage(`{"type":"endpoint","url":"`+w.url+`/grade"}`), grader.Env{HTTP: client})
	if err != nil {
		w.t.Fatal(err)
	}
	b := sampler.Boundaries{Model: m, Grader: g}
	if w.says != nil {
		b.Model = w.says(m)
	}
	return b
}

// makeJobs returns n jobs, one an item.
func makeJobs(n int) []sampler.Rollout {
	jobs := make([]sampler.Rollout, n)
	for i := range jobs {
		it := &rollout.Item{
			ID: fmt.Sprintf("q%d", i), Split: rollout.Train, Category: "c", Family: "f",
			Row: json.RawMessage(`{"messages":[{"role":"user","content":"q` + strconv.Itoa(i) + `"}],"answer":  "<42>"}`),
		}
		if err := it.Decode(); err != nil {
			panic(err)
		}
		jobs[i] = sampler.Rollout{Item: it}
	}
	return jobs
}

// sink keeps records.
type sink struct {
	mu      sync.Mutex // guards what follows
	records []*rollout.Record
	after   map[int]func() // what happens after that many
	fails   int            // the one that cannot be written; 0 = none
}

// Append keeps one.
func (s *sink) Append(r *rollout.Record) error {
	s.mu.Lock()
	if s.fails > 0 && len(s.records)+1 == s.fails {
		s.mu.Unlock()
		return errors.New("no space left on device")
	}
	s.records = append(s.records, r)
	do := s.after[len(s.records)]
	s.mu.Unlock()
	if do != nil {
		do()
	}
	return nil
}

func (s *sink) list() []*rollout.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.records)
}

// told are the records without their times, in the order of their keys.
func told(records []*rollout.Record) []string {
	var out []string
	for _, r := range records {
		r := *r
		r.Started, r.Elapsed = time.Time{}, 0
		b, err := json.Marshal(r)
		if err != nil {
			panic(err)
		}
		out = append(out, string(b))
	}
	slices.Sort(out)
	return out
}

// site is where rollouts are made.
type site struct {
	t       testing.TB
	w       *world
	cfg     sampler.Config
	plan    queue.Plan
	members int                // 0: the rollouts are made here
	dial    func() *queue.Conn // to a server
	slots   int
	twice   int                     // paid, in all calls so far
	room    int                     // of a worker's record; 0: what there is
	late    func(worker int)        // is called before each worker joins
	at      func(worker int) *world // the one that a worker asks; nil: w
}

// sample is sampler.Sample at the site.
func (s *site) sample(ctx context.Context, drain <-chan struct{}, jobs []sampler.Rollout, k *sink) (sampler.Stats, error) {
	s.t.Helper()
	b := s.w.boundaries()
	if s.members == 0 {
		return sampler.Sample(ctx, sampler.SampleOptions{
			Config: s.cfg, Seed: s.plan.Seed, Rollouts: jobs, Boundaries: b, Sink: k, Drain: drain,
		})
	}
	c := s.dial()
	defer c.Close()
	p, err := c.Lead(context.Background(), s.plan)
	if err != nil {
		s.t.Fatal(err)
	}
	stop := s.crew(ctx)
	defer stop()
	b.Remote = p
	stats, err := sampler.Sample(ctx, sampler.SampleOptions{
		Config: s.cfg, Seed: s.plan.Seed, Rollouts: jobs, Boundaries: b, Sink: k, Drain: drain,
		Watch: func(e sampler.Event) { p.Tell(e) },
	})
	if end := p.Close(stats.NotRun() == 0); end != nil {
		s.t.Error(end)
	}
	s.twice += p.PaidTwice()
	return stats, err
}

// crew lets the workers of a site join. stop waits until they have gone.
func (s *site) crew(context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var crew sync.WaitGroup
	for i := range s.members {
		crew.Go(func() {
			c := s.dial()
			defer c.Close()
			if s.late != nil {
				s.late(i)
			}
			m, err := c.Join(ctx, "", queue.WorkerInfo{Host: "host" + strconv.Itoa(i), PID: i, Slots: cmp.Or(s.slots, 16), Version: "test"})
			if err != nil {
				if ctx.Err() == nil {
					s.t.Error(err)
				}
				return
			}
			defer m.Leave()
			if s.room > 0 {
				m.Narrow(s.room)
			}
			w := s.w
			if s.at != nil {
				w = s.at(i)
			}
			_, err = m.Work(ctx, nil, s.cfg, w.boundaries(), rollout.NewRedactor("planted-key-1"), nil)
			if _, end := errors.AsType[*endpoint.Error](err); err != nil && !end && ctx.Err() == nil {
				s.t.Error(err)
			}
		})
	}
	return func() {
		cancel()
		crew.Wait()
	}
}

// quick are times that a test can wait for.
var quick = queue.Plan{Run: "run-1", Version: "test", Fingerprint: "f", Seed: 7, AckWait: 3 * time.Second, Lease: 1500 * time.Millisecond}

// everywhere runs a test at all places.
func everywhere(t *testing.T, test func(t *testing.T, s *site)) {
	t.Parallel()
	t.Run("here", func(t *testing.T) {
		t.Parallel()
		test(t, newSite(t, 0, nil))
	})
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		server := embed(t, t.TempDir(), 0)
		test(t, newSite(t, 1, func() *queue.Conn { return check(server.Dial(context.Background(), nil))(t) }))
	})
	t.Run("external", func(t *testing.T) {
		t.Parallel()
		test(t, external(t, 3))
	})
}

func newSite(t testing.TB, members int, dial func() *queue.Conn) *site {
	cfg := sampler.DefaultConfig()
	cfg.Concurrency = 8
	cfg.Retry.Wait = 10 * time.Millisecond
	return &site{t: t, w: newWorld(t), cfg: cfg, plan: quick, members: members, dial: dial}
}

// external is a server on loopback with members that dial it.
func external(t testing.TB, members int) *site {
	server := embed(t, t.TempDir(), -1)
	return newSite(t, members, func() *queue.Conn { return dialTCP(t, server.URL()) })
}

const token = "planted-token-1"

func embed(t testing.TB, dir string, port int) *queue.Server {
	t.Helper()
	server, err := queue.Embed(dir, port, token)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server
}

func dialTCP(t testing.TB, url string) *queue.Conn {
	t.Helper()
	return check(queue.Dial(context.Background(), queue.Address{URL: url, Token: token}, nil))(t)
}

// check returns a value, or ends the test.
func check[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
