package config

// checkSession finds keys that want a start.
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
