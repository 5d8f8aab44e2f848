package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/fixtures"
	"gonogo/sampler/document"
	"gonogo/sampler/grader"
	"gonogo/sampler/job"
	"gonogo/sampler/rollout"
)

// inlineJob reads the files that the job's grader names, and keeps the job as its
// own.
func inlineJob(c *Config) error {
	dir := c.Dir
	if c.Job.Path != "" {
		dir = filepath.Dir(c.Absolute(c.Job.Path))
	}
	whole, err := inlineGrader(c, c.Body.Grader, dir)
	if err != nil {
		return c.Fault("job", "%v", err)
	}
	if !bytes.Equal(whole, c.Body.Grader) {
		if c.Body, err = job.Parse(c.File, WithGrader(c.Body.Raw, whole)); err != nil {
			return c.Fault("job", "%v", err)
		}
	}
	c.OwnJob, c.GraderDir = c.Body, dir
	return nil
}

// inlineGrader reads the files that a grader names, and notes them.
func inlineGrader(c *Config, raw json.RawMessage, dir string) (json.RawMessage, error) {
	for _, file := range grader.Files(grader.Kinds(), raw, dir) {
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		c.GraderFiles = append(c.GraderFiles, file)
	}
	return grader.Inline(grader.Kinds(), raw, dir)
}

// HasGrader reports whether the key grader names one.
func (c *Config) HasGrader() bool { return c.Grader.Path != "" || c.Grader.Body != nil }

// GraderName is what messages call the grader.
func (c *Config) GraderName() string {
	if c.HasGrader() {
		return "the grader"
	}
	return "the job's grader"
}

// takeGrader puts the configuration's grader in the place of the job's.
func takeGrader(c *Config) error {
	if !c.HasGrader() {
		return nil
	}
	raw, dir := c.Grader.Body, c.Dir
	if c.Grader.Path != "" {
		path := c.Absolute(c.Grader.Path)
		text, err := readSheet(c, path)
		if err != nil {
			return c.Fault("grader", "%v", err)
		}
		node, err := document.Parse(path, text)
		if err != nil {
			return err
		}
		raw, dir = node.JSON(), filepath.Dir(path)
	}
	whole, err := inlineGrader(c, raw, dir)
	if err != nil {
		return c.Fault("grader", "%v", err)
	}
	if _, err := job.Parse(c.File, OnlyGrader(whole)); err != nil {
		return c.Fault("grader", "%s", graderFault(err))
	}
	body := OnlyGrader(whole)
	if c.OwnJob != nil {
		body = WithGrader(c.OwnJob.Raw, whole)
	}
	merged, err := job.Parse(c.File, body)
	if err == nil {
		c.Body, c.GraderDir = merged, dir
	}
	return err
}

// graderFault words what is wrong with a grader, without the places of a text
// that no one wrote.
func graderFault(err error) string {
	var text string
	for _, e := range exit.Split(err) {
		if text != "" {
			text += "; "
		}
		if at, ok := errors.AsType[*job.Error](e); ok {
			text += fmt.Sprintf("%s: %s", at.Path, at.Msg)
		} else {
			text += e.Error()
		}
	}
	return text
}

// graderJob is a job of nothing but the grader.
func graderJob(c *Config) *job.Job {
	b, err := job.Parse(c.File, OnlyGrader(c.Body.Grader))
	if err != nil { // it is part of a job that was read
		panic("gonogo: " + err.Error())
	}
	return b
}

// graderOf returns the grader of a job's body.
func graderOf(body json.RawMessage) json.RawMessage {
	b, err := job.Parse("job", body)
	if err != nil {
		return nil
	}
	return b.Grader
}

// KeyNames are the variables that hold the API keys of model, variants and judge. A grader's program does not get them.
func (c *Config) KeyNames() []string {
	names := []string{c.Model.APIKeyEnv, c.Judge.APIKeyEnv}
	for _, v := range c.Variants {
		names = append(names, v.APIKeyEnv)
	}
	return names
}

// WithJob sets the job of c, whose grader is the one that grades.
func WithJob(body json.RawMessage, c *Config) []string {
	set := []string{"job=" + string(body)}
	if c.HasGrader() {
		set = append(set, "grader="+string(graderOf(body)))
	}
	return set
}

// Inherited reads the configuration that the run was made with, without the settings of
// its grader's rewards: the grader may be a different one now.
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

// GraderBody reads a file that holds a grader or a job. A grader replaces the one in the configuration's job.
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

// WithGrader replaces the grader in the body of a job.
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
