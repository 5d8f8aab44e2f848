package main

import (
	"cmp"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"gonogo/sampler/job"
)

// Where rollouts are made, as the key queue.url has it.
const (
	inMemory   = "memory"
	isEmbedded = "embedded"
)

// The variables that credentials of a queue are taken from.
const (
	queueTokenEnv    = "GONOGO_QUEUE_TOKEN"
	queueUserEnv     = "GONOGO_QUEUE_USER"
	queuePasswordEnv = "GONOGO_QUEUE_PASSWORD"
)

// queueValues are the keys of the queue that jobs are handed out by.
type queueValues struct {
	URL                           string
	Creds, TLSCA, TLSCert, TLSKey string
	Wait                          time.Duration
	Replicas, Deliveries          int
}

// queueLogin is what the environment says to come in with.
type queueLogin struct{ token, user, password string }

func queueKeys() []key {
	return []key{
		{
			Path: "queue.url", Fallback: "memory: in this process, without a queue", Example: "nats://nats:4222",
			Doc: "where rollouts are made: memory; embedded, through a queue in this process, kept in RUN/queue; embedded:PORT, where workers of this machine may join; or nats:// and tls:// addresses of a NATS cluster with JetStream, by the workers that are there (docs/queue.md); credentials come from " + queueTokenEnv + ", or " + queueUserEnv + " and " + queuePasswordEnv,
			at:  func(v *values) any { return &v.Queue.URL },
		},
		{
			Path: "queue.creds", file: true, Fallback: "none", Doc: "a file of NATS credentials (.creds)", Example: "gonogo.creds",
			at: func(v *values) any { return &v.Queue.Creds },
		},
		{
			Path: "queue.tls_ca", file: true, Fallback: "the machine's own", Doc: "the certificates (PEM) of who may vouch for the cluster", Example: "ca.pem",
			at: func(v *values) any { return &v.Queue.TLSCA },
		},
		{
			Path: "queue.tls_cert", file: true, Fallback: "none", Doc: "the certificate (PEM) to show the cluster; goes with queue.tls_key", Example: "client.pem",
			at: func(v *values) any { return &v.Queue.TLSCert },
		},
		{
			Path: "queue.tls_key", file: true, Fallback: "none", Doc: "the file of its key", Example: "client-key.pem",
			at: func(v *values) any { return &v.Queue.TLSKey },
		},
		{
			Path: "queue.wait", Default: "30s", Doc: "longest wait, when a run begins, for a server that does not listen yet, or a cluster that has no leader yet; 0s is none; workers wait until it is there",
			at: func(v *values) any { return &v.Queue.Wait },
		},
		{
			Path: "queue.replicas", Default: "1", Min: bound(1), Max: bound(5), Doc: "on how many servers of a cluster jobs and results are kept: 3 outlive the loss of one",
			at: func(v *values) any { return &v.Queue.Replicas },
		},
		{
			Path: "queue.deliveries", Default: "4", Min: bound(1), Max: bound(1000), Doc: "a rollout whose worker was lost so often is no longer handed out: it is of outcome tool, kind worker_lost, and made by the next call",
			at: func(v *values) any { return &v.Queue.Deliveries },
		},
	}
}

// there reports whether jobs are handed out by a queue.
func (q queueValues) there() bool { return q.URL != "" && q.URL != inMemory }

// elsewhere reports whether other processes alone make the rollouts.
func (q queueValues) elsewhere() bool { return q.there() && !q.embedded() }

// embedded reports whether the queue is a server in this process.
func (q queueValues) embedded() bool {
	return q.URL == isEmbedded || strings.HasPrefix(q.URL, isEmbedded+":")
}

// port is where an embedded server listens; 0 is nowhere.
func (q queueValues) port() int {
	port, _ := strconv.Atoi(strings.TrimPrefix(q.URL, isEmbedded+":")) // checkQueue has read it
	return port
}

// checkQueue finds what cannot be a queue. No message shows a URL, which may
// hold a password.
func (c *config) checkQueue() error {
	q := c.Queue
	if (q.TLSCert == "") != (q.TLSKey == "") {
		return c.fault("queue.tls_cert", "goes with queue.tls_key: give both or neither")
	}
	if err := checkQueueURL(q.URL); err != "" {
		return c.fault("queue.url", "%s", err)
	}
	return nil
}

// checkQueueURL says what is wrong with a queue's address; "" is nothing.
func checkQueueURL(text string) string {
	const want = "must be memory, embedded, embedded:PORT, or nats://HOST:PORT or tls://HOST:PORT, several with commas between"
	if text == "" || text == inMemory || text == isEmbedded {
		return ""
	}
	if port, ok := strings.CutPrefix(text, isEmbedded+":"); ok {
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
			return "holds credentials, which do not belong in an address: export " + queueUserEnv + " and " + queuePasswordEnv + ", or " + queueTokenEnv + ", or name a file of credentials (queue.creds, --creds)"
		case strings.Trim(u.Path, "/") != "":
			return want
		}
	}
	return ""
}

// takeQueue takes the credentials of the queue from the environment, and asks for
// its files.
func (c *config) takeQueue() []error {
	q := c.Queue
	if !q.there() {
		return nil
	}
	in := loginFrom(c.secretEnv())
	c.queueLogin = in
	var errs []error
	switch {
	case q.embedded() && q.port() > 0 && in.token == "":
		errs = append(errs, c.fault("queue.url", "the environment has no %s, which workers show to join: export it here and there", queueTokenEnv))
	case (in.user == "") != (in.password == ""):
		errs = append(errs, c.fault("queue.url", "the environment has %s alone: %s and %s go together", cmp.Or(presentName(in.user, queueUserEnv), queuePasswordEnv), queueUserEnv, queuePasswordEnv))
	}
	for _, f := range []struct{ key, path string }{
		{"queue.creds", q.Creds}, {"queue.tls_ca", q.TLSCA}, {"queue.tls_cert", q.TLSCert}, {"queue.tls_key", q.TLSKey},
	} {
		if f.path == "" || q.embedded() {
			continue
		}
		if info, err := os.Stat(f.path); err != nil {
			errs = append(errs, c.fault(f.key, "%v (paths start from the folder of %s)", err, filepath.Base(c.file)))
		} else if info.IsDir() {
			errs = append(errs, c.fault(f.key, "%s is a directory", f.path))
		}
	}
	return errs
}

// loginFrom takes it from there.
func loginFrom(env lookup) queueLogin {
	var in queueLogin
	in.token, _ = env(queueTokenEnv)
	in.user, _ = env(queueUserEnv)
	in.password, _ = env(queuePasswordEnv)
	return in
}

// presentName is the name of a variable that is there.
func presentName(value, name string) string {
	if value == "" {
		return ""
	}
	return name
}

// maskQueueURL is a queue's address as a file may show it.
func maskQueueURL(text string) string {
	list := strings.Split(text, ",")
	for i, one := range list {
		if strings.Contains(one, "://") {
			list[i] = job.MaskURL(strings.TrimSpace(one))
		}
	}
	return strings.Join(list, ",")
}
