package config

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gonogo/analysis"
	"gonogo/sampler/document"
	"gonogo/sampler/job"
	"gonogo/sampler/mcp"
)

// Config is a configuration, read and resolved: what was left out is at
// its default, paths lead from the working directory, ${NAME} in headers is
// filled in. The fields hold secrets: show masked.
type Config struct {
	values
	Body *job.Job // with the grader that grades; nil when there is neither

	ModelKey, JudgeKey string // API keys; "" when none is needed
	variantAPIKeys     []string
	DroppedTools       []string          // that the variant does not offer
	RenamedTools       map[string]string // what the variant offers a tool as, by its name
	QueueLogin         queueLogin
	priceList          analysis.PriceList // of prices.file
	MCPServers         []mcp.Config       // of tools.mcp, with what the environment holds

	FromRun   bool             // by a run directory: see trust
	File      string           // as errors name it
	OwnJob    *job.Job         // Body with its own grader; nil when there is none
	jobTree   *document.Node   // where the job's body is, when it was YAML
	Dir       string           // what relative paths start from
	GraderDir string           // what those of the grader start from
	env       Lookup           // the environment
	written   values           // before resolving
	given     map[string]place // the keys that were set, and where
	found     []string         // secrets taken from the environment

	Text        string            // of the document
	Overrides   []string          // KEY=VALUE over it
	asked       map[string]bool   // the variables that were there when they were asked for
	GraderFiles []string          // the files that graders name
	sheets      map[string][]byte // files that came with a run instead of lying here, by path
}

// Error is one mistake in a configuration, and Errors are all of them by their place.
type (
	Error  = document.Error
	Errors = document.Errors
)

// Lookup finds an environment variable.
type Lookup func(name string) (value string, ok bool)

// place is where a key was set, and its value as it was written there.
type place struct {
	file string
	node *document.Node
}

// Load reads a configuration and all that a run needs: the job, data
// files that are there, a model, keys and headers from the environment.
// overrides are PATH=VALUE, as --set takes them. The error lists all mistakes
// with file:line:column, as far as they can be found at one time.
func Load(path string, env Lookup, overrides ...string) (*Config, error) {
	c, err := Peek(path, env, overrides...)
	if err != nil {
		return nil, err
	}
	return c, SortErrors([]error{c.Complete(), c.TakeKeys()})
}

// Peek reads a configuration without asking for data, keys or a job:
// enough to analyse rollouts that are there already. An empty path means all
// defaults.
func Peek(path string, env Lookup, overrides ...string) (*Config, error) {
	var body []byte
	if path != "" {
		var err error
		if body, err = ReadBounded(path); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				err = fmt.Errorf("there is no %s here: gonogo init writes one, or name yours with --config", path)
			}
			return nil, fmt.Errorf("read the configuration: %w", err)
		}
	}
	c, err := Decode(cmp.Or(path, "defaults"), filepath.Dir(path), body, env)
	if err != nil {
		return nil, SortErrors([]error{err, jobFault(c)})
	}
	if err := applyOverrides(c, overrides); err != nil {
		return nil, err
	}
	return c, c.resolve()
}

// applyOverrides takes PATH=VALUE as --set does. Nothing is resolved yet.
func applyOverrides(c *Config, pairs []string) error {
	var errs []error
	c.Overrides = pairs
	for _, o := range pairs {
		name, value, ok := strings.Cut(o, "=")
		if !ok {
			errs = append(errs, fmt.Errorf("--set %q: write KEY=VALUE, such as sampling.samples=16", o))
			continue
		}
		errs = append(errs, assignValue(c, strings.TrimSpace(name), value))
	}
	return errors.Join(errs...)
}

// jobFault reads the job for its mistakes alone, so that they are shown
// together with the document's. c may be nil.
func jobFault(c *Config) error {
	if c == nil || c.written.Job.Path == "" && c.written.Job.Body == nil {
		return nil
	}
	c.Job = c.written.Job
	_, err := loadJob(c)
	return err
}

// Decode reads the body into a config that is not resolved yet. With an
// error from the document's content the config holds what could be read.
func Decode(name, dir string, body []byte, env Lookup) (*Config, error) {
	root, err := document.Parse(name, body)
	if err != nil {
		return nil, err
	}
	c := &Config{File: name, Dir: dir, Text: string(body), given: map[string]place{}, asked: map[string]bool{}}
	c.env = func(name string) (string, bool) {
		value, ok := env(name)
		if ok {
			c.asked[name] = true
		}
		return value, ok
	}
	for _, k := range Keys() {
		if k.Default == "" {
			continue
		}
		if err := json.Unmarshal(k.Schema.Default, k.at(&c.written).Addr().Interface()); err != nil {
			panic(fmt.Sprintf("gonogo: the default of %s: %v", k.Path, err))
		}
	}
	return c, c.take(root, name)
}

// readSheet reads a file that the configuration names, unless it came with a run.
func readSheet(c *Config, path string) ([]byte, error) {
	if body, ok := c.sheets[path]; ok {
		return body, nil
	}
	return ReadBounded(path)
}

// ReadBounded reads a file that may not exceed document.MaxBytes by much.
func ReadBounded(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a directory", path)
	case info.Size() > document.MaxBytes:
		return nil, fmt.Errorf("%s has %d KB, %d KB are allowed", path, info.Size()>>10, document.MaxBytes>>10)
	}
	return os.ReadFile(path)
}

// FromManifest reads a masked configuration from a manifest. Its secrets are
// masked: it can be used to analyze a run, not to make one.
func FromManifest(name string, masked json.RawMessage, overrides ...string) (*Config, error) {
	c, err := Decode(name, ".", masked, func(string) (string, bool) { return "", false })
	if err == nil {
		err = applyOverrides(c, overrides)
	}
	if err != nil {
		return nil, err
	}
	return c, c.resolve()
}
