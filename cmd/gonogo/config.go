package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonogo/sampler/dataset"
	"gonogo/sampler/job"
)

// config is a configuration, read and resolved: what was left out stands at
// its default, paths lead from the working directory, ${NAME} in headers is
// filled in. The fields hold secrets: show masked.
type config struct {
	values
	Body *job.Job // nil when there is no job

	modelKey, judgeKey string // API keys; "" when none is needed

	file    string           // as errors name it
	jobTree *yamlNode        // where the job's body stands, when it was YAML
	dir     string           // what relative paths start from
	env     lookup           // the environment
	written values           // before resolving
	given   map[string]place // the keys that were set, and where
	found   []string         // secrets taken from the environment
}

// lookup finds an environment variable.
type lookup func(name string) (value string, ok bool)

// place is where a key was set.
type place struct {
	file         string
	line, column int
}

// loadConfig reads a configuration and all that a run needs: the job, data
// files that are there, a model, keys and headers from the environment.
// overrides are PATH=VALUE, as --set takes them. The error lists all mistakes
// with file:line:column, as far as they can be found at one time.
func loadConfig(path string, env lookup, overrides ...string) (*config, error) {
	c, err := peekConfig(path, env, overrides...)
	if err != nil {
		return nil, err
	}
	return c, c.complete()
}

// peekConfig reads a configuration without asking for data, keys or a job:
// enough to analyse rollouts that are there already. An empty path means all
// defaults.
func peekConfig(path string, env lookup, overrides ...string) (*config, error) {
	var body []byte
	if path != "" {
		var err error
		if body, err = readBounded(path); err != nil {
			return nil, fmt.Errorf("read the configuration: %w", err)
		}
	}
	c, err := decodeConfig(cmp.Or(path, "defaults"), filepath.Dir(path), body, env)
	if err != nil {
		return nil, joinConfigErrors([]error{err, c.jobFault()})
	}
	var errs []error
	for _, o := range overrides {
		name, value, ok := strings.Cut(o, "=")
		if !ok {
			errs = append(errs, fmt.Errorf("--set %q: write KEY=VALUE, such as sampling.samples=16", o))
			continue
		}
		errs = append(errs, c.assign(strings.TrimSpace(name), value))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return c, c.resolve()
}

// jobFault reads the job for its mistakes alone, so that they are shown
// together with the document's. c may be nil.
func (c *config) jobFault() error {
	if c == nil || c.written.Job.Path == "" && c.written.Job.Body == nil {
		return nil
	}
	c.Job = c.written.Job
	_, err := c.loadJob()
	return err
}

// decodeConfig reads the body into a config that is not resolved yet. With an
// error from the document's content the config holds what could be read.
func decodeConfig(name, dir string, body []byte, env lookup) (*config, error) {
	root, err := parseYAML(name, body)
	if err != nil {
		return nil, err
	}
	c := &config{file: name, dir: dir, env: env, given: map[string]place{}}
	for _, k := range keys() {
		if k.Default == "" {
			continue
		}
		node, err := parseYAML("default of "+k.Path, []byte(k.Default))
		if err != nil {
			return nil, err
		}
		decoder{k, func(*yamlNode, string, ...any) {}}.decode(node, &c.written)
	}
	w := &walker{config: c, keys: keys()}
	switch root.kind {
	case yamlNull:
	case yamlMap:
		w.group("", root)
	default:
		w.fail(root, "", "a configuration is a map of keys, this is %s", root.kind)
	}
	return c, w.errs.orNil()
}

// readBounded reads a file that may not exceed maxConfigBytes by much.
func readBounded(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a directory", path)
	case info.Size() > maxConfigBytes:
		return nil, fmt.Errorf("%s has %d KB, %d KB are allowed", path, info.Size()>>10, maxConfigBytes>>10)
	}
	return os.ReadFile(path)
}

// walker holds the document against the table of keys.
type walker struct {
	config *config
	keys   []key
	errs   configErrors
}

func (w *walker) fail(n *yamlNode, path, format string, args ...any) {
	w.errs = append(w.errs, configError{w.config.file, n.line, n.column, path, fmt.Sprintf(format, args...)})
}

// group reads a map of keys; prefix is "" or ends with a dot.
func (w *walker) group(prefix string, n *yamlNode) {
	for _, f := range n.fields {
		path := prefix + f.key
		i := slices.IndexFunc(w.keys, func(k key) bool { return k.Path == path })
		inside := slices.ContainsFunc(w.keys, func(k key) bool { return strings.HasPrefix(k.Path, path+".") })
		switch {
		case i >= 0 && f.value.kind == yamlNull: // left empty: its default holds
		case i >= 0:
			k := w.keys[i]
			w.config.given[path] = place{w.config.file, f.value.line, f.value.column}
			decoder{k, func(at *yamlNode, format string, args ...any) { w.fail(at, path, format, args...) }}.decode(f.value, &w.config.written)
		case !inside:
			w.fail(&yamlNode{line: f.line, column: f.column}, "", "unknown key %q%s", path, suggestKey(path, w.keys))
		case f.value.kind == yamlMap:
			w.group(path+".", f.value)
		case f.value.kind != yamlNull:
			w.fail(f.value, path, "is a group of keys such as %s, got %s", firstIn(path, w.keys), f.value.show())
		}
	}
}

