package importer

import (
	"slices"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/rollout"
)

// stamp is in a log that package exporter wrote: what the log's own format has no words
// for.
type stamp struct {
	Item    string          `json:"item"`
	Sample  int             `json:"sample"`
	Outcome rollout.Outcome `json:"outcome"`
	Error   string          `json:"error"`
	Kind    string          `json:"error_kind"`
	None    bool            `json:"unscored"` // there was no reward, whatever the log says
	Finish  string          `json:"finish"`

	Calls []rollout.CallStatus `json:"calls"` // of the tool calls, in order; none if all are ok
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

// finish gives the record the way its last reply ended, which the log's own
// words tell less exactly, and its tool calls the statuses that the log has no
// words for.
func (s *stamp) finish(rec *rollout.Record) {
	if s == nil {
		return
	}
	rec.Finish = rollout.FinishOf(s.Finish)
	if len(s.Calls) != len(rec.Calls) {
		return
	}
	for i, status := range s.Calls {
		if c := &rec.Calls[i]; c.Status == rollout.CallOK && slices.Contains(rollout.CallStatuses(), status) {
			if c.Status = status; status != rollout.CallOK {
				c.Error = transcript.FirstLine(c.Output)
			}
		}
	}
}

// ungraded reports whether the stamp says that there was no reward, whatever
// the log has in its place, and then gives the record the outcome.
func (s *stamp) ungraded(rec *rollout.Record) bool {
	if s == nil || !s.None || s.Outcome == rollout.Graded || !slices.Contains(rollout.Outcomes(), s.Outcome) {
		return false
	}
	rec.Outcome, rec.Error, rec.Kind, rec.Reward, rec.Parts = s.Outcome, s.Error, s.Kind, nil, nil
	return true
}

// outcome gives a record with a reward the outcome of the stamp: that of a
// failure of the model's own, which may have one. No failure that the log
// itself reports becomes a number.
func (s *stamp) outcome(rec *rollout.Record) {
	if s != nil && rec.Reward != nil && s.Outcome.OwnFailure() {
		rec.Outcome, rec.Error, rec.Kind = s.Outcome, s.Error, s.Kind
	}
}

// noteStamps says of how many rollouts our own export tells more than the
// format.
func (s Sink) noteStamps(n int) {
	if n > 0 {
		s.note("rollouts that gonogo exported: %d; item, sample and outcome are those that it wrote next to what "+
			"the format holds", n)
	}
}
