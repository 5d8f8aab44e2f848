package queue

import (
	"encoding/json"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// noEndpoints are the lines of a call whose requests no one lets through.
type noEndpoints struct{ endpoint.Queue }

// tells has a worker tell its planner something.
func tells(t *testing.T, p *Planner, what workerMessage) {
	t.Helper()
	what.Term = p.term
	b, err := json.Marshal(what)
	if err != nil {
		t.Fatal(err)
	}
	p.told(&nats.Msg{Data: b})
}

func greets(t *testing.T, p *Planner, h hello) {
	t.Helper()
	b, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	p.hello(&nats.Msg{Data: b})
}

func TestWhatWorkersSayIsBounded(t *testing.T) {
	t.Parallel()
	p := deaf(t)
	long := strings.Repeat("x", 1<<16)
	for _, id := range []string{"", "a.b", ">", "*", "a b", "a\r\nPUB x 0", long} {
		greets(t, p, hello{Schema: Schema, Worker: id})
	}
	if n := len(p.Workers()); n != 0 {
		t.Errorf("%d workers whose ids are not part of a subject", n)
	}
	greets(t, p, hello{Schema: Schema, Worker: "w", Host: long, Version: long, Slots: -1})
	tells(t, p, workerMessage{Worker: "w", Op: opBeat, Beat: &beat{Lacks: long, Held: map[string][]uint64{long: {1}}}})
	if w := p.Workers()[0]; len(w.Host) > 100 || len(w.Version) > 100 || len(w.Lacks) > 2000 || w.Slots != 1 {
		t.Errorf("host of %d bytes, version of %d, %d of what it lacks, %d slots", len(w.Host), len(w.Version), len(w.Lacks), w.Slots)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for range 2 * mostEndpoints {
		p.isEndpoint(strings.Repeat("e", len(p.endpoints)%250) + "/" + time.Now().String())
	}
	if n := len(p.endpoints); n > mostEndpoints || p.isEndpoint(long) {
		t.Errorf("%d endpoints", n)
	}
}

func TestKeysThatAreNoneDoNothing(t *testing.T) {
	t.Parallel()
	p := deaf(t)
	stands := keyOf("r", rollout.Train, "q", 0, 0)
	if _, err := p.c.js.PublishMsg(t.Context(), &nats.Msg{Subject: p.names.job(stands), Data: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	greets(t, p, hello{Schema: Schema, Worker: "w"})
	for _, k := range []key{">", "*", "k", key(strings.ToUpper(string(stands)))} {
		for _, o := range []op{opBegin, opBack, opTwice} {
			tells(t, p, workerMessage{Worker: "w", Op: o, Key: k})
		}
	}
	tells(t, p, workerMessage{Worker: "w", Op: opTwice, Key: stands}) // no one asked for it
	p.mu.Lock()
	sweeping := len(p.sweeping)
	p.mu.Unlock()
	if sweeping > 0 || p.PaidTwice() != 0 {
		t.Errorf("%d jobs deleted, %d paid twice", sweeping, p.PaidTwice())
	}
}

func TestResultsThatNobodyAskedForAreBounded(t *testing.T) {
	t.Parallel()
	p := deaf(t)
	body := make([]byte, 700<<10)
	put := func(k key) {
		t.Helper()
		if _, err := p.c.js.PublishMsg(t.Context(), &nats.Msg{Subject: p.names.result(k), Data: body}); err != nil {
			t.Fatal(err)
		}
	}
	p.mu.Lock()
	p.kept = mostUnasked - len(body) - len(body)/2 // as if others were there
	p.mu.Unlock()
	put("junk")
	for i := range 5 {
		put(keyOf("r", rollout.Train, "q", i, 0))
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		info, err := p.results.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		claim, err := p.results.Consumer(t.Context(), p.claimed())
		if err != nil {
			t.Fatal(err)
		}
		if info.State.Msgs == 5 && claim.CachedInfo().NumPending == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d results stand there, %d were not handed out", info.State.Msgs, claim.CachedInfo().NumPending)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.landed); n != 1 {
		t.Errorf("%d are kept", n)
	}
}

func TestRecordsOfAnotherRolloutAreRefused(t *testing.T) {
	t.Parallel()
	p := &Planner{plan: Plan{Seed: 7}}
	job := sampler.Rollout{Item: &rollout.Item{ID: "q", Split: rollout.Train}, Sample: 1}
	whole := rollout.Record{Item: "q", Split: rollout.Train, Sample: 1, Source: rollout.Live, TraceID: sampler.TraceID(7, rollout.Train, "q", 1, 0)}
	for name, c := range map[string]struct {
		is   func(*rollout.Record)
		want string
	}{
		"the job's":          {func(*rollout.Record) {}, ""},
		"of another item":    {func(r *rollout.Record) { r.Item = "p" }, "it belongs to rollout train/p/1"},
		"of another attempt": {func(r *rollout.Record) { r.Attempt = 2 }, "it belongs to rollout"},
		"of another seed":    {func(r *rollout.Record) { r.TraceID = sampler.TraceID(8, rollout.Train, "q", 1, 0) }, "of another rollout"},
		"of a probe":         {func(r *rollout.Record) { r.Source = rollout.Probe }, "its source is"},
	} {
		rec := whole
		c.is(&rec)
		if err := p.of(job, &rec); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The receipt of a job may be lost though it is there, and what is next to it
// deleted then: who reads it gives it back, and it is stored again.
func TestAJobWhoseBodyIsGoneIsStoredAnew(t *testing.T) {
	t.Parallel()
	p := deaf(t)
	item := &rollout.Item{ID: "q", Split: rollout.Train, Row: json.RawMessage(`{"messages":[{"role":"user","content":"a"}]}`)}
	if err := item.Decode(); err != nil {
		t.Fatal(err)
	}
	job := sampler.Rollout{Item: item}
	k := keyOf("r", item.Split, item.ID, 0, 0)
	h := nats.Header{}
	h.Set(schemaHeader, Schema)
	h.Set(storedHeader, "gone")
	if _, err := p.c.js.PublishMsg(t.Context(), &nats.Msg{Subject: p.names.job(k), Header: h}); err != nil {
		t.Fatal(err)
	}
	maker, shut := p.Open(noEndpoints{}, nil)
	defer shut()
	made := make(chan error)
	go func() {
		_, leave, err := maker(t.Context(), job)
		leave(true)
		made <- err
	}()
	m, err := p.c.Join(t.Context(), "r", WorkerInfo{Host: "h", Slots: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Leave()
	s := &workSession{Member: m, slots: make(chan struct{}, 1), keep: t.Context(), tasks: map[string]*task{}}
	for {
		batch, err := m.jobs.Fetch(1, jetstream.FetchMaxWait(10*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		msg, open := <-batch.Messages()
		if !open {
			t.Fatal("the job does not come")
		}
		if got, ok, err := s.take(t.Context(), msg); err != nil {
			t.Fatal(err)
		} else if ok {
			if string(got.Item.Row) != string(item.Row) {
				t.Errorf("the row is %s", got.Item.Row)
			}
			break
		}
	}
	body, err := json.Marshal(rollout.Record{Item: "q", Split: rollout.Train, Source: rollout.Live, Outcome: rollout.NoAnswer, TraceID: sampler.TraceID(0, item.Split, "q", 0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.store(m.has[k], body); err != nil {
		t.Fatal(err)
	}
	if err := <-made; err != nil {
		t.Fatal(err)
	}
}

// Who drains does not wait until another worker has made what one was lost over.
func TestADrainedRunLetsGoOfWhatLostWorkersHad(t *testing.T) {
	t.Parallel()
	p := deaf(t)
	greets(t, p, hello{Schema: Schema, Worker: "w"})
	k := keyOf("r", rollout.Train, "q", 0, 0)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, drained := range []bool{false, true} {
		w := p.workers["w"]
		o := &order{dispatcher: &dispatcher{drained: drained}, key: k, ended: make(chan struct{}), came: make(chan *landed, 1), holder: w}
		p.wanted[k], w.jobs[k] = o, true
		p.lose(w)
		if got := errors.Is(o.err, sampler.ErrNotBegun); got != drained || o.holder != nil {
			t.Errorf("drained %t: ended %t", drained, got)
		}
	}
	delete(p.wanted, k)
}

func TestAWorkerPicksARunThatItMayWorkFor(t *testing.T) {
	t.Parallel()
	run := func(id, schema string) Status { return Status{Run: id, Schema: schema} }
	for name, c := range map[string]struct {
		led    []Status
		before []string
		want   string
	}{
		"none is led":                        {nil, nil, ""},
		"the first":                          {[]Status{run("a", Schema), run("b", Schema)}, nil, "a"},
		"not the one that it could not":      {[]Status{run("a", Schema), run("b", Schema)}, []string{"a"}, "b"},
		"that one again where no other is":   {[]Status{run("a", Schema)}, []string{"a"}, "a"},
		"not one that speaks another schema": {[]Status{run("a", "gonogo/queue/0"), run("b", Schema)}, nil, "b"},
	} {
		if got := pick(c.led, c.before); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestAPortThatIsTakenIsTold(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = Embed(t.TempDir(), l.Addr().(*net.TCPAddr).Port, "planted-token-1")
	if err == nil || !strings.Contains(err.Error(), "already in use") || !strings.Contains(err.Error(), "choose another port") || strings.Contains(err.Error(), "planted") {
		t.Error(err)
	}
}
