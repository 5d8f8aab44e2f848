package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
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
	// queueDir holds, in a run directory, the files of a queue in this process.
	queueDir = "queue"
	// queueFile says, in a run directory, by which queue the run is made as long as
	// something may lie there.
	queueFile = "queue.json"
	// besideOthers is how many rollouts at once are made in the process of the
	// planner where workers may join: they must find something to do.
	besideOthers = 32
	// waitForWorkers is how long none need have come before it is told.
	waitForWorkers = 10 * time.Second
	// settle is how long a planner has to end after its own worker did.
	settle = 5 * time.Second
)

// patience is how long a worker may be silent before it loses its jobs, and its
// requests; 0 is the queue's own. Tests have less of it.
var patience struct{ ackWait, lease time.Duration }

// queued is what queueFile says.
type queued struct {
	Queue string `json:"queue"` // its address without credentials, or embedded
	Run   string `json:"run"`
}

// cluster is the connection to a queue elsewhere, which a run shares with its
// variants.
type cluster struct {
	conn    *queue.Conn
	talk    *ui.QueueLog
	untried bool // workers take the grader as it is
}

// led is a run whose rollouts are handed out by a queue.
type led struct {
	dir      string
	manifest rollout.Manifest

	server  *queue.Server // in this process; nil for a cluster
	conn    *queue.Conn
	planner *queue.Planner
	crew    *crew // that the planner tells of
	whole   bool  // the last call came to its end

	workers, paidTwice int // when it ended
}

// handsOut notes the run that was begun, where a queue is to hand it out. One that
// was begun by another queue may have left rollouts there.
func (p *project) handsOut(dir string, m rollout.Manifest) {
	q := p.cfg.Queue
	at, was := readQueued(dir)
	if was && (!q.Used() || !q.Embedded() && at.Queue != config.MaskQueueURL(q.URL)) {
		p.warnings = append(p.warnings, fmt.Sprintf("this run was begun with --queue %s: what workers had made and was not recorded yet lies there, and is made and paid again without it", at.Queue))
	}
	if q.Used() {
		p.led = &led{dir: dir, manifest: m}
	} else if _, err := os.Lstat(filepath.Join(dir, queueDir)); was && err == nil {
		p.left = dir
	}
}

// madeBy says in a line who made the rollouts, where workers did.
func (p *project) madeBy() string {
	if p.led == nil || p.led.workers == 0 {
		return ""
	}
	text := fmt.Sprintf("Made by %s", ui.Counted(p.led.workers, "worker"))
	if n := p.led.paidTwice; n > 0 {
		text += fmt.Sprintf("; %s made and paid twice", ui.Counted(n, "rollout"))
	}
	return text + ".\n"
}

// lead has the queue hand out the rollouts of the run that was begun.
func (p *project) lead(ctx context.Context) error {
	l, q := p.led, p.cfg.Queue
	if l.planner != nil {
		return nil
	}
	if err := p.itemsFit(); err != nil { // a variant may have made them larger
		return exit.AsUsage(err)
	}
	at := queued{Queue: config.MaskQueueURL(q.URL), Run: l.manifest.ID}
	if l.conn = p.cluster.conn; q.Embedded() {
		var err error
		if l.server, err = queue.Embed(filepath.Join(l.dir, queueDir), q.Port(), p.cfg.QueueLogin.Token); err != nil {
			return exit.AsUsage(fmt.Errorf("the queue in this process: %w", err))
		}
		if l.conn, err = l.server.Dial(ctx, p.talk().Logger()); err != nil {
			return err
		}
		if q.Port() > 0 {
			at.Queue = l.server.URL()
		}
	}
	plan := queue.Plan{
		Run: l.manifest.ID, Name: cmp.Or(l.manifest.Name, filepath.Base(l.dir)), Version: version(), Fingerprint: fingerprint(l.manifest),
		Seed: p.seed, Deliveries: q.Deliveries, Replicas: q.Replicas, Wait: q.Wait, AckWait: patience.ackWait, Lease: patience.lease,
	}
	var err error
	if q.URL != config.IsEmbedded { // nobody else can join
		if plan.Description, err = p.describe(ctx); err != nil {
			return exit.AsUsage(err)
		}
	}
	if err := writeQueued(l.dir, at); err != nil {
		return err
	}
	if l.planner, err = l.conn.Lead(ctx, plan); err != nil {
		return exit.AsUsage(errors.New(p.redact.String(err.Error())))
	}
	l.crew = newCrew(l.planner, l.conn)
	return nil
}

// talk is where the queue of the project has its say.
func (p *project) talk() *ui.QueueLog {
	if p.cluster.talk == nil {
		p.cluster.talk = ui.NewQueueLog(io.Discard, p.redact)
	}
	return p.cluster.talk
}

