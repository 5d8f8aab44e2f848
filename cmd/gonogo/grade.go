package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"gonogo/sampler"
	"gonogo/sampler/grader"
	"gonogo/sampler/rollout"
)

func gradeCommand() *cli.Command {
	return &cli.Command{
		Name:      "grade",
		Usage:     "grade the recorded rollouts of a run again, without sampling",
		ArgsUsage: "RUN",
		Description: `Hands every recorded output of RUN to a grader and writes the rollouts with their
new rewards to a new run directory; RUN stays as it is. The former grades stay
in each record under "earlier". The grader is that of the configuration's job,
or the one in --grader: a grader or a job, JSON or YAML. Ctrl-C lets the
gradings in flight finish; run it again to go on. Rollouts without an answer
are taken over as they are.

Example:
   gonogo grade my-run --grader stricter.json -o my-run-stricter
   gonogo analyze my-run-stricter`,
		Flags: append(graderFlags(),
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "the new run directory (default RUN-graded)"},
			&cli.IntFlag{Name: "times", Value: 1, Usage: "grade each output `R` times: what differs is the grader's noise"},
			&cli.StringFlag{Name: "max-rollouts", Usage: "stop this call after `N` outputs (key sampling.max_rollouts)"},
		),
		Action: func(c *cli.Context) error {
			dir, err := oneRun(c)
			if err != nil {
				return err
			}
			if c.Int("times") < 1 {
				return usagef("--times %d: an output is graded once at least", c.Int("times"))
			}
			old, err := rollout.Open(dir)
			if err != nil {
				return asUsage(err)
			}
			p, err := graderProject(c, old)
			if err != nil {
				return err
			}
			defer p.shut()
			return p.gradeAgain(c, old, cmp.Or(c.String("output"), filepath.Clean(dir)+"-graded"))
		},
	}
}

// graderFlags are the flags of commands that grade what is recorded.
func graderFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "config", Aliases: []string{"c"}, Usage: "read the configuration `FILE` (default gonogo.yaml, where there is one)"},
		&cli.StringSliceFlag{Name: "set", Usage: "`KEY=VALUE` sets a key of the configuration; may be repeated"},
		&cli.StringFlag{Name: "grader", Usage: "grade with the grader in `FILE`"},
		&cli.StringFlag{Name: "concurrency", Usage: "at most `N` gradings at one time (key sampling.concurrency)"},
	}
}

// graderProject is a project that can grade what a run holds, and no more.
func graderProject(c *cli.Context, run *rollout.Run) (*project, error) {
	cfg, err := gradingConfig(c)
	if err == nil {
		err = joinConfigErrors([]error{cfg.completeGrading(), cfg.takeJudgeKey()})
	}
	if err != nil {
		return nil, asUsage(byFlag(c, err))
	}
	p := &project{cfg: cfg, redact: rollout.NewRedactor(cfg.secrets()...), items: run.Items}
	if run.Manifest != nil {
		p.seed = run.Manifest.Seed
	}
	if err := p.wireGrader(); err != nil {
		p.shut()
		return nil, asUsage(errors.New(p.redact.String(err.Error())))
	}
	return p, nil
}

// gradingConfig is the configuration that the command line names, with the
// grader of --grader in its job.
func gradingConfig(c *cli.Context) (*config, error) {
	path := c.String("config")
	if path == "" {
		if _, err := os.Stat("gonogo.yaml"); err == nil {
			path = "gonogo.yaml"
		}
	}
	set := overrides(c)
	if file := c.String("grader"); file != "" {
		body, err := graderBody(file)
		if err != nil {
			return nil, err
		}
		set = append(set, "job="+string(body))
	} else if path == "" {
		return nil, errors.New("there is no gonogo.yaml here: name a grader with --grader, or a configuration with --config")
	}
	return peekConfig(path, os.LookupEnv, set...)
}

// graderBody reads a file that holds a grader or a job, and makes a job of it.
func graderBody(file string) (json.RawMessage, error) {
	text, err := readBounded(file)
	if err != nil {
		return nil, fmt.Errorf("read the grader: %w", err)
	}
	node, err := parseYAML(file, text)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	node.json(&b)
	if node.kind == yamlMap && node.get("type") != nil && node.get("reinforcement") == nil {
		return slices.Concat([]byte(`{"grader":`), b.Bytes(), []byte("}")), nil
	}
	return b.Bytes(), nil
}

