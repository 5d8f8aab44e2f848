package analysis

import (
	"encoding/json"

	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// Severity says what a failing gate does to the verdict.
type Severity string

// The severities.
const (
	Blocking Severity = "blocking"
	Advisory Severity = "advisory"
)

// Status is a gate's answer. The zero Status is Unknown.
type Status int

// The answers of a gate.
const (
	Unknown Status = iota
	Pass
	Fail
	Skipped
)

var statusNames = [...]string{Unknown: "unknown", Pass: "pass", Fail: "fail", Skipped: "skipped"}

// String returns unknown, pass, fail or skipped.
func (s Status) String() string { return statusNames[s] }

// MarshalText writes the status as its name.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a status by name; an unfamiliar name is unknown.
func (s *Status) UnmarshalText(b []byte) error {
	*s = Unknown
	for i, name := range statusNames {
		if name == string(b) {
			*s = Status(i)
		}
	}
	return nil
}

// Finding is a gate's answer about one split, in one severity: the fact that
// decides it, and every other one that the gate has looked at.
type Finding struct {
	Gate     string
	Topic    string
	Split    rollout.Split // "" when it concerns the whole run
	Severity Severity
	Fact              // the deciding one: the worst, of these the first
	Others   []Fact   // the rest, in the gate's order
	Charts   []string // the pictures that show what the gate judges, by name

	Command []string // that would give a skipped gate something to judge; nil where none would
}

// Fact is one thing that was measured and compared with a threshold. Its texts are
// data: Text.In says them.
type Fact struct {
	ID         string         `json:"id"`
	Status     Status         `json:"status"`
	Value      *float64       `json:"value"`
	Low        *float64       `json:"low"`
	High       *float64       `json:"high"`
	Threshold  *float64       `json:"threshold"`      // that Want names first; null where there is none
	Want       message.Text   `json:"want,omitzero"`  // the threshold in words, such as "≥ 0.10"
	Unit       string         `json:"unit,omitempty"` // reward, share, items, calls, tokens, seconds
	Title      message.Text   `json:"message,omitzero"`
	Why        message.Text   `json:"why,omitzero"`
	Remedy     message.Text   `json:"remedy,omitzero"`
	Needs      *Needs         `json:"needs,omitempty"` // of an unknown fact
	Settleable bool           `json:"settleable,omitempty"`
	Items      []string       `json:"items,omitempty"`
	Rows       []message.Text `json:"rows,omitempty"` // what is said of the items, where more than their ids is
}

// StoredFinding is a Finding as result.json has it: what is to be read of the deciding fact
// belongs to the finding, and its numbers are the first of the facts.
type StoredFinding struct {
	Gate       string         `json:"gate"`
	Topic      string         `json:"topic"`
	Split      rollout.Split  `json:"split"` // "" when it concerns the whole run
	Severity   Severity       `json:"severity"`
	Status     Status         `json:"status"`
	Facts      []Fact         `json:"facts"`
	Message    message.Text   `json:"message"`
	Why        message.Text   `json:"why"`
	Remedy     *message.Text  `json:"remedy"` // null where there is nothing to do
	Needs      *Needs         `json:"needs"`
	Settleable bool           `json:"settleable"`
	Items      []string       `json:"items"`
	Rows       []message.Text `json:"rows,omitempty"`   // what is said of the items, where more than their ids is
	Charts     []string       `json:"charts,omitempty"` // the pictures that show what the gate judges, by name
}

// MarshalJSON writes the finding as result.json has it.
func (f Finding) MarshalJSON() ([]byte, error) {
	lead := f.Fact
	lead.Title, lead.Why, lead.Remedy, lead.Needs, lead.Settleable, lead.Items, lead.Rows = message.Text{}, message.Text{}, message.Text{}, nil, false, nil, nil
	items := f.Items
	if items == nil {
		items = []string{}
	}
	var remedy *message.Text
	if !f.Remedy.IsEmpty() {
		remedy = &f.Remedy
	}
	return json.Marshal(StoredFinding{
		f.Gate, f.Topic, f.Split, f.Severity, f.Status, append([]Fact{lead}, f.Others...), f.Title, f.Why, remedy, f.Needs, f.Settleable, items, f.Rows, f.Charts,
	})
}

// UnmarshalJSON reads it again.
func (f *Finding) UnmarshalJSON(b []byte) error {
	var s StoredFinding
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	*f = Finding{Gate: s.Gate, Topic: s.Topic, Split: s.Split, Severity: s.Severity, Charts: s.Charts}
	if len(s.Facts) > 0 {
		f.Fact, f.Others = s.Facts[0], s.Facts[1:]
	}
	f.Status, f.Title, f.Why, f.Remedy, f.Needs, f.Settleable, f.Items, f.Rows = s.Status, s.Message, s.Why, message.Text{}, s.Needs, s.Settleable, s.Items, s.Rows
	if s.Remedy != nil {
		f.Remedy = *s.Remedy
	}
	return nil
}

// Facts lists all facts of the finding, the deciding one first.
func (f *Finding) Facts() []Fact { return append([]Fact{f.Fact}, f.Others...) }

// Listed is what the fact points at, in a language: what is said of items, or their
// ids.
func (f *Fact) Listed(l message.Language) []string {
	if len(f.Rows) == 0 {
		return f.Items
	}
	rows := make([]string, len(f.Rows))
	for i := range f.Rows {
		rows[i] = f.Rows[i].In(l)
	}
	return rows
}

// Needs says how much more data would settle an unknown finding.
type Needs struct {
	Items   int `json:"items"`
	Samples int `json:"samples"`
}

// ByFact lists every fact as a finding of its own, whose gate is the fact's id.
func ByFact(list []Finding) []Finding {
	var out []Finding
	for _, f := range list {
		for _, fact := range f.Facts() {
			if fact.ID == f.Gate && len(f.Others) > 0 {
				continue // says that all parts pass
			}
			one := f
			one.Gate, one.Fact, one.Others = fact.ID, fact, nil
			out = append(out, one)
		}
	}
	return out
}