// fingerprint is of what a run is made with.
func fingerprint(m rollout.Manifest) string {
	b, err := json.Marshal(m.Binding)
	if err != nil {
		panic("gonogo: " + err.Error()) // it is text
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}

// handOut has the queue make the rollouts of one call of sampler.Sample: the
// boundaries to make it with, and what ends it. A queue in this process has its
// worker here.
func (p *project) handOut(ctx context.Context, show *ui.Progress) (context.Context, sampler.Boundaries, func(sampler.Stats, error), error) {
	b := p.bounds
	if p.led == nil {
		return ctx, b, p.sweepLeft, nil
	}
	p.talk().To(show)
	if err := p.lead(ctx); err != nil {
		return ctx, b, nil, err
	}
	l := p.led
	l.whole = false
	b.Elsewhere = l.planner
	l.crew.ended = false
	show.MadeBy(l.crew)
	ended := func(s sampler.Stats, err error) { l.whole = err == nil && s.StoppedBy == "" }
	if l.server == nil {
		return ctx, b, ended, nil
	}
	ctx, stop := context.WithCancelCause(ctx)
	done, drain := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		err := p.workHere(ctx, drain)
		if err == nil {
			return
		}
		select { // the planner hears of it, and ends as on one machine
		case <-time.After(settle):
			stop(err)
		case <-drain:
		}
	}()
	return ctx, b, func(s sampler.Stats, err error) {
		ended(s, err)
		close(drain)
		if err != nil {
			stop(err)
		}
		<-done
		stop(nil)
	}, nil
}

// sweepLeft removes, when a call without a queue has made all that was lacking, what
// a queue in an earlier process left.
func (p *project) sweepLeft(s sampler.Stats, err error) {
	if p.left == "" || err != nil || s.StoppedBy != "" {
		return
	}
	if err := removeQueue(p.left); err != nil {
		p.warnings = append(p.warnings, err.Error())
	}
}

// removeQueue removes what a queue leaves in a run directory.
func removeQueue(dir string) error {
	return errors.Join(os.RemoveAll(filepath.Join(dir, queueDir)), gone(os.Remove(filepath.Join(dir, queueFile))))
}

// clear takes away what is left in the queue of a run that lacks nothing.
func (p *project) clear(ctx context.Context) {
	if p.led == nil {
		return
	}
	if _, was := readQueued(p.led.dir); !was {
		return
	}
	if !p.cfg.Queue.Embedded() {
		if err := p.lead(ctx); err != nil {
			p.warnings = append(p.warnings, fmt.Sprintf("what this run left in the queue stays there: %v", err))
			return
		}
	}
	p.led.whole = true
}

// workHere makes rollouts in the process of the planner.
func (p *project) workHere(ctx context.Context, drain <-chan struct{}) error {
	conn, err := p.led.server.Dial(ctx, p.talk().Logger())
	if err != nil {
		return err
	}
	defer conn.Close()
	slots := p.inFlight()
	if p.cfg.Queue.Port() > 0 {
		slots = min(slots, besideOthers)
	}
	m, err := conn.Join(ctx, p.led.manifest.ID, me(slots))
	if err != nil {
		return err
	}
	defer m.Leave()
	_, err = m.Work(ctx, drain, p.workConfig(), p.bounds, p.redact, nil)
	return err
}

// me is this process as a worker.
func me(slots int) queue.Me {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return queue.Me{Host: host, PID: os.Getpid(), Slots: slots, Version: version()}
}

// letGo ends the leading of a run, and notes in it what was paid twice. What a
// whole run left in the queue is removed.
func (p *project) letGo(w *rollout.Writer) error {
	l := p.led
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
		err = errors.Join(err, removeQueue(l.dir))
	}
	if err != nil {
		err = fmt.Errorf("let go of the queue: %w", err)
	}
	if n := l.paidTwice; n > 0 {
		err = errors.Join(err, w.Amend(func(m *rollout.Manifest) {
			m.Notes = append(m.Notes, fmt.Sprintf(paidTwiceNote, ui.Counted(n, "rollout")))
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

// keepNotes puts what earlier calls paid twice into the manifest of the next one.
func keepNotes(dir string, m *rollout.Manifest) {
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

// gone forgets that a file was not there.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// writeQueued writes down by which queue a run is made.
func writeQueued(dir string, at queued) error {
	b, err := json.Marshal(at)
	if err != nil {
		return err
	}
	return rollout.WriteFile(filepath.Join(dir, queueFile), append(b, '\n'))
}

// readQueued reads by which queue a run is made, if by any.
func readQueued(dir string) (at queued, ok bool) {
	b, err := config.ReadBounded(filepath.Join(dir, queueFile))
	return at, err == nil && json.Unmarshal(b, &at) == nil && at.Queue != ""
}
