package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"gonogo/fixtures"
	"gonogo/sampler/isolation"
	"gonogo/sampler/job"
	"gonogo/sampler/rollout"
)

// reach is how much of a run's own configuration a command acts on.
type reach struct {
	grader    bool // the run's grader; false where the command line names another
	detectors bool // of the audit
	tools     bool // and an agent that is a service, and sessions
	sampling  bool // and the model, and an agent that is a program
}

func trustFlag() cli.Flag {
	return &cli.BoolFlag{Name: "trust-run", Usage: "act on the configuration inside RUN: run its commands, and send what it asks for where it says"}
}

// trust refuses to act on the configuration that a run directory carries: whoever
// made the directory says there what is run on this machine, and which of its
// variables are sent where. --trust-run agrees. What a built-in world does by
// itself needs no trust.
func trust(c *call, run *rollout.Run, cfg *config, r reach) error {
	if !cfg.carried || c.TrustRun {
		return nil
	}
	acts := cfg.acts(r)
	if known := builtIn(cfg.World); known != nil {
		own := known.acts(reach{true, true, true, true})
		acts = slices.DeleteFunc(acts, func(act string) bool { return slices.Contains(own, act) })
	}
	if len(acts) == 0 {
		return nil
	}
	return usagef("gonogo %s would act on the configuration inside %s, which may come from someone else. It would\n  %s\nName your own configuration with --config, or agree with --trust-run",
		c.Command, run.Dir, strings.Join(acts, "\n  "))
}

// builtIn is the configuration of a built-in world; nil where there is no such
// world.
func builtIn(name string) *config {
	world, err := fixtures.Find(name)
	if name == "" || err != nil {
		return nil
	}
	dir, err := os.MkdirTemp("", "gonogo-world-")
	if err != nil {
		return nil
	}
	defer os.RemoveAll(dir)
	if world.Write(dir) != nil {
		return nil
	}
	cfg, err := peekConfig(filepath.Join(dir, "gonogo.yaml"), func(string) (string, bool) { return "", false })
	if err != nil {
		return nil
	}
	return cfg
}

// acts lists what the configuration has this program run, and send where.
func (c *config) acts(r reach) []string {
	a := &actions{cfg: c}
	if r.grader && c.Body != nil {
		a.grader(c.Body.Grader)
	}
	if !r.grader && c.Body != nil && len(c.Body.Judges()) > 0 { // by the judge of the run all the same
		a.judges = []string{""}
	}
	if r.detectors {
		for _, d := range c.detectors() {
			if d.Python != "" {
				a.python("the detector "+d.Name, d.Python)
			}
			if d.Judge != "" {
				a.judges = append(a.judges, d.Judge)
			}
		}
	}
	if len(a.judges) > 0 {
		a.model("outputs to be judged", c.Judge.BaseURL, c.Judge.APIKeyEnv, append(headerValues(c.Judge.Headers), a.judges...))
	}
	if r.tools {
		a.tools()
	}
	if r.tools || c.Body != nil && strings.Contains(string(c.Body.Grader), "session.") {
		a.hook("start", c.Session.Start)
		a.hook("stop", c.Session.Stop)
	}
	if r.sampling {
		a.sampling()
	}
	return a.list
}

// actions collects what a configuration has this program do.
type actions struct {
	cfg    *config
	judges []string // what is asked of the judge
	list   []string
}

func (a *actions) add(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(a.list, text) {
		a.list = append(a.list, text)
	}
}

// send notes requests to an address with the variables of the environment that
// texts name.
func (a *actions) send(what, url string, texts []string, variables ...string) {
	p := project{cfg: a.cfg}
	to := job.MaskURL(p.connect(url))
	variables = slices.Concat(variables, variablesIn(texts...), variablesIn(url))
	a.add("send %s to %s%s", what, shortened(to), with(variables))
}

// with says which variables go along.
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

// model notes requests to a model, with the key that its variable holds.
func (a *actions) model(what, url, variable string, texts []string) {
	var keys []string
	if value, ok := a.cfg.env(variable); ok && value != "" {
		keys = append(keys, variable)
	}
	a.send(what, url, texts, keys...)
}

// python notes a source that is run.
func (a *actions) python(of, source string, variables ...string) {
	how := with(variables)
	if a.cfg.changed("python.interpreter") {
		how += " by the interpreter " + shortened(a.cfg.Python.Interpreter)
	}
	if a.cfg.Python.Sandbox == "none" {
		how += " without a sandbox"
	}
	a.add("run the Python of %s, %s (SHA-256 %.6x)%s", of, counted(len(source), "byte"), sha256.Sum256([]byte(source)), how)
}

// grader notes what a grader and its parts do. Kinds that are not known to keep to
// themselves are listed.
func (a *actions) grader(raw json.RawMessage) {
	var g struct {
		Type, Name, Source, URL string
		Command                 []string
		Graders                 map[string]json.RawMessage
	}
	if json.Unmarshal(raw, &g) != nil {
		return // which is no grader
	}
	name := strings.TrimSpace("the grader " + strconv.Quote(g.Name))
	if g.Name == "" {
		name = "the " + g.Type + " grader"
	}
	switch g.Type {
	case "string_check", "text_similarity", "multi":
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

// tools notes the calls of tools, and an agent that is a service.
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
	for _, s := range entries[mcpValue](a.cfg.Tools.MCP) {
		texts := append(headerValues(s.Headers), headerValues(s.Env)...)
		if s.URL != "" {
			a.send("calls to the MCP server "+s.Name, s.URL, texts)
		} else {
			a.add("run the MCP server %s: %s%s", s.Name, command(s.Command), with(variablesIn(texts...)))
		}
	}
	if agent := a.cfg.Agent; agent.URL != "" {
		a.send("rollouts to the agent", agent.URL, headerValues(agent.Headers))
		a.ownModel()
	}
}

// sampling notes what makes rollouts.
func (a *actions) sampling() {
	if agent := a.cfg.Agent; len(agent.Command) > 0 {
		a.add("run the agent: %s", command(agent.Command))
	}
	a.ownModel()
	if at := a.cfg.Queue; at.elsewhere() {
		a.add("connect to the queue at %s", shortened(maskQueueURL(at.URL)))
	}
}

// ownModel notes requests to the model, unless an agent asks one by itself.
func (a *actions) ownModel() {
	if m := a.cfg.Model; !a.cfg.Agent.ownModel() {
		a.model("prompts", m.BaseURL, m.APIKeyEnv, headerValues(m.Headers))
	}
}

// hook notes how sessions start or stop.
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

// command words a program with its arguments.
func command(argv []string) string {
	words := make([]string, len(argv))
	for i, word := range argv {
		if words[i] = word; word == "" || strings.ContainsAny(word, " \t\n\"'\\") {
			words[i] = strconv.Quote(word)
		}
	}
	return shortened(strings.Join(words, " "))
}

// shortened keeps a text to one line of a bearable length.
func shortened(text string) string {
	const most = 300
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		text = fmt.Sprintf("%s… (%d more characters, see config in run.json)", string(runes[:most]), len(runes)-most)
	}
	return text
}
