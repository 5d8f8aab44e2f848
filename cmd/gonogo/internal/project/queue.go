package project

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/sampler"
	"gonogo/sampler/input/document"
	"gonogo/sampler/queue"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/credential"
)

// plannerRollouts is the maximum number of rollouts in flight in the planner's process if workers
// may join, so that work remains for them.
const plannerRollouts = 32

// Patience is how long a worker may be silent before it loses its jobs and requests; 0 is the
// queue's default. Tests set it lower.
var Patience struct{ AckWait, Lease time.Duration }

// cluster is the connection to a remote queue, which a run shares with its variants.
type cluster struct {
	conn    *queue.Conn
	talk    *console.QueueLog
	untried bool // workers use the grader without a trial
}

// Queue distributes the rollouts of a project to workers, if they make them.
type Queue struct {
	p        *Project
	cluster  *cluster         // shared with the variants
	out      *queue.Handout   // of the current run; nil if no queue distributes it
	workers  *console.Workers // its workers, in the progress
	leftover string           // the run directory, if an earlier call left the files of an embedded queue
}

// Begin records the run that a queue will distribute. It warns if the run began on another queue,
// which may still hold rollouts.
func (h *Queue) Begin(dir string, m rollout.Manifest) {
	q := h.p.Config.Queue
	trace, was := queue.ReadTrace(dir)
	if was && (!q.Used() || !q.Embedded() && trace.Queue != credential.MaskURLs(q.URL)) {
		h.p.Warnings = append(h.p.Warnings, fmt.Sprintf("this run was begun with --queue %s: what workers made "+
			"and was not yet recorded is still there; without that queue it is made and paid for again", trace.Queue))
	}
	if !q.Used() {
		if was && queue.HasFiles(dir) {
			h.leftover = dir
		}
		return
	}
	h.workers = nil
	slots := h.p.inFlight()
	if q.Port() > 0 {
		slots = min(slots, plannerRollouts)
	}
	h.out = &queue.Handout{
		Dir: dir, Address: q.Address, Shown: credential.MaskURLs(q.URL), Conn: h.cluster.conn,
		Here:     queue.ThisWorker(slots, Version()),
		Log:      func() *slog.Logger { return h.talk().Logger() },
		Describe: func(ctx context.Context) ([]byte, error) { return describe(ctx, h.p) },
		Plan: queue.Plan{
			Run: m.ID, Name: cmp.Or(m.Name, filepath.Base(dir)), Version: Version(), Fingerprint: fingerprint(m),
			Seed: h.p.Inputs.Seed, Deliveries: q.Deliveries, Replicas: q.Replicas, Wait: q.Wait.Duration,
			AckWait: Patience.AckWait, Lease: Patience.Lease,
		},
	}
}

// Leads reports whether a queue distributes the rollouts of the run.
func (h *Queue) Leads() bool { return h.out != nil }

// MadeBy describes in one line which workers made the rollouts, if any.
func (h *Queue) MadeBy() string {
	if h.out == nil || h.out.Makers() == 0 {
		return ""
	}
	text := fmt.Sprintf("Made by %s", console.Count(h.out.Makers(), "worker"))
	if n := h.out.PaidTwice(); n > 0 {
		text += fmt.Sprintf("; %s made and paid twice", console.Count(n, "rollout"))
	}
	return text + ".\n"
}

// talk returns the log of the project's queue.
func (h *Queue) talk() *console.QueueLog {
	if h.cluster.talk == nil {
		h.cluster.talk = console.NewQueueLog(io.Discard, h.p.Redact)
	}
	return h.cluster.talk
}

// fingerprint identifies the settings of a run.
func fingerprint(m rollout.Manifest) string {
	sum := sha256.Sum256(document.Marshal(m.Binding))
	return hex.EncodeToString(sum[:16])
}

// Distribute lets the queue make the rollouts of one call of sampler.Sample. It returns the
// boundaries for that call and a function that ends it. An embedded queue also has a worker in this
// process.
func (h *Queue) Distribute(ctx context.Context,
	show *console.Progress,
) (context.Context, sampler.Boundaries, func(sampler.Stats, error), error) {
	b := h.p.Bounds
	if h.out == nil {
		return ctx, b, h.removeLeftover, nil
	}
	h.talk().To(show)
	if err := checkItemSizes(h.p); err != nil { // a variant may have made them larger
		return ctx, b, nil, exit.AsUsage(err)
	}
	ctx, planner, ended, err := h.out.Open(ctx,
		func(ctx context.Context, m *queue.Member, drain <-chan struct{}) error {
			_, err := m.Work(ctx, drain, h.p.WorkConfig(), h.p.Bounds, h.p.Redact, nil)
			return err
		})
	if err != nil {
		return ctx, b, nil, h.maskRefusal(err)
	}
	b.Remote, h.workers = planner, cmp.Or(h.workers, console.NewWorkers(planner, h.out.Conn))
	h.workers.Again()
	show.MadeBy(h.workers)
	return ctx, b, ended, nil
}

