package main

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"gonogo/sampler"
	"gonogo/sampler/dataset"
	"gonogo/sampler/grader"
	"gonogo/sampler/limit"
	"gonogo/sampler/model"
	"gonogo/sampler/rollout"
	"gonogo/sampler/tool"
)

// project is a configuration with its files read and its endpoints wired: all
// that stands before the first call.
type project struct {
	cfg      *config
	files    []*dataset.File
	items    []rollout.Item // of all splits, after the subset
	problems []rollout.Problem
	warnings []string // what the job's platform may refuse or ignore
	seed     uint64
	bounds   sampler.Boundaries
	redact   *rollout.Redactor
	close    []func()
}

// projectFlags are the flags of every command that begins from a
// configuration.
func projectFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "config", Aliases: []string{"c"}, Value: "gonogo.yaml", Usage: "read the configuration `FILE`"},
		&cli.StringSliceFlag{Name: "set", Usage: "`KEY=VALUE` sets a key of the configuration; may be repeated"},
	}
}

// readProject loads the configuration that the command line names.
func readProject(c *cli.Context) (*project, error) {
	cfg, err := loadConfig(c.String("config"), os.LookupEnv, overrides(c)...)
	if err != nil {
		return nil, asUsage(err)
	}
	return newProject(cfg)
}

// overrides are --set and the flags that stand for one key.
func overrides(c *cli.Context) []string {
	var out []string
	for _, pair := range c.StringSlice("set") {
		name, value, ok := strings.Cut(pair, "=")
		if ok {
			pair = settingKey(strings.TrimSpace(name)) + "=" + value
		}
		out = append(out, pair)
	}
	for _, flag := range []struct{ name, key string }{
		{"samples", "sampling.samples"},
		{"concurrency", "sampling.concurrency"},
		{"items", "items"},
		{"seed", "seed"},
		{"max-rollouts", "sampling.max_rollouts"},
		{"max-tokens", "sampling.max_tokens"},
		{"group-size", "training.group_size"},
	} {
		if c.IsSet(flag.name) {
			out = append(out, flag.key+"="+c.String(flag.name))
		}
	}
	return out
}

func newProject(cfg *config) (*project, error) {
	p := &project{cfg: cfg, redact: rollout.NewRedactor(cfg.secrets()...)}
	p.seed = rand.Uint64()
	if cfg.Seed != nil {
		p.seed = *cfg.Seed
	}
	if err := errors.Join(p.load(), p.wire()); err != nil {
		p.shut()
		return nil, asUsage(errors.New(p.redact.String(err.Error())))
	}
	return p, nil
}

