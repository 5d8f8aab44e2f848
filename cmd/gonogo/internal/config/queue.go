package config

// checkQueue finds contradictions in the queue's keys.
func checkQueue(c *Config) error {
	if (c.Queue.Cert == "") != (c.Queue.Key == "") {
		return c.Fault("queue.tls_cert", "goes with queue.tls_key: give both or neither")
	}
	if wrong := c.Queue.URLFault(); wrong != "" {
		return c.Fault("queue.url", "%s", wrong)
	}
	return nil
}

// takeQueue reads the credentials of the queue from the environment, and checks its files.
func takeQueue(c *Config) (errs []error) {
	q := &c.Queue.Address
	if !q.Used() {
		return nil
	}
	if q.Login(secretEnv(c)); q.LoginFault() != "" {
		errs = append(errs, c.Fault("queue.url", "%s", q.LoginFault()))
	}
	if !q.Embedded() {
		errs = append(errs, checkFile(c, "queue.creds", q.Creds), checkFile(c, "queue.tls_ca", q.CA),
			checkFile(c, "queue.tls_cert", q.Cert), checkFile(c, "queue.tls_key", q.Key))
	}
	return errs
}
