package project

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/input/document"
	"gonogo/sampler/input/job"
	"gonogo/sampler/rollout"
)

// ForGrading returns a project that can only grade a run's rollouts. ignoreLocal ignores the
// gonogo.yaml in the current directory.
func ForGrading(ctx context.Context, c *Invocation, run *rollout.Run, ignoreLocal bool) (*Project, error) {
	p := NewUnwired(nil)
	if run.Manifest != nil {
		p.Inputs.Seed = run.Manifest.Seed
	}
	var err error
	if p.Config, p.GraderConfig, err = gradingConfig(c, run, ignoreLocal); err == nil {
		err = document.SortErrors([]error{p.Config.CompleteGrading(), p.Config.TakeJudgeKey()})
	}
	if err != nil {
		return nil, exit.AsUsage(c.ByFlag(err))
	}
	file := c.Grader
	if err := Trust(c, run, p.GraderConfig,
		config.Scope{Grader: file == "", Detectors: c.Command == "audit"}); err != nil {
		return nil, err
	}
	if file != "" {
		p.Config.GraderDir = filepath.Dir(file)
	}
	if !p.Config.FromRun {
		if err := p.joinRows(ctx, run, c.Err); err != nil {
			return nil, exit.AsUsage(err)
		}
	}
	p.Inputs.Items = run.Items
	p.Spending.openBudget()
	p.Redact = rollout.NewRedactor(p.Config.Secrets()...)
	if err = RestartWorld(ctx, p, c.Err); err != nil {
		return nil, err
	}
	if err = p.WireGrader(); err == nil && c.Command == "audit" {
		p.wireToolsOfAudit(ctx)
	}
	if err == nil && p.GradesInSession() && p.Session.Sessions == nil {
		err = p.Session.WireSession()
	}
	if err != nil && c.Grader != "" {
		err = fmt.Errorf("%s: %w", c.Grader, err)
	}
	if err == nil {
		err = requireRows(p, c, run)
	}
	if err == nil {
		dropMissingCore(p, c)
		err = p.Audit.prepareAudit()
	}
	if err != nil {
		p.Close()
		return nil, exit.AsUsage(c.ByFlag(errors.New(p.Redact.String(err.Error()))))
	}
	return p, nil
}

// wireToolsOfAudit wires the tools that policies of an audit call. A configuration that comes with
// the run calls none, and tools that cannot be wired are left out: the rest of an audit needs none.
func (p *Project) wireToolsOfAudit(ctx context.Context) {
	if p.Config.FromRun || p.Config.Agent.Used() || p.Config.Queue.Remote() {
		return
	}
	p.MCP.Tolerant = true
	err := p.MCP.StartMCP(ctx)
	if err == nil {
		err = p.WireTools()
	}
	if err != nil {
		p.Warnings = append(p.Warnings, "policies for tools are not run: "+p.Redact.String(err.Error()))
		p.Bounds.Tools = map[string]sampler.Tool{}
	}
}

// requireRows refuses a grader that reads rows if the run holds none, as after an import of plain
// lines, and warns if the grader may read them.
func requireRows(p *Project, c *Invocation, run *rollout.Run) error {
	if slices.ContainsFunc(run.Items, func(it rollout.Item) bool { return len(it.Row) > 0 }) {
		return nil
	}
	what := run.Dir + " holds no rows of its items"
	give := fmt.Sprintf(
		`give them in %s, a line for each item, such as {"id":"q1","split":"train","row":{"reference_answer":"4"}}`,
		filepath.Join(run.Dir, rollout.ItemsFile))
	checker, ok := p.Bounds.Grader.(grader.Checker)
	if !ok {
		fmt.Fprintf(c.Err, "note: %s. If the grader reads any, %s.\n", what, give)
		return nil
	}
	if err := checker.CheckItem(&rollout.Item{}); err != nil {
		return fmt.Errorf("%s, and the grader reads them (%w): %s", what, err, give)
	}
	return nil
}

// dropMissingCore removes a core that is not a part of the other grader.
func dropMissingCore(p *Project, c *Invocation) {
	core := p.Config.Audit.Core
	if c.Grader == "" || core == "" || slices.Contains(p.GraderInfo().Parts, core) {
		return
	}
	p.Config.Audit.Core, p.GraderConfig.Audit.Core = "", ""
	p.Warnings = append(p.Warnings, fmt.Sprintf("this grader has no part %q, which audit.core names: it is treated "+
		"as having no core", core))
}

