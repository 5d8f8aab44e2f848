package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/input/document"
	"gonogo/sampler/input/job"
)

// loadJob reads the job that the configuration names or contains.
func loadJob(c *Config) (*job.Job, error) {
	if c.Job.Path == "" {
		source := c.places["job"]
		j, err := job.Within(source.file, "job", source.node, c.Job.Body)
		return j, jobFaults(c, err)
	}
	path := c.Absolute(c.Job.Path)
	body, err := readSheet(c, path)
	if err != nil {
		return nil, c.Fault("job", "%v", err)
	}
	j, err := job.Read(path, body)
	return j, jobFaults(c, err)
}

// jobFaults returns the mistakes in a job. Mistakes in a grader that replaces the job's are
// reported as its own.
func jobFaults(c *Config, err error) error {
	errs, _ := errors.AsType[Errors](err)
	for i, e := range errs {
		if c.HasGrader() && strings.Contains(e.Path, "grader") {
			errs[i] = c.Fault("grader", "%s: %s", strings.TrimPrefix(e.Path, "job."), e.Msg).(Error)
		}
	}
	return err
}

// inlineJob reads the files that the job's grader names, and keeps the job as OwnJob.
func inlineJob(c *Config) error {
	dir := c.Dir
	if c.Job.Path != "" {
		dir = filepath.Dir(c.Absolute(c.Job.Path))
	}
	inlined, err := inlineGrader(c, c.Body.Grader, dir)
	if err == nil && !bytes.Equal(inlined, c.Body.Grader) {
		c.Body, err = c.Body.WithGrader(inlined)
	}
	if err != nil {
		return c.Fault("job", "%v", err)
	}
	c.OwnJob, c.GraderDir = c.Body, dir
	return nil
}

// SecondGrader reads a grader like GraderBody and fills in ${NAME} from the environment.
func SecondGrader(file string, cfg *Config) (*job.Job, error) {
	body, err := GraderBody(file, cfg)
	if err != nil {
		return nil, err
	}
	return body.Expand(secretEnv(cfg))
}

// inlineGrader reads the files that a grader names, and records them.
func inlineGrader(c *Config, raw json.RawMessage, dir string) (json.RawMessage, error) {
	for _, file := range grader.Files(grader.Kinds(), raw, dir) {
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		c.GraderFiles = append(c.GraderFiles, file)
	}
	return grader.Inline(grader.Kinds(), raw, dir)
}

// HasGrader reports whether the key grader is set.
func (c *Config) HasGrader() bool { return c.Grader.Named() }

// GraderName returns the grader's name in messages.
func (c *Config) GraderName() string {
	if c.HasGrader() || c.RewardOfAgent() {
		return "the grader"
	}
	return "the job's grader"
}

// takeGrader replaces the job's grader by the configuration's.
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
	inlined, err := inlineGrader(c, raw, dir)
	if err != nil {
		return c.Fault("grader", "%v", err)
	}
	merged, err := job.Alone(c.File, inlined)
	if errs, ok := errors.AsType[Errors](err); ok {
		// the positions are in generated text
		faults := ui.Names(errs, func(e Error) string { return e.Path + ": " + e.Msg })
		return c.Fault("grader", "%s", strings.Join(faults, "; "))
	}
	if err == nil && c.OwnJob != nil {
		merged, err = c.OwnJob.WithGrader(inlined)
	}
	if err == nil {
		c.Body, c.GraderDir = merged, dir
	}
	return err
}

// WithJob returns the overrides that set the job of c, whose grader is the one that grades.
func WithJob(body *job.Job, c *Config) []string {
	set := []string{"job=" + string(body.Raw)}
	if c.HasGrader() {
		set = append(set, "grader="+string(body.Grader))
	}
	return set
}

// GraderBody reads a file with a grader, a job or Python reward functions. A grader replaces the one
// in the configuration's job.
func GraderBody(file string, cfg *Config) (*job.Job, error) {
	text, err := graderText(file)
	if err != nil {
		return nil, fmt.Errorf("read the grader: %w", err)
	}
	body, alone, err := job.ReadGrader(file, text)
	if err != nil {
		return nil, err
	}
	inlined, err := grader.Inline(grader.Kinds(), body.Grader, filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	if alone && cfg.Body != nil {
		body = cfg.Body
	}
	return body.WithGrader(inlined)
}

// graderText returns the text of a file with a grader or a job, or the grader that calls the reward
// functions of a Python file, FILE or FILE:NAME,NAME.
func graderText(file string) ([]byte, error) {
	if path, _, _ := strings.Cut(file, ":"); filepath.Ext(path) == ".py" {
		text, err := rewardGrader(filepath.Dir(path), file)
		return []byte(text), err
	}
	return document.ReadFile(file)
}
