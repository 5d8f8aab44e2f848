package main

import (
	"bytes"
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

	"gonogo/fixtures"
	"gonogo/sampler"
	"gonogo/sampler/grader"
	"gonogo/sampler/job"
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
		err = joinConfigErrors([]error{p.cfg.completeGrading(), p.cfg.takeJudgeKey()})
	}
	if err != nil {
		return nil, asUsage(c.byFlag(err))
	}
	file := c.Grader
	if err := trust(c, run, p.shown, reach{grader: file == "", detectors: c.Command == "audit"}); err != nil {
		return nil, err
	}
	if file != "" {
		p.cfg.beside = filepath.Dir(file)
	}
	p.openBudget()
	p.redact = rollout.NewRedactor(p.cfg.secrets()...)
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
		return nil, asUsage(c.byFlag(errors.New(p.redact.String(err.Error()))))
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
		return "", usagef("there is no %s here: gonogo init writes one, or name yours with --config", usual)
	}
	return usual, nil
}

// gradingConfig is the configuration of a command that grades what run holds:
// the one that the command line names, else gonogo.yaml, else the one that the
// run was made with. --grader puts its grader into the job. shown is what the
// manifest of a run made so keeps.
func gradingConfig(c *call, run *rollout.Run, own bool) (cfg, shown *config, err error) {
	set := c.overrides
	load := func(more ...string) (*config, error) { return inherited(run, slices.Concat(set, more)...) }
	path, missing := configPath(c)
	kept := (own || missing != nil) && run.Manifest != nil && len(run.Manifest.Config) > 0
	if !kept {
		load = func(more ...string) (*config, error) {
			return peekConfig(path, os.LookupEnv, slices.Concat(set, more)...)
		}
	}
	file := c.Grader
	if missing != nil && !kept && file == "" {
		return nil, nil, fmt.Errorf("%w; --grader names a grader by itself", missing)
	}
	if shown, err = load(); err == nil && file != "" {
		var own json.RawMessage
		if own, err = graderBody(file, shown); err == nil {
			shown, err = load(withJob(own, shown)...)
		}
	}
	if err != nil || !kept || shown.Body == nil {
		return shown, shown, err
	}
	// The manifest keeps no secrets, and the job's tools may want some.
	cfg, err = load(withJob(onlyGrader(shown.Body.Grader), shown)...)
	return cfg, shown, err
}

// withJob sets the job of c, whose grader is the one that grades.
func withJob(body json.RawMessage, c *config) []string {
	set := []string{"job=" + string(body)}
	if c.hasGrader() {
		set = append(set, "grader="+string(graderOf(body)))
	}
	return set
}

// inherited reads the configuration that the run was made with. What its
// grader said of rewards is left to the grader, which may be another now.
func inherited(run *rollout.Run, overrides ...string) (*config, error) {
	c, err := decodeConfig(rollout.ManifestFile, ".", run.Manifest.Config, os.LookupEnv)
	if err != nil {
		return nil, err
	}
	was, err := configOf(rollout.ManifestFile, run.Manifest.Config)
	if err != nil {
		return nil, err
	}
	if lo, hi, ok := rangeOf(was); ok && was.RewardRange != nil && *was.RewardRange == [2]float64{lo, hi} {
		c.written.RewardRange = nil
	}
	if was.Body != nil && was.PassThreshold != nil {
		if x, ok := was.Body.PassThreshold(); ok && x == *was.PassThreshold {
			c.written.PassThreshold = nil
		}
	}
	c.carried = true
	c.written.Audit.Labels = "" // the run has them
	if c.written.World != "" {  // which is served anew, not where the run says that it was
		delete(c.written.Sampling.AddressMap, fixtures.Origin)
	}
	s := &c.written.Sampling // whose bounds were another call's
	s.MaxRollouts, s.MaxTokens, s.MaxUSD, s.Deadline = 0, 0, 0, ""
	if err := c.override(overrides); err != nil {
		return nil, err
	}
	return c, c.resolve()
}

