package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/stage"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/queue"
	"gonogo/sampler/rollout"
)

const (
	// workerSlots is how many rollouts a worker makes at once where no one says.
	workerSlots = 32
	// mostLeft is how many runs a worker remembers that it could not work for.
	mostLeft = 100
	// askAgain is how long a worker that cannot work for a run leaves it alone.
	askAgain = 30 * time.Second
)

// queueFlags are the flags of the commands that have no configuration to find the
// queue in.
func queueFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "queue", Usage: "the queue at `URL`: nats://HOST:PORT or tls://HOST:PORT, several with commas between"},
		&cli.StringFlag{Name: "creds", Usage: "a `FILE` of NATS credentials (.creds)"},
		&cli.StringFlag{Name: "tls-ca", Usage: "a `FILE` with the CA certificates for the queue's servers"},
		&cli.StringFlag{Name: "tls-cert", Usage: "a `FILE` with the client certificate"},
		&cli.StringFlag{Name: "tls-key", Usage: "a `FILE` with the key of that certificate"},
	}
}

func workerCommand() *cli.Command {
	return &cli.Command{
		Name:  "worker",
		Usage: "make rollouts for runs that another process plans",
		Description: `Waits for a run that gonogo run --queue plans on the same queue, makes rollouts
for it with the tools, graders and sessions that this machine can reach, returns
each one as it ends, and goes on with the next run. Workers may join and leave at
any time, even before the queue's server is up: whatever one leaves unfinished,
another one makes.

The configuration comes with the run, but not its secrets: those are taken from
this process's environment, as are ` + queue.TokenEnv + `, or ` + queue.UserEnv + `
and ` + queue.PasswordEnv + `. Files that it names, such as python graders or an agent's
files, are read in DIR and must be the same as the planner's. A worker that lacks any
of these, cannot reach an endpoint, or whose grader fails on the two answers that come
with the run, reports that here and to the planner, takes no jobs of that run, and
checks again every half minute.

Ctrl-C lets the rollouts in flight finish; a second one exits at once and gives
them back.

Exit codes: 0 the run of --once is over, 2 usage, the queue, or --once with a run
that it cannot serve, 1 the tool failed, 130 interrupted.

Example:
   gonogo worker --queue nats://nats:4222 --dir . --slots 64`,
		Flags: append(queueFlags(),
			&cli.StringFlag{Name: "run", Usage: "work only for the run with this `ID`"},
			&cli.IntFlag{Name: "slots", Value: workerSlots, Usage: "make at most `N` rollouts at once"},
			&cli.StringFlag{Name: "dir", Value: ".", Usage: "read the files that a configuration names in `DIR`; sessions are recorded in DIR/" + workerDir},
			&cli.BoolFlag{Name: "once", Usage: "exit when the run ends"},
			logFormatFlag(),
		),
		Action: func(c *cli.Context) error {
			if c.Int("slots") < 1 {
				return exit.Usagef("--slots %d: a worker makes 1 rollout at a time or more", c.Int("slots"))
			}
			if info, err := os.Stat(c.String("dir")); err != nil || !info.IsDir() {
				return exit.Usagef("--dir %s: there is no such folder", c.String("dir"))
			}
			ctx, drain, release := ui.Interruptible(c.Context, c.App.ErrWriter, "rollouts")
			defer release()
			w := &worker{c: c, drain: drain}
			waiting, over := w.until(ctx)
			var err error
			w.conn, w.login, err = dialQueue(waiting, c, c.String("queue"), queue.Await)
			over()
			switch {
			case err == nil:
				defer w.conn.Close()
				return w.all(ctx)
			case w.leaves(ctx):
				return leaving(ctx)
			}
			return err
		},
	}
}

// How a worker that was asked to go ends: in peace, or at once.
var (
	errDrained = &exit.Error{Code: exit.Interrupted, Err: errors.New("the worker was interrupted, and had finished what it had begun")}
	errLeft    = &exit.Error{Code: exit.Interrupted, Err: errors.New("the worker was interrupted; what it had not finished is made by others")}
)

// leaving is how a worker ends that was asked to.
func leaving(ctx context.Context) error {
	if ctx.Err() != nil {
		return errLeft
	}
	return errDrained
}

// dialQueue reaches the queue that the command line names.
func dialQueue(ctx context.Context, c *cli.Context, url string, dial func(context.Context, queue.Address, *slog.Logger) (*queue.Conn, error)) (*queue.Conn, *rollout.Redactor, error) {
	at := queue.Address{URL: url, Creds: c.String("creds"), CA: c.String("tls-ca"), Cert: c.String("tls-cert"), Key: c.String("tls-key")}
	at.Login(os.LookupEnv)
	redact := rollout.NewRedactor(at.Token, at.Password)
	if wrong := at.URLFault(); wrong != "" {
		return nil, nil, exit.Usagef("--queue: the address %s", strings.Replace(wrong, "memory, embedded, embedded:PORT, or ", "", 1))
	}
	if !at.Remote() {
		return nil, nil, exit.Usagef("--queue takes the address of a queue that others reach too, such as nats://localhost:4222")
	}
	conn, err := dial(ctx, at, ui.NewQueueLog(c.App.ErrWriter, redact).Logger())
	if err != nil && ctx.Err() == nil {
		err = exit.AsUsage(errors.New(redact.String(err.Error())))
	}
	return conn, redact, err
}

// worker is a process that makes rollouts for others.
type worker struct {
	c     *cli.Context
	conn  *queue.Conn
	drain <-chan struct{}
	login *rollout.Redactor
	left  []string // runs that it could not work for, the last ones
}

