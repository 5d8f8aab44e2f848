package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/queue"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/credential"
)

// statusTimeout limits the wait for a planner's answer.
const statusTimeout = 10 * time.Second

func statusCommand() *cli.Command {
	return &cli.Command{
		Name:      "status",
		Usage:     "show the progress of runs: rollouts, rates, failures, workers, cost",
		ArgsUsage: "[RUN]",
		Description: `For a run directory: what is recorded, how fast it grew in the last minutes, and
whether a process is writing it; for a run on a queue also what its planner knows:
workers, endpoints, rollouts paid for twice. With --queue: all runs on that queue,
or the one named by --run. The time left assumes the rate shown with it.

Credentials come from ` + queue.TokenEnv + `, or ` + queue.UserEnv + ` and
` + queue.PasswordEnv + `. Exit codes: 0 done, 2 there is no such run.

Example:
   gonogo status my-run
   gonogo status --queue nats://nats:4222 --json`,
		Flags: append(queueFlags(),
			&cli.StringFlag{Name: "run", Usage: "with --queue, only the run with this `ID`"},
			&cli.BoolFlag{Name: "json", Usage: "print it as JSON to standard output"},
		),
		Action: func(c *cli.Context) error {
			list, err := statuses(c)
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return ui.PrintJSON(c.App.Writer, map[string]any{"runs": list})
			}
			if len(list) == 0 {
				_, err := fmt.Fprintln(c.App.Writer,
					"No planner (gonogo run --queue) answers, and the queue holds no run.")
				return err
			}
			for _, s := range list {
				console.WriteStatus(c.App.Writer, s)
			}
			return nil
		},
	}
}

// statuses returns the status of the runs given on the command line.
func statuses(c *cli.Context) ([]*queue.RunStatus, error) {
	url, dir := c.String("queue"), c.Args().First()
	switch {
	case c.NArg() > 1 || (url == "") == (dir == ""):
		return nil, exit.Usagef("status takes one run directory, or --queue URL; see gonogo status --help")
	case url == "" && c.String("run") != "":
		return nil, exit.Usagef("--run goes with --queue; with a run directory, leave it out")
	case url != "":
		return ledRuns(c, url, c.String("run"))
	}
	s, err := runStatus(c.Context, dir)
	if err != nil {
		return nil, exit.AsUsage(err)
	}
	trace, ok := queue.ReadTrace(dir)
	if !ok || trace.Queue == queue.Embedded {
		return []*queue.RunStatus{s}, nil
	}
	// The directory alone must not cause credentials to be sent: it may name any server.
	if s.Queue = trace.Queue; !s.Live {
		s.Note = fmt.Sprintf("a queue distributed it; if a process on another machine leads it: gonogo status "+
			"--queue %s --run %s", trace.Queue, trace.Run)
		return []*queue.RunStatus{s}, nil
	}
	led, err := ledRuns(c, trace.Queue, trace.Run)
	if err != nil {
		s.Note = fmt.Sprintf("its queue cannot be queried (%v)", err)
	}
	if len(led) == 0 || !led[0].Live {
		if s.Note == "" {
			s.Note = "no planner leads it now"
		}
		for _, l := range led {
			s.Note += "; " + l.Note
		}
		return []*queue.RunStatus{s}, nil
	}
	for _, l := range led {
		l.Directory, l.Recorded, l.Of = dir, s.Recorded, s.Of
	}
	return led, nil
}

// ledRuns asks the planners on a queue.
func ledRuns(c *cli.Context, url, run string) ([]*queue.RunStatus, error) {
	ctx, cancel := context.WithTimeout(c.Context, statusTimeout)
	defer cancel()
	address, redact, err := queueAddress(c, url)
	if err != nil {
		return nil, err
	}
	conn, err := queue.Dial(ctx, address, console.NewQueueLog(c.App.ErrWriter, redact).Logger())
	if err == nil {
		defer conn.Close()
		var list []*queue.RunStatus
		if list, err = conn.Runs(ctx, run, credential.MaskURLs(address.URL)); err == nil {
			return list, nil
		}
	}
	err = errors.New(redact.String(err.Error()))
	if c.Context.Err() != nil {
		return nil, errors.Join(context.Cause(c.Context), err)
	}
	return nil, exit.AsUsage(err)
}

// runStatus reads the status of a run from its directory.
func runStatus(ctx context.Context, dir string) (*queue.RunStatus, error) {
	run, err := rollout.Open(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("there is no run in %s", dir)
	case err != nil:
		return nil, err
	}
	price := func(*rollout.Record) (float64, bool) { return 0, false }
	if m := run.Manifest; m != nil {
		if cfg, err := config.FromManifest(filepath.Join(dir, rollout.ManifestFile), m.Config); err == nil {
			price = cfg.TokenPrices().Rollout
		}
	}
	return queue.ReadRun(ctx, dir, run, price)
}
