package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
)

// Plan describes a run whose rollouts are made by workers.
type Plan struct {
	Run, Name   string
	Version     string // the version of gonogo
	Fingerprint string // of what the run is made with; a different one means a different run
	Seed        uint64
	Description []byte // what a worker needs to know; opaque here
	Deliveries  int    // deliveries of a job, each to a worker that is lost, before it is given up; 0 = 4
	Replicas    int    // copies of stored data in a cluster; 0 = 1

	Wait time.Duration // longest wait for a cluster that has no leader yet

	// Reconnects says that the server ran in the earlier planner's process: workers that survived it
	// must connect again before they say which jobs they hold.
	Reconnects bool

	AckWait time.Duration // after this long without a sign from its worker a job goes to another one; 0 = 30 s
	Lease   time.Duration // after this long the requests of a silent worker count as over; 0 = 10 s
}

// The defaults of a plan.
const (
	DefaultDeliveries = 4
	defaultAckWait    = 30 * time.Second
	defaultLease      = 10 * time.Second
)

// Planner leads a run. It implements sampler.RemoteMaker.
type Planner struct {
	c     *Conn
	plan  Plan
	names names
	term  string // identifies this planner
	host  string
	since time.Time

	jobs, results jetstream.Stream
	before        uint64 // sequence number of the last result stored before the planner started
	subs          []*nats.Subscription
	gathering     jetstream.ConsumeContext

	ctx   context.Context // ends with the planner
	stop  context.CancelCauseFunc
	tasks sync.WaitGroup // everything that runs besides the makers

	mu         sync.Mutex // guards what follows
	workers    map[string]*worker
	joined     []*worker   // in the order in which they joined
	dispatcher *dispatcher // the current call of Sample; nil between calls
	wanted     map[key]*order
	landed     map[key]*landed       // results that are not recorded yet
	kept       int                   // their size in bytes
	done       map[mark]mark         // results that are recorded, with their deliveries
	sweeping   map[key]chan struct{} // jobs that are being deleted
	twice      map[key]bool          // rollouts that were paid for twice

	endpoints map[string]bool // all endpoints that workers have named
	event     *sampler.Event
}

// Lead claims a run. It fails if another planner leads the run, or if the run's
// streams belong to another run.
func (c *Conn) Lead(ctx context.Context, plan Plan) (*Planner, error) {
	if plan.Deliveries == 0 {
		plan.Deliveries = DefaultDeliveries
	}
	if plan.AckWait == 0 {
		plan.AckWait = defaultAckWait
	}
	if plan.Lease == 0 {
		plan.Lease = defaultLease
	}
	plan.Replicas = max(plan.Replicas, 1)
	about := nats.Header{}
	if n := len(pack(plan.Description, about)); int64(n) > (c.nc.MaxPayload()-forHeads)*3/4 { // it goes as base64
		return nil, fmt.Errorf("queue %s: the description of the run is %d KB when packed, more than one message "+
			"can hold: shorten gonogo.yaml, or raise max_payload of the server", c.server, n>>10)
	}
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown host"
	}
	p := &Planner{
		c: c, plan: plan, names: safe(plan.Run), term: nuid.Next(), host: host, since: time.Now(),
		workers: map[string]*worker{}, wanted: map[key]*order{}, landed: map[key]*landed{}, done: map[mark]mark{},
		sweeping: map[key]chan struct{}{}, twice: map[key]bool{}, endpoints: map[string]bool{},
	}
	p.ctx, p.stop = context.WithCancelCause(context.Background())
	if err := p.begin(ctx); err != nil {
		p.end(err)
		return nil, err
	}
	return p, nil
}

func (p *Planner) begin(ctx context.Context) error {
	if err := p.prepare(ctx); err != nil {
		return err
	}
	if err := p.subscribe(p.names.term(p.term), p.whoLeads); err != nil {
		return err
	}
	results, err := p.claim(ctx)
	if err != nil {
		return err
	}
	info, err := p.results.Info(ctx)
	if err != nil {
		return p.c.explain("read results", err)
	}
	p.before = info.State.LastSeq
	p.gathering, err = results.Consume(p.gather, jetstream.PullMaxMessages(gatherAtOnce),
		jetstream.ConsumeErrHandler(p.gatherFailed))
	if err != nil {
		return p.c.explain("read results", err)
	}
	if err := errors.Join(p.subscribe(p.names.hello(), p.hello), p.subscribe(p.names.lines(), p.told),
		p.subscribe(plansSubject, p.asked), p.subscribe(p.names.status(), p.asked)); err != nil {
		return err
	}
	if err := p.c.nc.Flush(); err != nil {
		return p.c.explain("subscribe", err)
	}
	p.tasks.Go(p.watch)
	return nil
}

