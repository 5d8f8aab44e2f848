package config

import (
	"fmt"
	"maps"
	"slices"

	"gonogo/sampler/boundary/agent"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/input/document"
	"gonogo/sampler/input/job"
	"gonogo/sampler/rollout/credential"
)

// HiddenFields lists the row fields that the agent does not receive.
func (c *Config) HiddenFields() []string {
	if c.has("agent.hide") {
		return c.Agent.Hide
	}
	if c.Agent.SageMaker() { // it computes its own reward
		return nil
	}
	return agent.Hidden()
}

// checkAgent finds keys that contradict each other.
func checkAgent(c *Config) error {
	if len(c.Agent.Command) > 0 && c.Agent.URL != "" {
		return c.Fault("agent.url", "cannot be set together with agent.command: an agent is either a program or a "+
			"service")
	}
	for _, path := range []string{
		"agent.headers", "agent.per_rollout", "agent.processes", "agent.own_model",
		"agent.hide", "agent.timeout", "agent.poll", "agent.dialect", "agent.listen",
	} {
		if !c.Agent.Used() && changedKey(c, path) {
			return c.Fault(path, "needs agent.command or agent.url")
		}
	}
	if c.Agent.URL != "" {
		for _, path := range []string{"agent.per_rollout", "agent.processes"} {
			if changedKey(c, path) {
				return c.Fault(path, "works only with agent.command")
			}
		}
	}
	if err := checkDialect(c); err != nil {
		return err
	}
	if c.Agent.Used() && len(c.Variants) > 0 {
		return c.Fault("variants", "cannot be sampled with an agent, which has its own prompt: make a run of "+
			"each instead, and compare them")
	}
	if slices.Contains(c.Agent.Command, "") {
		return c.Fault("agent.command", "has an empty part")
	}
	return nil
}

// checkDialect finds keys that contradict the agent's dialect.
func checkDialect(c *Config) error {
	if c.Agent.Dialect == agent.DialectSageMaker {
		switch {
		case len(c.Agent.Command) > 0:
			return c.Fault("agent.dialect", "sagemaker works only with agent.url: an agent written for SageMaker is a "+
				"server, which you start")
		case c.Agent.AsksItself():
			return c.Fault("agent.own_model", "cannot be combined with agent.dialect: sagemaker, whose agents call the "+
				"model at the job runtime")
		case changedKey(c, "agent.poll"):
			return c.Fault("agent.poll", "has no use with agent.dialect: sagemaker, whose agents report their end")
		case c.Agent.Listen != "":
			if err := agent.CheckListen(c.Agent.Listen); err != nil {
				return c.Fault("agent.listen", "%v", err)
			}
		}
		return nil
	}
	if c.Agent.Listen != "" {
		return c.Fault("agent.listen", "needs agent.dialect: sagemaker")
	}
	if c.RewardOfAgent() {
		return c.Fault("grader", "only an environment, or an agent with agent.dialect: sagemaker, reports rewards")
	}
	return nil
}

// RewardOfAgent reports whether rewards are only those that the agent reports, so that there is nothing
// to try or to audit.
func (c *Config) RewardOfAgent() bool { return c.RewardWithRollout() && !c.Environment.Used() }

// PlaysToGrade reports whether the environment grades, which plays an episode for an output that no
// rollout made.
func (c *Config) PlaysToGrade() bool { return c.RewardWithRollout() && c.Environment.Used() }

// RewardWithRollout reports whether rewards come with the rollouts.
func (c *Config) RewardWithRollout() bool {
	return c.Body != nil && grader.TakesReported(c.Body.Grader)
}

// takeReported has the agent's own reward count if there is no grader.
func takeReported(c *Config) error {
	if c.Body != nil || c.Job.Named() || c.HasGrader() || !c.Agent.SageMaker() {
		return nil
	}
	var err error
	c.Body, err = job.Alone(c.File, grader.Reported())
	return err
}

// checkMCP finds servers that cannot be reached, as far as the configuration alone shows.
func checkMCP(c *Config) error {
	if len(c.Tools.MCP) > 0 && c.Agent.Used() {
		return c.Fault("tools.mcp", "cannot be combined with an agent, which calls its servers itself: remove it")
	}
	var errs []error
	seen := map[string]bool{}
	for i, v := range c.Tools.MCP {
		err := v.Validate()
		if seen[v.Name] {
			err = fmt.Errorf("there is a server %s already", v.Name)
		}
		if seen[v.Name] = true; err != nil {
			errs = append(errs, c.Fault(fmt.Sprintf("tools.mcp[%d]", i), "%v", err))
		}
	}
	return document.SortErrors(errs)
}

// takeMCP reads the variables in the servers' headers and environments from the environment.
func takeMCP(c *Config) []error {
	var errs []error
	c.MCPServers = nil
	for i, v := range c.Tools.MCP {
		for name, values := range map[string]map[string]string{"headers": v.Headers, "env": v.Env} {
			if slices.Contains(slices.Collect(maps.Values(values)), credential.Mask) {
				errs = append(errs, c.Fault(fmt.Sprintf("tools.mcp[%d]", i), "a run stores no secrets, but this "+
					"server needs some: name the configuration with --config"))
				continue
			}
			errs = append(errs, expandHeaders(c, fmt.Sprintf("tools.mcp[%d].%s", i, name), values)...)
		}
		c.MCPServers = append(c.MCPServers, v)
	}
	return errs
}

// checkSession finds keys that need session.start.
func checkSession(c *Config) error {
	if c.Session.Start != "" {
		return nil
	}
	for _, path := range []string{"session.stop", "session.headers", "session.canary"} {
		if c.has(path) {
			return c.Fault(path, "needs session.start")
		}
	}
	return nil
}
