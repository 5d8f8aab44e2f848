package project

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/queue"
	"gonogo/sampler/rollout"
)

const (
	// besideOthers is how many rollouts at once are made in the process of the
	// planner where workers may join: they must find something to do.
	besideOthers = 32
	// waitForWorkers is how long none need have come before it is reported.
	waitForWorkers = 10 * time.Second
)

// Patience is how long a worker may be silent before it loses its jobs and requests; 0 is
// the queue's default. Tests set less.
var Patience struct{ AckWait, Lease time.Duration }

// cluster is the connection to a queue elsewhere, which a run shares with its
// variants.
type cluster struct {
	conn    *queue.Conn
	talk    *ui.QueueLog
	untried bool // workers take the grader as it is
}

// Queue distributes the rollouts of a project to workers, if they make them.
type Queue struct {
	p       *Project
	cluster *cluster   // that hands out rollouts; shared with the variants
	led     *handedOut // the run that was begun, where a queue hands it out
	left    string     // the run directory, where an earlier call left a queue of its own process
}

// handedOut is a run whose rollouts are handed out by a queue.
type handedOut struct {
	dir      string
	manifest rollout.Manifest

	server  *queue.Server // in this process; nil for a cluster
	conn    *queue.Conn
	planner *queue.Planner
	crew    *workers // that the planner reports
	whole   bool     // the last call came to its end

	workers, paidTwice int // when it ended
}

// Begin records the run that a queue will distribute. A run begun on another queue may have left rollouts there.
func (h *Queue) Begin(dir string, m rollout.Manifest) {
	q := h.p.Config.Queue
	at, was := queue.ReadTrace(dir)
	if was && (!q.Used() || !q.Embedded() && at.Queue != config.MaskQueueURL(q.URL)) {
		h.p.Warnings = append(h.p.Warnings, fmt.Sprintf("this run was begun with --queue %s: what workers had made and was not recorded yet is there, and is made and paid for again without it", at.Queue))
	}
	if q.Used() {
		h.led = &handedOut{dir: dir, manifest: m}
	} else if was && queue.HasFiles(dir) {
		h.left = dir
	}
}

// Leads reports whether a queue distributes the rollouts of the run.
func (h *Queue) Leads() bool { return h.led != nil }

// MadeBy says in one line which workers made the rollouts, if any.
func (h *Queue) MadeBy() string {
	if h.led == nil || h.led.workers == 0 {
		return ""
	}
	text := fmt.Sprintf("Made by %s", ui.Count(h.led.workers, "worker"))
	if n := h.led.paidTwice; n > 0 {
		text += fmt.Sprintf("; %s made and paid twice", ui.Count(n, "rollout"))
	}
	return text + ".\n"
}

// lead has the queue hand out the rollouts of the run that was begun.
func (h *Queue) lead(ctx context.Context) error {
	l, q := h.led, h.p.Config.Queue
	if l.planner != nil {
		return nil
	}
	if err := itemsFit(h.p); err != nil { // a variant may have made them larger
		return exit.AsUsage(err)
	}
	at := queue.Trace{Queue: config.MaskQueueURL(q.URL), Run: l.manifest.ID}
	if l.conn = h.cluster.conn; q.Embedded() {
		var err error
		if l.server, err = queue.EmbedIn(l.dir, q.Port(), q.Token); err != nil {
			return exit.AsUsage(fmt.Errorf("the queue in this process: %w", err))
		}
		if l.conn, err = l.server.Dial(ctx, h.talk().Logger()); err != nil {
			return err
		}
		if q.Port() > 0 {
			at.Queue = l.server.URL()
		}
	}
	plan := queue.Plan{
		Run: l.manifest.ID, Name: cmp.Or(l.manifest.Name, filepath.Base(l.dir)), Version: Version(), Fingerprint: fingerprint(l.manifest),
		Seed: h.p.Inputs.Seed, Deliveries: q.Deliveries, Replicas: q.Replicas, Wait: q.Wait.Duration, AckWait: Patience.AckWait, Lease: Patience.Lease,
	}
	var err error
	if q.URL != queue.Embedded { // no one else can join
		if plan.Description, err = describe(ctx, h.p); err != nil {
			return exit.AsUsage(err)
		}
	}
	if err := at.Write(l.dir); err != nil {
		return err
	}
	if l.planner, err = l.conn.Lead(ctx, plan); err != nil {
		return exit.AsUsage(errors.New(h.p.Redact.String(err.Error())))
	}
	l.crew = newCrew(l.planner, l.conn)
	return nil
}

