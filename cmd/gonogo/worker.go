package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"gonogo/cmd/gonogo/internal/brief"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/stage"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/queue"
	"gonogo/sampler/rollout"
)

// workerSlots is the default number of rollouts that a worker makes at once.
const workerSlots = 32

// queueFlags are the flags of commands that have no configuration to take the queue from.
func queueFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "queue", Usage: "the queue at `URL`: nats://HOST:PORT or tls://HOST:PORT, several " +
			"with commas between"},
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
			&cli.StringFlag{
				Name: "dir", Value: ".",
				Usage: "read the files that a configuration names in `DIR`; sessions are recorded in DIR/" +
					queue.WorkerDir,
			},
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
			address, redact, err := queueAddress(c, c.String("queue"))
			if err != nil {
				return err
			}
			ctx, drain, release := ui.Interruptible(c.Context, c.App.ErrWriter, "rollouts")
			defer release()
			w := &worker{out: c.App.ErrWriter, dir: c.String("dir"), slots: c.Int("slots"), drain: drain}
			err = queue.Service{
				Run: c.String("run"), Once: c.Bool("once"), Me: queue.ThisWorker(w.slots, project.Version()),
				Work: w.work, Say: w.say, Redact: redact,
			}.Serve(ctx, drain, address, console.NewQueueLog(c.App.ErrWriter, redact).Logger())
			if errors.Is(err, queue.ErrDrained) || errors.Is(err, queue.ErrLeft) {
				return &exit.Error{Code: exit.Interrupted, Err: err}
			}
			return exit.AsUsage(err)
		},
	}
}

// queueAddress returns the address of a queue, with the login from the command line and the
// environment, and a redactor that masks the login.
func queueAddress(c *cli.Context, url string) (queue.Address, *rollout.Redactor, error) {
	address := queue.Address{
		URL: url, Creds: c.String("creds"), CA: c.String("tls-ca"), Cert: c.String("tls-cert"),
		Key: c.String("tls-key"),
	}
	address.Login(os.LookupEnv)
	redact := rollout.NewRedactor(address.Token, address.Password)
	if wrong := address.URLFault(); wrong != "" {
		return address, redact,
			exit.Usagef("--queue: the address %s", strings.Replace(wrong, "memory, embedded, embedded:PORT, or ", "",
				1))
	}
	if !address.Remote() {
		return address, redact, exit.Usagef("--queue takes the address of a queue that others reach too, such as " +
			"nats://localhost:4222")
	}
	return address, redact, nil
}

// worker is a process that makes rollouts for other processes.
type worker struct {
	out   io.Writer
	dir   string // base of the files that a configuration names
	slots int
	drain <-chan struct{}
}

// say prints a line.
func (w *worker) say(format string, args ...any) {
	fmt.Fprintln(w.out, console.Visible(fmt.Sprintf(format, args...)))
}

// work makes rollouts of the run that accepted the worker.
func (w *worker) work(ctx context.Context, m *queue.Member) error {
	d, err := brief.Read(m.Description())
	if err != nil {
		return err
	}
	p, err := project.FromBrief(ctx, d, w.dir, os.LookupEnv, m.Seed(), w.slots)
	if err != nil {
		return err
	}
	defer p.Close()
	place, release, err := queue.Workplace(w.dir)
	if err != nil {
		return err
	}
	defer func() { _ = release() }() // a lock ends with the process
	if err := project.ReadyToWork(ctx, p, place); err != nil {
		return errors.New(p.Redact.String(err.Error()))
	}
	p.ShowWarnings(w.out)
	if err := stage.TryOnWorker(ctx, p, w.out, d.Trial); err != nil {
		return err
	}
	w.say("Working for the run %s, %s at once at most.", m.Run(), console.Count(w.slots, "rollout"))
	stats, err := w.rollouts(ctx, m, p)
	p.TakeGraderWarnings()
	p.ShowWarnings(w.out)
	console.WarnLeftOpen(w.out, stats)
	w.say("Made %s for the run %s in %s%s.", console.Count(stats.Recorded, "rollout"), m.Run(),
		stats.Elapsed.Round(100*time.Millisecond), strings.Join(append([]string{""}, console.Troubles(stats)...), ", "))
	closed := errors.Join(p.Session.ForgetSessions(), p.AgentLog.Close())
	if err != nil && ctx.Err() == nil {
		err = errors.New(p.Redact.String(err.Error()))
	}
	return errors.Join(err, closed)
}

// rollouts makes the rollouts and shows progress; the total is unknown here.
func (w *worker) rollouts(ctx context.Context, m *queue.Member, p *project.Project) (sampler.Stats, error) {
	cfg := p.WorkConfig()
	if e, ok := w.out.(*console.Events); ok {
		e.Masks(p.Redact)
		cfg.Log = e.Logger
	}
	show := console.NewProgress(w.out, "rollouts", 0, nil, p.Redact)
	defer show.Close()
	stats, err := m.Work(ctx, w.drain, cfg, p.Bounds, p.Redact, show.Watch)
	show.Ended(stats)
	return stats, err
}
