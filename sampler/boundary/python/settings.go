package python

import "gonogo/sampler/limit"

// Settings is the configuration of python graders.
type Settings struct {
	Interpreter string         `json:"interpreter,omitzero" default:"python3" doc:"the interpreter of python graders: a name on PATH, or the path of one whose environment has the modules that they import"`
	Workers     int            `json:"workers" default:"0" min:"0" max:"1024" doc:"interpreters that run at one time; 0 is one for each core"`
	Timeout     limit.Duration `json:"timeout" default:"2m" doc:"longest time for one grade by python"`
	MemoryMB    int            `json:"memory_mb" default:"2048" min:"64" max:"1048576" doc:"most memory of one interpreter, in MB"`
	Sandbox     string         `json:"sandbox,omitzero" default:"auto" enum:"auto,required,none" doc:"whether python graders run without network and with a read-only file system: if the machine allows it, always, or never"`
}

// Pool returns the configuration of the pool that runs them.
func (s Settings) Pool() Config {
	return Config{
		Interpreter: s.Interpreter, Workers: s.Workers, Timeout: s.Timeout.Duration,
		Memory: int64(s.MemoryMB) << 20, Sandbox: s.Sandbox,
	}
}