// prepare creates or opens the run on the server. The servers of a starting cluster first find
// each other, and do not answer until they have a leader.
func (p *Planner) prepare(ctx context.Context) error {
	begun := time.Now()
	for n := 0; ; n++ {
		err := p.c.once(ctx, 2*apiTimeout, p.open)
		if err == nil || ctx.Err() != nil || !leaderless(err) || p.c.refused(begun) || time.Since(begun) > p.plan.Wait {
			return err
		}
		if n == 0 {
			p.c.log.Warn("waiting for the queue", slog.String("server", p.c.server),
				slog.String("error", endpoint.Brief(err.Error())))
		}
		if !pause(ctx, backoff(n)) {
			return err
		}
	}
}

func (p *Planner) subscribe(subject string, handle nats.MsgHandler) error {
	sub, err := p.c.nc.Subscribe(subject, handle)
	if err != nil {
		return p.c.explain("subscribe", err)
	}
	p.subs = append(p.subs, sub)
	return nil
}

// open creates the run's streams, or checks that the existing ones belong to this run.
func (p *Planner) open(api context.Context) error {
	cfg := jetstream.StreamConfig{
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage, Replicas: p.plan.Replicas, NoAck: false,
		MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, AllowDirect: true,
		Metadata: map[string]string{
			"gonogo_schema": Schema, "gonogo_run": p.plan.Run,
			"gonogo_fingerprint": p.plan.Fingerprint, "gonogo_seed": strconv.FormatUint(p.plan.Seed, 10),
		},
	}
	jobs, results := cfg, cfg
	jobs.Name, jobs.Subjects = p.names.jobs(), []string{p.names.job("*")}
	results.Name, results.Subjects = p.names.results(), []string{p.names.result("*")}
	var err error
	if p.jobs, err = p.stream(api, jobs); err != nil {
		return err
	}
	if p.results, err = p.stream(api, results); err != nil {
		return err
	}
	_, err = p.c.js.CreateOrUpdateObjectStore(api, jetstream.ObjectStoreConfig{
		Bucket:   p.names.bucket(),
		Replicas: p.plan.Replicas, Metadata: cfg.Metadata,
	})
	if err != nil {
		return p.c.explain("create the store of large rows and records", err)
	}
	_, err = p.jobs.CreateOrUpdateConsumer(api, jetstream.ConsumerConfig{
		Durable: jobsConsumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: p.plan.AckWait, MaxDeliver: -1,
		MaxAckPending: -1, MaxWaiting: mostWaiting,
	})
	if err != nil {
		return p.c.explain("create the list of jobs", err)
	}
	return nil
}

// The consumer of the jobs, and the limits of the consumers.
const (
	jobsConsumer = "workers"
	mostWaiting  = 1 << 14 // concurrent pulls: one for each worker, and some of workers that have gone
	gatherAtOnce = 64      // results in flight
)

// stream creates a stream, or finds the existing one.
func (p *Planner) stream(ctx context.Context, cfg jetstream.StreamConfig) (jetstream.Stream, error) {
	s, err := p.c.js.Stream(ctx, cfg.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		s, err = p.create(ctx, cfg)
	}
	if err != nil {
		return nil, p.c.explain("create stream "+cfg.Name, err)
	}
	is := s.CachedInfo().Config
	if err := p.ours(cfg.Name, is.Metadata, cfg.Metadata); err != nil {
		return nil, err
	}
	if is.Replicas != cfg.Replicas {
		if s, err = p.c.js.UpdateStream(ctx, cfg); err != nil {
			return nil, p.c.explain("change stream "+cfg.Name, err)
		}
	}
	return s, nil
}

