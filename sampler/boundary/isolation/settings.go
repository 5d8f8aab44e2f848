package isolation

import "gonogo/sampler/limit"

// Settings is the configuration of the sessions of rollouts.
type Settings struct {
	Start       string            `json:"start,omitzero" or:"rollouts share the state of tools and grader" mark:"url" example:"http://localhost:7000/start" doc:"gives each rollout its own resources, such as a container: a URL to POST to, or a shell command; its answer, a JSON object, replaces {{session.NAME}} in URLs and headers of tools and grader, and in sampling.address_map"`
	Stop        string            `json:"stop,omitzero" or:"none: the processes of session.start are killed; required if session.start is a URL" mark:"url" example:"http://localhost:7000/stop" doc:"stops the session, however the rollout ended: a URL, which may contain {{session.NAME}}, or a command, which gets the session's id in GONOGO_SESSION"`
	Headers     map[string]string `json:"headers,omitzero" or:"none" mark:"secret" example:"{authorization: \"Bearer ${SESSION_KEY}\"}" doc:"headers of both requests; ${NAME} is taken from the environment"`
	Canary      string            `json:"canary,omitzero" or:"leaks are detected only if the start writes $GONOGO_CANARY itself" example:"\"{{session.dir}}/.gonogo-canary\"" doc:"a file within the session to which each rollout's canary is written once the session has started; if it holds another rollout's canary, then or after the rollout, that is a leak"`
	Concurrency int               `json:"concurrency" default:"0" min:"0" max:"4096" doc:"most sessions at one time; 0 is as many as rollouts"`
	Timeout     limit.Duration    `json:"timeout" default:"2m" doc:"longest wait for a session to start, and to stop; retried like other requests"`
}