// talk is where the queue of the project has its say.
func (h *Queue) talk() *ui.QueueLog {
	if h.cluster.talk == nil {
		h.cluster.talk = ui.NewQueueLog(io.Discard, h.p.Redact)
	}
	return h.cluster.talk
}

// fingerprint is of what a run is made with.
func fingerprint(m rollout.Manifest) string {
	sum := sha256.Sum256(config.Marshal(m.Binding))
	return hex.EncodeToString(sum[:16])
}

// Distribute has the queue make the rollouts of one call of sampler.Sample. It returns
// the boundaries for that call and a function that ends it. An embedded queue also has a
// worker in this process.
func (h *Queue) Distribute(ctx context.Context, show *ui.Progress) (context.Context, sampler.Boundaries, func(sampler.Stats, error), error) {
	b := h.p.Bounds
	if h.led == nil {
		return ctx, b, h.sweepLeft, nil
	}
	h.talk().To(show)
	if err := h.lead(ctx); err != nil {
		return ctx, b, nil, err
	}
	l := h.led
	l.whole = false
	b.Remote = l.planner
	l.crew.ended = false
	show.MadeBy(l.crew)
	ended := func(s sampler.Stats, err error) { l.whole = err == nil && s.StoppedBy == "" }
	if l.server == nil {
		return ctx, b, ended, nil
	}
	ctx, end := queue.WorkHere(ctx, h.workHere)
	return ctx, b, func(s sampler.Stats, err error) {
		ended(s, err)
		end(err)
	}, nil
}

// sweepLeft removes, when a call without a queue has made all that was lacking, what
// a queue in an earlier process left.
func (h *Queue) sweepLeft(s sampler.Stats, err error) {
	if h.left == "" || err != nil || s.StoppedBy != "" {
		return
	}
	if err := queue.RemoveTrace(h.left); err != nil {
		h.p.Warnings = append(h.p.Warnings, err.Error())
	}
}

// Clear removes what a complete run left in the queue.
func (h *Queue) Clear(ctx context.Context) {
	if h.led == nil {
		return
	}
	if _, was := queue.ReadTrace(h.led.dir); !was {
		return
	}
	if !h.p.Config.Queue.Embedded() {
		if err := h.lead(ctx); err != nil {
			h.p.Warnings = append(h.p.Warnings, fmt.Sprintf("what this run left in the queue stays there: %v", err))
			return
		}
	}
	h.led.whole = true
}

// workHere makes rollouts in the process of the planner.
func (h *Queue) workHere(ctx context.Context, drain <-chan struct{}) error {
	conn, err := h.led.server.Dial(ctx, h.talk().Logger())
	if err != nil {
		return err
	}
	defer conn.Close()
	slots := h.p.inFlight()
	if h.p.Config.Queue.Port() > 0 {
		slots = min(slots, besideOthers)
	}
	m, err := conn.Join(ctx, h.led.manifest.ID, queue.ThisWorker(slots, Version()))
	if err != nil {
		return err
	}
	defer m.Leave()
	_, err = m.Work(ctx, drain, h.p.WorkConfig(), h.p.Bounds, h.p.Redact, nil)
	return err
}

