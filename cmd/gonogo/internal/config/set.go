package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Assign gives a key a value, as --set does, and resolves the configuration
// anew. Below a map its own keys may be named: thresholds.signal.informative.
// A path on the command line starts from the working directory.
func (c *Config) Assign(path, value string) error {
	if err := assignValue(c, path, value); err != nil {
		return err
	}
	return c.resolve()
}

func assignValue(c *Config, path, value string) error {
	all := Keys()
	name := "--set " + path
	i := slices.IndexFunc(all, func(k key) bool { return k.Path == path })
	inner := ""
	for j, k := range all {
		if rest, ok := strings.CutPrefix(path, k.Path+"."); ok && i < 0 {
			i, inner = j, rest
		}
	}
	if i < 0 {
		return Errors{{File: name, Msg: "unknown key" + suggestKey(path, all)}}
	}
	k := all[i]
	node, err := argument(name, k, inner, value)
	if err != nil {
		return err
	}
	var errs Errors
	decoder{k, func(_ *yamlNode, format string, args ...any) {
		errs = append(errs, Error{File: name, Msg: fmt.Sprintf(format, args...)})
	}}.decode(node, &c.written)
	c.given[k.Path] = place{file: name}
	return errs.orNil()
}

// argument turns the text of a command line into a value for the key.
func argument(name string, k key, inner, value string) (*yamlNode, error) {
	var v values
	text := &yamlNode{kind: yamlString, text: value}
	if k.File && (value == "" || value != k.word) {
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