func firstIn(group string, all []key) string {
	i := slices.IndexFunc(all, func(k key) bool { return strings.HasPrefix(k.Path, group+".") })
	return all[i].Path
}

// suggestKey words the key that was probably meant: a neighbour that is
// spelt like it, else a key elsewhere whose last word it is, else the key
// that is spelt most like it.
func suggestKey(path string, all []key) string {
	leaf := func(p string) string { return p[strings.LastIndexByte(p, '.')+1:] }
	parent := strings.TrimSuffix(path, leaf(path))
	var near, full, leaves []string
	for _, k := range all {
		full = append(full, k.Path)
		if strings.HasPrefix(k.Path, parent) {
			word, _, _ := strings.Cut(strings.TrimPrefix(k.Path, parent), ".")
			near = append(near, word)
		}
		if leaf(k.Path) == leaf(path) {
			leaves = append(leaves, k.Path)
		}
	}
	if word, ok := dataset.Suggest(leaf(path), near); ok {
		return fmt.Sprintf(", did you mean %q?", parent+word)
	}
	if len(leaves) > 0 {
		return fmt.Sprintf(", did you mean %s?", orList(leaves))
	}
	for _, k := range all {
		leaves = append(leaves, leaf(k.Path))
	}
	if word, ok := dataset.Suggest(leaf(path), leaves); ok {
		return fmt.Sprintf(", did you mean %q?", full[slices.Index(leaves, word)])
	}
	return "; gonogo help config lists the keys"
}

// meant words the name that a mistyped one is nearest to, "" when none is near.
func meant(mistyped string, names []string) string {
	if near, ok := dataset.Suggest(mistyped, names); ok {
		return fmt.Sprintf(", did you mean %q?", near)
	}
	return ""
}

// orList words a choice.
func orList(names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// set gives a key a value, as --set does, and resolves the configuration
// anew. Below a map its own keys may be named: thresholds.signal.informative.
// A path on the command line starts from the working directory.
func (c *config) set(path, value string) error {
	if err := c.assign(path, value); err != nil {
		return err
	}
	return c.resolve()
}

func (c *config) assign(path, value string) error {
	all := keys()
	name := "--set " + path
	i := slices.IndexFunc(all, func(k key) bool { return k.Path == path })
	inner := ""
	for j, k := range all {
		if rest, ok := strings.CutPrefix(path, k.Path+"."); ok && i < 0 {
			i, inner = j, rest
		}
	}
	if i < 0 {
		return configErrors{{file: name, msg: "unknown key" + suggestKey(path, all)}}
	}
	k := all[i]
	node, err := argument(name, k, inner, value)
	if err != nil {
		return err
	}
	var errs configErrors
	decoder{k, func(_ *yamlNode, format string, args ...any) {
		errs = append(errs, configError{file: name, msg: fmt.Sprintf(format, args...)})
	}}.decode(node, &c.written)
	c.given[k.Path] = place{file: name}
	return errs.orNil()
}

// argument turns the text of a command line into a value for the key.
func argument(name string, k key, inner, value string) (*yamlNode, error) {
	var v values
	text := &yamlNode{kind: yamlString, text: value}
	if k.file {
		abs, err := filepath.Abs(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		text.text = abs
	}
	switch k.at(&v).(type) {
	case *string:
		return text, nil
	case *jobSource:
		if !strings.HasPrefix(strings.TrimSpace(value), "{") {
			return text, nil
		}
	case *map[string]string:
		if inner != "" {
			return &yamlNode{kind: yamlMap, fields: []yamlField{{key: inner, value: text}}}, nil
		}
	}
	node, err := parseYAML(name, []byte(value))
	if err != nil {
		return nil, err
	}
	if inner != "" {
		return &yamlNode{kind: yamlMap, fields: []yamlField{{key: inner, value: node}}}, nil
	}
	return node, nil
}

// configOf reads a configuration that masked wrote, as a manifest keeps it.
// Its secrets are masked: it is good for analysing, not for running.
func configOf(name string, masked json.RawMessage) (*config, error) {
	c, err := decodeConfig(name, ".", masked, func(string) (string, bool) { return "", false })
	if err != nil {
		return nil, err
	}
	return c, c.resolve()
}

// clone returns the values with maps of their own.
func (v values) clone() values {
	v.Data.Files = maps.Clone(v.Data.Files)
	v.Model.Headers = maps.Clone(v.Model.Headers)
	v.Judge.Headers = maps.Clone(v.Judge.Headers)
	v.Sampling.AddressMap = maps.Clone(v.Sampling.AddressMap)
	v.Thresholds = maps.Clone(v.Thresholds)
	return v
}
