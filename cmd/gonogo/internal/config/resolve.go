package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"gonogo/report"
)

// resolve fills in what was left out, from the job, the environment and other
// keys.
func (c *Config) resolve() error {
	c.values = c.written.clone()
	c.Body, c.OwnJob, c.jobTree, c.ModelKey, c.JudgeKey, c.variantAPIKeys, c.found, c.GraderFiles = nil, nil, nil, "", "", nil, nil, nil
	var errs []error
	if c.Job.Path != "" || c.Job.Body != nil {
		var err error
		if c.Body, err = loadJob(c); err == nil {
			err = inlineJob(c)
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	errs = append(errs, takeGrader(c))
	if c.Body != nil {
		fromJob(c)
	}
	fromKeys(c)
	if !c.has("target") {
		c.Target = "none"
		if c.OwnJob != nil && c.OwnJob.Hosted() {
			c.Target = "openai"
		}
	}
	settlePaths(c)
	errs = append(errs, checkVariants(c), readPrices(c), checkSession(c), checkAgent(c), checkMCP(c), checkQueue(c))
	if _, err := Deadline(c.Sampling.Deadline, time.Now()); err != nil {
		errs = append(errs, c.Fault("sampling.deadline", "%v", err))
	}
	if c.RewardRange == nil {
		c.RewardRange = &[2]float64{0, 1}
	}
	lo, hi := c.RewardRange[0], c.RewardRange[1]
	if c.Ceiling != nil && (*c.Ceiling <= lo || *c.Ceiling > hi) {
		errs = append(errs, c.Fault("ceiling", "must be in the reward range, above %g and at most %g, got %g", lo, hi, *c.Ceiling))
	}
	return Join(errs)
}

// Fault is a mistake in the value of a key, at the place where it was set.
func (c *Config) Fault(path, format string, args ...any) error {
	found := Error{File: c.File, Path: path, Msg: fmt.Sprintf(format, args...)}
	key := path
	at, ok := c.given[key]
	for key != "" && !ok {
		key = key[:max(0, strings.LastIndexAny(key, ".["))]
		at, ok = c.given[key]
	}
	if ok {
		found.File = at.file
		if at.node != nil {
			n := at.node.locate(path[len(key):]).value
			found.Line, found.Column = n.line, n.column
		}
	}
	return found
}

// Join sorts all configErrors in errs; other errors follow.
func Join(errs []error) error {
	var sorted Errors
	var rest []error
	for _, err := range errs {
		var one Error
		var many Errors
		switch {
		case errors.As(err, &many):
			sorted = append(sorted, many...)
		case errors.As(err, &one):
			sorted = append(sorted, one)
		case err != nil:
			rest = append(rest, err)
		}
	}
	if len(rest) == 0 {
		return sorted.orNil()
	}
	return errors.Join(append([]error{sorted.orNil()}, rest...)...)
}

// Absolute returns the path as it leads from the working directory.
func (c *Config) Absolute(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(c.Dir, path)
}

func settlePaths(c *Config) {
	for id, path := range c.Data.Files {
		c.Data.Files[id] = c.Absolute(path)
	}
	for _, path := range []*string{&c.Data.Train, &c.Data.Eval, &c.Data.Production, &c.Audit.Labels, &c.Queue.Creds, &c.Queue.TLSCA, &c.Queue.TLSCert, &c.Queue.TLSKey} {
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

// fromJob takes what the job says where the configuration says nothing.
func fromJob(c *Config) {
	b := c.Body
	if c.Model.Name == "" {
		c.Model.Name = b.Model
	}
	if e := b.Hyper.ReasoningEffort; c.Model.ReasoningEffort == "" && e != "default" {
		c.Model.ReasoningEffort = e
	}
	if !c.has("sampling.max_steps") {
		// A model that never answers must not run for ever.
		c.Sampling.MaxSteps = cmp.Or(b.MaxEpisodeSteps, defaultMaxSteps)
	}
	if n, ok := b.Hyper.BatchSize.Int(); ok && !c.has("training.batch_size") {
		c.Training.BatchSize = n
	}
	if n, ok := b.Hyper.NEpochs.Int(); ok && !c.has("training.epochs") {
		c.Training.Epochs = n
	}
	if lo, hi, ok := b.RewardRange(); ok && c.RewardRange == nil {
		c.RewardRange = &[2]float64{lo, hi}
	}
	if p, ok := b.PassThreshold(); ok && c.PassThreshold == nil {
		c.PassThreshold = &p
	}
}

// has reports whether the key was set, or the list that an entry is of.
func (c *Config) has(path string) bool {
	list, _, _ := strings.Cut(path, "[")
	_, ok := c.given[list]
	return ok
}

// changedKey reports whether the key was set to another value than its default,
// which a manifest writes out.
func changedKey(c *Config, path string) bool {
	k, _ := keyAt(path)
	is, _ := k.show(&c.values)
	return c.has(path) && !bytes.Equal(is, k.Schema.Default)
}

// fromKeys takes what other keys say.
func fromKeys(c *Config) {
	if c.Model.BaseURL == "" {
		c.Model.BaseURL = defaultBaseURL
		if u, ok := c.env("OPENAI_BASE_URL"); ok && u != "" {
			c.Model.BaseURL = u
		}
	}
	if !c.has("sampling.eval_samples") {
		c.Sampling.EvalSamples = c.Sampling.Samples
	}
	if !c.has("sampling.production_samples") {
		c.Sampling.ProductionSamples = c.Sampling.Samples
	}
	m, j := &c.Model, &c.Judge
	if j.BaseURL == "" {
		j.BaseURL = m.BaseURL
	}
	if j.API == "" {
		j.API = m.API
	}
	if !c.has("judge.timeout") {
		j.Timeout = m.Timeout
	}
	// Another server must not be handed the model's credentials.
	same := origin(j.BaseURL) == origin(m.BaseURL)
	if j.APIKeyEnv == "" {
		if j.APIKeyEnv = defaultKeyEnv; same {
			j.APIKeyEnv = m.APIKeyEnv
		}
	}
	if j.Headers == nil && same {
		j.Headers = maps.Clone(m.Headers)
	}
}

// origin is the part of a URL that credentials belong to.
func origin(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return text
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}

// Connect maps a URL of the job or the configuration to the one to connect
// to: the longest beginning in sampling.address_map wins.
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
