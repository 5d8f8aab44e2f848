package config

import (
	"bytes"
	"errors"
	"path/filepath"
	"strconv"
	"strings"

	"gonogo/sampler/job"
)

// loadJob reads the job that the configuration names or holds.
func loadJob(c *Config) (*job.Job, error) {
	if c.Job.Path == "" {
		c.jobTree = c.given["job"].node
		b, err := job.Parse(c.File, c.Job.Body)
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
	node, err := parseYAML(path, body)
	if err != nil {
		return nil, err
	}
	c.jobTree = node
	b, err := job.Parse(path, node.body())
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
	for _, e := range unjoin(err) {
		var at *job.Error
		if !errors.As(e, &at) {
			return err
		}
		found := Error{at.Name, at.Line, at.Column, strings.TrimSuffix(prefix+at.Path, "."), at.Msg}
		if c.HasGrader() && strings.Contains(at.Path, "grader") { // which stands elsewhere
			errs = append(errs, c.Fault("grader", "%s: %s", at.Path, at.Msg).(Error))
			continue
		}
		if c.jobTree != nil {
			if n := c.jobTree.locate(at.Path); n.line > 0 {
				found.Line, found.Column = n.line, n.column
			}
		}
		errs = append(errs, found)
	}
	return errs.orNil()
}

// unjoin returns the errors that errors.Join put together.
func unjoin(err error) []error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return many.Unwrap()
	}
	return []error{err}
}

// locate returns the value at a path such as tools[0].name with its key, or the
// innermost part of it that is there.
func (n *yamlNode) locate(path string) yamlField {
	at := yamlField{line: n.line, column: n.column, value: n}
	for path != "" {
		n, path = at.value, strings.TrimPrefix(path, ".")
		if rest, ok := strings.CutPrefix(path, "["); ok {
			number, tail, _ := strings.Cut(rest, "]")
			i, err := strconv.Atoi(number)
			if err != nil || i < 0 || i >= len(n.items) {
				return at
			}
			at, path = yamlField{line: n.items[i].line, column: n.items[i].column, value: n.items[i]}, tail
			continue
		}
		// A key may itself hold dots and brackets: the longest that fits wins.
		best := -1
		for i, f := range n.fields {
			rest, ok := strings.CutPrefix(path, f.key)
			if ok && (rest == "" || rest[0] == '.' || rest[0] == '[') && (best < 0 || len(f.key) > len(n.fields[best].key)) {
				best = i
			}
		}
		if best < 0 {
			return at
		}
		at = n.fields[best]
		path = strings.TrimPrefix(path, at.key)
	}
	return at
}
