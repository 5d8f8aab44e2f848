package queue_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/queue"
	"gonogo/sampler/rollout"
)

// says checks an error against what it must and must not say.
func says(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one that says %q", parts)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("%q does not say %q", err, p)
		}
	}
	if strings.Contains(err.Error(), "planted") {
		t.Errorf("%q shows a secret", err)
	}
}

// serve starts a server that is none of gonogo's.
func serve(t *testing.T, opts server.Options) string {
	t.Helper()
	opts.Host, opts.Port, opts.NoLog, opts.NoSigs, opts.StoreDir = "127.0.0.1", -1, true, true, t.TempDir()
	ns := check(server.NewServer(&opts))(t)
	ns.Start()
	t.Cleanup(func() {
		ns.Shutdown()
		ns.WaitForShutdown()
	})
	if !ns.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not begin")
	}
	return ns.ClientURL()
}

func TestWhatCannotBeDialledSaysWhy(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close() // nothing listens there now
	locked := embed(t, t.TempDir(), -1).URL()
	broken := filepath.Join(t.TempDir(), "x.creds")
	if err := os.WriteFile(broken, []byte("planted-creds"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		a    queue.Address
		want []string
	}{
		"nothing listens":     {queue.Address{URL: "nats://u:planted@" + l.Addr().String()}, []string{"queue nats://" + l.Addr().String(), "start the server or correct the address"}},
		"no such host":        {queue.Address{URL: "nats://nats.invalid:4222"}, []string{"nats.invalid", "start the server or correct the address"}},
		"another token":       {queue.Address{URL: locked, Token: "planted-other"}, []string{locked, "it refuses the connection: check queue.creds, or GONOGO_QUEUE_TOKEN"}},
		"no token":            {queue.Address{URL: locked}, []string{"it refuses the connection"}},
		"no credentials file": {queue.Address{URL: locked, Creds: "nowhere.creds"}, []string{"queue.creds: open nowhere.creds"}},
		"credentials of none": {queue.Address{URL: locked, Creds: broken}, []string{locked}},
		"a URL that is none":  {queue.Address{URL: "http://x\x00"}, []string{"queue"}},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := queue.Dial(t.Context(), c.a, nil)
			if err == nil {
				conn.Close()
			}
			says(t, err, c.want...)
		})
	}
}

func TestAServerThatCannotKeepARunSaysWhy(t *testing.T) {
	t.Parallel()
	user := func(p *server.Permissions) []*server.User {
		return []*server.User{{Username: "u", Password: "planted-password", Permissions: p}}
	}
	nothing := &server.Permissions{Publish: &server.SubjectPermission{Deny: []string{"$JS.>"}}}
	for name, c := range map[string]struct {
		opts server.Options
		want string
	}{
		"no JetStream":  {server.Options{}, "it runs without JetStream: start nats-server with -js"},
		"no permission": {server.Options{JetStream: true, Users: user(nothing)}, "ermissions Violation for Publish to"},
		"no room":       {server.Options{JetStream: true, JetStreamMaxStore: 1, Users: user(nil)}, "make room on the server's disk"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := serve(t, c.opts)
			conn := check(queue.Dial(t.Context(), queue.Address{URL: url, User: "u", Password: "planted-password"}, nil))(t)
			defer conn.Close()
			s := newSite(t, 0, nil)
			p, err := conn.Lead(t.Context(), quick)
			if err == nil { // it is full only now
				_, err = s.lead(t.Context(), p, makeJobs(5), new(sink))
				_ = p.Close(false) // the server may refuse that too
			}
			says(t, err, url, c.want)
		})
	}
}

func TestARunHasOnePlanner(t *testing.T) {
	t.Parallel()
	server := embed(t, t.TempDir(), -1)
	a, b := dialTCP(t, server.URL()), dialTCP(t, server.URL())
	defer a.Close()
	defer b.Close()
	p := check(a.Lead(t.Context(), quick))(t)
	_, err := b.Lead(t.Context(), quick)
	host := check(os.Hostname())(t)
	says(t, err, "run run-1 is led by process", fmt.Sprint(os.Getpid()), "on "+host)
	other := quick
	other.Run = "another run/with a name"
	if err := check(b.Lead(t.Context(), other))(t).Close(true); err != nil {
		t.Error(err)
	}
	if err := p.Close(false); err != nil {
		t.Error(err)
	}
	if err := check(b.Lead(t.Context(), quick))(t).Close(true); err != nil {
		t.Error(err)
	}
}

