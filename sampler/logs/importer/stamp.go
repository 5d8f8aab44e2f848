package importer

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// stamp holds what package exporter adds to a log where the log's format has no words for it.
type stamp struct {
	stampHead
	stampBody
}

// stampHead is the part of a stamp that says which rollout it is of, and how that ended.
type stampHead struct {
	Item    string          `json:"item"`
	Split   rollout.Split   `json:"split"`
	Sample  int             `json:"sample"`
	Outcome rollout.Outcome `json:"outcome"`
	Error   string          `json:"error"`
	Kind    string          `json:"error_kind"`
	None    bool            `json:"unscored"` // there was no reward, whatever the log says
	Finish  string          `json:"finish"`
}

// stampBody is the rest of a stamp.
type stampBody struct {
	Asked  int                     `json:"asked"`       // number of messages before the rollout's own
	Said   map[int]rollout.Message `json:"messages"`    // messages that the format changed, by index
	Bare   bool                    `json:"no_messages"` // the log's messages were made from calls and answer
	Answer *string                 `json:"answer"`
	Shown  []int                   `json:"shown"` // for each call, the call in the messages with its texts, or -1
	Row    json.RawMessage         `json:"row"`
	Record *rollout.Record         `json:"record"` // the other fields; nil in older exports

	Calls []rollout.CallStatus `json:"calls"` // statuses of the calls, in older exports; empty if all are ok
}

// stampIn decodes a stamp; nil if the text is not one. A stamp whose content cannot be read still
// names its rollout.
func stampIn(text json.RawMessage) *stamp {
	s := new(stamp)
	if isNone(text) || jsontext.Unmarshal(text, &s.stampHead) != nil || s.Item == "" ||
		s.Sample < 0 || s.Sample > math.MaxInt32 {
		return nil
	}
	if jsontext.Unmarshal(text, &s.stampBody) != nil {
		s.stampBody = stampBody{}
	}
	return s
}

// names sets the item of a record from the stamp and returns the stamp's sample number, or sample
// if there is no stamp.
func (s *stamp) names(rec *rollout.Record, sample int) int {
	if s == nil {
		return sample
	}
	rec.Item = s.Item
	return s.Sample
}

// splitOr returns the split in the stamp, or split if there is none.
func (s *stamp) splitOr(split rollout.Split) rollout.Split {
	if s == nil || !slices.Contains(rollout.Splits(), s.Split) {
		return split
	}
	return s.Split
}

// step returns the step in the stamp, or step if there is none.
func (s *stamp) step(step int) int {
	if s == nil || s.Record == nil || s.Record.Step < 0 {
		return step
	}
	return s.Record.Step
}

// prompt returns how many of n messages come before those of the rollout, or otherwise if there is
// no stamp that says so.
func (s *stamp) prompt(n, otherwise int) int {
	if s == nil || s.Record == nil || s.Asked < 0 {
		return otherwise
	}
	return min(s.Asked, n)
}

// item returns the item of a stamp with its row, given the messages that come before those of the
// rollout. ok is false if the stamp has no row.
func (s *stamp) item(rec *rollout.Record, asked []rollout.Message) (it rollout.Item, ok bool) {
	if s == nil || s.Record == nil {
		return it, false
	}
	it = rollout.Item{ID: rec.Item, Split: rec.Split, Category: s.Record.Category, Family: s.Record.Family}
	row := make(map[string]json.RawMessage)
	if !isNone(s.Row) && jsontext.Unmarshal(s.Row, &row) != nil {
		return it, false
	}
	if _, has := row["messages"]; has || len(asked) == 0 {
		it.Row = s.Row
	} else {
		text, err := json.Marshal(asked)
		if err != nil {
			return it, false
		}
		row["messages"] = text
		if it.Row, err = marshalRow(row); err != nil {
			return it, false
		}
	}
	return it, it.Decode() == nil
}

