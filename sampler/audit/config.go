package audit

import (
	"fmt"
	"slices"
	"strings"

	"gonogo/sampler/rollout"
)

// Config bounds an audit.
type Config struct {
	Items       int      // items that the probes are made for; 0 = all
	Regrades    int      // recorded outputs that are graded again; 0 = none
	MaxGradings int      // gradings of the whole audit, not counting detectors; 0 = no limit
	MaxMarks    int      // rollouts that each detector reads; 0 = all
	Search      int      // gradings of the search for a text that is paid without an answer; 0 = none
	Attacks     int      // items that an attacker writes answers for; 0 = none
	Skip        []string // names of probes to leave out, and of detectors as detector/NAME
	Unordered   bool     // the order of a list in an answer is irrelevant
}

// DefaultConfig takes twenty items and grades a hundred outputs again: some thousand gradings, besides
// those of a search.
func DefaultConfig() Config {
	return Config{Items: 20, Regrades: 100, MaxGradings: 3000}
}

// validate reports invalid values.
func (c Config) validate() error {
	for _, n := range []struct {
		name  string
		value int
	}{
		{"items", c.Items},
		{"regrades", c.Regrades},
		{"max_gradings", c.MaxGradings},
		{"max_marks", c.MaxMarks},
		{"search", c.Search},
		{"attacker.n", c.Attacks},
	} {
		if n.value < 0 {
			return fmt.Errorf("audit %s is %d: it cannot be negative", n.name, n.value)
		}
	}
	return nil
}

// checkNames reports probes with the same name, and names to skip that do not exist.
func (c Config) checkNames(probes []Probe, detectors []Detector) error {
	var names []string
	for _, p := range probes {
		names = append(names, p.Name)
		if builtin := []string{
			rollout.ProbeRegrade, rollout.ProbeConsensus, rollout.ProbeLabel, rollout.ProbeSearch, rollout.ProbeAttacker,
		}; p.Make == nil && p.policy == nil && !p.mutates && !slices.Contains(builtin, p.Name) {
			return fmt.Errorf("probe %s makes no payloads: its Make is nil", p.Name)
		}
	}
	for _, d := range detectors {
		names = append(names, d.probe())
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("two probes have the name %q", name)
		}
	}
	for _, skip := range c.Skip {
		if !slices.Contains(names, skip) {
			return fmt.Errorf("audit skip: there is no probe %q; the probes are %s", skip, strings.Join(names, ", "))
		}
	}
	return nil
}

func (c Config) skips(name string) bool { return slices.Contains(c.Skip, name) }