// gradeAgain grades what run holds into a run directory of its own.
func (p *project) gradeAgain(c *cli.Context, run *rollout.Run, dir string) error {
	if same(run.Dir, dir) {
		return usagef("%s is the run itself: name another directory with --output, so that its grades stay", dir)
	}
	if err := p.readyToGrade(c); err != nil {
		return err
	}
	info := p.graderInfo()
	writer, err := rollout.Create(dir, run.Heir(&info, p.heirBinding(run)), run.Items, rollout.WriterOptions{Redact: p.redact})
	if err != nil {
		return asUsage(err)
	}
	former, err := rollout.TakeOver(c.Context, run, rollout.ReadOptions{}, dir, writer)
	if err != nil {
		return asUsage(errors.Join(err, writer.Close()))
	}
	changed := &changes{to: writer}
	stats, err := p.regrade(c, run, former, changed)
	closed := writer.Close()
	fmt.Fprintf(c.App.ErrWriter, "Graded %d of %d outputs again: %d rewards changed, %d gradings failed. %d rollouts without an output were taken over.\n",
		stats.Recorded, former.Left, changed.n, stats.Outcomes[rollout.GraderFailed], former.Copied)
	if former.Mute > 0 {
		fmt.Fprintf(c.App.ErrWriter, "warning: %d rollouts had a grade and no recorded output: they have none here\n", former.Mute)
	}
	if err := unlessLost(p.ended(c, dir, stats, err), closed); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.App.Writer, "%s\n", dir)
	return err
}

// same reports whether two paths lead to one directory.
func same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// heirBinding is what the new run directory is bound to: what the old one was,
// but for the grader.
func (p *project) heirBinding(run *rollout.Run) map[string]string {
	binding := make(map[string]string)
	if run.Manifest != nil {
		maps.Copy(binding, run.Manifest.Binding)
	}
	now := p.cfg.binding()
	for _, key := range []string{"job", "judge.base_url", "judge.api", "sampling.sample_tools"} {
		binding[key] = now[key]
	}
	return binding
}

// changes counts the rewards that another grader changed.
type changes struct {
	to sampler.Sink
	n  int
}

// Append hands a graded record on.
func (c *changes) Append(rec *rollout.Record) error {
	if n := len(rec.Earlier); n > 0 && rec.Reward != nil {
		if was := rec.Earlier[n-1].Reward; was == nil || *was != *rec.Reward {
			c.n++
		}
	}
	return c.to.Append(rec)
}

// regrade grades what is left of a former run.
func (p *project) regrade(c *cli.Context, run *rollout.Run, former *rollout.Former, to sampler.Sink) (sampler.Stats, error) {
	if former.Left == 0 {
		fmt.Fprintln(c.App.ErrWriter, "All outputs are graded already.")
		return sampler.Stats{}, nil
	}
	items := make(map[rollout.Key]*rollout.Item, len(run.Items))
	for i := range run.Items {
		it := &run.Items[i]
		items[rollout.Key{Split: it.Split, Item: it.ID}] = it
	}
	return p.grading(c, "outputs", former.Left, to, func(ctx context.Context) iter.Seq2[sampler.Task, error] {
		return func(yield func(sampler.Task, error) bool) {
			for rec, err := range former.Records(ctx) {
				task := sampler.Task{Record: rec, Times: c.Int("times")}
				if err == nil {
					task.Item = items[rollout.Key{Split: rec.Split, Item: rec.Item}]
				}
				if !yield(task, err) {
					return
				}
			}
		}
	}, p.bounds.Grader)
}

// grading hands tasks to a grader under progress and signals.
func (p *project) grading(c *cli.Context, what string, total int, to sampler.Sink, tasks func(context.Context) iter.Seq2[sampler.Task, error], g sampler.Grader) (sampler.Stats, error) {
	show := newProgress(c.App.ErrWriter, what, total)
	defer show.close()
	ctx, drain, release := interruptible(c.Context, show)
	defer release()
	return sampler.Regrade(ctx, drain, p.sampling(), tasks(ctx), total, g, to, show.watch)
}

// graderInfo tells about the grader in a manifest.
func (p *project) graderInfo() rollout.GraderInfo {
	info := grader.Info(p.cfg.Body.Grader, p.bounds.Grader)
	info.Core = p.cfg.Audit.Core
	return info
}

// reachable stops where an endpoint does not answer.
func (p *project) reachable(ctx context.Context, endpoints []endpoint) error {
	for _, e := range endpoints {
		if err := sampler.Reach(ctx, e.url); err != nil {
			return asUsage(fmt.Errorf("%s: %s", e.name, p.redact.String(err.Error())))
		}
	}
	return nil
}
