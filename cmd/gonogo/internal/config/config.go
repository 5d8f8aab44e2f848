package config

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonogo/analysis/gate"
	"gonogo/analysis/price"
	"gonogo/fixtures"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/boundary/mcp"
	"gonogo/sampler/input/document"
	"gonogo/sampler/input/job"
	"gonogo/sampler/rollout"
)

// Config is a configuration, read and resolved: absent keys have their defaults, paths are relative
// to the working directory, and ${NAME} in headers is filled in. The fields contain secrets: print
// only Masked.
type Config struct {
	values
	Body *job.Job // with the grader that grades; nil if there is neither job nor grader

	ModelKey, JudgeKey string // API keys; "" if none is needed
	variantAPIKeys     []string
	DroppedTools       []string          // tools that the variant does not offer
	RenamedTools       map[string]string // the names under which the variant offers tools, by their original names
	priceList          price.List        // the prices of prices.file
	MCPServers         []mcp.Config      // those of tools.mcp, with values from the environment

	FromRun   bool             // read from a run directory: see project.Trust
	File      string           // its name in errors
	OwnJob    *job.Job         // Body with its own grader; nil if there is none
	Dir       string           // base of relative paths
	GraderDir string           // base of the grader's relative paths
	env       Lookup           // the environment
	written   values           // before resolving
	places    map[string]place // the keys that were set, and where
	found     []string         // secrets found in the environment

	Text        string            // of the document
	Overrides   []string          // KEY=VALUE overrides
	asked       map[string]bool   // the variables that were looked up and are set
	GraderFiles []string          // the files that graders name
	sheets      map[string][]byte // files that came with a run instead of being on this machine, by path
}

// Error is one mistake in a configuration, and Errors are all mistakes, ordered by place.
type (
	Error  = document.Error
	Errors = document.Errors
)

// Lookup finds an environment variable.
type Lookup func(name string) (value string, ok bool)

// place is where a key was set, and its value as written there.
type place struct {
	file string
	node *document.Node
}

// Load reads a configuration for a run and checks that it is complete: job, data files, model, and
// keys and headers from the environment. overrides are PATH=VALUE, as for --set. The error lists
// all mistakes that one pass can find, with file:line:column.
func Load(path string, env Lookup, overrides ...string) (*Config, error) {
	c, err := Peek(path, env, overrides...)
	if err != nil {
		return nil, err
	}
	return c, document.SortErrors([]error{c.Complete(), c.TakeKeys()})
}

// Peek reads a configuration without requiring data, keys or a job: enough to analyze
// existing rollouts. An empty path means all defaults.
func Peek(path string, env Lookup, overrides ...string) (*Config, error) {
	var body []byte
	if path != "" {
		var err error
		if body, err = document.ReadFile(path); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				err = fmt.Errorf("there is no %s here: gonogo init writes one, or name yours with --config", path)
			}
			return nil, fmt.Errorf("read the configuration: %w", err)
		}
	}
	c, err := Decode(cmp.Or(path, "defaults"), filepath.Dir(path), body, env)
	if err != nil {
		return nil, document.SortErrors([]error{err, jobFault(c)})
	}
	return c.with(overrides)
}

// with applies PATH=VALUE pairs and resolves the configuration.
func (c *Config) with(overrides []string) (*Config, error) {
	if err := applyOverrides(c, overrides); err != nil {
		return nil, err
	}
	return c, c.resolve()
}

// applyOverrides applies PATH=VALUE pairs, as for --set, without resolving anything.
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

// jobFault returns the mistakes in the job, to report them together with the document's. c may be
// nil.
func jobFault(c *Config) error {
	if c == nil || !c.written.Job.Named() {
		return nil
	}
	c.Job = c.written.Job
	_, err := loadJob(c)
	return err
}

