package config

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gonogo/cmd/gonogo/internal/console"
	"gonogo/sampler/boundary/isolation"
	"gonogo/sampler/input/job"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout/credential"
)

// Scope says which parts of a run's own configuration a command uses.
type Scope struct {
	Grader    bool // the run's grader; false if the command line names another
	Detectors bool // the audit's detectors
	Tools     bool // also an agent that is a service, and sessions
	Sampling  bool // also the model, and an agent that is a program
}

// Actions lists the programs that the configuration would run, and the addresses to which it would
// send requests.
func Actions(c *Config, r Scope) []string {
	a := &actions{cfg: c}
	if r.Grader && c.Body != nil {
		a.grader(c.Body.Grader)
	}
	if !r.Grader && c.Body != nil && len(c.Body.Judges()) > 0 { // the run's judge is used all the same
		a.judges = []string{""}
	}
	if r.Detectors {
		for _, d := range c.Audit.Detectors {
			if d.Python != "" {
				a.python("the detector "+d.Name, d.Python)
			}
			if d.Judge != "" {
				a.judges = append(a.judges, d.Judge)
			}
		}
	}
	if len(a.judges) > 0 {
		a.model("outputs to be judged", c.Judge.BaseURL, c.Judge.APIKeyEnv,
			append(headerValues(c.Judge.Headers), a.judges...))
	}
	if r.Tools {
		a.tools()
	}
	if r.Tools || c.Body != nil && strings.Contains(string(c.Body.Grader), "session.") {
		a.hook("start", c.Session.Start)
		a.hook("stop", c.Session.Stop)
	}
	if r.Sampling {
		a.sampling()
	}
	return a.list
}

// actions collects what a configuration makes this program do.
type actions struct {
	cfg    *Config
	judges []string // the requests to the judge
	list   []string
}

func (a *actions) add(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(a.list, text) {
		a.list = append(a.list, text)
	}
}

// send records requests to an address, with the environment variables that texts name.
func (a *actions) send(what, url string, texts []string, variables ...string) {
	to := credential.MaskURL(a.cfg.Connect(url))
	variables = slices.Concat(variables, variablesIn(texts...), variablesIn(url))
	a.add("send %s to %s%s", what, shortened(to), with(variables))
}

// with lists the variables that are sent along.
func with(variables []string) string {
	if len(variables) == 0 {
		return ""
	}
	slices.Sort(variables)
	return " with " + strings.Join(slices.Compact(variables), ", ") + " of your environment"
}

// variablesIn lists the variables that texts name as ${NAME}.
func variablesIn(texts ...string) (names []string) {
	for _, text := range texts {
		job.Expand(text, func(name string) (string, bool) {
			names = append(names, name)
			return "", true
		})
	}
	return names
}

// model records requests to a model, with the key in its variable.
func (a *actions) model(what, url, variable string, texts []string) {
	var keys []string
	if value, ok := a.cfg.env(variable); ok && value != "" {
		keys = append(keys, variable)
	}
	a.send(what, url, texts, keys...)
}

// python records source code that is run.
func (a *actions) python(what, source string, variables ...string) {
	how := with(variables)
	if changedKey(a.cfg, "python.interpreter") {
		how += " by the interpreter " + shortened(a.cfg.Python.Interpreter)
	}
	if a.cfg.Python.Sandbox == "none" {
		how += " without a sandbox"
	}
	a.add("run the Python of %s, %s (SHA-256 %.6x)%s", what, console.Count(len(source), "byte"),
		sha256.Sum256([]byte(source)), how)
}

