package config

import (
	"slices"

	"gonogo/sampler/agent"
)

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
		return c.Fault("agent.url", "is set together with agent.command: the agent is one of them")
	}
	for _, path := range []string{"agent.headers", "agent.per_rollout", "agent.processes", "agent.own_model", "agent.hide", "agent.timeout", "agent.poll"} {
		if !c.Agent.Used() && changedKey(c, path) {
			return c.Fault(path, "needs agent.command or agent.url")
		}
	}
	if c.Agent.URL != "" {
		for _, path := range []string{"agent.per_rollout", "agent.processes"} {
			if changedKey(c, path) {
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
