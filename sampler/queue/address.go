package queue

import (
	"net/url"
	"strconv"
	"strings"
)

// Address says where a queue is and how to authenticate. The tags describe the keys of
// gonogo.yaml.
type Address struct {
	URL string `json:"url,omitzero" or:"memory: in this process, without a queue" mark:"url" example:"nats://nats:4222" doc:"where rollouts are made: memory; embedded, through a queue in this process, kept in RUN/queue; embedded:PORT, which workers on this machine may join; or nats:// and tls:// addresses of a NATS cluster with JetStream, whose workers make them (docs/queue.md); credentials come from GONOGO_QUEUE_TOKEN, or GONOGO_QUEUE_USER and GONOGO_QUEUE_PASSWORD"`
	// a file with a user's JWT and seed
	Creds string `json:"creds,omitzero" or:"none" mark:"file" example:"gonogo.creds" doc:"a file of NATS credentials (.creds)"`
	CA    string `json:"tls_ca,omitzero" or:"the machine's own" mark:"file" example:"ca.pem" doc:"the CA certificates (PEM) for the cluster"`
	Cert  string `json:"tls_cert,omitzero" or:"none" mark:"file" example:"client.pem" doc:"the client certificate (PEM); needs queue.tls_key"`
	Key   string `json:"tls_key,omitzero" or:"none" mark:"file" example:"client-key.pem" doc:"the file of that certificate's key"`

	Token, User, Password string `json:"-"`
}

// The values of a URL besides nats:// and tls:// addresses; a port may follow Embedded.
const (
	inMemory = "memory"
	Embedded = "embedded"
)

// The environment variables that hold credentials for a queue.
const (
	TokenEnv    = "GONOGO_QUEUE_TOKEN"
	UserEnv     = "GONOGO_QUEUE_USER"
	PasswordEnv = "GONOGO_QUEUE_PASSWORD"
)

// Used reports whether a queue distributes the jobs.
func (a Address) Used() bool { return a.URL != "" && a.URL != inMemory }

// Remote reports whether only other processes make the rollouts.
func (a Address) Remote() bool { return a.Used() && !a.Embedded() }

// Embedded reports whether the queue is a server in this process.
func (a Address) Embedded() bool { return a.URL == Embedded || strings.HasPrefix(a.URL, Embedded+":") }

// Port returns the port of an embedded server; 0 if it does not listen.
func (a Address) Port() int {
	port, _ := strconv.Atoi(strings.TrimPrefix(a.URL, Embedded+":")) // URLFault has checked it
	return port
}

// URLFault returns what is wrong with the URL, or "" if nothing is. It does not show the URL,
// which may hold a password.
func (a Address) URLFault() string {
	const want = "must be memory, embedded, embedded:PORT, or nats://HOST:PORT or tls://HOST:PORT, several with " +
		"commas between"
	if !a.Used() || a.URL == Embedded {
		return ""
	}
	if a.Embedded() {
		if port := a.Port(); port < 1 || port > 65535 {
			return "embedded:PORT takes a port from 1 to 65535"
		}
		return ""
	}
	for _, one := range strings.Split(a.URL, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		switch {
		case err != nil || u.Scheme != "nats" && u.Scheme != "tls" || u.Hostname() == "":
			return want
		case u.User != nil || u.RawQuery != "":
			return "holds credentials, which do not belong in an address: export " + UserEnv + " and " + PasswordEnv +
				", or " + TokenEnv + ", or name a file of credentials (queue.creds, --creds)"
		case strings.Trim(u.Path, "/") != "":
			return want
		}
	}
	return ""
}

// Login reads the credentials from the environment.
func (a *Address) Login(env func(name string) (string, bool)) {
	a.Token, _ = env(TokenEnv)
	a.User, _ = env(UserEnv)
	a.Password, _ = env(PasswordEnv)
}

// LoginFault returns what the address needs but this program or the environment lacks, or
// "" if nothing is missing.
func (a Address) LoginFault() string {
	switch {
	case a.Embedded() && !HasServer:
		return "this gonogo was built without the embedded queue (build tag noserver): run make build, or take a " +
			"release archive; nats:// and tls:// addresses work"
	case a.Embedded() && a.Port() > 0 && a.Token == "":
		return "the environment has no " + TokenEnv + ", which workers need to join: export it here and for the workers"
	case a.User == "" && a.Password != "":
		return "the environment has " + PasswordEnv + " alone: " + UserEnv + " and " + PasswordEnv + " go together"
	case a.User != "" && a.Password == "":
		return "the environment has " + UserEnv + " alone: " + UserEnv + " and " + PasswordEnv + " go together"
	}
	return ""
}
