package analysis

import (
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Leaks tells of rollouts that met what another one had left, by the canaries of
// their records. It is there where somebody's canary stood in a place that is looked
// at.
type Leaks struct {
	Rollouts int           `json:"rollouts"` // that tell: their own canary stood in such a place, or they met another's
	Leaking  int           `json:"leaking"`  // of these, that met another's
	Share    stat.Estimate `json:"share"`    // of these
	Items    []string      `json:"items"`    // a few of the leaking ones'
	Examples []LeakExample `json:"examples"` // a few of their leaks
}

// LeakExample is one canary of another rollout that a rollout met.
type LeakExample struct {
	RolloutName
	At     string       `json:"at"` // where: tool NAME, agent, model or session
	Canary string       `json:"canary"`
	Of     *RolloutName `json:"of"` // whose it is; null when it is none of this run's rollouts
}

// RolloutName names one attempt at a rollout.
type RolloutName struct {
	Split   rollout.Split `json:"split"`
	Item    string        `json:"item"`
	Sample  int           `json:"sample"`
	Attempt int           `json:"attempt"`
}