// usualFile is the configuration that commands use by default.
const usualFile = "gonogo.yaml"

// ConfigPath returns the configuration file given on the command line, else the one in the current
// directory.
func ConfigPath(c *Invocation) (string, error) {
	if path := c.Config; path != "" {
		return path, nil
	}
	if _, err := os.Stat(usualFile); err != nil {
		return "", exit.Usagef("there is no %s here: gonogo init writes one, or name yours with --config", usualFile)
	}
	return usualFile, nil
}

// source determines where the configuration of a command on a run comes from: the file given on the
// command line, else gonogo.yaml, else (kept) the one stored in the run. ignoreLocal ignores the
// gonogo.yaml in the current directory. missing says that there is no file; if nothing is stored
// either, load reads the defaults.
func (c *Invocation) source(run *rollout.Run,
	ignoreLocal bool,
) (load func(more ...string) (*config.Config, error), kept bool, missing error) {
	path, missing := ConfigPath(c)
	kept = (ignoreLocal || missing != nil) && run != nil && run.Manifest != nil && len(run.Manifest.Config) > 0
	return func(more ...string) (*config.Config, error) {
		set := slices.Concat(c.Overrides, more)
		if kept {
			return config.Inherited(run, set...)
		}
		return config.Peek(path, os.LookupEnv, set...)
	}, kept, missing
}

// ConfigOfRun returns the configuration, from its source, of a command that works on a run in dir,
// which may not exist yet. A run's own configuration stores no secrets, so a job that needs some
// must be given.
func ConfigOfRun(c *Invocation, dir string, run *rollout.Run, scope config.Scope) (*config.Config, error) {
	load, kept, missing := c.source(run, false)
	switch {
	case missing != nil && run == nil:
		return nil, fmt.Errorf("there is no run %s, and %w", dir, missing)
	case missing != nil && !kept:
		return nil, missing
	}
	cfg, err := load()
	if err == nil && kept && cfg.LacksSecrets() {
		err = fmt.Errorf("%s stores no secrets, but its endpoints need some: name the configuration with --config",
			run.Dir)
	}
	if err == nil {
		err = Trust(c, run, cfg, scope)
	}
	return cfg, err
}

// gradingConfig returns the configuration of a command that grades the outputs of a run. --grader
// puts its grader into the job. shown is the configuration that the manifest of the new run stores.
func gradingConfig(c *Invocation, run *rollout.Run, ignoreLocal bool) (cfg, shown *config.Config, err error) {
	load, kept, missing := c.source(run, ignoreLocal)
	file := c.Grader
	if missing != nil && !kept && file == "" {
		return nil, nil, fmt.Errorf("%w; --grader names a grader without a configuration", missing)
	}
	if shown, err = load(); err == nil && file != "" {
		var body *job.Job
		if body, err = config.GraderBody(file, shown); err == nil {
			shown, err = load(config.WithJob(body, shown)...)
		}
	}
	if err != nil || !kept || shown.Body == nil {
		return shown, shown, err
	}
	// The manifest stores no secrets, and the job's tools may need some.
	cfg, err = load(config.WithJob(shown.Body.GraderAlone(), shown)...)
	if err == nil && cfg.LacksSecrets() {
		err = exit.Usagef("%s holds the secrets of its grader masked: name the configuration that has them with "+
			"--config", filepath.Join(run.Dir, rollout.ManifestFile))
	}
	return cfg, shown, err
}

// RegradeManifest returns the manifest of a run with this project's grades of another run's
// rollouts. Its binding is the other run's, except for the grader.
func (p *Project) RegradeManifest(c *Invocation, run *rollout.Run) rollout.Manifest {
	binding := make(map[string]string)
	if run.Manifest != nil {
		maps.Copy(binding, run.Manifest.Binding)
	}
	now := p.GraderConfig.Binding()
	for _, key := range []string{"job", "grader", "judge.base_url", "judge.api", "sampling.sample_tools"} {
		if value, ok := now[key]; ok {
			binding[key] = value
		} else {
			delete(binding, key)
		}
	}
	info := p.GraderInfo()
	m := run.RegradeManifest(&info, binding)
	m.ToolVersion, m.Config, m.Choices = Version(), p.GraderConfig.Masked(), inheritedChoices(p, m.Choices)
	m.Notes = append(m.Notes, p.Warnings...)
	m.ConfigFile, m.GraderFile = c.ConfigFile(), c.Grader
	return m
}

