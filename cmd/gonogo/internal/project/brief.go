package project

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/dataset"
	"gonogo/sampler/queue"
	"gonogo/sampler/rollout"
)

// Brief is what workers get of a run in addition to its items, which travel
// with the jobs: the configuration as it was written. It holds no secret, and of
// the files that the configuration names only the hashes, but for the job's and the
// grader's own.
type Brief struct {
	File    string              `json:"file"` // the configuration's name in messages
	Config  string              `json:"config"`
	Set     []string            `json:"set,omitempty"` // KEY=VALUE, over it
	Job     *config.BundledFile `json:"job,omitempty"`
	Grader  *config.BundledFile `json:"grader,omitempty"`
	Variant string              `json:"variant,omitempty"`
	Files   []hashedFile        `json:"files,omitempty"`
	Env     []string            `json:"env,omitempty"` // the variables that it reads
	Binding map[string]string   `json:"binding"`       // what a worker must arrive at, too
	Trial   []TrialAnswer       `json:"trial,omitempty"`
}

// TrialAnswer is an answer on which a worker tries its grader.
type TrialAnswer struct {
	Item   *rollout.Item   `json:"item"`
	Record *rollout.Record `json:"record"`
}

// hashedFile is one that a worker has to have.
type hashedFile struct {
	Name   string `json:"name"` // relative to the configuration's folder
	SHA256 string `json:"sha256"`
}