// rangeOf is the reward range that a configuration has when it says nothing of
// it.
func rangeOf(c *config) (lo, hi float64, ok bool) {
	if c.Body == nil {
		return 0, 1, true
	}
	if lo, hi, ok = c.Body.RewardRange(); ok {
		return lo, hi, true
	}
	return 0, 1, true
}

// graderBody reads a file that holds a grader or a job. A grader takes the
// place of the one in the configuration's job.
func graderBody(file string, cfg *config) (json.RawMessage, error) {
	text, err := readBounded(file)
	if err != nil {
		return nil, fmt.Errorf("read the grader: %w", err)
	}
	node, err := parseYAML(file, text)
	if err != nil {
		return nil, err
	}
	if node.kind != yamlMap {
		return nil, fmt.Errorf("%s:%d:%d: a grader or a job is a map of keys, this is %s", file, max(1, node.line), max(1, node.column), node.kind)
	}
	var b bytes.Buffer
	node.json(&b)
	switch {
	case node.get("type") == nil && node.get("grader") == nil && node.get("method") == nil && node.get("reinforcement") == nil:
		return nil, fmt.Errorf("%s: this is neither a grader, which has a type, nor a job, which has a grader", file)
	case node.get("grader") != nil, node.get("method") != nil, node.get("reinforcement") != nil:
		parsed, err := job.Parse(file, b.Bytes())
		if err != nil {
			return nil, err
		}
		whole, err := grader.Inline(grader.Kinds(), parsed.Grader, filepath.Dir(file))
		return withGrader(parsed.Raw, whole), err
	}
	whole, err := grader.Inline(grader.Kinds(), b.Bytes(), filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	if cfg.Body != nil {
		return withGrader(cfg.Body.Raw, whole), nil
	}
	return onlyGrader(whole), nil
}

func onlyGrader(raw json.RawMessage) json.RawMessage {
	return marshal(map[string]json.RawMessage{"grader": raw})
}

// withGrader puts a grader into the body of a job.
func withGrader(body, to json.RawMessage) json.RawMessage {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(body, &keys); err != nil {
		return onlyGrader(to)
	}
	if _, ok := keys["grader"]; ok {
		keys["grader"] = to
	}
	for _, inner := range []string{"method", "reinforcement"} {
		if raw, ok := keys[inner]; ok {
			keys[inner] = withGrader(raw, to)
		}
	}
	return marshal(keys)
}

// heir is the manifest of a run with this project's grades of another's
// rollouts. It is bound to what the other is bound to, but for the grader.
func (p *project) heir(run *rollout.Run) rollout.Manifest {
	binding := make(map[string]string)
	if run.Manifest != nil {
		maps.Copy(binding, run.Manifest.Binding)
	}
	now := p.shown.binding()
	for _, key := range []string{"job", "grader", "judge.base_url", "judge.api", "sampling.sample_tools"} {
		if value, ok := now[key]; ok {
			binding[key] = value
		} else {
			delete(binding, key)
		}
	}
	info := p.graderInfo()
	m := run.Heir(&info, binding)
	m.ToolVersion, m.Config, m.Choices = version(), p.shown.masked(), p.heirChoices(m.Choices)
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
	defer show.close()
	ctx, drain, release := interruptible(ctx, show, what)
	defer release()
	defer p.heed()
	cfg.Log = p.log
	stats, err := sampler.Regrade(ctx, drain, cfg, tasks(ctx), total, g, &watchful{to: to, say: show}, show.watch)
	show.ended(stats)
	tellLeftOpen(c.Err, stats)
	return stats, err
}

// graderInfo tells about the grader in a manifest.
func (p *project) graderInfo() rollout.GraderInfo {
	info := grader.Info(p.cfg.Body.Grader, p.bounds.Grader)
	info.Core = p.cfg.Audit.Core
	return info
}
