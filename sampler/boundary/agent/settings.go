package agent

import "gonogo/sampler/limit"

// Settings is the configuration of the agent that makes the rollouts.
type Settings struct {
	Command    []string          `json:"command,omitzero" or:"gonogo makes the rollouts itself, with model and tools" mark:"binding,arguments" example:"[python3, my_agent.py]" doc:"your own agent, as a program and its arguments: it gets a JSON line for each rollout and answers with one (docs/wire.md#your-own-agent); it runs in this file's folder"`
	URL        string            `json:"url,omitzero" or:"none" is:"url" mark:"url,binding" example:"http://localhost:7100/rollouts" doc:"your own agent, as a service: each rollout is POSTed there"`
	Dialect    string            `json:"dialect" default:"gonogo" enum:"gonogo,sagemaker" mark:"binding" doc:"what the service speaks: gonogo is the format of docs/wire.md#your-own-agent; sagemaker is for an agent written for SageMaker AI's Agentic RFT, which calls the model and reports its reward at a local job runtime (docs/sagemaker.md)"`
	Listen     string            `json:"listen,omitzero" or:"a free port of 127.0.0.1, which the agent finds in metadata.endpoint" example:"127.0.0.1:9180" doc:"the loopback address of that job runtime, for an agent that takes the address from its environment"`
	Headers    map[string]string `json:"headers,omitzero" or:"none" mark:"secret" example:"{authorization: \"Bearer ${AGENT_KEY}\"}" doc:"headers of requests to the service; ${NAME} is taken from the environment"`
	PerRollout *bool             `json:"per_rollout,omitzero" default:"false" mark:"binding" doc:"whether the program is started for each rollout; otherwise a process makes one rollout after the other"`
	Processes  int               `json:"processes" default:"0" min:"0" max:"4096" doc:"most processes of the program at one time; 0 is as many as rollouts"`
	OwnModel   *bool             `json:"own_model,omitzero" default:"false" mark:"binding" doc:"whether the agent calls its own model; otherwise each rollout gets a loopback address and a key for the model of this run, and its requests there are limited, counted and recorded"`
	Hide       []string          `json:"hide,omitzero" or:"those that usually hold references, such as reference_answer, solution and tests (docs/wire.md#your-own-agent)" mark:"binding" example:"[reference_answer, notes]" doc:"fields of a row that the agent does not get"`
	Timeout    limit.Duration    `json:"timeout" default:"30m" doc:"longest time for the agent to finish a rollout; 0s is no limit"`
	Poll       limit.Duration    `json:"poll" default:"1s" doc:"time between polls for a service's result"`

	Environment bool `json:"-"` // an environment makes the rollouts (key environment)
}

// Used reports whether an agent makes the rollouts.
func (a Settings) Used() bool { return len(a.Command) > 0 || a.URL != "" || a.Environment }

// SageMaker reports whether the agent was written for SageMaker.
func (a Settings) SageMaker() bool { return a.URL != "" && a.Dialect == DialectSageMaker }

// AsksItself reports whether the agent calls its own model.
func (a Settings) AsksItself() bool { return a.Used() && a.OwnModel != nil && *a.OwnModel }
