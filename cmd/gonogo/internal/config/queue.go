package config

import (
	"net/url"
	"strconv"
	"strings"

	"gonogo/sampler/job"
	"gonogo/sampler/queue"
)

// Where rollouts are made: values of queue.url.
const (
	inMemory   = "memory"
	IsEmbedded = "embedded"
)

// The environment variables with credentials for a queue.
const (
	QueueTokenEnv    = "GONOGO_QUEUE_TOKEN"
	QueueUserEnv     = "GONOGO_QUEUE_USER"
	QueuePasswordEnv = "GONOGO_QUEUE_PASSWORD"
)

// queueLogin is what the environment says to come in with.
type queueLogin struct{ Token, User, Password string }

// Used reports whether a queue distributes the jobs.
func (q QueueValues) Used() bool { return q.URL != "" && q.URL != inMemory }

// Remote reports whether only other processes make the rollouts.
func (q QueueValues) Remote() bool { return q.Used() && !q.Embedded() }

// Embedded reports whether the queue is a server in this process.
func (q QueueValues) Embedded() bool {
	return q.URL == IsEmbedded || strings.HasPrefix(q.URL, IsEmbedded+":")
}

// Port is the port of an embedded server; 0 if it does not listen.
func (q QueueValues) Port() int {
	port, _ := strconv.Atoi(strings.TrimPrefix(q.URL, IsEmbedded+":")) // checkQueue has read it
	return port
}

// checkQueue finds what cannot be a queue. No message shows a URL, which may
// hold a password.
func checkQueue(c *Config) error {
	q := c.Queue
	if (q.TLSCert == "") != (q.TLSKey == "") {
		return c.Fault("queue.tls_cert", "goes with queue.tls_key: give both or neither")
	}
	if err := QueueURLFault(q.URL); err != "" {
		return c.Fault("queue.url", "%s", err)
	}
	return nil
}

// QueueURLFault says what is wrong with a queue's address; "" is nothing.
func QueueURLFault(text string) string {
	const want = "must be memory, embedded, embedded:PORT, or nats://HOST:PORT or tls://HOST:PORT, several with commas between"
	if text == "" || text == inMemory || text == IsEmbedded {
		return ""
	}
	if port, ok := strings.CutPrefix(text, IsEmbedded+":"); ok {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return "embedded:PORT takes a port from 1 to 65535"
		}
		return ""
	}
	for _, one := range strings.Split(text, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		switch {
		case err != nil || u.Scheme != "nats" && u.Scheme != "tls" || u.Hostname() == "":
			return want
		case u.User != nil || u.RawQuery != "":
			return "holds credentials, which do not belong in an address: export " + QueueUserEnv + " and " + QueuePasswordEnv + ", or " + QueueTokenEnv + ", or name a file of credentials (queue.creds, --creds)"
		case strings.Trim(u.Path, "/") != "":
			return want
		}
	}
	return ""
}

// takeQueue takes the credentials of the queue from the environment, and asks for
// its files.
func takeQueue(c *Config) []error {
	q := c.Queue
	if !q.Used() {
		return nil
	}
	in := LoginFrom(secretEnv(c))
	c.QueueLogin = in
	var errs []error
	switch {
	case q.Embedded() && !queue.HasServer:
		errs = append(errs, c.Fault("queue.url", "this gonogo was built without a queue of its own (build tag noserver): run make build, or take a release archive; nats:// and tls:// addresses work"))
	case q.Embedded() && q.Port() > 0 && in.Token == "":
		errs = append(errs, c.Fault("queue.url", "the environment has no %s, which workers show to join: export it here and there", QueueTokenEnv))
	case (in.User == "") != (in.Password == ""):
		alone := QueueUserEnv
		if in.User == "" {
			alone = QueuePasswordEnv
		}
		errs = append(errs, c.Fault("queue.url", "the environment has %s alone: %s and %s go together", alone, QueueUserEnv, QueuePasswordEnv))
	}
	if !q.Embedded() {
		errs = append(errs, fileThere(c, "queue.creds", q.Creds), fileThere(c, "queue.tls_ca", q.TLSCA), fileThere(c, "queue.tls_cert", q.TLSCert), fileThere(c, "queue.tls_key", q.TLSKey))
	}
	return errs
}

// LoginFrom reads the login from the environment.
func LoginFrom(env Lookup) queueLogin {
	var in queueLogin
	in.Token, _ = env(QueueTokenEnv)
	in.User, _ = env(QueueUserEnv)
	in.Password, _ = env(QueuePasswordEnv)
	return in
}

// MaskQueueURL is a queue's address without secrets.
func MaskQueueURL(text string) string {
	list := strings.Split(text, ",")
	for i, one := range list {
		if strings.Contains(one, "://") {
			list[i] = job.MaskURL(strings.TrimSpace(one))
		}
	}
	return strings.Join(list, ",")
}

// Address is the queue's address with its credentials.
func (c *Config) Address() queue.Address {
	q, in := c.Queue, c.QueueLogin
	return queue.Address{URL: q.URL, Creds: q.Creds, CA: q.TLSCA, Cert: q.TLSCert, Key: q.TLSKey, Token: in.Token, User: in.User, Password: in.Password}
}