func TestAPlannerThatWasCutOffFindsThatAnotherLeads(t *testing.T) {
	t.Parallel()
	server := embed(t, t.TempDir(), -1)
	wire := cuttable(t, server.URL())
	s := newSite(t, 0, nil).short()
	a, b := dialTCP(t, wire.url), dialTCP(t, server.URL())
	defer a.Close()
	defer b.Close()
	p := check(a.Lead(t.Context(), s.plan))(t)
	failed := make(chan error)
	go func() {
		_, err := s.lead(t.Context(), p, makeJobs(5), new(sink))
		failed <- err
	}()
	wire.cut(true)
	next := check(b.Lead(t.Context(), s.plan))(t)
	wire.cut(false)
	says(t, <-failed, "run run-1 is led by another process now")
	if err := errors.Join(p.Close(false), next.Close(true)); err != nil {
		t.Error(err)
	}
}

func TestStreamsOfAnotherRunAreRefused(t *testing.T) {
	t.Parallel()
	server := embed(t, t.TempDir(), -1)
	c := dialTCP(t, server.URL())
	defer c.Close()
	nc := check(nats.Connect(server.URL(), nats.Token(token)))(t)
	defer nc.Close()
	js := check(jetstream.New(nc))(t)
	is := map[string]string{"gonogo_schema": queue.Schema, "gonogo_run": "r", "gonogo_fingerprint": "f", "gonogo_seed": "7"}
	for i, c2 := range []struct{ key, value, want string }{
		{"gonogo_schema", "", "it was not made by gonogo"},
		{"gonogo_schema", "gonogo/queue/0", `it was made by a gonogo that speaks "gonogo/queue/0", this one speaks "gonogo/queue/1"`},
		{"gonogo_fingerprint", "g", "it was made with another seed, job or data"},
		{"gonogo_seed", "8", "it was made with another seed, job or data"},
		{"gonogo_run", "q", `it belongs to run "q"`},
	} {
		run := fmt.Sprintf("r%d", i)
		meta := map[string]string{}
		for k, v := range is {
			meta[k] = v
		}
		meta["gonogo_run"] = run
		meta[c2.key] = c2.value
		name := "GONOGO-" + run + "-JOBS"
		check(js.CreateStream(t.Context(), jetstream.StreamConfig{Name: name, Subjects: []string{"x." + run}, Metadata: meta}))(t)
		plan := quick
		plan.Run = run
		_, err := c.Lead(t.Context(), plan)
		says(t, err, "stream "+name+" does not belong to this run", c2.want, "nats stream rm "+name)
	}
}

func TestAnotherSchemaIsRefusedOnBothSides(t *testing.T) {
	t.Parallel()
	server := embed(t, t.TempDir(), -1)
	c := dialTCP(t, server.URL())
	defer c.Close()
	p := check(c.Lead(t.Context(), quick))(t)
	nc := check(nats.Connect(server.URL(), nats.Token(token)))(t)
	defer nc.Close()
	ask := func(greeting string) string {
		m := check(nc.Request("gonogo.run-1.hello", []byte(greeting), 5*time.Second))(t)
		var w struct{ Refused string }
		if err := json.Unmarshal(m.Data, &w); err != nil {
			t.Fatal(err)
		}
		return w.Refused
	}
	for greeting, want := range map[string]string{
		`{"schema":"gonogo/queue/0","worker":"w","host":"h","version":"v0.1"}`: `the worker on h (gonogo v0.1) speaks "gonogo/queue/0", this gonogo "gonogo/queue/1": use the same release on both sides`,
		`{}`:   "its hello message cannot be decoded",
		"\x00": "its hello message cannot be decoded",
	} {
		if got := ask(greeting); got != want {
			t.Errorf("%q is refused with %q, want %q", greeting, got, want)
		}
	}
	if n := len(p.Workers()); n != 0 {
		t.Errorf("%d workers", n)
	}
	if err := p.Close(true); err != nil {
		t.Error(err)
	}

	sub := check(nc.Subscribe("gonogo.other.hello", func(m *nats.Msg) {
		_ = m.Respond([]byte(`{"schema":"gonogo/queue/2","version":"v9","term":"t","run":"other","ack_wait_ns":1,"lease_ns":1}`))
	}))(t)
	defer func() { _ = sub.Unsubscribe() }()
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	_, err := c.Join(t.Context(), "other", queue.WorkerInfo{Host: "h"})
	says(t, err, `join run other: refused: its planner (gonogo v9) speaks "gonogo/queue/2", this gonogo "gonogo/queue/1"`)
}

