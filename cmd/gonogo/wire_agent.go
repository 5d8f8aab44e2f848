package main

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

// wireAgent makes the agent that makes the rollouts, and the door to the model.
func (p *project) wireAgent() error {
	a := p.cfg.Agent
	client := p.env.HTTP
	told := agent.Told{Hide: p.cfg.HiddenFields(), Tools: make(map[string]string)}
	for _, t := range p.cfg.Body.Tools {
		told.Tools[t.Name] = p.cfg.Connect(t.ServerURL)
	}
	if len(a.Command) > 0 {
		p.agentLog = &agentLog{}
		c, err := agent.NewCommand(agent.CommandConfig{
			Argv: p.program(a.Command), Dir: p.cfg.Dir, Without: p.keyVariables(), Told: told,
			PerRollout: a.PerRollout != nil && *a.PerRollout, Processes: cmp.Or(a.Processes, p.inFlight()), Log: p.agentLog,
		})
		if err != nil {
			return exit.AsUsage(err)
		}
		p.close = append(p.close, c.Close)
		p.bounds.Agent = c
	} else {
		s, err := agent.NewService(agent.ServiceConfig{URL: p.cfg.Connect(a.URL), Headers: a.Headers, Poll: a.Poll, Told: told, HTTP: client})
		if err != nil {
			return exit.AsUsage(err)
		}
		p.bounds.Agent = s
	}
	if a.AsksItself() {
		return nil
	}
	m := p.cfg.Model
	door, err := proxy.New(proxy.Config{BaseURL: p.cfg.Connect(m.BaseURL), Model: m.Name, API: m.API, APIKey: p.cfg.ModelKey, Headers: m.Headers, HTTP: client})
	if err != nil {
		return err
	}
	p.close = append(p.close, func() { _ = door.Close() }) // nothing is under way any more
	p.bounds.Door = door
	return nil
}

// program is a command with its arguments; one that names a file beside the
// configuration is taken from there.
func (p *project) program(command []string) []string {
	argv := slices.Clone(command)
	if len(argv) == 0 {
		return nil
	}
	beside := p.cfg.Absolute(argv[0])
	if info, err := os.Stat(beside); err == nil && !info.IsDir() && filepath.Base(argv[0]) != argv[0] {
		if whole, err := filepath.Abs(beside); err == nil {
			argv[0] = whole
		}
	}
	return argv
}

// agentProgram says whether the program of an agent is there, without starting it;
// nil where the agent is none.
func (p *project) agentProgram() *reached {
	argv := p.program(p.cfg.Agent.Command)
	if len(argv) == 0 {
		return nil
	}
	r := &reached{Name: "agent", URL: strings.Join(p.cfg.Agent.Command, " ")}
	file := argv[0]
	if filepath.Base(file) != file && !filepath.IsAbs(file) { // it runs in the configuration's folder
		file = p.cfg.Absolute(file)
	}
	switch _, err := exec.LookPath(file); {
	case errors.Is(err, fs.ErrPermission):
		r.Error = fmt.Sprintf("%s may not be run: make it executable (chmod +x), or name the program that runs it first, such as [python3, my_agent.py] (agent.command)", argv[0])
	case err != nil:
		r.Error = fmt.Sprintf("there is no %s: a name is looked for on PATH, a path such as ./my_agent starts from the folder of the configuration (agent.command)", argv[0])
	}
	if i := slices.IndexFunc(argv[1:], isScript); r.Error == "" && i >= 0 {
		if _, err := os.Stat(p.cfg.Absolute(argv[1+i])); err != nil {
			r.Error = fmt.Sprintf("there is no %s: it starts from the folder of the configuration (agent.command)", p.cfg.Absolute(argv[1+i]))
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
func (p *project) keyVariables() []string {
	model, judge := p.cfg.Model.APIKeyEnv, p.cfg.Judge.APIKeyEnv
	switch {
	case !p.cfg.Agent.AsksItself():
		return []string{model, judge}
	case judge != model:
		return []string{judge}
	}
	return nil
}

// agentEndpoints lists those that the agent stands for.
func (p *project) agentEndpoints() []endpoint {
	var list []endpoint
	if url := p.cfg.Agent.URL; url != "" {
		list = append(list, endpoint{"agent", p.cfg.Connect(url)})
	}
	if !p.cfg.Agent.AsksItself() {
		list = append(list, endpoint{"model", p.cfg.Connect(p.cfg.Model.BaseURL)})
	}
	return list
}

// aboutAgent says what of a run an agent is for.
func (p *project) aboutAgent() string {
	what := fmt.Sprintf("a program, %s", sampler.Brief(p.bounds.Agent.(interface{ URL() string }).URL()))
	if p.cfg.Agent.URL != "" {
		what = "a service"
	}
	model := "the run's model, recorded on the way"
	if p.cfg.Agent.AsksItself() {
		model = "a model of its own, of which nothing is known here"
	}
	return what + "; it asks " + model
}
