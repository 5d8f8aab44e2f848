package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonogo/sampler/job"
)

// resolve fills in what was left out, from the job, the environment and other
// keys.
func (c *config) resolve() error {
	c.values = c.written.clone()
	c.Body, c.jobTree, c.modelKey, c.judgeKey, c.found = nil, nil, "", "", nil
	var errs []error
	if c.Job.Path != "" || c.Job.Body != nil {
		var err error
		if c.Body, err = c.loadJob(); err != nil {
			errs = append(errs, err)
		}
	}
	if c.Body != nil {
		c.fromJob()
	}
	c.fromKeys()
	c.paths()
	if c.RewardRange == nil {
		c.RewardRange = &[2]float64{0, 1}
	}
	lo, hi := c.RewardRange[0], c.RewardRange[1]
	if c.Ceiling != nil && (*c.Ceiling <= lo || *c.Ceiling > hi) {
		errs = append(errs, c.fault("ceiling", "must lie in the reward range, above %g and at most %g, got %g", lo, hi, *c.Ceiling))
	}
	return joinConfigErrors(errs)
}

// fault is a mistake in the value of a key, at the place where it was set.
func (c *config) fault(path, format string, args ...any) error {
	at, ok := c.given[path]
	if !ok {
		at.file = c.file
	}
	return configError{at.file, at.line, at.column, path, fmt.Sprintf(format, args...)}
}

