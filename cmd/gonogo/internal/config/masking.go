package config

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"gonogo/sampler/input/dataset"
	"gonogo/sampler/input/document"
	"gonogo/sampler/input/job"
	"gonogo/sampler/input/schema"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/credential"
)

// Binding returns the value of every binding key. A run directory made with other values is
// refused, naming the keys. Long values, the job and the data are represented by the first 16
// digits of their SHA-256; "" is a key without a value. files are the data files as loaded. A seed
// that was not set is "": fill in the one that was drawn.
func (c *Config) Binding(files ...*dataset.File) map[string]string {
	out := map[string]string{}
	for _, k := range Keys().Keys() {
		if !k.Binding || k.Path == "grader" && !c.HasGrader() || c.newer(k.Path) {
			continue
		}
		text, ok := k.Value(&c.values)
		out[k.Path] = ""
		switch {
		case k.Path == "job" && c.OwnJob != nil:
			out[k.Path] = c.OwnJob.Hash()[:16]
		case k.Path == "job", strings.HasPrefix(k.Path, "data.") && k.File:
		case k.Path == "grader":
			out[k.Path] = c.Body.GraderAlone().Hash()[:16]
		case ok:
			out[k.Path] = Short(credential.MaskURL(jsontext.TextOrJSON(text)))
		}
	}
	for _, f := range files {
		out["data."+string(f.Split)] = f.SHA256[:min(16, len(f.SHA256))]
	}
	return out
}

// newer reports whether a key is one that run directories of earlier versions do not have, and that
// changes nothing here: their runs go on.
func (c *Config) newer(path string) bool {
	return strings.HasPrefix(path, "environment.") && !c.Environment.Used() ||
		path == "agent.dialect" && !c.Agent.SageMaker()
}

// Short returns text, or its hash if it is long.
func Short(text string) string {
	const longest = 100
	if len(text) <= longest {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:8])
}

// Masked returns the resolved configuration as JSON, for a manifest: without secrets, and with the
// paths of data as written. It contains the whole job, with masked headers. FromManifest reads it.
func (c *Config) Masked() json.RawMessage {
	v := c.values.clone()
	v.Data.Train, v.Data.Eval, v.Data.Production = c.written.Data.Train, c.written.Data.Eval, c.written.Data.Production
	v.Data.Files, v.Audit.Labels = c.written.Data.Files, c.written.Audit.Labels
	if v.Job = (job.Source{}); c.OwnJob != nil {
		v.Job.Body = c.OwnJob.Masked()
	}
	if v.Grader = (job.Source{}); c.HasGrader() {
		v.Grader.Body = c.Body.MaskedGrader()
	}
	v.Prices, v.Queue = c.Prices.Settled(c.TokenPrices()), c.written.Queue
	schema.ReplaceHidden(&v, func(mark, _, text string) string {
		if mark == "url" {
			return credential.MaskURL(text)
		}
		return credential.Mask
	})
	return document.Marshal(v)
}

// Secrets returns every secret in the configuration, longest first, for a redactor of files, logs
// and pages.
func (c *Config) Secrets() []string {
	all := slices.Clone(c.found)
	if c.Body != nil {
		all = append(all, c.Body.Secrets()...)
	}
	all = append(all, c.ModelKey, c.JudgeKey)
	all = append(all, c.variantAPIKeys...)
	v := c.values.clone()
	schema.ReplaceHidden(&v, func(mark, name, text string) string {
		switch {
		case mark == "url":
			all = append(all, credential.URLSecrets(text)...)
		case mark == "secret":
			all = append(all, credential.InHeader(name, text)...)
		case credential.Is(name, text):
			all = append(all, text)
		}
		return text
	})
	return longestFirst(credential.Literal(all), 1)
}

// SureSecrets returns the secrets from the environment that cannot be ordinary words. They may
// therefore be blanked even in what a model or a grader reads.
func (c *Config) SureSecrets() []string {
	all := slices.Concat([]string{c.ModelKey, c.JudgeKey}, c.variantAPIKeys, c.found)
	return longestFirst(all, credential.SureLength)
}

// longestFirst sorts the distinct secrets of at least the given length, longest first.
func longestFirst(all []string, least int) []string {
	all = slices.DeleteFunc(all, func(secret string) bool { return len(secret) < least })
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(all)
}

// Only removes everything but the file of one split, train or eval, from the configuration: other
// splits, subset, audit, variants and queue.
func (c *Config) Only(split rollout.Split) error {
	off := false
	if split == rollout.Eval {
		c.written.Data.Train = ""
	} else {
		c.written.Data.Eval = ""
	}
	c.written.Data.Production, c.written.Data.Files, c.written.Queue.URL = "", nil, "memory"
	c.written.Items, c.written.Audit.Enabled, c.written.Audit.Labels, c.written.Variants = 0, &off, "", nil
	return c.resolve()
}

// DefaultBatch is the batch size if the job leaves it to the platform.
const DefaultBatch = 16

// LacksSecrets reports whether the calls of a burst need secrets that were masked.
func (c *Config) LacksSecrets() bool {
	asked := []map[string]string{c.Agent.Headers, c.Session.Headers, c.Judge.Headers}
	if c.Agent.URL != "" {
		asked = append(asked, c.Model.Headers)
	}
	if slices.ContainsFunc(asked,
		func(h map[string]string) bool { return slices.Contains(headerValues(h), credential.Mask) }) {
		return true
	}
	return c.Body != nil && bytes.Contains(c.Body.Raw, []byte(credential.Mask))
}

// StepSize returns how many rollouts start at once.
func (c *Config) StepSize() int {
	return cmp.Or(c.Burst.Rollouts, cmp.Or(c.Training.BatchSize, DefaultBatch)*c.Training.GroupSize)
}
