package project

import (
	"cmp"
	"fmt"
	"strings"

	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/sampler/boundary/agent"
	"gonogo/sampler/boundary/proxy"
	"gonogo/sampler/endpoint"
)

// WireAgent makes the agent that makes the rollouts, and its proxy to the model.
func WireAgent(p *Project) error {
	a := p.Config.Agent
	client := p.Env.HTTP
	options := agent.RequestOptions{Hide: p.Config.HiddenFields(), Tools: make(map[string]string)}
	for _, t := range p.Config.Body.Tools {
		options.Tools[t.Name] = p.Config.Connect(t.ServerURL)
	}
	if p.Environment != nil {
		p.Bounds.Agent = p.Environment
	} else if len(a.Command) > 0 {
		p.AgentLog = &agent.Log{}
		c, err := agent.NewCommand(agent.CommandConfig{
			Argv: agent.Program(a.Command, p.Config.Dir), Dir: p.Config.Dir, Without: keyVariables(p), Options: options,
			PerRollout: a.PerRollout != nil && *a.PerRollout, Processes: cmp.Or(a.Processes, p.inFlight()),
			Log: p.AgentLog,
		})
		if err != nil {
			return exit.AsUsage(err)
		}
		p.closers = append(p.closers, c.Close)
		p.Bounds.Agent = c
	} else if a.SageMaker() {
		s, err := agent.NewSageMaker(agent.SageMakerConfig{
			URL: p.Config.Connect(a.URL), Headers: a.Headers, Listen: a.Listen, Hide: options.Hide,
			Prompt: p.Config.Data.PromptField, HTTP: client, Graded: !p.Config.RewardOfAgent(),
			Params: agent.SageMakerParams{
				Temperature: p.Config.Model.Temperature, TopP: p.Config.Model.TopP, MaxTokens: p.Config.Model.MaxOutputTokens,
			},
		})
		if err != nil {
			return exit.AsUsage(err)
		}
		p.closers = append(p.closers, func() { _ = s.Close() }) // no request is in flight any longer
		p.Bounds.Agent = s
	} else {
		s, err := agent.NewService(agent.ServiceConfig{
			URL: p.Config.Connect(a.URL), Headers: a.Headers,
			Poll: a.Poll.Duration, Options: options, HTTP: client,
		})
		if err != nil {
			return exit.AsUsage(err)
		}
		p.Bounds.Agent = s
	}
	if a.AsksItself() {
		return nil
	}
	m := p.Config.Model
	models, err := proxy.New(proxy.Config{
		BaseURL: p.Config.Connect(m.BaseURL), Model: m.Name, API: m.API,
		APIKey: p.Config.ModelKey, Headers: m.Headers, HTTP: client, Secrets: p.Config.SureSecrets(),
	})
	if err != nil {
		return err
	}
	p.closers = append(p.closers, func() { _ = models.Close() }) // no request is in flight any longer
	p.Bounds.ModelProxy = models
	return nil
}

// AgentProgram reports whether an agent's program can be run, without starting it; nil if the agent
// is not a program.
func AgentProgram(p *Project) *console.Endpoint {
	argv := p.Config.Agent.Command
	if len(argv) == 0 {
		return nil
	}
	r := &console.Endpoint{Name: "agent", URL: strings.Join(argv, " ")}
	if err := agent.CheckProgram(argv, p.Config.Dir); err != nil {
		r.Error = err.Error() + " (agent.command)"
	}
	return r
}

// keyVariables lists the variables with keys of the model and the judge that an agent must not see:
// it reaches the model through the proxy with another key. An agent that calls a model itself may
// need the model's key.
func keyVariables(p *Project) []string {
	model, judge := p.Config.Model.APIKeyEnv, p.Config.Judge.APIKeyEnv
	switch {
	case !p.Config.Agent.AsksItself():
		return []string{model, judge}
	case judge != model:
		return []string{judge}
	}
	return nil
}

// AgentEndpoints lists the servers behind an agent.
func AgentEndpoints(p *Project) []Endpoint {
	var list []Endpoint
	if url := p.Config.Agent.URL; url != "" {
		list = append(list, Endpoint{"agent", p.Config.Connect(url)})
	}
	if !p.Config.Agent.AsksItself() {
		list = append(list, Endpoint{"model", p.Config.Connect(p.Config.Model.BaseURL)})
	}
	return list
}

// aboutAgent describes an agent in the manifest.
func aboutAgent(p *Project) string {
	what := fmt.Sprintf("a program, %s", endpoint.Brief(p.Bounds.Agent.(interface{ URL() string }).URL()))
	if p.Config.Agent.URL != "" {
		what = "a service"
	}
	if p.Config.Agent.SageMaker() {
		what = "a service written for SageMaker, with a local job runtime"
	}
	if p.Environment != nil {
		what = "the environment " + endpoint.Brief(p.Environment.URL())
	}
	model := "the run's model through gonogo, which records the requests"
	if p.Config.Agent.AsksItself() {
		model = "its own model, which is unknown here"
	}
	return what + "; it calls " + model
}