// joinConfigErrors sorts all configErrors in errs; other errors follow.
func joinConfigErrors(errs []error) error {
	var sorted configErrors
	var rest []error
	for _, err := range errs {
		var one configError
		var many configErrors
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

// absolute returns the path as it leads from the working directory.
func (c *config) absolute(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(c.dir, path)
}

func (c *config) paths() {
	for id, path := range c.Data.Files {
		c.Data.Files[id] = c.absolute(path)
	}
	for _, path := range []*string{&c.Data.Train, &c.Data.Eval, &c.Data.Production} {
		*path = c.absolute(*path)
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
func (c *config) fromJob() {
	b := c.Body
	if c.Model.Name == "" {
		c.Model.Name = b.Model
	}
	if e := b.Hyper.ReasoningEffort; c.Model.ReasoningEffort == "" && e != "default" {
		c.Model.ReasoningEffort = e
	}
	if !c.has("sampling.max_steps") {
		c.Sampling.MaxSteps = b.MaxEpisodeSteps
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

// has reports whether the key was set.
func (c *config) has(path string) bool { _, ok := c.given[path]; return ok }

// fromKeys takes what other keys say.
func (c *config) fromKeys() {
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

// loadJob reads the job that the configuration names or holds.
func (c *config) loadJob() (*job.Job, error) {
	if c.Job.Path == "" {
		c.jobTree = c.Job.node
		b, err := job.Parse(c.file, c.Job.Body)
		return b, c.inDocument(err)
	}
	path := c.absolute(c.Job.Path)
	body, err := readBounded(path)
	if err != nil {
		return nil, c.fault("job", "%v", err)
	}
	ext := strings.ToLower(filepath.Ext(path))
	if isJSON := bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(body, []byte("\ufeff")), " \t\r\n"), []byte("{")); ext == ".json" || isJSON && ext != ".yaml" && ext != ".yml" {
		b, err := job.Parse(path, body)
		return b, c.inDocument(err)
	}
	node, err := parseYAML(path, body)
	if err != nil {
		return nil, err
	}
	var converted bytes.Buffer
	node.json(&converted)
	c.jobTree = node
	b, err := job.Parse(path, converted.Bytes())
	return b, c.inDocument(err)
}

// inDocument makes a job's mistakes those of the configuration, with the
// places they have in the YAML that the job was converted from, if it was.
func (c *config) inDocument(err error) error {
	if err == nil {
		return nil
	}
	prefix := ""
	if c.Job.Path == "" {
		prefix = "job."
	}
	var errs configErrors
	for _, e := range unjoin(err) {
		var at *job.Error
		if !errors.As(e, &at) {
			return err
		}
		found := configError{at.Name, at.Line, at.Column, strings.TrimSuffix(prefix+at.Path, "."), at.Msg}
		if c.jobTree != nil {
			found.line, found.column = c.jobTree.locate(at.Path)
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

// locate returns the place of a path such as tools[0].name, or of the
// innermost part of it that is there.
func (n *yamlNode) locate(path string) (line, column int) {
	line, column = n.line, n.column
	for path != "" {
		path = strings.TrimPrefix(path, ".")
		if rest, ok := strings.CutPrefix(path, "["); ok {
			var i int
			number, tail, _ := strings.Cut(rest, "]")
			if _, err := fmt.Sscan(number, &i); err != nil || i >= len(n.items) {
				return line, column
			}
			n, path = n.items[i], tail
			line, column = n.line, n.column
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
			return line, column
		}
		f := n.fields[best]
		line, column = f.line, f.column
		n, path = f.value, strings.TrimPrefix(path, f.key)
	}
	return line, column
}

// complete asks for what a run needs and takes the secrets from the
// environment.
func (c *config) complete() error {
	var errs []error
	if c.Body == nil {
		errs = append(errs, c.fault("job", "missing: name the file with the job's body, or write the body here"))
	} else if expanded, err := c.Body.Expand(c.secretEnv()); err != nil {
		errs = append(errs, c.inDocument(err))
	} else {
		c.Body = expanded
	}
	if c.Model.Name == "" {
		errs = append(errs, c.fault("model.name", "missing, and the job names no model"))
	}
	errs = append(errs, c.dataThere()...)
	errs = append(errs, c.expand("model.headers", c.Model.Headers)...)
	errs = append(errs, c.expand("judge.headers", c.Judge.Headers)...)
	var err error
	if c.modelKey, err = c.apiKey("model.api_key_env", c.Model.APIKeyEnv, c.Model.BaseURL); err != nil {
		errs = append(errs, err)
	}
	if c.Body != nil && len(c.Body.Judges()) > 0 {
		if c.judgeKey, err = c.apiKey("judge.api_key_env", c.Judge.APIKeyEnv, c.Judge.BaseURL); err != nil {
			errs = append(errs, err)
		}
	}
	return joinConfigErrors(errs)
}

// dataThere asks for one data file at least, and that those named are there.
func (c *config) dataThere() []error {
	if c.Data.Train == "" && c.Data.Eval == "" && c.Data.Production == "" {
		hint := ""
		if c.Body != nil && c.Body.TrainingFile != "" {
			hint = fmt.Sprintf(", or say under data.files which path %s is", c.Body.TrainingFile)
		}
		return []error{c.fault("data.train", "missing: name a training file, an evaluation file (data.eval) or both%s", hint)}
	}
	var errs []error
	for _, d := range []struct{ key, path string }{
		{"data.train", c.Data.Train}, {"data.eval", c.Data.Eval}, {"data.production", c.Data.Production},
	} {
		if d.path == "" {
			continue
		}
		key := d.key
		if !c.has(key) {
			key = "data.files"
		}
		switch info, err := os.Stat(d.path); {
		case err != nil:
			errs = append(errs, c.fault(key, "%v (paths start from the folder of %s)", err, filepath.Base(c.file)))
		case info.IsDir():
			errs = append(errs, c.fault(key, "%s is a directory", d.path))
		}
	}
	return errs
}

// secretEnv looks into the environment and remembers what it found there.
func (c *config) secretEnv() func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := c.env(name)
		if ok && len(value) >= 4 {
			c.found = append(c.found, value)
		}
		return value, ok
	}
}

// expand fills ${NAME} into headers.
func (c *config) expand(path string, headers map[string]string) []error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		value, unknown := job.Expand(headers[name], c.secretEnv())
		headers[name] = value
		for _, variable := range unknown {
			errs = append(errs, c.fault(path, "%s: the environment has no %s: export it", name, variable))
		}
	}
	return errs
}

// apiKey finds the key for an endpoint. It must be there when its variable
// was named in the configuration, or when the endpoint is not on this machine.
func (c *config) apiKey(path, variable, baseURL string) (string, error) {
	if variable == noKey {
		return "", nil
	}
	if value, ok := c.secretEnv()(variable); ok && strings.TrimSpace(value) != "" {
		return strings.TrimSpace(value), nil
	}
	if !c.has(path) && loopback(baseURL) {
		return "", nil
	}
	return "", c.fault(path, "the environment has no %s, the key for %s: export it, name another variable, or write %s if no key is needed", variable, job.MaskURL(baseURL), noKey)
}

// loopback reports whether a URL leads to this machine.
func loopback(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
