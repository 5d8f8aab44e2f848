package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"gonogo/sampler/grader"
	"gonogo/sampler/job"
)

// inlineJob reads the files that the job's grader names, and keeps the job as its
// own.
func (c *config) inlineJob() error {
	dir := c.dir
	if c.Job.Path != "" {
		dir = filepath.Dir(c.absolute(c.Job.Path))
	}
	whole, err := c.inline(c.Body.Grader, dir)
	if err != nil {
		return c.fault("job", "%v", err)
	}
	if !bytes.Equal(whole, c.Body.Grader) {
		if c.Body, err = job.Parse(c.file, withGrader(c.Body.Raw, whole)); err != nil {
			return c.fault("job", "%v", err)
		}
	}
	c.ownJob, c.beside = c.Body, dir
	return nil
}

// inline reads the files that a grader names, and notes them.
func (c *config) inline(raw json.RawMessage, dir string) (json.RawMessage, error) {
	for _, file := range grader.Files(grader.Kinds(), raw, dir) {
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		c.named = append(c.named, file)
	}
	return grader.Inline(grader.Kinds(), raw, dir)
}

// hasGrader reports whether the key grader names one.
func (c *config) hasGrader() bool { return c.Grader.Path != "" || c.Grader.Body != nil }

// graderName is what messages call the grader.
func (c *config) graderName() string {
	if c.hasGrader() {
		return "the grader"
	}
	return "the job's grader"
}

// takeGrader puts the configuration's grader in the place of the job's.
func (c *config) takeGrader() error {
	if !c.hasGrader() {
		return nil
	}
	raw, dir := c.Grader.Body, c.dir
	if c.Grader.Path != "" {
		path := c.absolute(c.Grader.Path)
		text, err := c.read(path)
		if err != nil {
			return c.fault("grader", "%v", err)
		}
		node, err := parseYAML(path, text)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		node.json(&b)
		raw, dir = b.Bytes(), filepath.Dir(path)
	}
	whole, err := c.inline(raw, dir)
	if err != nil {
		return c.fault("grader", "%v", err)
	}
	if _, err := job.Parse(c.file, onlyGrader(whole)); err != nil {
		return c.fault("grader", "%s", graderFault(err))
	}
	body := onlyGrader(whole)
	if c.ownJob != nil {
		body = withGrader(c.ownJob.Raw, whole)
	}
	merged, err := job.Parse(c.file, body)
	if err == nil {
		c.Body, c.beside = merged, dir
	}
	return err
}

// graderFault words what is wrong with a grader, without the places of a text
// that nobody wrote.
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
func (c *config) graderJob() *job.Job {
	b, err := job.Parse(c.file, onlyGrader(c.Body.Grader))
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

// keyNames are the variables that hold the keys of model, variants and judge,
// which are no business of a grader's program.
func (c *config) keyNames() []string {
	names := []string{c.Model.APIKeyEnv, c.Judge.APIKeyEnv}
	for _, v := range c.variants() {
		names = append(names, v.APIKeyEnv)
	}
	return names
}
