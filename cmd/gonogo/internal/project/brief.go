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

	"gonogo/cmd/gonogo/internal/brief"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/sampler/queue"
	"gonogo/sampler/rollout"
)

// describe encodes the project for workers.
func describe(ctx context.Context, p *Project) ([]byte, error) {
	c := p.Config
	d := brief.Brief{File: filepath.Base(c.File), Config: c.Text, Env: c.Variables(), Binding: portable(p)}
	if p.variant != nil {
		d.Variant = p.variant.Name
	}
	for _, pair := range c.Overrides {
		name, value, _ := strings.Cut(pair, "=")
		if sentToWorkers(strings.TrimSpace(name), value) {
			d.Set = append(d.Set, pair)
		}
	}
	var err error
	d.Job, d.Grader, err = c.BundledFiles()
	err = errors.Join(err, d.Hash(filesOfWorkers(p), c.FromDir))
	if err == nil {
		err = d.CheckSecrets(p.Inputs.Items, p.Redact.String, func(name string) string {
			if name == d.File {
				return c.File
			}
			return c.Absolute(name)
		})
	}
	if err == nil && (p.Queue.cluster == nil || !p.Queue.cluster.untried) {
		d.Trial, err = p.trialOfWorkers(ctx)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(d)
}

// portable returns the run's binding without secrets and without what does not concern a worker:
// where items come from, and what a variant does to them.
func portable(p *Project) map[string]string {
	out := bindingOf(p)
	for key, value := range out {
		if out[key] = p.Redact.String(value); strings.HasPrefix(key, "data.") || strings.HasPrefix(key, "variant.") {
			delete(out, key)
		}
	}
	return out
}

// sentToWorkers reports whether an override matters to workers. One that names a file does not,
// since the file is on this machine.
func sentToWorkers(name, value string) bool {
	for _, k := range config.Keys().Keys() {
		if k.File && (name == k.Path || strings.HasPrefix(name, k.Path+".")) {
			return (name == "job" || name == "grader") && strings.HasPrefix(strings.TrimSpace(value), "{")
		}
	}
	return !slices.ContainsFunc(planned, func(group string) bool { return strings.HasPrefix(name, group) })
}

// planned lists prefixes of keys that concern only the planner: workers need not restart if one of
// them changes.
var planned = []string{
	"items", "seed", "data.", "audit.", "burst.", "prices.", "queue.", "report.", "thresholds", "training.", "trainer.",
	"sampling.samples", "sampling.eval_samples", "sampling.production_samples", "sampling.block",
	"sampling.in_flight", "sampling.concurrency",
	"sampling.max_rollouts", "sampling.max_tokens", "sampling.max_usd", "sampling.deadline",
}

// filesOfWorkers lists the files that a worker reads locally: those of graders, and those in the
// configuration's folder that are arguments of an agent's or an MCP server's program.
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
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && inside &&
				(i > 0 || filepath.Base(word) != word) {
				all = append(all, path)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// load returns the run's configuration on this machine.
func load(d *brief.Brief, dir string, env config.Lookup) (*config.Config, error) {
	c, err := config.ForWorker(d.File, d.Config, d.Set, d.Job, d.Grader, dir, env)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(c.Variants, func(v config.VariantValue) bool { return v.Name == d.Variant })
	switch {
	case d.Variant == "":
		return c, nil
	case i < 0:
		return nil, fmt.Errorf("the run belongs to the variant %q, which its configuration does not have", d.Variant)
	}
	return c.ForVariant(i), nil
}

// FromBrief returns the project of a run, without items, ready to be checked. It reports files that
// differ before anything else reads them.
func FromBrief(ctx context.Context, d *brief.Brief, dir string, env config.Lookup, seed uint64,
	slots int,
) (*Project, error) {
	if err := d.Lacking(dir, env); err != nil {
		return nil, err
	}
	cfg, err := load(d, dir, env)
	if err != nil {
		return nil, err
	}
	var in queue.Address
	in.Login(env) // programs run here may print it
	p := NewUnwired(cfg)
	p.Inputs.Seed, p.Redact = seed, rollout.NewRedactor(append(cfg.Secrets(), in.Token, in.Password)...)
	cfg.Seed, cfg.Sampling.InFlight = &p.Inputs.Seed, slots
	if err = ServeWorld(p); err == nil {
		err = p.MCP.StartMCP(ctx)
	}
	if err == nil {
		err = errors.Join(p.wire(), d.CheckBinding(portable(p)))
	}
	if err != nil {
		p.Close()
		return nil, p.masked(err)
	}
	return p, nil
}
