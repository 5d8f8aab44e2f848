package config

import (
	"encoding/json"
	"fmt"
	"slices"
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

// DetectorValue is one entry of audit.detectors. One of Regex, Python and
// Judge says how it tells.
type DetectorValue struct {
	Name   string `json:"name"`
	Doc    string `json:"doc"`
	Regex  string `json:"regex"`
	Python string `json:"python"`
	Judge  string `json:"judge"`
	Model  string `json:"model"`
	Zero   bool   `json:"zero"`
}

// Check reports what an entry lacks.
func (d DetectorValue) Check() error {
	ways := 0
	for _, way := range []string{d.Regex, d.Python, d.Judge} {
		if way != "" {
			ways++
		}
	}
	switch {
	case ways != 1:
		return fmt.Errorf("detector %s needs one of regex, python and judge, and has %d of them", d.Name, ways)
	case d.Judge != "" && d.Model == "":
		return fmt.Errorf("detector %s asks a judge and names no model", d.Name)
	case d.Judge == "" && d.Model != "":
		return fmt.Errorf("detector %s names a model and asks it nothing: say what under judge", d.Name)
	}
	return nil
}

// Detectors returns the entries of audit.detectors.
func (c *Config) Detectors() []DetectorValue { return entries[DetectorValue](c.Audit.Detectors) }

// Probes returns the entries of audit.probes.
func (c *Config) Probes() []probeValue { return entries[probeValue](c.Audit.Probes) }

// detectsByJudge reports whether a detector asks a model.
func detectsByJudge(c *Config) bool {
	return slices.ContainsFunc(c.Detectors(), func(d DetectorValue) bool { return d.Judge != "" })
}

// entries decodes the maps of a list, whose keys and types were checked as they
// were read.
func entries[T any](list []MapValue) []T {
	out := make([]T, len(list))
	for i, m := range list {
		if err := json.Unmarshal(m.Body, &out[i]); err != nil {
			panic(fmt.Sprintf("gonogo: an entry of a list: %v", err))
		}
	}
	return out
}

// EntryFault is a mistake in entry i of a list.
func (c *Config) EntryFault(path string, list []MapValue, i int, err error) error {
	at := Error{File: c.given[path].file, Path: fmt.Sprintf("%s[%d]", path, i), Msg: err.Error()}
	if node := list[i].node; node != nil {
		at.Line, at.Column = node.line, node.column
	}
	return at
}