// record is one of the job, as somebody else would have made it.
func record(job sampler.Rollout, seed uint64) []byte {
	b, err := json.Marshal(rollout.Record{
		Item: job.Item.ID, Split: job.Item.Split, Sample: job.Sample, Source: rollout.Live, Outcome: rollout.NoAnswer,
		TraceID: sampler.TraceID(seed, job.Item.Split, job.Item.ID, job.Sample, job.Attempt), Answer: "made by another",
	})
	if err != nil {
		panic(err)
	}
	return b
}

func TestRolloutsThatArePaidTwiceAreCounted(t *testing.T) {
	t.Parallel()
	server := embed(t, t.TempDir(), -1)
	s := newSite(t, 0, nil)
	jobs := makeJobs(4)
	nc := check(nats.Connect(server.URL(), nats.Token(token)))(t)
	defer nc.Close()
	js := check(jetstream.New(nc))(t)
	put := func(k string, body []byte) {
		m := &nats.Msg{Subject: "gonogo.run-1.result." + k, Data: body, Header: nats.Header{"Gonogo-Schema": {queue.Schema}, "Gonogo-Delivery": {"other"}}}
		if _, err := js.PublishMsg(t.Context(), m); err != nil {
			t.Error(err)
		}
	}
	c := dialTCP(t, server.URL())
	defer c.Close()
	p := check(c.Lead(t.Context(), s.plan))(t)
	// While the model works on q1 somebody else stores its result, and after q0 is
	// recorded another one of q0. That of q2 cannot be read. q3 lasts until the others
	// have come to their end.
	key := func(i int) string { return queue.Key("run-1", jobs[i]) }
	trace := func(i int) string { return sampler.TraceID(7, rollout.Train, jobs[i].Item.ID, 0, 0) }
	s.w.model = func(got string) reply {
		switch got {
		case trace(1):
			put(key(1), record(jobs[1], 7))
			return reply{text: "42", wait: 200 * time.Millisecond}
		case trace(2):
			put(key(2), []byte("{"))
			return reply{text: "42", wait: 200 * time.Millisecond}
		case trace(3):
			until(t, func() bool { return p.PaidTwice() == 2 })
		}
		return reply{text: "42"}
	}
	s.team(t, server.URL())
	k := new(sink)
	check(s.lead(t.Context(), p, jobs[:1], k))(t)
	check(s.lead(t.Context(), p, jobs[1:], k))(t)
	results := check(js.Stream(t.Context(), "GONOGO-run-1-RESULTS"))(t)
	until(t, func() bool { return check(results.Info(t.Context()))(t).State.Msgs == 0 })
	put(key(0), record(jobs[0], 7))
	until(t, func() bool { return p.PaidTwice() == 3 })
	for _, r := range k.list() {
		switch {
		case r.Item == "q1" && r.Answer != "made by another":
			t.Errorf("%s: %q", r.Item, r.Answer)
		case r.Item == "q2" && (r.Kind != queue.KindWorkerLost || !strings.Contains(r.Error, "cannot be read")):
			t.Errorf("%s: %s %s %s", r.Item, r.Outcome, r.Kind, r.Error)
		}
	}
	if err := p.Close(true); err != nil {
		t.Error(err)
	}
	if _, err := js.Stream(t.Context(), "GONOGO-run-1-RESULTS"); !errors.Is(err, jetstream.ErrStreamNotFound) {
		t.Errorf("the streams of a complete run are there: %v", err)
	}
}

// until waits for something that must come.
func until(t *testing.T, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not come")
		}
	}
}

