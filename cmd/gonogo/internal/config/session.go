package config

import (
	"gonogo/sampler/isolation"
	"gonogo/sampler/job"
)

func sessionKeys() []key {
	return []key{
		{
			Path: "session.start", Fallback: "rollouts share what tools and grader keep", Example: "http://localhost:7000/start",
			Doc: "gives each rollout something of its own, such as a container: a URL to POST to, or a command for the shell; its answer, a JSON object, stands for {{session.NAME}} in URLs and headers of tools and grader, and in sampling.address_map",
			at:  func(v *values) any { return &v.Session.Start },
		},
		{
			Path: "session.stop", Fallback: "none: the processes of session.start are ended; a URL there wants one here", Example: "http://localhost:7000/stop",
			Doc: "stops it, however the rollout ended: a URL, in which {{session.NAME}} may stand, or a command, which finds the session's id in GONOGO_SESSION",
			at:  func(v *values) any { return &v.Session.Stop },
		},
		{
			Path: "session.headers", Fallback: "none", Doc: "headers of both requests; ${NAME} is taken from the environment", Example: "{authorization: \"Bearer ${SESSION_KEY}\"}",
			at: func(v *values) any { return &v.Session.Headers },
		},
		{
			Path: "session.canary", Fallback: "leaks are looked for where the start plants $GONOGO_CANARY itself", Example: `"{{session.dir}}/.gonogo-canary"`,
			Doc: "a file in the place of a session that each rollout's canary is written to once the session has started; another rollout's word in it, then or when the rollout has ended, is a leak",
			at:  func(v *values) any { return &v.Session.Canary },
		},
		{
			Path: "session.concurrency", Default: "0", Min: bound(0), Max: bound(4096), Doc: "most sessions at one time; 0 is as many as rollouts",
			at: func(v *values) any { return &v.Session.Concurrency },
		},
		{
			Path: "session.timeout", Default: "2m", Doc: "longest wait for a session to start, and to stop; tried again as other requests are",
			at: func(v *values) any { return &v.Session.Timeout },
		},
	}
}

// checkSession finds keys that want a start.
func checkSession(c *Config) error {
	if c.Session.Start != "" {
		return nil
	}
	for _, path := range []string{"session.stop", "session.headers", "session.canary"} {
		if c.has(path) {
			return c.Fault(path, "stands without session.start")
		}
	}
	return nil
}

// maskHook is a hook as a manifest shows it.
func maskHook(hook string) string {
	if isolation.IsURL(hook) {
		return job.MaskURL(hook)
	}
	return hook
}
