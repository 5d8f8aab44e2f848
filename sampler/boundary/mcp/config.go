package mcp

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/boundary/internal/process"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout/credential"
)

// Config is one server: a command or a URL. The tags are those of the keys of gonogo.yaml;
// here ${NAME} in Env and Headers has its value.
type Config struct {
	Name       string            `json:"name" is:"name" doc:"its name in messages"`
	Command    []string          `json:"command,omitzero" doc:"a program and its arguments, which communicates over standard input and output; it runs in this file's folder"`
	Env        map[string]string `json:"env,omitzero" mark:"variable" doc:"variables for the program, in addition to gonogo's own without the API keys of model and judge; ${NAME} is taken from the environment"`
	URL        string            `json:"url,omitzero" is:"url" mark:"url" doc:"instead of a command: where the server answers over HTTP"`
	Headers    map[string]string `json:"headers,omitzero" mark:"secret" doc:"headers of its requests; ${NAME} is taken from the environment"`
	PerRollout bool              `json:"per_rollout,omitzero" doc:"whether each rollout has its own process, or HTTP session, which ends with it; else all share one"`
	Only       []string          `json:"only,omitzero" doc:"the tools to offer, by the server's names; without it all"`
	Rename     map[string]string `json:"rename,omitzero" doc:"the name that a tool is offered by, keyed by the server's name for it"`
	Prefix     string            `json:"prefix,omitzero" doc:"a prefix for the names of its tools, when two servers use the same ones"`
}

// Options apply to all servers of a run.
type Options struct {
	Dir     string       // where programs run; "" is where this one does
	Without []string     // variables of this program's environment that programs must not see, unless Env sets them
	HTTP    *http.Client // nil = a client of our own, as endpoint.HTTPClient
	Log     io.Writer    // takes what programs write on standard error, from several goroutines; nil: no one does

	// Start is how long a server may take to start and to list its tools; 0 means
	// DefaultStart.
	Start time.Duration

	// MaxReply is the longest answer in bytes that is shown to the model. A longer one
	// is shown as an error of status 413, like that of any tool. 0 means
	// DefaultMaxReply.
	MaxReply int
}

const (
	// DefaultStart is a minute: a program may have to be downloaded first.
	DefaultStart = time.Minute
	// DefaultMaxReply is 1 MB, as for other tools.
	DefaultMaxReply = 1_000_000
)

// largestMessage bounds what is read of one message.
const largestMessage = 16 << 20

// How long a program may take to end by itself, once its input is closed. One that
// was a rollout's own leaves nothing that anyone reads, and a rollout waits for it.
const (
	grace    = 2 * time.Second
	ownGrace = 250 * time.Millisecond
)

// marker is the variable by which the processes of servers are known.
const marker = "GONOGO_MCP"

// Validate reports a configuration that cannot reach a server.
func (c Config) Validate() error {
	switch {
	case c.Name == "":
		return errors.New("an MCP server has no name")
	case (len(c.Command) > 0) == (c.URL != ""):
		return fmt.Errorf("the MCP server %s needs either a command or a url", c.Name)
	case len(c.Command) > 0 && c.Command[0] == "":
		return fmt.Errorf("the command of the MCP server %s is empty", c.Name)
	case len(c.Command) > 0 && len(c.Headers) > 0:
		return fmt.Errorf("the MCP server %s has headers but no url: what a program needs goes into env", c.Name)
	case c.URL != "" && len(c.Env) > 0:
		return fmt.Errorf("the MCP server %s has env but no command: what a url needs goes into headers", c.Name)
	case len(c.Command) > 0 && !process.Supported:
		return fmt.Errorf("this system cannot end all that the MCP server %s starts: serve it over HTTP (url)", c.Name)
	}
	if c.URL == "" {
		return nil
	}
	at, err := sampler.NewAddress("url", c.URL, c.Headers)
	switch {
	case err != nil:
		return fmt.Errorf("the MCP server %s: %w", c.Name, err)
	case at.UsesSession():
		return fmt.Errorf("the MCP server %s reads {{session.%s}}: its tools are listed before any rollout has a "+
			"session; a server for each rollout is started by its command, with per_rollout", c.Name, at.Reads()[0])
	}
	return nil
}

// where names the server for messages: its program, or its URL without what may be
// secret.
func (c Config) where() string {
	if c.URL != "" {
		return credential.BareURL(c.URL)
	}
	return strings.Join(c.Command, " ")
}

// secrets are the values that no message may show. A variable is one by its name
// alone: most hold paths and settings.
func (c Config) secrets() endpoint.Secrets {
	var keys []string
	for name, value := range c.Env {
		if credential.Is(name, value) {
			keys = append(keys, value)
		}
	}
	return endpoint.SecretsOf(c.Headers, keys...)
}
