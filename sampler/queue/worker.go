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
	Requests int           `json:"requests"`  // to endpoints, in flight
	Waiting  int           `json:"waiting"`   // requests waiting for their turn
	Made     int           `json:"made"`      // rollouts
	Missing  int           `json:"missing"`   // how many of them a boundary failed
	Joined   time.Time     `json:"joined_at"`
	Silent   time.Duration `json:"silent_ns"`       // since its last message
	Lost     bool          `json:"lost"`            // it was silent for longer than the lease
	Left     bool          `json:"left"`            // it announced that it is leaving
	Lacks    string        `json:"lacks,omitempty"` // why it takes no jobs
}

// worker is the planner's view of a worker. The planner's mu guards it.
type worker struct {
	hello
	joined, lastSeen time.Time
	lost, hasLeft    bool
	beat             beat
	leases           map[uint64]*lease
	rests            map[uint64]func() // each ends one rest
	jobs             map[key]bool      // the jobs it has started
}

// mostGone is how many workers that have gone are still shown.
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
			Joined:  w.joined, Silent: time.Since(w.lastSeen), Lost: w.lost, Left: w.hasLeft, Lacks: w.beat.Lacks,
		}
		for k := range w.jobs {
			if _, recorded := p.done[k.mark()]; !recorded && p.landed[k] == nil { // its next beat drops the others
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

// hello lets a worker join, or refuses it.
func (p *Planner) hello(m *nats.Msg) {
	var h hello
	if err := jsontext.Unmarshal(m.Data, &h); err != nil || !validWorker(h.Worker) {
		p.reply(m, welcome{Schema: Schema, Refused: "its hello message cannot be decoded"})
		return
	}
	h.Host, h.Version, h.Slots = shorten(h.Host), shorten(h.Version), min(max(h.Slots, 1), mostSlots)
	if err := checkSchema(shorten(h.Schema), fmt.Sprintf("the worker on %s (gonogo %s)", h.Host,
		h.Version)); err != nil {
		p.c.log.Warn("worker refused", slog.String("host", h.Host), slog.Int("pid", h.PID),
			slog.String("why", err.Error()))
		p.reply(m, welcome{Schema: Schema, Refused: err.Error(), Run: p.plan.Run})
		return
	}
	p.mu.Lock()
	if w := p.workers[h.Worker]; w != nil {
		w.lastSeen, w.lost = time.Now(), false
	} else {
		if len(p.joined) >= mostWaiting {
			p.mu.Unlock()
			p.reply(m,
				welcome{Schema: Schema, Refused: fmt.Sprintf("the run already has the maximum of %d workers",
					mostWaiting), Run: p.plan.Run})
			return
		}
		w := &worker{
			hello: h, joined: time.Now(), lastSeen: time.Now(), leases: map[uint64]*lease{},
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

// validWorker reports whether a worker's id is well-formed: it becomes part of a subject.
func validWorker(id string) bool { return id != "" && len(id) <= 64 && safe(id).run == id }

// shorten cuts what a worker reports about itself to the 100 bytes that are shown.
func shorten(text string) string {
	text = endpoint.Brief(text)
	return strings.ToValidUTF8(text[:min(len(text), 100)], "")
}

// mostSlots is the largest number of slots that a worker may report.
const mostSlots = 1 << 20

// forget drops the oldest workers that have gone, if there are more than mostGone. mu is held.
func (p *Planner) forget() {
	gone := 0
	for _, w := range p.joined {
		if w.lost || w.hasLeft {
			gone++
		}
	}
	for i := 0; i < len(p.joined) && gone > mostGone; {
		if w := p.joined[i]; w.lost || w.hasLeft {
			delete(p.workers, w.Worker)
			p.joined = append(p.joined[:i:i], p.joined[i+1:]...)
			gone--
			continue
		}
		i++
	}
}

// told handles the workers' messages, one at a time.
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
	if !validWorker(t.Worker) || t.Key != "" && !t.Key.valid() {
		return
	}
	if w == nil || t.Term != p.term {
		p.tell(t.Worker, plannerReply{Op: opStranger})
		return
	}
	w.lastSeen = time.Now()
	if w.lost {
		w.lost = false
		p.c.log.Info("worker reconnected", slog.String("worker", w.Worker), slog.String("host", w.Host))
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
		reply = p.mayBegin(w, t.Key, t.N)
	case opBack:
		p.back(w, t.Key, t.End)
	case opTwice:
		p.madeTwice(t.Key, t.Delivery)
	case opLacks:
		w.beat.Lacks = endpoint.Brief(t.Why)
	case opBye:
		w.hasLeft = true
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

// tell sends one worker a message. If it is lost, the worker's next beat brings it again.
func (p *Planner) tell(worker string, a plannerReply) {
	a.Term = p.term
	b, err := json.Marshal(a)
	if err != nil {
		panic("queue: " + err.Error())
	}
	_ = p.c.nc.Publish(p.names.worker(worker), b)
}

// mayBegin decides whether a worker may start a job; n counts the job's deliveries so far.
// mu is held.
func (p *Planner) mayBegin(w *worker, k key, n uint64) op {
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

// back handles a job that a worker gives back. end is not nil if the cause ends more than
// this job. mu is held.
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
	case o.holder != nil: // another worker makes it
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

// lose releases all requests and jobs of a worker. mu is held.
func (p *Planner) lose(w *worker) {
	w.release()
	for k := range w.jobs {
		p.dropped(w, k)
	}
}

// dropped notes that a worker no longer has a job. The server redelivers the job to another
// worker once the progress signals stop for AckWait. mu is held.
func (p *Planner) dropped(w *worker, k key) {
	delete(w.jobs, k)
	o := p.wanted[k]
	if o == nil || o.holder != w {
		return
	}
	o.holder, o.idle = nil, time.Now()
	if o.dispatcher.drained { // it is not started again; if it was made, its result waits for the next call
		o.end(sampler.ErrNotBegun)
		p.sweep(k, nil)
	}
}

// ended stops the planner because of an error of the server.
func (p *Planner) ended(doing string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stop(p.c.explain(doing, err))
}

// watch finds workers that have fallen silent, and stops the planner if it loses its connection
// or its claim.
func (p *Planner) watch() {
	tick := time.NewTicker(p.plan.Lease / beatsPerLease)
	defer tick.Stop()
	tended, ticked, cutOff := time.Now(), time.Now(), false
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-p.c.closed:
			p.ended("lead the run", p.c.last())
			return
		case <-p.gathering.Closed():
			if p.c.nc.IsClosed() { // a closing connection closes its consumers first and reports its end last
				<-p.c.closed
				p.ended("lead the run", p.c.last())
				return
			}
			p.fenced()
			p.ended("read results", errNoResults)
			return
		case <-tick.C:
		}
		disconnected := !p.c.Away().IsZero()
		cutOff = cutOff || time.Since(ticked) > p.plan.Lease/2 // this process was suspended
		ticked = time.Now()
		p.silent(cutOff)
		if cutOff && !disconnected {
			p.fenced()
		}
		if cutOff = disconnected; !cutOff {
			p.inherit()
		}
		if !cutOff && time.Since(tended) > p.plan.AckWait {
			tended = time.Now()
			p.tend()
		}
	}
}

// silent marks workers as lost that have sent nothing for longer than the lease. If cutOff, the
// planner itself could not receive messages, so their time starts over.
func (p *Planner) silent(cutOff bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.joined {
		switch {
		case w.lost || w.hasLeft:
		case cutOff:
			w.lastSeen = time.Now()
		case time.Since(w.lastSeen) > p.plan.Lease:
			w.lost = true
			p.c.log.Info("worker lost", slog.String("worker", w.Worker), slog.String("host", w.Host),
				slog.Int("pid", w.PID), slog.Int("rollouts", len(w.jobs)))
			p.lose(w)
		}
	}
}

// sendAway tells all workers that the run is over, and why.
func (p *Planner) sendAway(complete bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	why := "the run was interrupted"
	if complete {
		why = "the run is complete"
	}
	for _, w := range p.joined {
		if !w.hasLeft {
			p.tell(w.Worker, plannerReply{Op: opOver, Why: why})
		}
	}
	_ = p.c.nc.FlushTimeout(time.Second) // a worker that misses it finds out by itself
}
