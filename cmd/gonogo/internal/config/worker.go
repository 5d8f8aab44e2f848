package config

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/sampler/document"
	"gonogo/sampler/job"
	"gonogo/sampler/queue"
)

// BundledFile is a file whose contents are sent to workers.
type BundledFile struct {
	Name string `json:"name"` // relative to the configuration's folder
	Text string `json:"text"`
}

// BundledFiles returns the configured files of the job and of the grader.
func (c *Config) BundledFiles() (jobSheet, graderSheet *BundledFile, err error) {
	read := func(path string) *BundledFile {
		if path == "" {
			return nil
		}
		body, readErr := document.ReadFile(c.Absolute(path))
		err = errors.Join(err, readErr)
		return &BundledFile{Name: c.FromDir(c.Absolute(path)), Text: string(body)}
	}
	jobSheet, graderSheet = read(c.written.Job.Path), read(c.written.Grader.Path)
	return jobSheet, graderSheet, err
}

// Variables are the environment variables that the configuration reads, except the
// queue's credentials: each worker has its own.
func (c *Config) Variables() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(c.asked)), func(name string) bool {
		return name == queue.TokenEnv || name == queue.UserEnv || name == queue.PasswordEnv
	})
}

// FromDir is a path relative to the configuration's folder, not from where this process
// is.
func (c *Config) FromDir(path string) string {
	if relative, err := RelativeTo(c.Dir, path); err == nil {
		return relative
	}
	return filepath.ToSlash(path)
}

// RelativeTo returns the path as it is written in a file that is in dir, with slashes. On
// another volume there is no such path.
func RelativeTo(dir, path string) (string, error) {
	from, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	relative, err := filepath.Rel(from, to)
	if err != nil {
		return "", fmt.Errorf("name %s from %s: %w", path, dir, err)
	}
	return filepath.ToSlash(relative), nil
}

// KeyOf is the path of the first matching value in a file, or of the map that has it as a key.
func KeyOf(s BundledFile, meant func(string) bool) string {
	root, err := document.Parse(s.Name, []byte(s.Text))
	if err != nil {
		return ""
	}
	path, _ := root.Search(meant)
	return strings.TrimPrefix(path, ".")
}

// ForWorker reads the configuration that a run's planner sent, for a process that
// makes rollouts in dir: text is the file, with KEY=VALUE over it, and the bundled
// files.
func ForWorker(file, text string, set []string, jobSheet, graderSheet *BundledFile, dir string, env Lookup) (*Config, error) {
	c, err := Decode(file, dir, []byte(text), env)
	if err != nil {
		return nil, err
	}
	if err := applyOverrides(c, set); err != nil {
		return nil, err
	}
	forRollouts(c)
	c.sheets = map[string][]byte{}
	for _, s := range []struct {
		from *BundledFile
		to   *job.Source
	}{{jobSheet, &c.written.Job}, {graderSheet, &c.written.Grader}} {
		if s.from != nil {
			*s.to = job.Source{Path: s.from.Name}
			c.sheets[c.Absolute(s.from.Name)] = []byte(s.from.Text)
		}
	}
	if err := c.resolve(); err != nil {
		return nil, err
	}
	return c, document.SortErrors(append(completeCalls(c), c.TakeKeys()))
}

// forRollouts removes from a configuration what a worker does not need: the choice of
// items, the budget, and how rollouts are judged.
func forRollouts(c *Config) {
	w := &c.written
	w.Data.Train, w.Data.Eval, w.Data.Production, w.Data.Files = "", "", "", nil
	w.Audit.Probes, w.Audit.Detectors, w.Audit.Labels = nil, nil, ""
	w.Prices, w.Thresholds, w.Queue = analysis.PriceSettings{}, nil, queue.Settings{}
	w.Report.Font = ""
	w.Sampling.MaxUSD, w.Sampling.MaxTokens, w.Sampling.MaxRollouts, w.Sampling.Deadline = 0, 0, 0, ""
}