// Decode reads the body into a Config that is not resolved yet. If the content has errors, the
// Config holds what could be read.
func Decode(name, dir string, body []byte, env Lookup) (*Config, error) {
	root, err := document.Parse(name, body)
	if err != nil {
		return nil, err
	}
	c := &Config{File: name, Dir: dir, Text: string(body), places: map[string]place{}, asked: map[string]bool{}}
	c.env = func(name string) (string, bool) {
		value, ok := env(name)
		if ok {
			c.asked[name] = true
		}
		return value, ok
	}
	for _, k := range Keys().Keys() {
		if k.Default == "" {
			continue
		}
		if err := json.Unmarshal(k.Schema.Default, k.At(&c.written).Addr().Interface()); err != nil {
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
	return document.ReadFile(path)
}

// FromManifest reads the configuration in a manifest. Its secrets are masked, so it can
// be used to analyze a run, but not to make one.
func FromManifest(name string, masked json.RawMessage, overrides ...string) (*Config, error) {
	masked, _ = WithoutFormer(masked)
	c, err := Decode(name, ".", masked, func(string) (string, bool) { return "", false })
	if err != nil {
		return nil, err
	}
	return c.with(overrides)
}

// WithoutFormer returns a recorded configuration without the thresholds that this version no longer
// has, and says what replaced each of them: a run stays readable when rules change.
func WithoutFormer(recorded json.RawMessage) (current json.RawMessage, replaced []error) {
	var all, thresholds map[string]json.RawMessage
	if json.Unmarshal(recorded, &all) != nil || json.Unmarshal(all["thresholds"], &thresholds) != nil {
		return recorded, nil // what is wrong with it is reported where it is read
	}
	for _, name := range slices.Sorted(maps.Keys(thresholds)) {
		if err := gate.RenamedThresholdError(name); err != nil {
			replaced = append(replaced, err)
			delete(thresholds, name)
		}
	}
	if replaced == nil {
		return recorded, nil
	}
	all["thresholds"] = encoded(thresholds)
	return encoded(all), replaced
}

// encoded encodes keys that were just decoded.
func encoded(keys map[string]json.RawMessage) json.RawMessage {
	b, err := json.Marshal(keys)
	if err != nil {
		panic(fmt.Sprintf("gonogo: encode a configuration that was read: %v", err))
	}
	return b
}

// Inherited reads the configuration that the run was made with, without its reward settings,
// because the grader may be a different one now.
func Inherited(run *rollout.Run, overrides ...string) (*Config, error) {
	recorded, _ := WithoutFormer(run.Manifest.Config)
	c, err := Decode(rollout.ManifestFile, ".", recorded, os.LookupEnv)
	if err != nil {
		return nil, err
	}
	was, err := FromManifest(rollout.ManifestFile, run.Manifest.Config)
	if err != nil {
		return nil, err
	}
	if lo, hi, _ := rangeOf(was); was.RewardRange != nil && *was.RewardRange == [2]float64{lo, hi} {
		c.written.RewardRange = nil
	}
	if was.Body != nil && was.PassThreshold != nil {
		if x, ok := was.Body.PassThreshold(); ok && x == *was.PassThreshold {
			c.written.PassThreshold = nil
		}
	}
	c.FromRun = true
	c.written.Audit.Labels = "" // the run has them
	if c.written.World != "" {  // the world is served again, not at the recorded address
		delete(c.written.Sampling.AddressMap, fixtures.Origin)
	}
	s := &c.written.Sampling // its limits were for another call
	s.MaxRollouts, s.MaxTokens, s.MaxUSD, s.Deadline = 0, 0, 0, ""
	return c.with(overrides)
}

// rangeOf returns the default reward range, and whether the grader declares it.
func rangeOf(c *Config) (lo, hi float64, declared bool) {
	if c.Body != nil {
		if lo, hi, declared, ok := grader.RangeOf(c.Body.Grader); ok {
			return lo, hi, declared
		}
	}
	return 0, 1, false
}

// RangeAssumed reports whether the reward range is neither set nor declared by the grader.
func (c *Config) RangeAssumed() bool {
	_, _, declared := rangeOf(c)
	return c.written.RewardRange == nil && !declared
}
