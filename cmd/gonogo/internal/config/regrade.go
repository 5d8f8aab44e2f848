package config

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"gonogo/fixtures"
	"gonogo/sampler/document"
	"gonogo/sampler/grader"
	"gonogo/sampler/job"
	"gonogo/sampler/rollout"
)

// WithJob sets the job of c, whose grader is the one that grades.
func WithJob(body json.RawMessage, c *Config) []string {
	set := []string{"job=" + string(body)}
	if c.HasGrader() {
		set = append(set, "grader="+string(graderOf(body)))
	}
	return set
}

// Inherited reads the configuration that the run was made with. What its
// grader said of rewards is left to the grader, which may be another now.
func Inherited(run *rollout.Run, overrides ...string) (*Config, error) {
	c, err := Decode(rollout.ManifestFile, ".", run.Manifest.Config, os.LookupEnv)
	if err != nil {
		return nil, err
	}
	was, err := FromManifest(rollout.ManifestFile, run.Manifest.Config)
	if err != nil {
		return nil, err
	}
	if lo, hi := rangeOf(was); was.RewardRange != nil && *was.RewardRange == [2]float64{lo, hi} {
		c.written.RewardRange = nil
	}
	if was.Body != nil && was.PassThreshold != nil {
		if x, ok := was.Body.PassThreshold(); ok && x == *was.PassThreshold {
			c.written.PassThreshold = nil
		}
	}
	c.FromRun = true
	c.written.Audit.Labels = "" // the run has them
	if c.written.World != "" {  // which is served anew, not where the run says that it was
		delete(c.written.Sampling.AddressMap, fixtures.Origin)
	}
	s := &c.written.Sampling // whose bounds were another call's
	s.MaxRollouts, s.MaxTokens, s.MaxUSD, s.Deadline = 0, 0, 0, ""
	if err := applyOverrides(c, overrides); err != nil {
		return nil, err
	}
	return c, c.resolve()
}

// rangeOf is the reward range that a configuration has when it says nothing of
// it.
func rangeOf(c *Config) (lo, hi float64) {
	if c.Body != nil {
		if lo, hi, ok := c.Body.RewardRange(); ok {
			return lo, hi
		}
	}
	return 0, 1
}

// GraderBody reads a file that holds a grader or a job. A grader takes the
// place of the one in the configuration's job.
func GraderBody(file string, cfg *Config) (json.RawMessage, error) {
	text, err := ReadBounded(file)
	if err != nil {
		return nil, fmt.Errorf("read the grader: %w", err)
	}
	node, err := document.Parse(file, text)
	if err != nil {
		return nil, err
	}
	if node.Kind != document.Map {
		return nil, fmt.Errorf("%s:%d:%d: a grader or a job is a map of keys, this is %s", file, max(1, node.Line), max(1, node.Column), node.Kind)
	}
	switch {
	case node.Get("type") == nil && node.Get("grader") == nil && node.Get("method") == nil && node.Get("reinforcement") == nil:
		return nil, fmt.Errorf("%s: this is neither a grader, which has a type, nor a job, which has a grader", file)
	case node.Get("grader") != nil, node.Get("method") != nil, node.Get("reinforcement") != nil:
		parsed, err := job.Parse(file, node.JSON())
		if err != nil {
			return nil, err
		}
		whole, err := grader.Inline(grader.Kinds(), parsed.Grader, filepath.Dir(file))
		return WithGrader(parsed.Raw, whole), err
	}
	whole, err := grader.Inline(grader.Kinds(), node.JSON(), filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	if cfg.Body != nil {
		return WithGrader(cfg.Body.Raw, whole), nil
	}
	return OnlyGrader(whole), nil
}

// OnlyGrader is the body of a job with a grader and nothing else.
func OnlyGrader(raw json.RawMessage) json.RawMessage {
	return Marshal(map[string]json.RawMessage{"grader": raw})
}

// WithGrader puts a grader into the body of a job.
func WithGrader(body, to json.RawMessage) json.RawMessage {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(body, &keys); err != nil {
		return OnlyGrader(to)
	}
	if _, ok := keys["grader"]; ok {
		keys["grader"] = to
	}
	for _, inner := range []string{"method", "reinforcement"} {
		if raw, ok := keys[inner]; ok {
			keys[inner] = WithGrader(raw, to)
		}
	}
	return Marshal(keys)
}
