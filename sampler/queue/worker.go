package queue

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/jsontext"
)

// WorkerState is the state of one worker.
type WorkerState struct {
	ID       string        `json:"id"`
	Host     string        `json:"host"`
	PID      int           `json:"pid"`
	Version  string        `json:"version"`
	Slots    int           `json:"slots"`
	InFlight int           `json:"in_flight"` // rollouts
	Requests int           `json:"requests"`  // to endpoints, under way
	Waiting  int           `json:"waiting"`   // requests that wait for their turn
	Made     int           `json:"made"`      // rollouts
	Missing  int           `json:"missing"`   // of them, those that a boundary failed
	Joined   time.Time     `json:"joined_at"`
	Silent   time.Duration `json:"silent_ns"`       // since it was heard last
	Lost     bool          `json:"lost"`            // silent for too long
	Left     bool          `json:"left"`            // it has said so
	Lacks    string        `json:"lacks,omitempty"` // why it takes no jobs
}

// worker is one as the planner knows it. The planner's mu guards it.
type worker struct {
	hello
	joined, heard time.Time
	lost, left    bool
	beat          beat
	leases        map[uint64]*lease
	rests         map[uint64]func() // rise
	jobs          map[key]bool      // it has begun
}

// mostGone are the workers that are gone and still shown.
const mostGone = 256

// Workers returns the state of the workers in the order in which they joined.
func (p *Planner) Workers() []WorkerState {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]WorkerState, 0, len(p.joined))
	for _, w := range p.joined {
		s := WorkerState{
			ID: w.Worker, Host: w.Host, PID: w.PID, Version: w.Version, Slots: w.Slots, Made: w.beat.Made,
			Missing: w.beat.Missing,
			Joined:  w.joined, Silent: time.Since(w.heard), Lost: w.lost, Left: w.left, Lacks: w.beat.Lacks,
		}
		for k := range w.jobs {
			if _, recorded := p.done[k.mark()]; !recorded && p.landed[k] == nil { // its next beat says so too
				s.InFlight++
			}
		}
		for _, l := range w.leases {
			if l.done != nil {
				s.Requests++
			} else {
				s.Waiting++
			}
		}
		out = append(out, s)
	}
	return out
}

// hello lets a worker in.
func (p *Planner) hello(m *nats.Msg) {
	var h hello
	if err := jsontext.Unmarshal(m.Data, &h); err != nil || !realWorker(h.Worker) {
		p.reply(m, welcome{Schema: Schema, Refused: "its greeting cannot be read"})
		return
	}
	h.Host, h.Version, h.Slots = shortly(h.Host), shortly(h.Version), min(max(h.Slots, 1), mostSlots)
	if err := checkSchema(shortly(h.Schema), fmt.Sprintf("the worker on %s (gonogo %s)", h.Host,
		h.Version)); err != nil {
		p.c.log.Warn("worker refused", slog.String("host", h.Host), slog.Int("pid", h.PID),
			slog.String("why", err.Error()))
		p.reply(m, welcome{Schema: Schema, Refused: err.Error(), Run: p.plan.Run})
		return
	}
	p.mu.Lock()
	if w := p.workers[h.Worker]; w != nil {
		w.heard, w.lost = time.Now(), false
	} else {
		if len(p.joined) >= mostWaiting {
			p.mu.Unlock()
			p.reply(m,
				welcome{Schema: Schema, Refused: fmt.Sprintf("the run has %d workers, and no room for more",
					mostWaiting), Run: p.plan.Run})
			return
		}
		w := &worker{
			hello: h, joined: time.Now(), heard: time.Now(), leases: map[uint64]*lease{},
			rests: map[uint64]func(){}, jobs: map[key]bool{},
		}
		p.workers[h.Worker] = w
		p.joined = append(p.joined, w)
		p.forget()
	}
	p.mu.Unlock()
	p.c.log.Info("worker joined", slog.String("worker", h.Worker), slog.String("host", h.Host),
		slog.Int("pid", h.PID), slog.Int("slots", h.Slots), slog.String("version", h.Version))
	heads := nats.Header{}
	about := pack(p.plan.Description, heads)
	p.reply(m, welcome{
		Schema: Schema, Term: p.term, Run: p.plan.Run, Name: p.plan.Name, Version: p.plan.Version,
		Fingerprint: p.plan.Fingerprint,
		Seed:        p.plan.Seed, Description: about, Packed: heads.Get(packedHeader) != "", AckWait: p.plan.AckWait,
		Lease: p.plan.Lease,
	})
}

