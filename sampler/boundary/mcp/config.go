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

// Config describes one server: a command or a URL. The tags describe the keys of gonogo.yaml. In Env
// and Headers, ${NAME} is already replaced by its value.
type Config struct {
	Name       string            `json:"name" is:"name" doc:"its name in messages"`
	Command    []string          `json:"command,omitzero" doc:"a program and its arguments, which communicates over standard input and output; it runs in this file's folder"`
	Env        map[string]string `json:"env,omitzero" mark:"variable" doc:"variables for the program, in addition to gonogo's own without the API keys of model and judge; ${NAME} is taken from the environment"`
	URL        string            `json:"url,omitzero" is:"url" mark:"url" doc:"instead of a command: where the server answers over HTTP"`
	Headers    map[string]string `json:"headers,omitzero" mark:"secret" doc:"headers of its requests; ${NAME} is taken from the environment"`
	PerRollout bool              `json:"per_rollout,omitzero" doc:"whether each rollout has its own process, or HTTP session, which ends with the rollout; otherwise all rollouts share one"`
	Only       []string          `json:"only,omitzero" doc:"the tools to offer, by the server's names; default: all"`
	Rename     map[string]string `json:"rename,omitzero" doc:"the name that a tool is offered by, keyed by the server's name for it"`
	Prefix     string            `json:"prefix,omitzero" doc:"a prefix for the names of its tools, when two servers use the same ones"`
}

// Options apply to all servers of a run.
type Options struct {
	Dir     string       // working directory of programs; "" is this program's
	Without []string     // environment variables of this program that servers must not see, unless Env sets them
	HTTP    *http.Client // nil = a new endpoint.HTTPClient
	Log     io.Writer    // receives the programs' standard error, from several goroutines; nil discards it

	// Start is the maximum time for a server to start, and again to list its tools; 0 means
	// DefaultStart.
	Start time.Duration

	// Slow is called at most once, with what is waited for, if a server has not answered within a
	// twentieth of Start; nil says nothing.
	Slow func(waiting string)

	// MaxReply is the length in bytes of the longest answer that is shown to the model. The model
	// sees a longer one as an error with status 413, as from any tool. 0 means DefaultMaxReply.
	MaxReply int
}

const (
	// DefaultStart is a minute: a program may have to be downloaded first.
	DefaultStart = time.Minute
	// DefaultMaxReply is 1 MB, as for other tools.
	DefaultMaxReply = 1_000_000
)

// largestMessage is the maximum length of a message, in bytes.
const largestMessage = 16 << 20

// The time that a program has to exit by itself after its input is closed. It is shorter for a
// server of one rollout: nothing that such a server leaves is read, and the rollout waits for it.
const (
	grace        = 2 * time.Second
	rolloutGrace = 250 * time.Millisecond
)

// marker is the environment variable that identifies the processes of servers.
const marker = "GONOGO_MCP"

// Validate reports invalid settings.
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
	address, err := sampler.NewAddress("url", c.URL, c.Headers)
	switch {
	case err != nil:
		return fmt.Errorf("the MCP server %s: %w", c.Name, err)
	case address.UsesSession():
		return fmt.Errorf("the MCP server %s reads {{session.%s}}: its tools are listed before any rollout has a "+
			"session; a server for each rollout is started by its command, with per_rollout", c.Name,
			address.Reads()[0])
	}
	return nil
}

// where returns the server's program, or its URL without possible secrets, for messages.
func (c Config) where() string {
	if c.URL != "" {
		return credential.BareURL(c.URL)
	}
	return strings.Join(c.Command, " ")
}

// secrets returns the values that no message may show: those of headers, and those of environment
// variables that look like credentials. Most variables are paths and settings.
func (c Config) secrets() endpoint.Secrets {
	var keys []string
	for name, value := range c.Env {
		if credential.Is(name, value) {
			keys = append(keys, value)
		}
	}
	return endpoint.SecretsOf(c.Headers, keys...)
}