// maskRefusal returns an error of the queue without secrets.
func (h *Queue) maskRefusal(err error) error {
	if _, ok := errors.AsType[*queue.RefusedError](err); !ok {
		return err
	}
	return exit.AsUsage(h.p.masked(err))
}

// removeLeftover removes the files of an earlier embedded queue once a call without a queue has
// made all missing rollouts.
func (h *Queue) removeLeftover(s sampler.Stats, err error) {
	if h.leftover == "" || err != nil || s.StoppedBy != "" {
		return
	}
	if err := queue.RemoveTrace(h.leftover); err != nil {
		h.p.Warnings = append(h.p.Warnings, err.Error())
	}
}

// Clear removes the data of a complete run from the queue.
func (h *Queue) Clear(ctx context.Context) {
	if h.out == nil {
		return
	}
	if err := h.out.Finish(ctx); err != nil {
		h.p.Warnings = append(h.p.Warnings, fmt.Sprintf("what this run left in the queue stays there: %v",
			h.maskRefusal(err)))
	}
}

// End stops leading a run and records in it what was paid twice. The queue then removes the data of
// a complete run.
func (h *Queue) End(w *rollout.Writer) error {
	if h.out == nil {
		return nil
	}
	err := h.out.Close()
	if n := h.out.PaidTwice(); n > 0 {
		err = errors.Join(err, w.Amend(func(m *rollout.Manifest) {
			m.Notes = append(m.Notes, fmt.Sprintf(paidTwiceNote, console.Count(n, "rollout")))
		}))
	}
	return err
}

// paidTwiceNote is the note about rollouts that were made and paid twice.
const paidTwiceNote = "%s made and paid a second time by another worker: each counts once"

// KeepNotes copies the notes on what earlier calls paid twice into the next manifest.
func KeepNotes(dir string, m *rollout.Manifest) {
	run, err := rollout.OpenManifest(dir)
	if err != nil || run.Manifest == nil {
		return // no run yet, or one that Create will check
	}
	for _, note := range run.Manifest.Notes {
		if strings.HasSuffix(note, strings.TrimPrefix(paidTwiceNote, "%s")) {
			m.Notes = append(slices.Clip(m.Notes), note)
		}
	}
}

// ReadyQueue connects to the queue before anything is requested or paid, and finds secrets that
// must not be sent.
func ReadyQueue(ctx context.Context, p *Project, c *Invocation) error {
	q := p.Config.Queue
	if q.Remote() && c.Sampling.Rehearse {
		return exit.Usagef("--rehearse makes a rollout in this process, and with queue.url %s workers make them: "+
			"leave the queue out (--queue memory)", credential.MaskURLs(q.URL))
	}
	p.Queue.cluster.untried = c.Sampling.DespiteProblems
	err := checkItemSizes(p)
	if err == nil && (q.Remote() || q.Port() > 0) { // workers may join
		_, err = describe(ctx, p)
	}
	if err != nil || !q.Remote() {
		return exit.AsUsage(err)
	}
	p.Queue.cluster.talk = console.NewQueueLog(c.Err, p.Redact)
	conn, err := awaitQueue(ctx, p)
	if err != nil {
		return exit.AsUsage(p.masked(err))
	}
	p.closers = append(p.closers, conn.Close)
	p.Queue.cluster.conn = conn
	fmt.Fprintf(c.Err, "Workers make the rollouts, by the queue at %s: they try the endpoints and the grader, and "+
		"nothing is rehearsed here.\n", credential.MaskURLs(q.URL))
	return nil
}

// awaitQueue connects to the queue's server, which may start a moment after this process.
func awaitQueue(ctx context.Context, p *Project) (*queue.Conn, error) {
	address, log := p.Config.Queue.Address, p.Queue.cluster.talk.Logger()
	if p.Config.Queue.Wait.Duration == 0 {
		return queue.Dial(ctx, address, log)
	}
	ctx, stop := context.WithTimeout(ctx, p.Config.Queue.Wait.Duration)
	defer stop()
	return queue.Await(ctx, address, log)
}

// checkItemSizes finds rows that are too large for any queue.
func checkItemSizes(p *Project) error {
	if !p.Config.Queue.Used() {
		return nil
	}
	for i := range p.Inputs.Items {
		it := &p.Inputs.Items[i]
		if err := queue.CheckJobSize(it); err != nil {
			return fmt.Errorf("%s:%d: the row cannot be handed to workers: %w: shorten it, or leave the queue out "+
				"(--queue memory)", it.File, it.Line, err)
		}
	}
	return nil
}
