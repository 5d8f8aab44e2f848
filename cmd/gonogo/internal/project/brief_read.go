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
	"gonogo/sampler/rollout"
)

// ReadBrief reads what travels with a run.
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
		sum, err := HashOf(path)
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
	in := config.LoginFrom(env) // what runs here may print it
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
	var differ []string
	for key, there := range d.Binding {
		if was := here[key]; was != there {
			differ = append(differ, fmt.Sprintf("%s is %q here and %q there", key, was, there))
		}
	}
	if len(differ) == 0 {
		return nil
	}
	slices.Sort(differ)
	return fmt.Errorf("what is made here would be of another run: %s", strings.Join(differ, "; "))
}
