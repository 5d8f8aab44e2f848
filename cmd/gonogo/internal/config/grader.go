package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"gonogo/sampler/document"
	"gonogo/sampler/grader"
	"gonogo/sampler/job"
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
	for _, e := range unjoin(err) {
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

// KeyNames are the variables that hold the keys of model, variants and judge,
// which are no business of a grader's program.
func (c *Config) KeyNames() []string {
	names := []string{c.Model.APIKeyEnv, c.Judge.APIKeyEnv}
	for _, v := range c.Variants {
		names = append(names, v.APIKeyEnv)
	}
	return names
}
