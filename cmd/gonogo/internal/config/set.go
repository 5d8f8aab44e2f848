package config

import (
	"errors"
	"slices"
	"strings"

	"gonogo/analysis/gate"
	"gonogo/sampler/input/document"
	"gonogo/sampler/input/schema"
	"gonogo/sampler/input/spelling"
)

// SettingKey returns the key that a name on the command line means. The name of a threshold, even
// an old or misspelt one, means thresholds.NAME; any other name is already a key.
func SettingKey(name string) string {
	var thresholds []string
	for _, t := range gate.All().Thresholds() {
		if t.Name == name { // also one below a key, such as grader.hackable
			return "thresholds." + name
		}
		thresholds = append(thresholds, t.Name)
	}
	_, like := spelling.Suggest(name, thresholds)
	isKey := slices.ContainsFunc(Keys().Keys(),
		func(k schema.Key) bool { return name == k.Path || strings.HasPrefix(name, k.Path+".") })
	if !isKey && (like || gate.RenamedThresholdError(name) != nil) {
		return "thresholds." + name
	}
	return name
}

// assignValue sets a key, as --set does. Keys of a map may be given, such as
// thresholds.eval.power. A path on the command line is relative to the working directory.
func assignValue(c *Config, path, value string) error {
	name := "--set " + path
	k, inner, err := Keys().Find(path)
	if err != nil {
		return Errors{{File: name, Msg: err.Error()}}
	}
	node, err := k.Argument(name, inner, value)
	if err != nil {
		return err
	}
	if inner != "" {
		node = document.Under(node, inner)
	}
	err = c.take(document.Under(node, strings.Split(k.Path, ".")...), name)
	c.places[k.Path] = place{file: name} // the argument is the only place
	if errs, ok := errors.AsType[Errors](err); ok {
		for i := range errs {
			if errs[i].Line = 0; strings.HasPrefix(path, errs[i].Path) {
				errs[i].Path = ""
			}
		}
	}
	return err
}