// realWorker reports whether a worker's id can be one: it becomes part of a subject.
func realWorker(id string) bool { return id != "" && len(id) <= 64 && safe(id).run == id }

// shortly is what a worker says of itself, as far as it is shown.
func shortly(text string) string {
	text = endpoint.Brief(text)
	return strings.ToValidUTF8(text[:min(len(text), 100)], "")
}

// mostSlots is how many rollouts one worker may say it makes at once.
const mostSlots = 1 << 20

// forget drops the oldest of those that are gone, where there are many. mu is held.
func (p *Planner) forget() {
	gone := 0
	for _, w := range p.joined {
		if w.lost || w.left {
			gone++
		}
	}
	for i := 0; i < len(p.joined) && gone > mostGone; {
		if w := p.joined[i]; w.lost || w.left {
			delete(p.workers, w.Worker)
			p.joined = append(p.joined[:i:i], p.joined[i+1:]...)
			gone--
			continue
		}
		i++
	}
}

// told receives the workers' messages, one after the other.
func (p *Planner) told(m *nats.Msg) {
	var t workerMessage
	if err := jsontext.Unmarshal(m.Data, &t); err != nil {
		p.c.log.Warn("queue", slog.String("error", "a worker's message cannot be read"))
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx.Err() != nil {
		return
	}
	w := p.workers[t.Worker]
	if !realWorker(t.Worker) || t.Key != "" && !t.Key.real() {
		return
	}
	if w == nil || t.Term != p.term {
		p.tell(t.Worker, plannerReply{Op: opStranger})
		return
	}
	w.heard = time.Now()
	if w.lost {
		w.lost = false
		p.c.log.Info("worker back", slog.String("worker", w.Worker), slog.String("host", w.Host))
	}
	reply := opHeard
	switch t.Op {
	case opEnter:
		p.enter(w, t.ID, t.Endpoint)
	case opLeave:
		w.leave(t.ID, t.Came.outcome())
	case opRest:
		p.rest(w, t.ID, t.Endpoint)
	case opRise:
		w.rise(t.ID)
	case opArrive:
		if p.dispatcher != nil {
			p.dispatcher.queue.Arrived(t.Trace)
		}
	case opBegin:
		reply = p.maybegin(w, t.Key, t.N)
	case opBack:
		p.back(w, t.Key, t.End)
	case opTwice:
		p.madeTwice(t.Key, t.Delivery)
	case opLacks:
		w.beat.Lacks = endpoint.Brief(t.Why)
	case opBye:
		w.left = true
		p.lose(w)
	case opBeat:
		if t.Beat != nil {
			p.reconcile(w, t.Beat)
		}
	}
	if t.Op.asks() {
		p.tell(w.Worker, plannerReply{Op: reply, ID: t.ID})
	}
}

// tell sends one worker a message. What is lost is reported again after a beat.
func (p *Planner) tell(worker string, a plannerReply) {
	a.Term = p.term
	b, err := json.Marshal(a)
	if err != nil {
		panic("queue: " + err.Error())
	}
	_ = p.c.nc.Publish(p.names.worker(worker), b)
}

// maybegin decides whether a worker begins a job that was delivered to it, n-th. mu is
// held.
func (p *Planner) maybegin(w *worker, k key, n uint64) op {
	o := p.wanted[k]
	if o == nil || o.err != nil || len(o.came) > 0 || p.landed[k] != nil {
		p.sweep(k, nil)
		return opDrop
	}
	if h := o.holder; h != nil && h != w {
		return opTaken
	}
	if n > uint64(p.plan.Deliveries) {
		lost := p.lostRecord(o.job, fmt.Sprintf("the worker that made this rollout was lost %d times: it stopped or "+
			"became unresponsive; check its memory and its log", n-1))
		l := &landed{rec: lost}
		p.keep(k, l)
		p.sweep(k, nil)
		return opDrop
	}
	o.holder = w
	w.jobs[k] = true
	return opTake
}

// back notes that a worker does not make a job after all, and why, if that ends
// more than the job. mu is held.
func (p *Planner) back(w *worker, k key, end *ending) {
	delete(w.jobs, k)
	o := p.wanted[k]
	if o == nil || len(o.came) > 0 {
		p.sweep(k, nil)
		return
	}
	if o.holder == w {
		o.holder, o.idle = nil, time.Now()
	}
	switch {
	case o.holder != nil: // somebody else makes it
		return
	case end != nil:
		err := end.error()
		if end.Kind == endOther {
			err = fmt.Errorf("worker %s (process %d): %w", w.Host, w.PID, err)
		}
		if end.now() {
			o.dispatcher.fail(p, err)
			return
		}
		o.end(err)
	case o.dispatcher.drained:
		o.end(sampler.ErrNotBegun)
	}
	k, again := o.key, o.err == nil
	p.sweep(k, func() {
		if again {
			p.again(k)
		}
	})
}

// lose lets go of all that a worker has. mu is held.
func (p *Planner) lose(w *worker) {
	w.release()
	for k := range w.jobs {
		p.dropped(w, k)
	}
}

// dropped notes that a worker has a job no more. Its message goes to another one
// when the server misses the worker's sign that it is at it. mu is held.
func (p *Planner) dropped(w *worker, k key) {
	delete(w.jobs, k)
	o := p.wanted[k]
	if o == nil || o.holder != w {
		return
	}
	o.holder, o.idle = nil, time.Now()
	if o.dispatcher.drained { // no one begins it again; should it have been made, its result waits for the next call
		o.end(sampler.ErrNotBegun)
		p.sweep(k, nil)
	}
}

// ended ends the planner for what the server did.
func (p *Planner) ended(doing string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stop(p.c.explain(doing, err))
}

// watch looks after workers that fall silent.
func (p *Planner) watch() {
	tick := time.NewTicker(p.plan.Lease / 10)
	defer tick.Stop()
	tended, ticked, deaf := time.Now(), time.Now(), false
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-p.c.closed:
			p.ended("lead the run", p.c.last())
			return
		case <-p.gathering.Closed():
			if p.c.nc.IsClosed() { // which closes what reads first, and says so last
				<-p.c.closed
				p.ended("lead the run", p.c.last())
				return
			}
			p.fenced()
			p.ended("read results", errNoResults)
			return
		case <-tick.C:
		}
		away := !p.c.Away().IsZero()
		deaf = deaf || time.Since(ticked) > p.plan.Lease/2 // this process was stopped
		ticked = time.Now()
		p.silent(deaf)
		if deaf && !away {
			p.fenced()
		}
		if deaf = away; !deaf && time.Since(tended) > p.plan.AckWait {
			tended = time.Now()
			p.tend()
		}
	}
}

// silent loses the workers that have said nothing for too long, but not where it
// was the planner that could not hear.
func (p *Planner) silent(deaf bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.joined {
		switch {
		case w.lost || w.left:
		case deaf:
			w.heard = time.Now()
		case time.Since(w.heard) > p.plan.Lease:
			w.lost = true
			p.c.log.Info("worker lost", slog.String("worker", w.Worker), slog.String("host", w.Host),
				slog.Int("pid", w.PID), slog.Int("rollouts", len(w.jobs)))
			p.lose(w)
		}
	}
}

// sendAway tells all workers that the run is over.
func (p *Planner) sendAway(complete bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	why := "the run was interrupted"
	if complete {
		why = "the run is complete"
	}
	for _, w := range p.joined {
		if !w.left {
			p.tell(w.Worker, plannerReply{Op: opOver, Why: why})
		}
	}
	_ = p.c.nc.FlushTimeout(time.Second) // a worker that does not hear finds out by itself
}
