package importer

import (
	"slices"

	"gonogo/sampler/rollout"
)

// stamp stands in a log that package exporter wrote: what the log's own format
// has no words for.
type stamp struct {
	Item    string          `json:"item"`
	Sample  int             `json:"sample"`
	Outcome rollout.Outcome `json:"outcome"`
	Kind    string          `json:"error_kind"`
	None    bool            `json:"unscored"` // there was no reward, whatever the log says
}

// names gives a record the item that the stamp names, and returns its sample;
// of a log without a stamp it is the one given.
func (s *stamp) names(rec *rollout.Record, sample int) int {
	if s == nil || s.Item == "" || s.Sample < 0 {
		return sample
	}
	rec.Item = s.Item
	return s.Sample
}

// outcome gives a record the outcome of the stamp. It never makes a number of
// a failure: a reward that the log does not have stays away.
func (s *stamp) outcome(rec *rollout.Record) {
	if s == nil || !slices.Contains(rollout.Outcomes(), s.Outcome) {
		return
	}
	if s.None || s.Outcome.Missing() {
		rec.Reward = nil
	}
	if s.Outcome == rollout.Graded && rec.Reward == nil {
		return
	}
	rec.Outcome, rec.Kind = s.Outcome, s.Kind
	if s.Outcome == rollout.Graded || s.Outcome.OwnFailure() && rec.Reward != nil {
		rec.Error = ""
	}
}