// say prints a line.
func (w *worker) say(format string, args ...any) {
	fmt.Fprintln(w.c.App.ErrWriter, ui.Visible(fmt.Sprintf(format, args...)))
}

// all works for one run after the other.
func (w *worker) all(ctx context.Context) error {
	for {
		err := w.one(ctx)
		switch {
		case w.leaves(ctx):
			return leaving(ctx)
		case w.c.Bool("once"):
			return err
		case err != nil:
			w.say("%v", err)
			select {
			case <-time.After(askAgain):
			case <-w.drain:
			}
		}
	}
}

// leaves reports whether the worker was asked to go.
func (w *worker) leaves(ctx context.Context) bool {
	select {
	case <-w.drain:
		return true
	default:
		return ctx.Err() != nil
	}
}

// until is a context that ends when the worker is asked to go, or over is called.
func (w *worker) until(ctx context.Context) (waiting context.Context, over func()) {
	waiting, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-w.drain:
			stop()
		case <-waiting.Done():
		}
	}()
	return waiting, func() {
		stop()
		<-ended
	}
}

// one waits for a run and works for it until it is over.
func (w *worker) one(ctx context.Context) error {
	waiting, over := w.until(ctx)
	w.say("Waiting for a run.")
	m, err := w.conn.Join(waiting, w.c.String("run"), project.ThisWorker(w.c.Int("slots")), w.left...)
	over()
	if err != nil {
		return exit.AsUsage(errors.New(w.login.String(err.Error())))
	}
	defer m.Leave()
	err = w.work(ctx, m)
	if err == nil || ctx.Err() != nil {
		return err
	}
	w.left = append(w.left[max(0, len(w.left)-mostLeft+1):], m.Run())
	_ = m.Lacks(ctx, err.Error()) // if that fails, it sees the worker fall silent
	return exit.AsUsage(fmt.Errorf("this worker takes no jobs of the run %s: %w", m.Run(), err))
}

// work makes rollouts of the run that let the worker in.
func (w *worker) work(ctx context.Context, m *queue.Member) error {
	d, err := project.ReadBrief(m.Description())
	if err != nil {
		return err
	}
	p, err := d.Project(ctx, w.c.String("dir"), os.LookupEnv, m.Seed(), w.c.Int("slots"))
	if err != nil {
		return err
	}
	defer p.Close()
	home, err := openWorkplace(w.c.String("dir"))
	if err != nil {
		return err
	}
	defer func() { _ = home.close() }() // a lock ends with the process
	if err := project.ReadyToWork(ctx, p, home.dir); err != nil {
		return errors.New(p.Redact.String(err.Error()))
	}
	p.ShowWarnings(w.c.App.ErrWriter)
	if err := stage.TryOnWorker(ctx, p, w.c.App.ErrWriter, d.Trial); err != nil {
		return err
	}
	w.say("Working for the run %s, %s at once at most.", m.Run(), ui.Count(w.c.Int("slots"), "rollout"))
	stats, err := w.rollouts(ctx, m, p)
	p.TakeGraderWarnings()
	p.ShowWarnings(w.c.App.ErrWriter)
	project.WarnLeftOpen(w.c.App.ErrWriter, stats)
	w.say("Made %s for the run %s in %s%s.", ui.Count(stats.Recorded, "rollout"), m.Run(), stats.Elapsed.Round(100*time.Millisecond), strings.Join(append([]string{""}, ui.Troubles(stats)...), ", "))
	closed := errors.Join(p.Session.ForgetSessions(), p.AgentLog.Close())
	if err != nil && ctx.Err() == nil {
		err = errors.New(p.Redact.String(err.Error()))
	}
	return errors.Join(err, closed)
}

// rollouts makes them, under progress: how many there will be no one knows here.
func (w *worker) rollouts(ctx context.Context, m *queue.Member, p *project.Project) (sampler.Stats, error) {
	cfg := p.WorkConfig()
	if e, ok := w.c.App.ErrWriter.(*ui.Events); ok {
		e.Masks(p.Redact)
		cfg.Log = e.Logger
	}
	show := ui.NewProgress(w.c.App.ErrWriter, "rollouts", 0, nil, p.Redact)
	defer show.Close()
	stats, err := m.Work(ctx, w.drain, cfg, p.Bounds, p.Redact, show.Watch)
	show.Ended(stats)
	return stats, err
}

// workerDir is the folder in which workers keep what they started.
const workerDir = ".gonogo-worker"

// mostWorkplaces bounds the workers of one folder.
const mostWorkplaces = 1000

// workplace is a folder that one worker has to itself: which sessions it started,
// and what an agent says. The first that is free is taken, so that the next worker
// finds what one that was killed left there.
type workplace struct {
	dir     string
	release func() error
}

// openWorkplace takes a free one in dir, or a temporary one where nothing can be
// written there.
func openWorkplace(dir string) (*workplace, error) {
	at := filepath.Join(dir, workerDir)
	if err := os.MkdirAll(at, 0o755); err != nil {
		temporary, err := os.MkdirTemp("", "gonogo-worker-")
		if err != nil {
			return nil, fmt.Errorf("a folder for what the worker starts: %w", err)
		}
		return &workplace{temporary, func() error { return os.RemoveAll(temporary) }}, nil
	}
	var last error
	for i := 1; i <= mostWorkplaces; i++ {
		place := filepath.Join(at, strconv.Itoa(i))
		release, err := rollout.Lock(place, "worker.lock")
		if err == nil {
			return &workplace{place, release}, nil
		}
		last = err
	}
	return nil, fmt.Errorf("a folder in %s: %w", at, last)
}

func (w *workplace) close() error { return w.release() }
