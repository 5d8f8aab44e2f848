package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gonogo/analysis/gate"
	"gonogo/sampler/dataset"
	"gonogo/sampler/document"
)

// SettingKey returns the key that a name on the command line means. The name of a
// threshold, also an old or a misspelt one, means thresholds.NAME; any other name is
// a key already.
func SettingKey(name string) string {
	var thresholds []string
	for _, t := range gate.Thresholds() {
		if t.Name == name { // also one below a key, such as grader.hackable
			return "thresholds." + name
		}
		thresholds = append(thresholds, t.Name)
	}
	_, like := dataset.Suggest(name, thresholds)
	isKey := slices.ContainsFunc(Keys(), func(k key) bool { return name == k.Path || strings.HasPrefix(name, k.Path+".") })
	if !isKey && (like || gate.RenamedThresholdError(name) != nil) {
		return "thresholds." + name
	}
	return name
}

// Assign sets a key, as --set does, and resolves the configuration again. Keys of a map
// may be named, such as thresholds.signal.informative. A path on the command line is
// relative to the working directory.
func (c *Config) Assign(path, value string) error {
	if err := assignValue(c, path, value); err != nil {
		return err
	}
	return c.resolve()
}

func assignValue(c *Config, path, value string) error {
	name := "--set " + path
	k, ok := keyAt(path)
	inner := ""
	for _, of := range Keys() {
		if rest, below := strings.CutPrefix(path, of.Path+"."); below && !ok && of.Type == "object" {
			k, inner = of, rest
		}
	}
	if k.Path == "" {
		group, leaf := "", path
		near := theTable().schema
		if i := strings.IndexByte(path, '.'); i > 0 && near.Properties[path[:i]] != nil {
			group, leaf, near = path[:i], path[i+1:], near.Properties[path[:i]]
		}
		if s := near.Properties[leaf]; s != nil {
			return Errors{{File: name, Msg: "is " + groupOf(path, s)}}
		}
		return Errors{{File: name, Msg: "unknown key" + suggestKey(group, leaf, near.PropertyOrder)}}
	}
	node, err := argument(name, k, inner, value)
	if err != nil {
		return err
	}
	if inner != "" {
		node = document.Under(node, inner)
	}
	err = c.take(document.Under(node, strings.Split(k.Path, ".")...), name)
	c.given[k.Path] = place{file: name} // there is no place but the argument
	if errs, ok := errors.AsType[Errors](err); ok {
		for i := range errs {
			if errs[i].Line = 0; strings.HasPrefix(path, errs[i].Path) {
				errs[i].Path = ""
			}
		}
	}
	return err
}

// argument turns the text of a command line into a value for the key. A list may be
// written without its brackets, but for the arguments of a program: commas belong to them.
func argument(name string, k key, inner, value string) (*document.Node, error) {
	text := &document.Node{Kind: document.Text, Text: value}
	if k.File && (value == "" || value != k.word) {
		abs, err := filepath.Abs(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		text.Text = abs
	}
	isJob := len(k.Types) > 0
	if k.Type == "string" && k.Pattern != forms["duration"].pattern || isJob && !strings.HasPrefix(strings.TrimSpace(value), "{") ||
		inner != "" && k.AdditionalProperties != nil && k.AdditionalProperties.Type == "string" {
		return text, nil
	}
	if isList := k.Type == "array" && k.Items.Properties == nil; isList && k.Path != "agent.command" && !strings.HasPrefix(strings.TrimSpace(value), "[") {
		value = "[" + value + "]"
	}
	node, err := document.Parse(name, []byte(value))
	if err == nil && node.Kind == document.Null {
		return text, nil // for which no key but a text has a use
	}
	if err == nil && k.File && !isJob {
		for _, f := range node.Fields { // data.files={ID: PATH}
			if f.Value.Kind == document.Text && f.Value.Text != "" {
				f.Value.Text, err = filepath.Abs(f.Value.Text)
			}
		}
	}
	return node, err
}