// grader records what a grader and its parts do. Kinds that may have outside effects are listed.
func (a *actions) grader(raw json.RawMessage) {
	var g struct {
		Type    string                     `json:"type"`
		Name    string                     `json:"name"`
		Source  string                     `json:"source"`
		URL     string                     `json:"url"`
		Command []string                   `json:"command"`
		Graders map[string]json.RawMessage `json:"graders"`
	}
	if jsontext.Unmarshal(raw, &g) != nil {
		return // not a grader
	}
	name := strings.TrimSpace("the grader " + strconv.Quote(g.Name))
	if g.Name == "" {
		name = "the " + g.Type + " grader"
	}
	switch g.Type {
	case "string_check", "text_similarity", "multi":
	case "environment":
		e := a.cfg.Environment
		a.add("run the %s environment %s by the interpreter %s without a sandbox", e.Kind(),
			shortened(credential.MaskURL(e.Name())), shortened(a.cfg.Interpreter()))
	case "score_model", "label_model":
		a.judges = append(a.judges, string(raw))
	case "endpoint":
		a.send("outputs to be graded", g.URL, []string{string(raw)})
	case "command":
		a.add("run the command of %s: %s%s", name, command(g.Command), with(variablesIn(string(raw))))
	case "python":
		a.python(name, g.Source)
	default:
		a.python(name, string(raw), variablesIn(string(raw))...)
	}
	for _, part := range slices.Sorted(maps.Keys(g.Graders)) {
		a.grader(g.Graders[part])
	}
}

// tools records the calls of tools, and an agent that is a service.
func (a *actions) tools() {
	if a.cfg.Body != nil {
		for _, t := range a.cfg.Body.Tools {
			texts := headerValues(t.Headers)
			for _, raw := range t.Extra {
				texts = append(texts, string(raw))
			}
			a.send("calls of the tool "+t.Name, t.ServerURL, texts)
		}
	}
	for _, s := range a.cfg.Tools.MCP {
		texts := append(headerValues(s.Headers), headerValues(s.Env)...)
		if s.URL != "" {
			a.send("calls to the MCP server "+s.Name, s.URL, texts)
		} else {
			a.add("run the MCP server %s: %s%s", s.Name, command(s.Command), with(variablesIn(texts...)))
		}
	}
	if e := a.cfg.Environment; e.Used() {
		a.add("run the %s environment %s by the interpreter %s without a sandbox", e.Kind(),
			shortened(credential.MaskURL(e.Name())), shortened(a.cfg.Interpreter()))
		a.ownModel()
	}
	if agent := a.cfg.Agent; agent.URL != "" {
		a.send("rollouts to the agent", agent.URL, headerValues(agent.Headers))
		a.ownModel()
	}
}

// sampling records what makes rollouts.
func (a *actions) sampling() {
	if agent := a.cfg.Agent; len(agent.Command) > 0 {
		a.add("run the agent: %s", command(agent.Command))
	}
	a.ownModel()
	if queue := a.cfg.Queue; queue.Remote() {
		a.add("connect to the queue at %s", shortened(credential.MaskURLs(queue.URL)))
	}
}

// ownModel records requests to the model, unless an agent calls it itself.
func (a *actions) ownModel() {
	if m := a.cfg.Model; !a.cfg.Agent.AsksItself() {
		a.model("prompts", m.BaseURL, m.APIKeyEnv, headerValues(m.Headers))
	}
}

// hook records how sessions start or stop.
func (a *actions) hook(what, hook string) {
	switch {
	case hook == "":
	case isolation.IsURL(hook):
		a.send("the "+what+" of sessions", hook, headerValues(a.cfg.Session.Headers))
	default:
		a.add("run the %s of sessions: %s", what, shortened(hook))
	}
}

func headerValues(headers map[string]string) []string {
	return slices.Collect(maps.Values(headers))
}

// command formats a program with its arguments.
func command(argv []string) string {
	words := make([]string, len(argv))
	for i, word := range argv {
		if words[i] = word; word == "" || strings.ContainsAny(word, " \t\n\"'\\") {
			words[i] = strconv.Quote(word)
		}
	}
	return shortened(strings.Join(words, " "))
}

// shortened shortens a text to one line of reasonable length.
func shortened(text string) string {
	const most = 300
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		text = fmt.Sprintf("%s… (%d more characters, see config in run.json)", string(runes[:most]), len(runes)-most)
	}
	return text
}