// finish sets what the log's own words express less exactly: how the last reply ended, the calls
// and whatever else the format has no words for. It does not set the outcome and the reward.
func (s *stamp) finish(rec *rollout.Record) {
	if s == nil {
		return
	}
	rec.Finish = rollout.FinishOf(s.Finish)
	if s.Record != nil && plausible(s.Record) {
		s.restore(rec)
		return
	}
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

// plausible reports whether the numbers of a stamp's record can be counts and times: a stamp may have
// been edited.
func plausible(r *rollout.Record) bool {
	for _, n := range []*int64{
		r.Usage.Input, r.Usage.Output, r.Usage.Cached, r.Judge.Input, r.Judge.Output, r.Judge.Cached,
	} {
		if n != nil && *n < 0 {
			return false
		}
	}
	const most = 1 << 24
	return min(r.Turns, r.Retries, r.JudgeCalls, r.Blanked) >= 0 && max(r.Turns, r.Retries, r.JudgeCalls) <= most &&
		r.Elapsed >= 0
}

// restore sets all fields but those of the grade.
func (s *stamp) restore(rec *rollout.Record) {
	was := s.Record
	for i, m := range s.Said {
		if i >= 0 && i < len(rec.Messages) {
			rec.Messages[i] = m
		}
	}
	if calls, ok := s.calls(rec.Messages); ok {
		rec.Calls = calls
	}
	if s.Bare {
		rec.Messages = nil
	}
	if s.Answer != nil {
		rec.Answer = *s.Answer
	}
	rec.Step, rec.Clipped, rec.Category, rec.Family = s.step(0), was.Clipped, was.Category, was.Family
	rec.Served, rec.Turns, rec.Retries, rec.Usage = was.Served, was.Turns, was.Retries, was.Usage
	rec.Judge, rec.JudgeCalls, rec.Blanked = was.Judge, was.JudgeCalls, was.Blanked
	rec.Planted, rec.Leaks, rec.TraceID, rec.Extra = was.Planted, was.Leaks, was.TraceID, was.Extra
	rec.Started, rec.Elapsed, rec.Earlier = was.Started, was.Elapsed, was.Earlier
}

// calls returns the tool calls of the record: those that were made, with the texts that the
// messages show. ok is false if the stamp and the messages do not match.
func (s *stamp) calls(messages []rollout.Message) (calls []rollout.Call, ok bool) {
	asked, _ := transcript.CallsOf(messages, transcript.UnreportedStatus)
	if len(s.Shown) != len(s.Record.Calls) {
		return nil, false
	}
	calls = slices.Clone(s.Record.Calls)
	for i, at := range s.Shown {
		if at >= len(asked) || at >= 0 && asked[at].Name != calls[i].Name {
			return nil, false
		}
		if at >= 0 {
			calls[i].Arguments, calls[i].Output = asked[at].Arguments, asked[at].Output
		}
	}
	return calls, true
}

// ungraded reports whether the stamp says that there was no reward, whatever the log says, and then
// sets the outcome.
func (s *stamp) ungraded(rec *rollout.Record) bool {
	if s == nil || !s.None || s.Outcome == rollout.Graded || !slices.Contains(rollout.Outcomes(), s.Outcome) {
		return false
	}
	rec.Outcome, rec.Error, rec.Kind, rec.Reward, rec.Parts = s.Outcome, s.Error, s.Kind, nil, nil
	if s.Record != nil {
		rec.Parts = s.Record.Parts
	}
	return true
}

// outcome sets the stamp's outcome of a record with a reward if it is the model's own failure,
// which may have a reward, and the grades that begin with that reward. A failure that the log itself
// reports never becomes a number.
func (s *stamp) outcome(rec *rollout.Record) {
	if s == nil || rec.Reward == nil {
		return
	}
	if s.Outcome.OwnFailure() || s.Outcome == rec.Outcome {
		rec.Outcome, rec.Error, rec.Kind = s.Outcome, s.Error, s.Kind
	}
	if s.Record != nil && len(s.Record.Grades) > 0 && s.Record.Grades[0] == *rec.Reward {
		rec.Grades = s.Record.Grades
	}
}

// messages returns the messages of a rollout whose log has none: those in the stamp.
func (s *stamp) messages() []rollout.Message {
	list := make([]rollout.Message, len(s.Said))
	for i, m := range s.Said {
		if i < 0 || i >= len(list) {
			return nil
		}
		list[i] = m
	}
	return list
}

// sendStamped passes on the item of a record with a stamp; ok is false if the log's own fields have
// to serve.
func sendStamped(sink Sink, s *stamp, rec *rollout.Record, asked []rollout.Message) (ok bool, err error) {
	it, ok := s.item(rec, asked)
	if !ok {
		return false, nil
	}
	if len(it.Messages) > 0 {
		asked = it.Messages
	}
	if known, err := sink.known(it.Split, it.ID, asked); known || err != nil {
		return true, ended(err)
	}
	return true, ended(sink.item(it))
}

// noteStamps notes how many rollouts have a stamp. The mean that our own export states counts the
// model's own failures, so it is not compared.
func (in *intake) noteStamps(n int) {
	if n > 0 {
		in.means = statedMeans{}
		in.sink.note("rollouts exported by gonogo: %d; their item, split, sample and outcome, and what the format has "+
			"no words for, come from gonogo's own fields in the log", n)
	}
}

// again returns an error for a second rollout with the same key.
func (s *stamp) again(seen map[rollout.Key]bool, k rollout.Key) error {
	if seen[k] {
		return fmt.Errorf("item %s, sample %d occurs twice: keep one of the two", k.Item, s.Sample)
	}
	seen[k] = true
	return nil
}
