package project

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/sampler/boundary/agent"
	"gonogo/sampler/boundary/environment"
	"gonogo/sampler/boundary/model"
	"gonogo/sampler/input/dataset"
)

// wireEnvironment makes the environment, if the configuration names one, unless it is made already. It
// starts nothing.
func (p *Project) wireEnvironment() error {
	if !p.Config.Environment.Used() {
		return nil
	}
	if p.Environment == nil {
		p.AgentLog = &agent.Log{}
		settings := p.Config.Environment
		settings.OpenEnv = p.Config.Connect(settings.OpenEnv)
		source, err := environment.New(environment.Config{
			Settings: settings, Python: p.Config.Interpreter(), Dir: p.Config.Dir,
			Without: p.Config.KeyNames(), Log: p.AgentLog, Floor: p.Config.RewardRange[0],
			Sampling: requestParameters(p.Config.Model),
		})
		if err != nil {
			return p.Config.Fault("environment", "%v", err)
		}
		p.Environment = source
		p.closers = append(p.closers, source.Close)
	}
	p.Env.Environment = p.Environment
	return nil
}

// loadEnvironment takes the items of the environment, as those of data files, and the range that its
// rewards imply.
func (p *Project) loadEnvironment(ctx context.Context) error {
	if err := p.wireEnvironment(); err != nil || p.Environment == nil {
		return err
	}
	items, err := p.Environment.Items(ctx)
	if _, refused := errors.AsType[*environment.RefusedError](err); refused {
		return p.Config.Fault("environment", "%v", err)
	}
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "gonogo-items-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, one := range items {
		path := filepath.Join(dir, string(one.Split)+".jsonl")
		if err := os.WriteFile(path, one.Rows, 0o600); err != nil {
			return err
		}
		f, err := dataset.Load(path, one.Split, dataset.Options{})
		if err != nil {
			return exit.Usagef("the %s items of the environment: %w", one.Split, err)
		}
		f.Path = p.Environment.URL() + " (" + string(one.Split) + ")"
		for i := range f.Items {
			f.Items[i].File = f.Path
		}
		p.Inputs.Files = append(p.Inputs.Files, f)
	}
	p.takeRange()
	return nil
}

// takeRange takes the range of rewards that the environment implies, unless the configuration sets one.
func (p *Project) takeRange() {
	if p.Environment == nil || !p.Config.RangeAssumed() {
		return
	}
	if span := p.Environment.Range(); span != nil {
		p.Config.RewardRange = span
		if p.GraderConfig != nil {
			p.GraderConfig.RewardRange = span
		}
	}
}

// requestParameters returns the parameters of requests that the configuration sets, by the names of Chat
// Completions.
func requestParameters(m model.Settings) map[string]any {
	out := map[string]any{}
	maps.Copy(out, m.Extra)
	if m.Temperature != nil {
		out["temperature"] = *m.Temperature
	}
	if m.TopP != nil {
		out["top_p"] = *m.TopP
	}
	if m.MaxOutputTokens != nil {
		out["max_completion_tokens"] = *m.MaxOutputTokens
	}
	if m.ReasoningEffort != "" {
		out["reasoning_effort"] = m.ReasoningEffort
	}
	return out
}
