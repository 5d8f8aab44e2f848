package config

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"

	"gonogo/analysis/price"
	"gonogo/cmd/gonogo/internal/brief"
	"gonogo/sampler/input/document"
	"gonogo/sampler/input/job"
	"gonogo/sampler/queue"
)

// BundledFiles returns the configured files of the job and of the grader.
func (c *Config) BundledFiles() (jobSheet, graderSheet *brief.Sheet, err error) {
	read := func(path string) *brief.Sheet {
		if path == "" {
			return nil
		}
		body, readErr := document.ReadFile(c.Absolute(path))
		err = errors.Join(err, readErr)
		return &brief.Sheet{Name: c.FromDir(c.Absolute(path)), Text: string(body)}
	}
	jobSheet, graderSheet = read(c.written.Job.Path), read(c.written.Grader.Path)
	return jobSheet, graderSheet, err
}

// Variables lists the environment variables that the configuration reads, except the queue's
// credentials, of which each worker has its own.
func (c *Config) Variables() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(c.asked)), func(name string) bool {
		return name == queue.TokenEnv || name == queue.UserEnv || name == queue.PasswordEnv
	})
}

// FromDir returns a path relative to the configuration's folder, not to the working directory.
func (c *Config) FromDir(path string) string {
	if relative, err := document.RelativeTo(c.Dir, path); err == nil {
		return relative
	}
	return filepath.ToSlash(path)
}

// ForWorker reads the configuration that a run's planner sent, for a process that makes rollouts in
// dir: text is the file, set are KEY=VALUE overrides, and the sheets are the bundled files.
func ForWorker(file, text string, set []string, jobSheet, graderSheet *brief.Sheet, dir string,
	env Lookup,
) (*Config, error) {
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
		from *brief.Sheet
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

// forRollouts removes from a configuration what a worker does not need: the choice of items, the
// budget, and how rollouts are judged.
func forRollouts(c *Config) {
	w := &c.written
	w.Data.Train, w.Data.Eval, w.Data.Production, w.Data.Files = "", "", "", nil
	w.Audit.Probes, w.Audit.Detectors, w.Audit.Labels = nil, nil, ""
	w.Prices, w.Thresholds, w.Queue = price.Settings{}, nil, queue.Settings{}
	w.Report.Font = ""
	w.Sampling.MaxUSD, w.Sampling.MaxTokens, w.Sampling.MaxRollouts, w.Sampling.Deadline = 0, 0, 0, ""
}