func TestStatusTellsWhoLeadsAndWhoWorks(t *testing.T) {
	t.Parallel()
	server := embed(t, t.TempDir(), -1)
	s := newSite(t, 0, nil)
	c := dialTCP(t, server.URL())
	defer c.Close()
	if all := check(c.Status(t.Context(), ""))(t); len(all) != 0 {
		t.Errorf("%d runs where none is led", len(all))
	}
	if all := check(c.Leaderless(t.Context(), "", nil))(t); len(all) != 0 {
		t.Errorf("%d runs where there is none", len(all))
	}
	s.plan.Name, s.plan.Description = "sweep", []byte(strings.Repeat("description ", 1<<13))
	p := check(c.Lead(t.Context(), s.plan))(t)
	m := check(c.Join(t.Context(), "run-1", queue.WorkerInfo{Host: "h", PID: 3, Slots: 5, Version: "v1"}))(t)
	if string(m.Description()) != string(s.plan.Description) || m.Seed() != 7 || m.Run() != "run-1" || m.Name() != "sweep" || m.Version() != "test" {
		t.Errorf("%d bytes, seed %d, run %q", len(m.Description()), m.Seed(), m.Run())
	}
	if err := m.Lacks(t.Context(), "the environment has no OPENAI_API_KEY"); err != nil {
		t.Error(err)
	}
	usd := 1.5
	event := sampler.Event{Stats: sampler.Stats{Rollouts: 10, Recorded: 4, Outcomes: map[rollout.Outcome]int{rollout.Graded: 4}, Boundaries: []endpoint.State{{Name: "model", Limit: 8}}}, InFlight: 2}
	event.USD.Add(usd, nil)
	p.Tell(event)
	all := check(c.Status(t.Context(), "run-1"))(t)
	if len(all) != 1 {
		t.Fatalf("%d runs", len(all))
	}
	st := all[0]
	if st.Run != "run-1" || !st.Told || st.Jobs != 10 || st.Recorded != 4 || st.InFlight != 2 || st.USD == nil || *st.USD != usd || st.PID != os.Getpid() {
		t.Errorf("%+v", st)
	}
	if len(st.Workers) != 1 || st.Workers[0].Host != "h" || st.Workers[0].Slots != 5 || st.Workers[0].Lacks != "the environment has no OPENAI_API_KEY" {
		t.Errorf("%+v", st.Workers)
	}
	if unled := check(c.Leaderless(t.Context(), "", all))(t); len(unled) != 0 {
		t.Errorf("%+v, which are led", unled)
	}
	if other := check(c.Status(t.Context(), "run-2"))(t); len(other) != 0 {
		t.Errorf("%d runs of another name", len(other))
	}
	m.Leave()
	until(t, func() bool { return p.Workers()[0].Left })
	if err := p.Close(true); err != nil {
		t.Error(err)
	}
}

func TestARunWhosePlannerIsGoneIsTold(t *testing.T) {
	t.Parallel()
	server := embed(t, t.TempDir(), -1)
	c, other := dialTCP(t, server.URL()), dialTCP(t, server.URL())
	defer other.Close()
	s := newSite(t, 0, nil)
	p := check(c.Lead(t.Context(), s.plan))(t)
	ended := make(chan error, 1)
	go func() {
		_, err := s.lead(t.Context(), p, makeJobs(5), new(sink)) // no worker is there
		ended <- err
	}()
	kept := func() []queue.LeaderlessRun { return check(other.Leaderless(t.Context(), "run-1", nil))(t) }
	until(t, func() bool { all := kept(); return len(all) == 1 && all[0].Jobs == 5 })
	c.Close()
	if err := <-ended; err == nil {
		t.Error("it leads on without a connection")
	}
	_ = p.Close(false) // the connection is over
	led := check(other.Status(t.Context(), ""))(t)
	if all := check(other.Leaderless(t.Context(), "", led))(t); len(led) != 0 || len(all) != 1 || all[0] != (queue.LeaderlessRun{Run: "run-1", Jobs: 5}) {
		t.Errorf("%+v are led, %+v are not", led, all)
	}
	if all := check(other.Leaderless(t.Context(), "run-2", led))(t); len(all) != 0 {
		t.Errorf("%+v is another one", all)
	}
}

func TestARunThatIsLedWithAnotherDescriptionSendsItsWorkersAway(t *testing.T) {
	t.Parallel()
	server := embed(t, t.TempDir(), -1)
	s := newSite(t, 0, nil).short()
	first, next := dialTCP(t, server.URL()), dialTCP(t, server.URL())
	defer next.Close()
	check(first.Lead(t.Context(), s.plan))(t)
	m := check(next.Join(t.Context(), "", queue.WorkerInfo{Host: "h", Slots: 1}))(t)
	defer m.Leave()
	ended := make(chan error)
	go func() {
		_, err := m.Work(context.Background(), nil, s.cfg, s.w.boundaries(), nil, nil)
		ended <- err
	}()
	first.Close()
	s.plan.Description = []byte("another")
	c := dialTCP(t, server.URL())
	defer c.Close()
	p := check(c.Lead(t.Context(), s.plan))(t)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := p.Close(true); err != nil {
		t.Error(err)
	}
}
