package config

import (
	"slices"
	"time"

	"gonogo/sampler/agent"
)

// agentValues are the keys of an agent that makes the rollouts.
type agentValues struct {
	Command    []string
	URL        string
	Headers    map[string]string
	PerRollout *bool
	Processes  int
	OwnModel   *bool
	Hide       []string
	Timeout    time.Duration
	Poll       time.Duration
}

func agentKeys() []key {
	return []key{
		{
			Path: "agent.command", Binding: true, Fallback: "the rollouts are made here, by model and tools", Example: "[python3, my_agent.py]",
			Doc: "your own agent, as a program and its arguments: it gets a JSON line for each rollout and answers with one (docs/own-agent.md); it runs in this file's folder",
			at:  func(v *values) any { return &v.Agent.Command },
		},
		{
			Path: "agent.url", Binding: true, Pattern: urlPattern, Fallback: "none", Example: "http://localhost:7100/rollouts",
			Doc: "your own agent, as a service: each rollout is POSTed there",
			at:  func(v *values) any { return &v.Agent.URL },
		},
		{
			Path: "agent.headers", Fallback: "none", Doc: "headers of requests to the service; ${NAME} is taken from the environment", Example: "{authorization: \"Bearer ${AGENT_KEY}\"}",
			at: func(v *values) any { return &v.Agent.Headers },
		},
		{
			Path: "agent.per_rollout", Binding: true, Default: "false", Doc: "whether the program is started for each rollout; else a process makes one rollout after the other",
			at: func(v *values) any { return &v.Agent.PerRollout },
		},
		{
			Path: "agent.processes", Default: "0", Min: bound(0), Max: bound(4096), Doc: "most processes of the program at one time; 0 is as many as rollouts",
			at: func(v *values) any { return &v.Agent.Processes },
		},
		{
			Path: "agent.own_model", Binding: true, Default: "false", Doc: "whether the agent asks a model of its own; else it is handed an address on loopback and a key for each rollout, behind which it finds the model of this run, and what it asks there is bounded, counted and recorded",
			at: func(v *values) any { return &v.Agent.OwnModel },
		},
		{
			Path: "agent.hide", Binding: true, Fallback: "where references usually stand, such as reference_answer, solution and tests (docs/own-agent.md)", Doc: "fields of a row that the agent is not told", Example: "[reference_answer, notes]",
			at: func(v *values) any { return &v.Agent.Hide },
		},
		{
			Path: "agent.timeout", Default: "30m", Doc: "longest time for the agent to carry a rollout to its answer; 0s is no limit",
			at: func(v *values) any { return &v.Agent.Timeout },
		},
		{
			Path: "agent.poll", Default: "1s", Doc: "time between questions for a service's result",
			at: func(v *values) any { return &v.Agent.Poll },
		},
	}
}

// Used reports whether an agent makes the rollouts.
func (a agentValues) Used() bool { return len(a.Command) > 0 || a.URL != "" }

// AsksItself reports whether the agent asks a model of its own.
func (a agentValues) AsksItself() bool { return a.Used() && a.OwnModel != nil && *a.OwnModel }

// HiddenFields are the fields that the agent is not told.
func (c *Config) HiddenFields() []string {
	if c.has("agent.hide") {
		return c.Agent.Hide
	}
	return agent.Hidden()
}

// checkAgent finds keys that contradict each other.
func checkAgent(c *Config) error {
	if len(c.Agent.Command) > 0 && c.Agent.URL != "" {
		return c.Fault("agent.url", "stands beside agent.command: the agent is one of them")
	}
	for _, path := range []string{"agent.headers", "agent.per_rollout", "agent.processes", "agent.own_model", "agent.hide", "agent.timeout", "agent.poll"} {
		if !c.Agent.Used() && c.changed(path) {
			return c.Fault(path, "stands without agent.command or agent.url")
		}
	}
	if c.Agent.URL != "" {
		for _, path := range []string{"agent.per_rollout", "agent.processes"} {
			if c.changed(path) {
				return c.Fault(path, "is for agent.command alone")
			}
		}
	}
	if c.Agent.Used() && len(c.Variants) > 0 {
		return c.Fault("variants", "cannot be sampled with an agent, which has a prompt of its own: make a run of each instead, and compare them")
	}
	if slices.Contains(c.Agent.Command, "") {
		return c.Fault("agent.command", "has an empty part")
	}
	return nil
}