// create creates a stream. nats-server 2.15 removes the directory of its streams
// shortly after it has confirmed that the last of them is deleted; a stream that is
// created at that moment loses its directory. Trying again succeeds.
func (p *Planner) create(ctx context.Context, cfg jetstream.StreamConfig) (s jetstream.Stream, err error) {
	for wait := 10 * time.Millisecond; ; wait *= 4 {
		s, err = p.c.js.CreateStream(ctx, cfg)
		failed, ok := errors.AsType[*jetstream.APIError](err)
		if !ok || failed.ErrorCode != storeNotMade || wait > time.Second {
			return s, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// storeNotMade is nats-server's JSStreamCreateErrF.
const storeNotMade = 10049

// ours returns an error if the stream belongs to another run.
func (p *Planner) ours(stream string, is, want map[string]string) error {
	if maps.Equal(onlyOurs(is), want) {
		return nil
	}
	why := "it was made with another seed, job or data"
	switch schema := is["gonogo_schema"]; {
	case schema == "":
		why = "it was not made by gonogo"
	case schema != Schema:
		why = fmt.Sprintf("it was made by a gonogo that speaks %q, this one speaks %q", schema, Schema)
	case is["gonogo_run"] != p.plan.Run:
		why = fmt.Sprintf("it belongs to run %q", is["gonogo_run"])
	}
	return fmt.Errorf("queue %s: stream %s does not belong to this run: %s; let the other run finish, or delete the "+
		"stream (nats stream rm %s)", p.c.server, stream, why, stream)
}

// onlyOurs drops the keys that the server adds.
func onlyOurs(metadata map[string]string) map[string]string {
	out := map[string]string{}
	for _, k := range []string{"gonogo_schema", "gonogo_run", "gonogo_fingerprint", "gonogo_seed"} {
		if v, ok := metadata[k]; ok {
			out[k] = v
		}
	}
	return out
}

// reply answers a request.
func (p *Planner) reply(m *nats.Msg, v any) {
	if m.Reply == "" {
		return
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic("queue: " + err.Error())
	}
	_ = m.Respond(b) // if it is lost, the sender asks again
}

// PaidTwice returns how many rollouts were made, and paid for, a second time.
func (p *Planner) PaidTwice() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.twice)
}

// Tell sets the counts that Status reports.
func (p *Planner) Tell(e sampler.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.event = &e
}

// errClosed is the cause with which Close ends everything that runs besides the makers.
var errClosed = errors.New("the planner has released the run")

// Close releases the run and tells its workers that it is over. A complete run is deleted
// from the server; of an incomplete one only the jobs are, and results not recorded yet
// stay for the next planner.
func (p *Planner) Close(complete bool) error {
	p.mu.Lock()
	if complete {
		for k, l := range p.landed {
			if !l.before { // one that was there before may be the recorded one
				p.twice[k] = true
			}
		}
	}
	p.mu.Unlock()
	lost := p.ctx.Err() != nil && !errors.Is(context.Cause(p.ctx), errClosed)
	p.end(errClosed)
	if lost {
		return nil // another planner may lead the run now
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*apiTimeout)
	defer cancel()
	p.sendAway(complete)
	var errs []error
	try := func(doing string, err error) {
		if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) &&
			!errors.Is(err, jetstream.ErrBucketNotFound) && !errors.Is(err, jetstream.ErrConsumerNotFound) {
			errs = append(errs, p.c.explain(doing, err))
		}
	}
	if !complete {
		try("withdraw jobs", p.jobs.Purge(ctx))
		try("release the run", p.results.DeleteConsumer(ctx, p.claimed()))
		return errors.Join(errs...)
	}
	try("delete the jobs", p.c.js.DeleteStream(ctx, p.names.jobs()))
	try("delete the results", p.c.js.DeleteStream(ctx, p.names.results()))
	try("delete the store", p.c.js.DeleteObjectStore(ctx, p.names.bucket()))
	return errors.Join(errs...)
}

// end stops everything that is running, with the cause why.
func (p *Planner) end(why error) {
	p.mu.Lock()
	p.stop(why)
	p.mu.Unlock()
	if p.gathering != nil {
		p.gathering.Stop()
		<-p.gathering.Closed()
	}
	for _, s := range p.subs {
		_ = s.Unsubscribe() // the connection may be gone, and the subscription with it
	}
	p.tasks.Wait()
}
