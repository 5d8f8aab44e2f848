package config

import (
	"cmp"
	"path/filepath"
	"strings"

	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/input/job"
)

// takeEnvironment makes the environment, if there is one, the source of rollouts and, unless the
// configuration has a grader, of rewards.
func takeEnvironment(c *Config) {
	if !c.Environment.Used() {
		return
	}
	c.Agent.Environment = true
	if !c.HasGrader() && !c.Job.Named() {
		c.Grader = job.Source{Body: grader.Reported()}
	}
}

// checkEnvironment finds keys that contradict each other.
func checkEnvironment(c *Config) error {
	e := c.Environment
	if !e.Used() {
		for _, path := range []string{"args", "eval", "python", "limit", "prompt", "reward", "in_flight"} {
			if path = "environment." + path; changedKey(c, path) {
				return c.Fault(path, "needs environment.verifiers or environment.openenv")
			}
		}
		return nil
	}
	if err := e.Validate(); err != nil {
		return c.Fault("environment", "%v", err)
	}
	for key, set := range map[string]bool{
		"agent.command": len(c.written.Agent.Command) > 0, "agent.url": c.written.Agent.URL != "",
		"data.train": c.written.Data.Train != "", "data.eval": c.written.Data.Eval != "",
	} {
		if set {
			return c.Fault(key, "cannot be set together with environment, which has its own: remove one of them")
		}
	}
	if c.written.Queue.Remote() {
		return c.Fault("queue.url", "workers of a queue cannot make rollouts in an environment yet: run it on one machine")
	}
	for _, path := range []string{"environment.prompt", "environment.reward"} {
		if e.Kind() != "openenv" && changedKey(c, path) {
			return c.Fault(path, "works only with environment.openenv")
		}
	}
	return nil
}

// Interpreter returns the interpreter of the environment's package. A path is relative to the
// configuration's folder.
func (c *Config) Interpreter() string {
	name := cmp.Or(c.Environment.Python, c.Python.Interpreter)
	if strings.ContainsRune(name, filepath.Separator) {
		if path, err := filepath.Abs(c.Absolute(name)); err == nil {
			return path
		}
	}
	return name
}
