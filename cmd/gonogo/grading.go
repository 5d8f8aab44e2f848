package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/grader"
	"gonogo/sampler/rollout"
)

// graderFlags are the flags of commands that grade what is recorded.
func graderFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "config", Aliases: []string{"c"}, Usage: "read the configuration `FILE` (default gonogo.yaml, where there is one)"},
		trustFlag(),
		&cli.StringSliceFlag{Name: "set", Usage: "`KEY=VALUE` sets a key of the configuration; may be repeated"},
		&cli.StringFlag{Name: "grader", Usage: "grade with the grader in `FILE`"},
		&cli.StringFlag{Name: "concurrency", Usage: "at most `N` gradings, and requests to each endpoint, in flight (key sampling.concurrency)"},
		logFormatFlag(),
	}, spendingFlags()...)
}

// graderProject is a project that can grade what a run holds, and no more. own
// passes over the gonogo.yaml that lies here.
func graderProject(ctx context.Context, c *call, run *rollout.Run, own bool) (*project, error) {
	p := &project{items: run.Items}
	if run.Manifest != nil {
		p.seed = run.Manifest.Seed
	}
	var err error
	if p.cfg, p.shown, err = gradingConfig(c, run, own); err == nil {
		err = config.Join([]error{p.cfg.CompleteGrading(), p.cfg.TakeJudgeKey()})
	}
	if err != nil {
		return nil, exit.AsUsage(c.byFlag(err))
	}
	file := c.Grader
	if err := trust(c, run, p.shown, config.Reach{Grader: file == "", Detectors: c.Command == "audit"}); err != nil {
		return nil, err
	}
	if file != "" {
		p.cfg.GraderDir = filepath.Dir(file)
	}
	p.openBudget()
	p.redact = rollout.NewRedactor(p.cfg.Secrets()...)
	if err = p.serveWorld(ctx, c.Err); err != nil {
		return nil, err
	}
	if err = p.wireGrader(); err == nil && len(grader.SessionReads(p.bounds.Grader)) > 0 {
		err = p.wireSession()
	}
	if err != nil && c.Grader != "" {
		err = fmt.Errorf("%s: %w", c.Grader, err)
	}
	if err == nil {
		p.leaveCore(c)
		err = p.prepareAudit()
	}
	if err != nil {
		p.shut()
		return nil, exit.AsUsage(c.byFlag(errors.New(p.redact.String(err.Error()))))
	}
	return p, nil
}

// leaveCore lets go of a core that another grader has no part for.
func (p *project) leaveCore(c *call) {
	core := p.cfg.Audit.Core
	if c.Grader == "" || core == "" || slices.Contains(p.graderInfo().Parts, core) {
		return
	}
	p.cfg.Audit.Core, p.shown.Audit.Core = "", ""
	p.warnings = append(p.warnings, fmt.Sprintf("this grader has no part %q, which audit.core names: it is taken to have no core", core))
}

// configPath is the configuration file that the command line names, else the
// one that lies here.
func configPath(c *call) (string, error) {
	if path := c.Config; path != "" {
		return path, nil
	}
	const usual = "gonogo.yaml"
	if _, err := os.Stat(usual); err != nil {
		return "", exit.Usagef("there is no %s here: gonogo init writes one, or name yours with --config", usual)
	}
	return usual, nil
}

// gradingConfig is the configuration of a command that grades what run holds:
// the one that the command line names, else gonogo.yaml, else the one that the
// run was made with. --grader puts its grader into the job. shown is what the
// manifest of a run made so keeps.
func gradingConfig(c *call, run *rollout.Run, own bool) (cfg, shown *config.Config, err error) {
	set := c.overrides
	load := func(more ...string) (*config.Config, error) {
		return config.Inherited(run, slices.Concat(set, more)...)
	}
	path, missing := configPath(c)
	kept := (own || missing != nil) && run.Manifest != nil && len(run.Manifest.Config) > 0
	if !kept {
		load = func(more ...string) (*config.Config, error) {
			return config.Peek(path, os.LookupEnv, slices.Concat(set, more)...)
		}
	}
	file := c.Grader
	if missing != nil && !kept && file == "" {
		return nil, nil, fmt.Errorf("%w; --grader names a grader by itself", missing)
	}
	if shown, err = load(); err == nil && file != "" {
		var own json.RawMessage
		if own, err = config.GraderBody(file, shown); err == nil {
			shown, err = load(config.WithJob(own, shown)...)
		}
	}
	if err != nil || !kept || shown.Body == nil {
		return shown, shown, err
	}
	// The manifest keeps no secrets, and the job's tools may want some.
	cfg, err = load(config.WithJob(config.OnlyGrader(shown.Body.Grader), shown)...)
	return cfg, shown, err
}

// heir is the manifest of a run with this project's grades of another's
// rollouts. It is bound to what the other is bound to, but for the grader.
func (p *project) heir(run *rollout.Run) rollout.Manifest {
	binding := make(map[string]string)
	if run.Manifest != nil {
		maps.Copy(binding, run.Manifest.Binding)
	}
	now := p.shown.Binding()
	for _, key := range []string{"job", "grader", "judge.base_url", "judge.api", "sampling.sample_tools"} {
		if value, ok := now[key]; ok {
			binding[key] = value
		} else {
			delete(binding, key)
		}
	}
	info := p.graderInfo()
	m := run.Heir(&info, binding)
	m.ToolVersion, m.Config, m.Choices = version(), p.shown.Masked(), p.heirChoices(m.Choices)
	m.Notes = append(m.Notes, p.warnings...)
	return m
}

// heirChoices are those that another run was made with, but for its grader's,
// in whose place stand this one's.
func (p *project) heirChoices(was map[string]string) map[string]string {
	out := grader.Choices(p.bounds.Grader)
	if out == nil {
		out = make(map[string]string)
	}
	now := p.choices()
	for _, key := range []string{"sample.output_tools", "template values", "pass_threshold"} {
		out[key] = now[key]
	}
	for key, choice := range was {
		kind, _, _ := strings.Cut(key, " ")
		ofGrader := slices.ContainsFunc(grader.Kinds(), func(k grader.Kind) bool { return k.Name == kind })
		if _, taken := out[key]; !taken && !ofGrader {
			out[key] = choice
		}
	}
	return out
}

// grading hands tasks to a grader under progress and signals. uncounted says that
// they are none of the budget's rollouts.
func (p *project) grading(ctx context.Context, c *call, what string, total int, uncounted bool, to sampler.Sink, tasks func(context.Context) iter.Seq2[sampler.Task, error], g sampler.Grader) (sampler.Stats, error) {
	cfg := p.sampling()
	cfg.Cost, cfg.Uncounted = p.gradingCost(), uncounted
	if len(grader.SessionReads(g)) == 0 {
		cfg.Isolation, cfg.Rollouts = nil, p.cfg.Sampling.InFlight
	}
	show := p.progress(c, what, total, cfg)
	defer show.Close()
	ctx, drain, release := ui.Interruptible(ctx, show, what)
	defer release()
	defer p.heed()
	cfg.Log = p.log
	stats, err := sampler.Regrade(ctx, drain, cfg, tasks(ctx), total, g, &watchful{to: to, say: show}, show.Watch)
	show.Ended(stats)
	tellLeftOpen(c.Err, stats)
	return stats, err
}

// graderInfo tells about the grader in a manifest.
func (p *project) graderInfo() rollout.GraderInfo {
	info := grader.Info(p.cfg.Body.Grader, p.bounds.Grader)
	info.Core = p.cfg.Audit.Core
	return info
}
