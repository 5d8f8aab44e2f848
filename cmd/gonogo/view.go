package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"os/user"
	"syscall"

	"github.com/urfave/cli/v2"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/report/viewer"
	"gonogo/sampler/rollout"
)

func viewCommand() *cli.Command {
	return &cli.Command{
		Name:      "view",
		Usage:     "read, search and label the rollouts of a run in a browser",
		ArgsUsage: "RUN [RUN2]",
		Description: `Serves a page over a run directory, or over a file of rollouts, until Ctrl-C, and
prints its address: items by mean, σ, gap, outcome and family; an item's rollouts
side by side, at first the best and the worst, with the differences between their
tool calls marked; the whole conversation, with times and tokens; a search in all
of it; and labels (right, wrong, hack, unclear) with a note. With RUN2 each item is
shown in both runs, RUN as the base.

The page is served to this machine only, and needs the token in its address. It
loads nothing from other servers.

The index for searching rollouts is stored in RUN/view.index, which may be deleted
at any time. The run may still be growing. Labels are stored in RUN/labels.jsonl
under --rater's name, where gonogo audit reads them.

--redact hides texts and names: texts of messages, reasoning, arguments, outputs,
answers, references, errors and notes appear as their lengths, and items, tools,
families, categories, parts, models, graders, kinds of errors, files and raters as
numbers. What stays: splits, roles and their order, outcomes, rewards, tokens,
times, lines, and labels. Search and labelling are off.

Examples:
   gonogo view my-run
   gonogo view my-run my-run/variants/careful --port 8080
   gonogo view my-run --redact`,
		Flags: append(append(keyed("reward-range"), settingsFlag()),
			&cli.IntFlag{Name: "port", Usage: "serve on port `N` of this machine (default: one that is free)"},
			&cli.StringFlag{Name: "rater", Usage: "store labels under this `NAME` (default: the logged-in user)"},
			&cli.BoolFlag{Name: "redact", Usage: "show structure, lengths and numbers, no texts and no names"},
		),
		Action: func(c *cli.Context) error {
			server, err := viewerFor(c)
			if err != nil {
				return err
			}
			return errors.Join(serveView(c, server), server.Close())
		},
	}
}

// viewerFor opens the run given on the command line.
func viewerFor(c *cli.Context) (*viewer.Server, error) {
	if port := c.Int("port"); port < 0 || port > 65535 {
		return nil, exit.Usagef("--port is %d: ports go to 65535", port)
	}
	opt := viewer.Options{Rater: raterName(c), Redact: c.Bool("redact")}
	var runs []*rollout.Run
	var secrets []string
	for i, dir := range c.Args().Slice() {
		run, err := rollout.Open(dir)
		if err != nil {
			return nil, exit.AsUsage(err)
		}
		cfg, err := project.ConfigFor(invocationOf(c), run.Manifest)
		if err != nil {
			return nil, err
		}
		opt.Floors[i] = cfg.Settings().RewardRange.Lo
		secrets = append(secrets, cfg.Secrets()...)
		runs = append(runs, run)
	}
	opt.Mask = rollout.NewRedactor(secrets...).Labels
	if len(runs) > 1 {
		opt.Other = runs[1]
	}
	return viewer.New(runs[0], opt), nil
}

// raterName returns the name of the person who labels: --rater, else the login name.
func raterName(c *cli.Context) string {
	if name := c.String("rater"); name != "" {
		return name
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return os.Getenv("USER")
}

// serveView serves until Ctrl-C, which shuts it down cleanly.
func serveView(c *cli.Context, server *viewer.Server) error {
	ln, err := viewer.Listen(c.Int("port"))
	if err != nil {
		return exit.Usagef("serve the page: %v: name another --port, or none", err)
	}
	ctx, stop := signal.NotifyContext(c.Context, os.Interrupt, syscall.SIGTERM)
	defer stop()
	fmt.Fprintln(c.App.Writer, server.URL(ln))
	fmt.Fprintln(c.App.ErrWriter, "Press Ctrl-C to stop serving the page.")
	return server.Serve(ctx, ln)
}
