package config

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/sampler/document"
	"gonogo/sampler/job"
)

// loadJob reads the job that the configuration names or holds.
func loadJob(c *Config) (*job.Job, error) {
	if c.Job.Path == "" {
		at := c.given["job"]
		c.jobTree = at.node
		b, err := job.Parse(at.file, c.Job.Body)
		return b, inDocument(c, err)
	}
	path := c.Absolute(c.Job.Path)
	body, err := readSheet(c, path)
	if err != nil {
		return nil, c.Fault("job", "%v", err)
	}
	ext := strings.ToLower(filepath.Ext(path))
	if isJSON := bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(body, []byte("\ufeff")), " \t\r\n"), []byte("{")); ext == ".json" || isJSON && ext != ".yaml" && ext != ".yml" {
		b, err := job.Parse(path, body)
		return b, inDocument(c, err)
	}
	node, err := document.Parse(path, body)
	if err != nil {
		return nil, err
	}
	c.jobTree = node
	b, err := job.Parse(path, node.JSON())
	return b, inDocument(c, err)
}

// inDocument makes a job's mistakes those of the configuration, with the
// places they have in the YAML that the job was converted from, if it was.
func inDocument(c *Config, err error) error {
	if err == nil {
		return nil
	}
	prefix := ""
	if c.Job.Path == "" {
		prefix = "job."
	}
	var errs Errors
	for _, e := range exit.Split(err) {
		var at *job.Error
		if !errors.As(e, &at) {
			return err
		}
		found := Error{File: at.Name, Line: at.Line, Column: at.Column, Path: strings.TrimSuffix(prefix+at.Path, "."), Msg: at.Msg}
		if c.HasGrader() && strings.Contains(at.Path, "grader") { // which is elsewhere
			errs = append(errs, c.Fault("grader", "%s: %s", at.Path, at.Msg).(Error))
			continue
		}
		if c.jobTree != nil {
			if n := c.jobTree.Locate(at.Path); n.Line > 0 {
				found.Line, found.Column = n.Line, n.Column
			}
		} else if c.Job.Path == "" { // an argument has no places
			found.Line, found.Column = 0, 0
		}
		errs = append(errs, found)
	}
	return errs.OrNil()
}