// describe writes down for workers what the project is.
func describe(ctx context.Context, p *Project) ([]byte, error) {
	c := p.Config
	d := Brief{File: filepath.Base(c.File), Config: c.Text, Env: c.Variables(), Binding: portable(p)}
	if p.variant != nil {
		d.Variant = p.variant.Name
	}
	for _, pair := range c.Overrides {
		name, value, _ := strings.Cut(pair, "=")
		if travels(strings.TrimSpace(name), value) {
			d.Set = append(d.Set, pair)
		}
	}
	var err error
	d.Job, d.Grader, err = c.BundledFiles()
	for _, path := range filesOfWorkers(p) {
		sum, hashErr := dataset.HashFile(path)
		err = errors.Join(err, hashErr)
		d.Files = append(d.Files, hashedFile{Name: c.FromDir(path), SHA256: sum})
	}
	if err == nil {
		err = withoutSecrets(p, d)
	}
	if err == nil && (p.Queue.cluster == nil || !p.Queue.cluster.untried) {
		d.Trial, err = p.trialOfWorkers(ctx)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(d)
}

// portable is what the run is bound to, without secrets and without what does not
// concern a worker: where items come from, and what a variant does to them.
func portable(p *Project) map[string]string {
	out := bindingOf(p)
	for key, value := range out {
		if out[key] = p.Redact.String(value); strings.HasPrefix(key, "data.") || strings.HasPrefix(key, "variant.") {
			delete(out, key)
		}
	}
	return out
}

// travels reports whether an override says something to workers: a file that it
// names is on this machine.
func travels(name, value string) bool {
	for _, k := range config.Keys().Keys() {
		if k.File && (name == k.Path || strings.HasPrefix(name, k.Path+".")) {
			return (name == "job" || name == "grader") && strings.HasPrefix(strings.TrimSpace(value), "{")
		}
	}
	return !slices.ContainsFunc(planned, func(group string) bool { return strings.HasPrefix(name, group) })
}

// planned begin the keys that are the planner's business alone: a worker need not
// begin again because one of them is another.
var planned = []string{
	"items", "seed", "data.", "audit.", "burst.", "prices.", "queue.", "report.", "thresholds", "training.", "trainer.",
	"sampling.samples", "sampling.eval_samples", "sampling.production_samples", "sampling.block", "sampling.in_flight", "sampling.concurrency",
	"sampling.max_rollouts", "sampling.max_tokens", "sampling.max_usd", "sampling.deadline",
}

// filesOfWorkers are the files that a worker reads where it is: those of graders,
// and those in the configuration's folder that a program of agent or MCP servers
// is started with.
func filesOfWorkers(p *Project) []string {
	all := slices.Clone(p.Config.GraderFiles)
	commands := [][]string{p.Config.Agent.Command}
	for _, s := range p.Config.MCPServers {
		commands = append(commands, s.Command)
	}
	for _, argv := range commands {
		for i, word := range argv {
			path := p.Config.Absolute(word)
			inside := !strings.HasPrefix(p.Config.FromDir(path), "../")
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && inside && (i > 0 || filepath.Base(word) != word) {
				all = append(all, path)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// withoutSecrets refuses a brief, or a row, that holds a secret, and says
// where it is.
func withoutSecrets(p *Project, d Brief) error {
	const mend = "holds a secret, and none travels to workers: write ${NAME} in headers, and export NAME here and where the workers run"
	sheets := []config.BundledFile{{Name: p.Config.File, Text: d.Config}}
	for _, s := range []*config.BundledFile{d.Job, d.Grader} {
		if s != nil {
			sheets = append(sheets, config.BundledFile{Name: p.Config.Absolute(s.Name), Text: s.Text})
		}
	}
	for _, s := range sheets {
		if line, path := secretIn(p, s); line > 0 {
			return config.Error{File: s.Name, Line: line, Column: 1, Path: path, Msg: mend}
		}
	}
	for _, pair := range d.Set {
		if p.Redact.String(pair) != pair {
			name, _, _ := strings.Cut(pair, "=")
			return fmt.Errorf("--set %s: %s", p.Redact.String(name), mend)
		}
	}
	for i := range p.Inputs.Items {
		if it := &p.Inputs.Items[i]; p.Redact.String(string(it.Row)) != string(it.Row) {
			return fmt.Errorf("%s:%d: the row %s", it.File, it.Line, mend)
		}
	}
	return nil
}

// secretIn finds the first line of a file that holds a secret, and the key that
// it is under, if it is one's; 0 is none.
func secretIn(p *Project, s config.BundledFile) (line int, path string) {
	secret := func(text string) bool { return p.Redact.String(text) != text }
	i := slices.IndexFunc(strings.Split(s.Text, "\n"), secret)
	if i < 0 {
		return 0, ""
	}
	return i + 1, config.KeyOf(s, secret)
}

// ReadBrief reads the Brief of a run.
func ReadBrief(body []byte) (*Brief, error) {
	var d Brief
	if err := json.Unmarshal(body, &d); err != nil {
		return nil, fmt.Errorf("the run's description cannot be read: %w", err)
	}
	return &d, nil
}

// lacking says what of a run is not here: variables of the environment, and files
// that are missing or differ; nil when all is.
func (d *Brief) lacking(dir string, env config.Lookup) error {
	var errs []error
	for _, name := range d.Env {
		if _, ok := env(name); !ok {
			errs = append(errs, fmt.Errorf("the environment has no %s, which the run reads: export it", name))
		}
	}
	for _, f := range d.Files {
		path := filepath.FromSlash(f.Name)
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		sum, err := dataset.HashFile(path)
		switch {
		case errors.Is(err, os.ErrNotExist):
			errs = append(errs, fmt.Errorf("there is no %s, which the run names: put it there, or name the folder that it starts from with --dir", path))
		case err != nil:
			errs = append(errs, err)
		case sum != f.SHA256:
			errs = append(errs, fmt.Errorf("%s is not the planner's: its SHA-256 is %.12s… here and %.12s… there: copy the planner's here", path, sum, f.SHA256))
		}
	}
	return errors.Join(errs...)
}

// load is the configuration of the run as it is here.
func (d *Brief) load(dir string, env config.Lookup) (*config.Config, error) {
	c, err := config.ForWorker(d.File, d.Config, d.Set, d.Job, d.Grader, dir, env)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(c.Variants, func(v config.VariantValue) bool { return v.Name == d.Variant })
	switch {
	case d.Variant == "":
		return c, nil
	case i < 0:
		return nil, fmt.Errorf("the run is of a variant %q that its configuration does not have", d.Variant)
	}
	return c.ForVariant(i), nil
}

// Project is the run's project, without items, ready to be checked. Files that
// differ are reported before anything else reads them.
func (d *Brief) Project(ctx context.Context, dir string, env config.Lookup, seed uint64, slots int) (*Project, error) {
	if err := d.lacking(dir, env); err != nil {
		return nil, err
	}
	cfg, err := d.load(dir, env)
	if err != nil {
		return nil, err
	}
	var in queue.Address
	in.Login(env) // what runs here may print it
	p := NewUnwired(cfg)
	p.Inputs.Seed, p.Redact = seed, rollout.NewRedactor(append(cfg.Secrets(), in.Token, in.Password)...)
	cfg.Seed, cfg.Sampling.InFlight = &p.Inputs.Seed, slots
	if err = ServeWorld(p); err == nil {
		err = p.MCP.StartMCP(ctx)
	}
	if err == nil {
		err = errors.Join(p.wire(), d.same(p))
	}
	if err != nil {
		p.Close()
		return nil, errors.New(p.Redact.String(err.Error()))
	}
	return p, nil
}

// same refuses a project that would not make the run's rollouts.
func (d *Brief) same(p *Project) error {
	here := portable(p)
	differ := Differing(d.Binding, func(key, there string) bool { return here[key] != there })
	if len(differ) == 0 {
		return nil
	}
	return fmt.Errorf("what is made here would be of another run: %s", strings.Join(ui.Names(differ, func(key string) string {
		return fmt.Sprintf("%s is %q here and %q there", key, here[key], d.Binding[key])
	}), "; "))
}
