package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// probeValue is one entry of audit.probes.
type probeValue struct {
	Name     string   `json:"name"`
	Doc      string   `json:"doc"`
	Expect   string   `json:"expect"`
	Limit    *float64 `json:"limit"`
	Template string   `json:"template"`
	Pattern  string   `json:"pattern"`
	Replace  string   `json:"replace"`
}

// detectorValue is one entry of audit.detectors. One of Regex, Python and
// Judge says how it tells.
type detectorValue struct {
	Name   string `json:"name"`
	Doc    string `json:"doc"`
	Regex  string `json:"regex"`
	Python string `json:"python"`
	Judge  string `json:"judge"`
	Model  string `json:"model"`
	Zero   bool   `json:"zero"`
}

// check reports what an entry lacks.
func (d detectorValue) check() error {
	ways := 0
	for _, way := range []string{d.Regex, d.Python, d.Judge} {
		if way != "" {
			ways++
		}
	}
	switch {
	case d.Name == "":
		return errors.New("a detector needs a name")
	case strings.ContainsAny(d.Name, "/ \t\n"):
		return fmt.Errorf("the name %q holds a slash or a space", d.Name)
	case ways != 1:
		return fmt.Errorf("detector %s needs one of regex, python and judge, and has %d of them", d.Name, ways)
	case d.Judge != "" && d.Model == "":
		return fmt.Errorf("detector %s asks a judge and names no model", d.Name)
	case d.Judge == "" && d.Model != "":
		return fmt.Errorf("detector %s names a model and asks it nothing: say what under judge", d.Name)
	}
	return nil
}

// detectors returns the entries of audit.detectors.
func (c *config) detectors() ([]detectorValue, error) {
	return entries(c, "audit.detectors", c.Audit.Detectors, detectorValue.check)
}

// probes returns the entries of audit.probes. What they say is checked where
// they are made into probes.
func (c *config) probes() ([]probeValue, error) {
	return entries(c, "audit.probes", c.Audit.Probes, func(probeValue) error { return nil })
}

// detectsByJudge reports whether a detector asks a model.
func (c *config) detectsByJudge() bool {
	all, _ := c.detectors() // a mistake is told by resolve
	for _, d := range all {
		if d.Judge != "" {
			return true
		}
	}
	return false
}

// entries decodes the maps of a list, with the place of each mistake.
func entries[T any](c *config, path string, list []mapValue, check func(T) error) ([]T, error) {
	var out []T
	var errs []error
	for i, m := range list {
		var v T
		d := json.NewDecoder(bytes.NewReader(m.Body))
		d.DisallowUnknownFields()
		err := d.Decode(&v)
		if err == nil {
			err = check(v)
		}
		if err != nil {
			errs = append(errs, c.entryFault(path, i, err))
		}
		out = append(out, v)
	}
	return out, joinConfigErrors(errs)
}

// entryFault is a mistake in entry i of a list.
func (c *config) entryFault(path string, i int, err error) error {
	var list []mapValue
	for _, k := range keys() {
		if k.Path == path {
			list = *k.at(&c.values).(*[]mapValue)
		}
	}
	at := configError{file: c.given[path].file, path: fmt.Sprintf("%s[%d]", path, i), msg: strings.TrimPrefix(err.Error(), "json: ")}
	if i < len(list) && list[i].node != nil {
		at.line, at.column = list[i].node.line, list[i].node.column
	}
	return at
}
