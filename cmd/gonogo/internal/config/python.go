package config

import "gonogo/sampler/python"

// PythonPool is how python graders are run.
func (c *Config) PythonPool() python.Config {
	p := c.Python
	return python.Config{
		Interpreter: p.Interpreter, Workers: p.Workers, Timeout: p.Timeout.Duration,
		Memory: int64(p.MemoryMB) << 20, Sandbox: p.Sandbox,
	}
}