// load reads the data files, checks them against the platform and the job.
func (p *project) load() error {
	target, _ := dataset.TargetNamed(p.cfg.Target)
	opt := p.cfg.datasetOptions()
	var errs []error
	for _, d := range []struct {
		split rollout.Split
		path  string
	}{
		{rollout.Train, p.cfg.Data.Train}, {rollout.Eval, p.cfg.Data.Eval}, {rollout.Production, p.cfg.Data.Production},
	} {
		if d.path == "" {
			continue
		}
		f, err := dataset.Load(d.path, d.split, opt)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		p.files = append(p.files, f)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	p.problems = dataset.Check(p.files, target)
	for _, f := range p.files {
		found, err := dataset.CheckTools(f.Items, p.cfg.Body.ToolNames())
		errs = append(errs, err)
		p.problems = append(p.problems, found...)
	}
	p.subset()
	p.warn()
	return errors.Join(errs...)
}

// subset takes the configured number of items of each split. The draw hangs
// on the seed of the run.
func (p *project) subset() {
	p.items = nil
	for _, f := range p.files {
		p.items = append(p.items, dataset.Subset(f.Items, p.cfg.Items, p.seed)...)
	}
}

func (p *project) warn() {
	for _, key := range p.cfg.Body.Unknown {
		p.warnings = append(p.warnings, fmt.Sprintf("the job's key %s means nothing here; it is kept", key))
	}
	for _, w := range p.cfg.Body.Warnings(p.cfg.Target, time.Now()) {
		p.warnings = append(p.warnings, w.Text)
	}
}

// wire makes the endpoints of the job.
func (p *project) wire() error {
	conns := p.cfg.Sampling.Concurrency
	http := sampler.HTTPClient(nil, conns)
	policy, err := model.New(p.modelConfig(conns))
	if err != nil {
		return err
	}
	p.close = append(p.close, policy.Close, http.CloseIdleConnections)
	judge, err := model.NewJudge(model.Config{
		BaseURL: p.connect(p.cfg.Judge.BaseURL), API: p.cfg.Judge.API, APIKey: p.cfg.judgeKey,
		Headers: p.cfg.Judge.Headers, MaxConns: conns,
	})
	if err != nil {
		return err
	}
	p.close = append(p.close, judge.Close)
	grade, err := grader.New(grader.Kinds(), p.cfg.Body.Grader, grader.Env{
		HTTP: http, Judge: judge, Rewrite: p.connect, SampleTools: p.cfg.Sampling.SampleTools,
	})
	if err != nil {
		return fmt.Errorf("the job: %w", err)
	}
	var configs []tool.Config
	for _, t := range p.cfg.Body.Tools {
		configs = append(configs, tool.Config{Name: t.Name, ServerURL: p.connect(t.ServerURL), Headers: t.Headers, Extra: t.Extra})
	}
	tools, err := tool.New(configs, tool.Options{HTTP: http, Conns: conns})
	if err != nil {
		return err
	}
	p.bounds = sampler.Boundaries{Model: policy, Grader: grade, Tools: make(map[string]sampler.Tool)}
	for _, t := range tools {
		p.bounds.Tools[t.Name()] = t
	}
	return p.checkItems(grade)
}

func (p *project) modelConfig(conns int) model.Config {
	m := p.cfg.Model
	return model.Config{
		Name: m.Name, BaseURL: p.connect(m.BaseURL), API: m.API, APIKey: p.cfg.modelKey, Headers: m.Headers,
		Temperature: m.Temperature, TopP: m.TopP, MaxOutputTokens: m.MaxOutputTokens,
		ReasoningEffort: m.ReasoningEffort, ParallelToolCalls: m.ParallelToolCalls,
		ResponseFormat: p.cfg.Body.ResponseFormat, MaxConns: conns,
	}
}

// checkItems finds rows that the grader could not grade before any is paid.
func (p *project) checkItems(g sampler.Grader) error {
	checker, ok := g.(grader.Checker)
	if !ok {
		return nil
	}
	var errs []error
	for i := range p.items {
		it := &p.items[i]
		if err := checker.CheckItem(it); err != nil && len(errs) < 5 {
			errs = append(errs, fmt.Errorf("%s:%d: %w", it.File, it.Line, err))
		}
	}
	return errors.Join(errs...)
}

// connect maps a URL of the job or the configuration to the one to connect
// to: the longest beginning in sampling.address_map wins.
func (p *project) connect(address string) string {
	best := ""
	for from := range p.cfg.Sampling.AddressMap {
		if strings.HasPrefix(address, from) && len(from) > len(best) {
			best = from
		}
	}
	if best == "" {
		return address
	}
	return p.cfg.Sampling.AddressMap[best] + strings.TrimPrefix(address, best)
}

// shut closes idle connections.
func (p *project) shut() {
	for _, f := range p.close {
		f()
	}
}

// endpoint is a server that the run needs.
type endpoint struct{ name, url string }

// endpoints lists the servers that the run needs, each once.
func (p *project) endpoints() []endpoint {
	list := []endpoint{{"model", p.connect(p.cfg.Model.BaseURL)}}
	for _, t := range p.cfg.Body.Tools {
		list = append(list, endpoint{"tool " + t.Name, p.connect(t.ServerURL)})
	}
	for _, url := range p.cfg.Body.GraderURLs() {
		list = append(list, endpoint{"grader", p.connect(url)})
	}
	if len(p.cfg.Body.Judges()) > 0 {
		list = append(list, endpoint{"judge", p.connect(p.cfg.Judge.BaseURL)})
	}
	return list
}

// blocking lists the problems for which the platform would refuse the job.
func (p *project) blocking() []rollout.Problem {
	return slices.DeleteFunc(slices.Clone(p.problems), func(x rollout.Problem) bool { return !x.Blocking })
}

// samples is the number of rollouts per item, by split.
func (p *project) samples() map[rollout.Split]int {
	s := p.cfg.Sampling
	return map[rollout.Split]int{rollout.Train: s.Samples, rollout.Eval: s.EvalSamples, rollout.Production: s.ProductionSamples}
}

func (p *project) sampling() sampler.Config {
	s := p.cfg.Sampling
	return sampler.Config{
		Concurrency: s.Concurrency, MaxSteps: s.MaxSteps, MaxToolCalls: s.MaxToolCalls,
		ModelTimeout: p.cfg.Model.Timeout, ToolTimeout: s.ToolTimeout, GraderTimeout: s.GraderTimeout, RolloutTimeout: s.RolloutTimeout,
		Retry:       limit.Retry{Max: s.Retries, Wait: s.RetryWait, Cap: limit.DefaultRetry().Cap},
		MaxRollouts: s.MaxRollouts, MaxTokens: s.MaxTokens,
	}
}

// manifest says what the run is made with. A run that is there already keeps
// its seed when none is configured.
func (p *project) manifest(dir string) rollout.Manifest {
	if p.cfg.Seed == nil {
		opened, err := rollout.Open(dir)
		if err == nil && opened.Manifest != nil {
			p.seed = opened.Manifest.Seed
			p.subset()
		}
	}
	binding := p.cfg.binding(p.files...)
	binding["seed"] = strconv.FormatUint(p.seed, 10)
	m := rollout.Manifest{
		Name: cmp.Or(p.cfg.Name, p.cfg.Body.Suffix), ToolVersion: version(), Source: rollout.Live, Seed: p.seed,
		Model: p.cfg.Model.Name, Binding: binding, Config: p.cfg.masked(), Choices: p.choices(),
		Problems: p.problems, Notes: p.warnings,
		Planned: &rollout.Planned{Samples: p.samples(), Items: make(map[rollout.Split]int), MaxCalls: p.cfg.Sampling.MaxToolCalls},
	}
	m.Data = p.data()
	for _, d := range m.Data {
		m.Planned.Items[d.Split] = d.Items
	}
	return m
}

// data says which files the items come from, and how many were taken.
func (p *project) data() []rollout.Data {
	taken := make(map[rollout.Split]int)
	for _, it := range p.items {
		taken[it.Split]++
	}
	var out []rollout.Data
	for _, f := range p.files {
		out = append(out, rollout.Data{
			Split: f.Split, File: filepath.Base(f.Path), SHA256: f.SHA256, Rows: len(f.Items), Items: taken[f.Split],
		})
	}
	return out
}

// choices says how parts of the wire contract that no public source settles
// were taken.
func (p *project) choices() map[string]string {
	shown := "all calls of the rollout"
	if p.cfg.Sampling.SampleTools == grader.Last {
		shown = "the calls of the last tool turn"
	}
	return map[string]string{
		"sample.output_tools":   "the grader sees " + shown + " (sampling.sample_tools)",
		"step limit":            "a rollout that reaches it is an outcome of its own, graded on what there is",
		"unknown tool":          "shown to the model as an error, counted as malformed",
		"template values":       "strings as they are, other JSON values as JSON, null as nothing",
		"tool transport errors": "a timeout, a refused connection or broken JSON counts as a 5xx: retried, then the rollout is lost",
		"long tool answers":     "above 1 MB the model is shown an error of status 413",
		"pass_threshold":        "counts passes and changes no reward",
	}
}
