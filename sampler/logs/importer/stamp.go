package importer

import (
	"slices"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/rollout"
)

// stamp holds what package exporter adds to a log where the log's format has no words for it.
type stamp struct {
	Item    string          `json:"item"`
	Sample  int             `json:"sample"`
	Outcome rollout.Outcome `json:"outcome"`
	Error   string          `json:"error"`
	Kind    string          `json:"error_kind"`
	None    bool            `json:"unscored"` // there was no reward, whatever the log says
	Finish  string          `json:"finish"`

	Calls []rollout.CallStatus `json:"calls"` // statuses of the tool calls, in order; empty if all are ok
}

// names sets the item of a record from the stamp and returns the stamp's sample number, or sample
// if there is no stamp.
func (s *stamp) names(rec *rollout.Record, sample int) int {
	if s == nil || s.Item == "" || s.Sample < 0 {
		return sample
	}
	rec.Item = s.Item
	return s.Sample
}

// finish sets how the last reply ended, which the log's own words express less exactly, and the
// statuses of the tool calls that the log has no words for.
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

// ungraded reports whether the stamp says that there was no reward, whatever the log says, and then
// sets the outcome.
func (s *stamp) ungraded(rec *rollout.Record) bool {
	if s == nil || !s.None || s.Outcome == rollout.Graded || !slices.Contains(rollout.Outcomes(), s.Outcome) {
		return false
	}
	rec.Outcome, rec.Error, rec.Kind, rec.Reward, rec.Parts = s.Outcome, s.Error, s.Kind, nil, nil
	return true
}

// outcome sets the stamp's outcome of a record with a reward if it is the model's own failure,
// which may have a reward. A failure that the log itself reports never becomes a number.
func (s *stamp) outcome(rec *rollout.Record) {
	if s != nil && rec.Reward != nil && s.Outcome.OwnFailure() {
		rec.Outcome, rec.Error, rec.Kind = s.Outcome, s.Error, s.Kind
	}
}

// noteStamps notes how many rollouts have a stamp.
func (s Sink) noteStamps(n int) {
	if n > 0 {
		s.note("rollouts exported by gonogo: %d; their item, sample and outcome come from gonogo's own fields in the "+
			"log", n)
	}
}
