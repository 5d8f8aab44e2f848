package python

import (
	"fmt"
	"runtime"
	"time"
)

// The values of Config.Sandbox.
const (
	Auto     = "auto"     // a sandbox when the machine has one
	Required = "required" // no sandbox is an error
	None     = "none"     // limits on resources alone
)

// Config says which interpreter runs, how often and within what bounds.
type Config struct {
	Interpreter string        // a name on PATH, or a path: of a venv, of conda
	Workers     int           // interpreters at once; 0 = one for each processor
	Timeout     time.Duration // one call, and one loading of a module
	Memory      int64         // address space of one process, in bytes
	Sandbox     string        // Auto, Required or None
}

// DefaultConfig is the hosted service's two minutes and 2 GiB.
func DefaultConfig() Config {
	return Config{Interpreter: "python3", Timeout: 2 * time.Minute, Memory: 2 << 30, Sandbox: Auto}
}

// leastMemory is what an interpreter needs to start.
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
