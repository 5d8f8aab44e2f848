package config

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"gonogo/report"
	"gonogo/sampler/input/dataset"
	"gonogo/sampler/input/document"
	"gonogo/sampler/limit"
)

// resolve fills in absent keys from the job, the environment and other keys.
func (c *Config) resolve() error {
	c.values = c.written.clone()
	c.Body, c.OwnJob, c.ModelKey, c.JudgeKey, c.variantAPIKeys, c.found, c.GraderFiles = nil, nil, "", "", nil, nil, nil
	takeEnvironment(c)
	var errs []error
	if c.Job.Named() {
		var err error
		if c.Body, err = loadJob(c); err == nil {
			err = inlineJob(c)
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	errs = append(errs, takeGrader(c), takeReported(c))
	applyDefaults(c)
	resolvePaths(c)
	errs = append(errs, checkVariants(c), readPrices(c), checkSession(c), checkEnvironment(c), checkAgent(c), checkMCP(c), checkQueue(c))
	if _, err := limit.ParseDeadline(c.Sampling.Deadline, time.Now()); err != nil {
		errs = append(errs, c.Fault("sampling.deadline", "%v", err))
	}
	if _, err := regexp.Compile(c.Tools.ErrorPattern); err != nil {
		errs = append(errs, c.Fault("tools.error_pattern", "%v", err))
	}
	lo, hi := c.RewardRange[0], c.RewardRange[1]
	if c.Ceiling != nil && (*c.Ceiling <= lo || *c.Ceiling > hi) {
		errs = append(errs, c.Fault("ceiling", "must be in the reward range, above %g and at most %g, got %g", lo, hi,
			*c.Ceiling))
	}
	return document.SortErrors(errs)
}

// Fault returns an error about the value of a key, at the place where it was set.
func (c *Config) Fault(path, format string, args ...any) error {
	found := Error{File: c.File, Path: path, Msg: fmt.Sprintf(format, args...)}
	key := path
	where, ok := c.places[key]
	for key != "" && !ok {
		key = key[:max(0, strings.LastIndexAny(key, ".["))]
		where, ok = c.places[key]
	}
	if ok {
		found.File = where.file
		if where.node != nil {
			n := where.node.Locate(path[len(key):]).Value
			found.Line, found.Column = n.Line, n.Column
		}
	}
	return found
}

// Absolute returns the path relative to the working directory.
func (c *Config) Absolute(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(c.Dir, path)
}

func resolvePaths(c *Config) {
	for id, path := range c.Data.Files {
		c.Data.Files[id] = c.Absolute(path)
	}
	for _, path := range []*string{
		&c.Data.Train, &c.Data.Eval, &c.Data.Production, &c.Audit.Labels, &c.Audit.Attacker.Grader, &c.Queue.Creds,
		&c.Queue.CA, &c.Queue.Cert, &c.Queue.Key,
	} {
		*path = c.Absolute(*path)
	}
	if c.Report.Font != report.NoFont {
		c.Report.Font = c.Absolute(c.Report.Font)
	}
	if c.Body == nil {
		return
	}
	if c.Data.Train == "" {
		c.Data.Train = c.Data.Files[c.Body.TrainingFile]
	}
	if c.Data.Eval == "" {
		c.Data.Eval = c.Data.Files[c.Body.ValidationFile]
	}
}

// has reports whether the key, or the list that contains the entry, was set.
func (c *Config) has(path string) bool {
	list, _, _ := strings.Cut(path, "[")
	_, ok := c.places[list]
	return ok
}

// changedKey reports whether the key was set to a value other than its default; manifests contain
// defaults.
func changedKey(c *Config, path string) bool {
	k, _ := Keys().Key(path)
	is, _ := k.Value(&c.values)
	return c.has(path) && !bytes.Equal(is, k.Schema.Default)
}

// applyDefaults sets absent keys without a default from the job, the environment and other keys, as
// the `or` tag says.
func applyDefaults(c *Config) {
	m, j, s := &c.Model, &c.Judge, &c.Sampling
	if b := c.Body; b != nil {
		m.Name = cmp.Or(m.Name, b.Model)
		if e := b.Hyper.ReasoningEffort; e != "default" {
			m.ReasoningEffort = cmp.Or(m.ReasoningEffort, e)
		}
		// A model that never answers must not run forever.
		setDefault(c, "sampling.max_steps", &s.MaxSteps, cmp.Or(b.MaxEpisodeSteps, defaultMaxSteps), true)
		batch, ok := b.Hyper.BatchSize.Int()
		setDefault(c, "training.batch_size", &c.Training.BatchSize, batch, ok)
		epochs, ok := b.Hyper.NEpochs.Int()
		setDefault(c, "training.epochs", &c.Training.Epochs, epochs, ok)
		every, ok := b.Hyper.EvalInterval.Int()
		setDefault(c, "training.eval_interval", &c.Training.EvalInterval, every, ok)
		evals, ok := b.Hyper.EvalSamples.Int()
		setDefault(c, "training.eval_samples", &c.Training.EvalSamples, evals, ok)
		if pass, ok := b.PassThreshold(); ok && c.PassThreshold == nil {
			c.PassThreshold = &pass
		}
	}
	if c.RewardRange == nil {
		lo, hi, _ := rangeOf(c)
		c.RewardRange = &[2]float64{lo, hi}
	}
	server, _ := c.env("OPENAI_BASE_URL")
	m.BaseURL = cmp.Or(m.BaseURL, server, defaultBaseURL)
	setDefault(c, "sampling.eval_samples", &s.EvalSamples, s.Samples, true)
	setDefault(c, "sampling.production_samples", &s.ProductionSamples, s.Samples, true)
	j.BaseURL, j.API = cmp.Or(j.BaseURL, m.BaseURL), cmp.Or(j.API, m.API)
	setDefault(c, "judge.timeout", &j.Timeout, m.Timeout, true)
	if origin(j.BaseURL) == origin(m.BaseURL) { // another server must not receive the model's credentials
		j.APIKeyEnv = cmp.Or(j.APIKeyEnv, m.APIKeyEnv)
		if j.Headers == nil {
			j.Headers = maps.Clone(m.Headers)
		}
	}
	j.APIKeyEnv = cmp.Or(j.APIKeyEnv, defaultKeyEnv)
	c.Target = cmp.Or(c.Target, dataset.NoTarget)
}

// setDefault sets a key that was not set, if ok.
func setDefault[T any](c *Config, path string, to *T, value T, ok bool) {
	if ok && !c.has(path) {
		*to = value
	}
}

// origin returns the part of a URL to which credentials belong.
func origin(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return text
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}

// Connect maps a URL of the job or the configuration to the one to connect to: the longest prefix
// in sampling.address_map wins.
func (c *Config) Connect(address string) string {
	best := ""
	for from := range c.Sampling.AddressMap {
		if strings.HasPrefix(address, from) && len(from) > len(best) {
			best = from
		}
	}
	if best == "" {
		return address
	}
	return c.Sampling.AddressMap[best] + strings.TrimPrefix(address, best)
}

// SuspiciousValues returns the values of the configuration that are probably mistakes, each with
// its place.
func SuspiciousValues(c *Config, now time.Time) []string {
	var list []string
	lo, hi := c.RewardRange[0], c.RewardRange[1]
	if t := c.PassThreshold; t != nil && (*t < lo || *t > hi) {
		why := fmt.Sprintf(
			"%g is outside the reward range, %g to %g: every rollout passes, or none (key reward_range)", *t, lo, hi)
		if c.has("pass_threshold") || c.Body == nil {
			list = append(list, c.Fault("pass_threshold", "%s", why).Error())
		} else if c.HasGrader() {
			list = append(list, c.Fault("grader", "pass_threshold: %s", why).Error())
		} else {
			list = append(list, c.Body.PassFault(why).Error())
		}
	}
	deadline, err := limit.ParseDeadline(c.Sampling.Deadline, now)
	if err == nil && !deadline.IsZero() && deadline.Before(now) {
		list = append(list, c.Fault("sampling.deadline", "%s is in the past: a run would begin no rollout",
			c.Sampling.Deadline).Error())
	}
	return append(list, targetWarnings(c, now)...)
}
