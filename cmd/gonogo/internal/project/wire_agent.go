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
	told := agent.RequestOptions{Hide: p.Config.HiddenFields(), Tools: make(map[string]string)}
	for _, t := range p.Config.Body.Tools {
		told.Tools[t.Name] = p.Config.Connect(t.ServerURL)
	}
	if len(a.Command) > 0 {
		p.AgentLog = &agent.Log{}
		c, err := agent.NewCommand(agent.CommandConfig{
			Argv: agent.Program(a.Command, p.Config.Dir), Dir: p.Config.Dir, Without: keyVariables(p), Options: told,
			PerRollout: a.PerRollout != nil && *a.PerRollout, Processes: cmp.Or(a.Processes, p.inFlight()),
			Log: p.AgentLog,
		})
		if err != nil {
			return exit.AsUsage(err)
		}
		p.closers = append(p.closers, c.Close)
		p.Bounds.Agent = c
	} else {
		s, err := agent.NewService(agent.ServiceConfig{
			URL: p.Config.Connect(a.URL), Headers: a.Headers,
			Poll: a.Poll.Duration, Options: told, HTTP: client,
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
	p.closers = append(p.closers, func() { _ = models.Close() }) // nothing is under way any more
	p.Bounds.ModelProxy = models
	return nil
}

// AgentProgram says whether the program of an agent is there, without starting it;
// nil where the agent is none.
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

// keyVariables are the variables that hold keys of the model and the judge, which
// are none of an agent's business: it finds the model by a key of its own. One that
// asks a model by itself may want the model's.
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

// AgentEndpoints lists those that the agent stands for.
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

// aboutAgent says what of a run an agent is for.
func aboutAgent(p *Project) string {
	what := fmt.Sprintf("a program, %s", endpoint.Brief(p.Bounds.Agent.(interface{ URL() string }).URL()))
	if p.Config.Agent.URL != "" {
		what = "a service"
	}
	model := "the run's model, recorded on the way"
	if p.Config.Agent.AsksItself() {
		model = "a model of its own, of which nothing is known here"
	}
	return what + "; it asks " + model
}
