package python

import (
	"fmt"
	"runtime"
	"time"
)

// The values of Config.Sandbox.
const (
	Auto     = "auto"     // a sandbox if the machine has one
	Required = "required" // an error if there is no sandbox
	None     = "none"     // only limits on resources
)

// Config configures the interpreter, the number of workers and their limits.
type Config struct {
	Interpreter string        // a name on PATH, or a path, such as one in a venv or conda environment
	Workers     int           // maximum number of interpreters; 0 = one for each processor
	Timeout     time.Duration // limit for one call, and for loading a module
	Memory      int64         // address space of one process, in bytes
	Sandbox     string        // Auto, Required or None
}

// DefaultConfig returns the hosted service's limits, two minutes and 2 GiB.
func DefaultConfig() Config {
	return Config{Interpreter: "python3", Timeout: 2 * time.Minute, Memory: 2 << 30, Sandbox: Auto}
}

// leastMemory is the memory that an interpreter needs to start, in bytes.
const leastMemory = 64 << 20

// Validate reports invalid values.
func (c Config) Validate() error {
	switch {
	case c.Interpreter == "":
		return fmt.Errorf("interpreter is empty: name one, such as python3")
	case c.Workers < 0:
		return fmt.Errorf("workers is %d: it cannot be negative (0 = one for each processor)", c.Workers)
	case c.Timeout <= 0:
		return fmt.Errorf("timeout is %v: it must be positive", c.Timeout)
	case c.Memory < leastMemory:
		return fmt.Errorf("memory is %d bytes: an interpreter needs at least %d", c.Memory, leastMemory)
	case c.Sandbox != Auto && c.Sandbox != Required && c.Sandbox != None:
		return fmt.Errorf("sandbox is %q: it is %s, %s or %s", c.Sandbox, Auto, Required, None)
	}
	return nil
}

func (c Config) workers() int {
	if c.Workers == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return c.Workers
}
