package project

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/sampler"
	"gonogo/sampler/agent"
	"gonogo/sampler/proxy"
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
			Argv: programOf(p, a.Command), Dir: p.Config.Dir, Without: keyVariables(p), Options: told,
			PerRollout: a.PerRollout != nil && *a.PerRollout, Processes: cmp.Or(a.Processes, p.inFlight()), Log: p.AgentLog,
		})
		if err != nil {
			return exit.AsUsage(err)
		}
		p.closers = append(p.closers, c.Close)
		p.Bounds.Agent = c
	} else {
		s, err := agent.NewService(agent.ServiceConfig{URL: p.Config.Connect(a.URL), Headers: a.Headers, Poll: a.Poll.Duration, Options: told, HTTP: client})
		if err != nil {
			return exit.AsUsage(err)
		}
		p.Bounds.Agent = s
	}
	if a.AsksItself() {
		return nil
	}
	m := p.Config.Model
	models, err := proxy.New(proxy.Config{BaseURL: p.Config.Connect(m.BaseURL), Model: m.Name, API: m.API, APIKey: p.Config.ModelKey, Headers: m.Headers, HTTP: client})
	if err != nil {
		return err
	}
	p.closers = append(p.closers, func() { _ = models.Close() }) // nothing is under way any more
	p.Bounds.ModelProxy = models
	return nil
}

// programOf is a command with its arguments; one that names a file next to the
// configuration is taken from there.
func programOf(p *Project, command []string) []string {
	argv := slices.Clone(command)
	if len(argv) == 0 {
		return nil
	}
	beside := p.Config.Absolute(argv[0])
	if info, err := os.Stat(beside); err == nil && !info.IsDir() && filepath.Base(argv[0]) != argv[0] {
		if whole, err := filepath.Abs(beside); err == nil {
			argv[0] = whole
		}
	}
	return argv
}

// AgentProgram says whether the program of an agent is there, without starting it;
// nil where the agent is none.
func AgentProgram(p *Project) *EndpointStatus {
	argv := programOf(p, p.Config.Agent.Command)
	if len(argv) == 0 {
		return nil
	}
	r := &EndpointStatus{Name: "agent", URL: strings.Join(p.Config.Agent.Command, " ")}
	file := argv[0]
	if filepath.Base(file) != file && !filepath.IsAbs(file) { // it runs in the configuration's folder
		file = p.Config.Absolute(file)
	}
	switch _, err := exec.LookPath(file); {
	case errors.Is(err, fs.ErrPermission):
		r.Error = fmt.Sprintf("%s may not be run: make it executable (chmod +x), or name the program that runs it first, such as [python3, my_agent.py] (agent.command)", argv[0])
	case err != nil:
		r.Error = fmt.Sprintf("there is no %s: a name is looked for on PATH, a path such as ./my_agent starts from the folder of the configuration (agent.command)", argv[0])
	}
	if i := slices.IndexFunc(argv[1:], isScript); r.Error == "" && i >= 0 {
		if _, err := os.Stat(p.Config.Absolute(argv[1+i])); err != nil {
			r.Error = fmt.Sprintf("there is no %s: it starts from the folder of the configuration (agent.command)", p.Config.Absolute(argv[1+i]))
		}
	}
	return r
}

// isScript reports whether an argument is the file of a program.
func isScript(word string) bool {
	return !strings.HasPrefix(word, "-") && slices.Contains([]string{".py", ".js", ".mjs", ".ts", ".sh", ".rb"}, filepath.Ext(word))
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
	what := fmt.Sprintf("a program, %s", sampler.Brief(p.Bounds.Agent.(interface{ URL() string }).URL()))
	if p.Config.Agent.URL != "" {
		what = "a service"
	}
	model := "the run's model, recorded on the way"
	if p.Config.Agent.AsksItself() {
		model = "a model of its own, of which nothing is known here"
	}
	return what + "; it asks " + model
}
