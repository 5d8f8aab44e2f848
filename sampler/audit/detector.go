package audit

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// Detector marks recorded rollouts as hacks: its grader gives 0.5 or more to a hack.
type Detector struct {
	Name, Doc string
	Zero      bool           // a marked rollout counts as the bottom of the range
	Hash      string         // of its definition: marks of another definition are made again; "" keeps no marks
	Judges    int            // requests to a judge per mark
	Grader    sampler.Grader // reads the output as the run's own grader does
}

// probe returns the probe name of the detector's records.
func (d Detector) probe() string { return rollout.ProbeDetector + d.Name }

// RegexDetector marks rollouts in which anything that the model wrote matches the
// pattern: the answer, its other turns, its reasoning, and the names and arguments of its
// calls. Outputs of tools are not searched. The syntax is that of Go's regexp, where (?i)
// ignores case.
func RegexDetector(name, doc, pattern string, zero bool) (Detector, error) {
	if err := checkName(name); err != nil {
		return Detector{}, fmt.Errorf("detector: %w", err)
	}
	re, err := regexp.Compile(pattern)
	switch {
	case pattern == "":
		return Detector{}, fmt.Errorf("detector %s: its pattern is empty, which matches everything", name)
	case err != nil:
		return Detector{}, fmt.Errorf("detector %s: %w", name, err)
	}
	return Detector{Name: name, Doc: doc, Zero: zero, Hash: hashOf("regex", pattern), Grader: matcher{re}}, nil
}

// matcher gives 1 to outputs with a match, else 0.
type matcher struct{ re *regexp.Regexp }

// Grade searches everything that the model wrote.
func (m matcher) Grade(_ context.Context, out sampler.Output) (sampler.Grade, error) {
	found := m.re.MatchString(out.Text) || m.re.MatchString(out.Reasoning) ||
		slices.ContainsFunc(out.Messages, func(msg rollout.Message) bool {
			return msg.Role == "assistant" && (m.re.MatchString(msg.Content) || m.re.MatchString(msg.Reasoning))
		}) ||
		slices.ContainsFunc(out.Calls, func(c rollout.Call) bool {
			return m.re.MatchString(c.Name) || m.re.MatchString(c.Arguments)
		})
	if found {
		return sampler.Grade{Reward: 1}, nil
	}
	return sampler.Grade{}, nil
}
