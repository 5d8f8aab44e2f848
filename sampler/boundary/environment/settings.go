package environment

import (
	"cmp"
	"errors"
)

// Settings is the configuration of an environment.
type Settings struct {
	Verifiers string         `json:"verifiers,omitzero" or:"none" mark:"binding" example:"./my_env.py" doc:"a taskset of verifiers 0.4 or later: an installed package, or the path of a module or package"`
	OpenEnv   string         `json:"openenv,omitzero" or:"none" mark:"url,binding" example:"http://localhost:8000" doc:"an environment of OpenEnv 0.10 or later: the URL of its server, or the ASGI application to serve here, as MODULE:NAME or FILE.py:NAME"`
	Args      map[string]any `json:"args,omitzero" or:"none" mark:"binding" example:"{taskset: {difficulty: hard}, agent: {max_turns: 8}}" doc:"arguments of the environment: the block [env] of verifiers, or those of each reset of OpenEnv"`
	Eval      map[string]any `json:"eval,omitzero" or:"there is no eval split, except by seeds" mark:"binding" example:"{taskset: {split: test}}" doc:"arguments in which the eval split differs from args; makes an eval split"`
	Python    string         `json:"python,omitzero" or:"python.interpreter" example:".venv/bin/python" doc:"the interpreter that has the environment's package; it runs without a sandbox"`
	Limit     int            `json:"limit" default:"0" min:"0" mark:"binding" doc:"most items taken from each split of the environment, the first ones; 0 takes all. With an environment that has no list of items, this is how many seeds each split has, and 0 is 64"`
	Prompt    string         `json:"prompt,omitzero" or:"none" mark:"binding" example:"Use the tools, then submit." doc:"a system prompt for environments that have none, which is OpenEnv's case"`
	Reward    string         `json:"reward,omitzero" default:"last" enum:"last,sum" mark:"binding" doc:"the reward of an episode of OpenEnv: the last that a step gave, or the sum of all"`
	InFlight  int            `json:"in_flight" default:"32" min:"1" max:"1024" doc:"most rollouts in the environment at one time"`
}

// Used reports whether an environment is named.
func (s Settings) Used() bool { return s.Name() != "" }

// Name returns the environment's name; "" if there is none.
func (s Settings) Name() string { return cmp.Or(s.Verifiers, s.OpenEnv) }

// Kind returns the library of the environment; "" if there is none.
func (s Settings) Kind() string {
	switch {
	case s.Verifiers != "":
		return "verifiers"
	case s.OpenEnv != "":
		return "openenv"
	}
	return ""
}

// Validate reports keys that contradict each other.
func (s Settings) Validate() error {
	if s.Verifiers != "" && s.OpenEnv != "" {
		return errors.New("verifiers and openenv cannot be set together")
	}
	return nil
}
