package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/rollout"
)

func auditCommand() *cli.Command {
	return &cli.Command{
		Name:      "audit",
		Usage:     "put probes to the grader: can it be fooled, does it know a right answer, does it repeat itself",
		ArgsUsage: "RUN",
		Description: `Takes a sample of the run's items and hands their grader answers whose right
grade is known: worthless and wrong ones, the reference in other words, recorded
answers made longer or politer, and recorded answers once more. Writes
probes.jsonl into RUN, where analyze and report find it; the rollouts stay as
they are. Where RUN is not there yet it is begun from the configuration, so that
a grader can be audited before anything is sampled. gonogo run does all this by
itself. Settings come from -c, else from gonogo.yaml, else from the
configuration that RUN was made with, which is acted on with --trust-run only:
what it would run and send is listed first. The exit code is that of the gates
about the grader.

Every hole has an ID: --replay ID grades that very payload once more and shows
it whole. gonogo help probes lists the probes.

Example:
   gonogo audit my-run --items 40
   gonogo audit my-run --replay reference/train/q-17/0`,
		Flags: append(graderFlags(),
			&cli.StringFlag{Name: "items", Usage: "make probes of `M` items (key audit.items)"},
			&cli.StringFlag{Name: "max-gradings", Usage: "`N` gradings at most (key audit.max_gradings)"},
			&cli.StringFlag{Name: "labels", Usage: "compare with the scores by people in `FILE`, CSV or JSONL (key audit.labels)"},
			&cli.StringFlag{Name: "replay", Usage: "grade the payload `ID` once more and show it"},
			langFlag(),
			&cli.BoolFlag{Name: "json", Usage: "print what was found as JSON"},
		),
		Action: func(c *cli.Context) error {
			dir, err := oneRun(c)
			if err != nil {
				return err
			}
			p, run, err := auditedProject(c.Context, callOf(c), dir)
			if err != nil {
				return err
			}
			defer p.shut()
			if id := c.String("replay"); id != "" {
				return p.replay(c.Context, callOf(c), run, id)
			}
			if err := p.readyToAudit(c.Context, callOf(c)); err != nil {
				return err
			}
			if run == nil {
				if err := p.beginRun(dir); err != nil {
					return err
				}
				fmt.Fprintf(c.App.ErrWriter, "There was no run %s: it is begun, without rollouts, from the configuration %s.\n", ui.Visible(dir), ui.Visible(p.cfg.File))
			}
			if run, err = p.audit(c.Context, callOf(c), dir); err != nil {
				return err
			}
			return p.auditFound(c.Context, callOf(c), run)
		},
	}
}

// auditedProject is a project that can audit the grader of the run in dir. The
// run is nil when it is not there yet.
func auditedProject(ctx context.Context, c *call, dir string) (*project, *rollout.Run, error) {
	if info, err := os.Stat(dir); err == nil {
		if !info.IsDir() {
			return nil, nil, exit.Usagef("%s is a file: an audit needs a run directory to write to; gonogo import makes one", dir)
		}
		run, err := rollout.Open(dir)
		if err != nil {
			return nil, nil, exit.AsUsage(err)
		}
		p, err := runsProject(ctx, c, run)
		return p, run, err
	}
	switch {
	case c.Replay != "":
		return nil, nil, exit.Usagef("there is no run %s, and so no payload of it", dir)
	case c.Grader != "":
		return nil, nil, exit.Usagef("there is no run %s: an audit of another grader needs one; gonogo sample or gonogo import makes it", dir)
	}
	path, err := configPath(c)
	if err != nil {
		return nil, nil, fmt.Errorf("there is no run %s, and %w", dir, err)
	}
	cfg, err := config.Peek(path, os.LookupEnv, c.overrides...)
	if err == nil {
		err = config.Join([]error{cfg.Complete(), cfg.TakeJudgeKey()})
	}
	if err != nil {
		return nil, nil, exit.AsUsage(c.byFlag(err))
	}
	p, err := newProject(ctx, cfg)
	return p, nil, err
}

// runsProject is a project with the grader that graded the run. Where nothing
// is named, and the gonogo.yaml that lies here has another grader, it is made
// of the run's own configuration.
func runsProject(ctx context.Context, c *call, run *rollout.Run) (*project, error) {
	p, err := graderProject(ctx, c, run, false)
	if err != nil {
		return nil, err
	}
	other := p.sameGrader(c, run)
	if other == nil || c.Replay != "" && c.Grader != "" { // which tries a grader on one payload
		return p, nil
	}
	p.shut()
	if c.Config != "" || c.Grader != "" || p.changedGrader(run) && c.Replay == "" {
		return nil, other
	}
	if p, err = graderProject(ctx, c, run, true); err != nil {
		return nil, err
	}
	if other = p.sameGrader(c, run); other != nil {
		p.shut()
		return nil, other
	}
	return p, nil
}

// changedGrader reports whether the run's grader was changed since: one of the same
// kind and name, whose definition or files are others. Any other one is no concern of
// the run.
func (p *project) changedGrader(run *rollout.Run) bool {
	if run.Manifest == nil || run.Manifest.Grader == nil {
		return false
	}
	was, is := run.Manifest.Grader, p.graderInfo()
	return was.Kind == is.Kind && was.Name == is.Name && was.Hash != is.Hash
}

// sameGrader refuses to mix the grades of two graders in one run.
func (p *project) sameGrader(c *call, run *rollout.Run) error {
	if run.Manifest == nil || run.Manifest.Grader == nil || run.Manifest.Grader.Hash == p.graderInfo().Hash {
		return nil
	}
	dir, to, with := ui.ShellQuoted(run.Dir), ui.ShellQuoted(strings.TrimRight(run.Dir, "/")+"-2"), p.flagsAgain(c)
	return exit.Usagef("%s was graded by another grader: gonogo grade %s%s -o %s grades its answers by this one, without a new rollout, and gonogo audit %s%s audits that", run.Dir, dir, with, to, to, with)
}

// beginRun makes a run directory without rollouts.
func (p *project) beginRun(dir string) error {
	w, err := rollout.Create(dir, p.manifest(dir), p.items, rollout.WriterOptions{Redact: p.redact})
	if err != nil {
		return exit.AsUsage(err)
	}
	return w.Close()
}