// End stops leading a run and records in it what was paid twice. What a complete run left in the queue is removed.
func (h *Queue) End(w *rollout.Writer) error {
	l := h.led
	if l == nil {
		return nil
	}
	var err error
	if l.planner != nil {
		err = l.planner.Close(l.whole)
		l.workers, l.paidTwice = makers(l.planner.Workers()), l.planner.PaidTwice()
		l.planner = nil
	}
	if l.server != nil {
		l.conn.Close()
		l.server.Close()
		l.server = nil
	}
	if l.whole {
		err = errors.Join(err, queue.RemoveTrace(l.dir))
	}
	if err != nil {
		err = fmt.Errorf("let go of the queue: %w", err)
	}
	if n := l.paidTwice; n > 0 {
		err = errors.Join(err, w.Amend(func(m *rollout.Manifest) {
			m.Notes = append(m.Notes, fmt.Sprintf(paidTwiceNote, ui.Count(n, "rollout")))
		}))
	}
	return err
}

// makers is how many of the workers took jobs.
func makers(workers []queue.WorkerState) (n int) {
	for _, w := range workers {
		if w.Lacks == "" || w.Made > 0 {
			n++
		}
	}
	return n
}

// paidTwiceNote is the note of rollouts that were.
const paidTwiceNote = "%s made and paid a second time by another worker: each counts once"

// KeepNotes copies what earlier calls paid twice into the manifest of the next one.
func KeepNotes(dir string, m *rollout.Manifest) {
	run, err := rollout.Open(dir)
	if err != nil || run.Manifest == nil {
		return // no run of ours yet, or one that Create has to judge
	}
	for _, note := range run.Manifest.Notes {
		if strings.HasSuffix(note, strings.TrimPrefix(paidTwiceNote, "%s")) {
			m.Notes = append(slices.Clip(m.Notes), note)
		}
	}
}

// ReadyQueue connects to the queue before anything is requested or paid, and finds secrets that must not be sent.
func ReadyQueue(ctx context.Context, p *Project, c *Call) error {
	q := p.Config.Queue
	if q.Remote() && c.Sampling.Rehearse {
		return exit.Usagef("--rehearse makes a rollout in this process, and with queue.url %s workers make them: leave the queue out (--queue memory)", config.MaskQueueURL(q.URL))
	}
	p.Queue.cluster.untried = c.Sampling.DespiteProblems
	err := itemsFit(p)
	if err == nil && (q.Remote() || q.Port() > 0) { // others may join
		_, err = describe(ctx, p)
	}
	if err != nil || !q.Remote() {
		return exit.AsUsage(err)
	}
	p.Queue.cluster.talk = ui.NewQueueLog(c.Err, p.Redact)
	conn, err := awaitQueue(ctx, p)
	if err != nil {
		return exit.AsUsage(errors.New(p.Redact.String(err.Error())))
	}
	p.closers = append(p.closers, conn.Close)
	p.Queue.cluster.conn = conn
	fmt.Fprintf(c.Err, "Workers make the rollouts, by the queue at %s: they try the endpoints and the grader, and nothing is rehearsed here.\n", config.MaskQueueURL(q.URL))
	return nil
}

// awaitQueue reaches the queue's server, which may begin a moment after this process.
func awaitQueue(ctx context.Context, p *Project) (*queue.Conn, error) {
	at, log := p.Config.Queue.Address, p.Queue.cluster.talk.Logger()
	if p.Config.Queue.Wait.Duration == 0 {
		return queue.Dial(ctx, at, log)
	}
	ctx, stop := context.WithTimeout(ctx, p.Config.Queue.Wait.Duration)
	defer stop()
	return queue.Await(ctx, at, log)
}

// itemsFit finds rows that no queue has room for.
func itemsFit(p *Project) error {
	if !p.Config.Queue.Used() {
		return nil
	}
	for i := range p.Inputs.Items {
		it := &p.Inputs.Items[i]
		if err := queue.CheckJobSize(it); err != nil {
			return fmt.Errorf("%s:%d: the row cannot be handed to workers: %w: shorten it, or leave the queue out (--queue memory)", it.File, it.Line, err)
		}
	}
	return nil
}