// inheritedChoices returns the choices of another run, with those of its grader replaced by those
// of this one.
func inheritedChoices(p *Project, was map[string]string) map[string]string {
	out := grader.Choices(p.Bounds.Grader)
	if out == nil {
		out = make(map[string]string)
	}
	now := choicesOf(p)
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

// GraderInfo describes the grader for a manifest.
func (p *Project) GraderInfo() rollout.GraderInfo {
	info := grader.Info(p.Config.Body.Grader, p.Bounds.Grader)
	info.Core = p.Config.Audit.Core
	return info
}

// ForAudit returns a project that can audit the grader of the run in dir. The run is nil if it does
// not exist yet. replay says that a payload of the run is graded again.
func ForAudit(ctx context.Context, c *Invocation, dir string, replay bool) (*Project, *rollout.Run, error) {
	if info, err := os.Stat(dir); err == nil {
		if !info.IsDir() {
			return nil, nil, exit.Usagef("%s is a file: an audit needs a run directory to write to; gonogo import "+
				"makes one", dir)
		}
		run, err := rollout.Open(dir)
		if err != nil {
			return nil, nil, exit.AsUsage(err)
		}
		p, err := ofRun(ctx, c, run, replay)
		return p, run, err
	}
	switch {
	case replay:
		return nil, nil, exit.Usagef("there is no run %s, and so no payload of it", dir)
	case c.Grader != "":
		return nil, nil, exit.Usagef("there is no run %s: an audit of another grader needs one; gonogo sample or "+
			"gonogo import makes it", dir)
	}
	cfg, err := ConfigOfRun(c, dir, nil, config.Scope{})
	if err == nil {
		err = document.SortErrors([]error{cfg.Complete(), cfg.TakeJudgeKey()})
	}
	if err != nil {
		return nil, nil, exit.AsUsage(c.ByFlag(err))
	}
	if cfg.Seed == nil {
		seed := freshSeed
		cfg.Seed = &seed
	}
	p := NewUnwired(cfg)
	p.Audit.fresh = true
	p, err = Wire(ctx, p)
	return p, nil, err
}

// freshSeed is the seed of an audit without a run, so that it draws the same items each time.
const freshSeed uint64 = 1

// ofRun returns a project with the grader that graded the run. If no grader or configuration is
// given and the gonogo.yaml in the current directory has another grader, it uses the run's own
// configuration.
func ofRun(ctx context.Context, c *Invocation, run *rollout.Run, replay bool) (*Project, error) {
	p, err := ForGrading(ctx, c, run, false)
	if err != nil {
		return nil, err
	}
	other := p.SameGrader(c, run)
	if other == nil || replay && c.Grader != "" { // a replay tries a given grader on one payload
		return p, nil
	}
	p.Close()
	if c.Config != "" || c.Grader != "" || p.ChangedGrader(run) && !replay {
		return nil, other
	}
	if p, err = ForGrading(ctx, c, run, true); err != nil {
		return nil, err
	}
	if other = p.SameGrader(c, run); other != nil {
		p.Close()
		return nil, other
	}
	return p, nil
}

// ChangedGrader reports whether the run's grader has changed since: the same kind and name with a
// different definition or different files. A grader of another kind or name is unrelated.
func (p *Project) ChangedGrader(run *rollout.Run) bool {
	if run.Manifest == nil || run.Manifest.Grader == nil {
		return false
	}
	was, is := run.Manifest.Grader, p.GraderInfo()
	return was.Kind == is.Kind && was.Name == is.Name && was.Hash != is.Hash
}

// SameGrader refuses to mix the grades of two graders in one run.
func (p *Project) SameGrader(c *Invocation, run *rollout.Run) error {
	if run.Manifest == nil || run.Manifest.Grader == nil || run.Manifest.Grader.Hash == p.GraderInfo().Hash {
		return nil
	}
	dir, to, with := message.Shell(run.Dir),
		message.Shell(message.Place{Dir: run.Dir}.At([]string{message.NextRun})...), ConfigFlags(p, c)
	return exit.Usagef("%s was graded by another grader: gonogo grade %s%s -o %s grades its answers by this one, "+
		"without a new rollout, and gonogo audit %s%s audits that", run.Dir, dir, with, to, to, with)
}

// BeginRun creates a run directory without rollouts.
func (p *Project) BeginRun(dir string) error {
	w, err := rollout.Create(dir, p.Manifest(dir), p.Inputs.Items, rollout.WriterOptions{Redact: p.Redact})
	if err != nil {
		return exit.AsUsage(err)
	}
	return w.Close()
}
