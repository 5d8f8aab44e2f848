package analysis

import (
	"encoding/json"
	"maps"
	"slices"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Severity is the effect of a failing gate on the verdict.
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

// Finding is a gate's answer about one split, in one severity: the fact that decides it,
// and all others that the gate examined.
type Finding struct {
	Gate     string
	Topic    string
	Split    rollout.Split // "" when it concerns the whole run
	Severity Severity
	Fact              // the deciding one: the worst, of these the first
	Others   []Fact   // the rest, in the gate's order
	Charts   []string // the pictures that show what the gate judges, by name

	Command []string // the command that would give a skipped gate something to judge; nil if there is none

	// What the gate words the finding with.
	args    message.Args
	instead *Wording
}

// Blockers names the gates of the blocking findings of that status, each once.
func Blockers(findings []Finding, status Status) []string {
	var gates []string
	for _, f := range findings {
		if f.Severity == Blocking && f.Status == status && !slices.Contains(gates, f.Gate) {
			gates = append(gates, f.Gate)
		}
	}
	return gates
}

// Fact is one measured value compared with a threshold. Its texts are data: Text.In renders them.
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
	Rows       []message.Text `json:"rows,omitempty"` // text about the items, if there is more to say than their ids
}

// StoredFinding is a Finding in the form of result.json: the texts of the deciding fact
// are those of the finding, and its numbers are the first entry of the facts.
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
	Rows       []message.Text `json:"rows,omitempty"`   // text about the items, if there is more to say than their ids
	Charts     []string       `json:"charts,omitempty"` // the pictures that show what the gate judges, by name
}

// MarshalJSON writes the finding as result.json has it.
func (f Finding) MarshalJSON() ([]byte, error) {
	lead := f.Fact
	lead.Title, lead.Why, lead.Remedy, lead.Needs, lead.Settleable, lead.Items, lead.Rows = message.Text{},
		message.Text{}, message.Text{}, nil, false, nil, nil
	items := f.Items
	if items == nil {
		items = []string{}
	}
	var remedy *message.Text
	if !f.Remedy.IsEmpty() {
		remedy = &f.Remedy
	}
	return json.Marshal(StoredFinding{
		f.Gate, f.Topic, f.Split, f.Severity, f.Status, append([]Fact{lead}, f.Others...), f.Title, f.Why, remedy,
		f.Needs, f.Settleable, items, f.Rows, f.Charts,
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
	f.Status, f.Title, f.Why, f.Remedy, f.Needs, f.Settleable, f.Items, f.Rows = s.Status, s.Message, s.Why,
		message.Text{}, s.Needs, s.Settleable, s.Items, s.Rows
	if s.Remedy != nil {
		f.Remedy = *s.Remedy
	}
	return nil
}

// Facts lists all facts of the finding, the deciding one first.
func (f *Finding) Facts() []Fact { return append([]Fact{f.Fact}, f.Others...) }

// Listed is what the fact points at, in a language: text about items, or their ids.
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

// ByFact lists every fact as a separate finding, whose gate is the fact's id.
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

// Bound is what a threshold is compared with: a value and its interval.
type Bound struct {
	Value, Low, High *float64
}

// BoundOf returns the value of an estimate with its interval.
func BoundOf(e stat.Estimate) Bound { return Bound{e.Value, e.Low, e.High} }

// Observed is a share of what happened, without an interval.
func Observed(x float64) Bound { return Bound{Value: &x, Low: &x, High: &x} }

// AtLeast passes when the whole interval is at or above want, fails when all
// of it is below, and is unknown otherwise.
func (b Bound) AtLeast(want float64) Status {
	switch {
	case b.Low != nil && *b.Low >= want:
		return Pass
	case b.High != nil && *b.High < want:
		return Fail
	}
	return Unknown
}

// AtMost passes when the whole interval is at or below want, fails when all of
// it is above, and is unknown otherwise.
func (b Bound) AtMost(want float64) Status {
	switch {
	case b.High != nil && *b.High <= want:
		return Pass
	case b.Low != nil && *b.Low > want:
		return Fail
	}
	return Unknown
}

// Judgement is a finding under construction: a check fills it in, and Finding turns it
// into a finding, which the gate words by its Words.
type Judgement struct {
	Split    rollout.Split // "" when it concerns the whole run
	Severity Severity
	Unit     string         // of the value: reward, share, items, calls, tokens, seconds
	Want     message.Text   // the threshold in words, such as WantAtMost; its argument limit is the finding's Threshold
	Args     message.Args   // values that the Words name, in addition to those of every finding
	Items    []string       // to look at
	Rows     []message.Text // what is listed instead of the items
	Needs    *Needs         // of an unknown answer: how many items and samples would settle it
	Settles  bool           // of an unknown answer: whether more data would settle it
	Instead  *Wording       // replaces the title and remedy of the answer
}

// Finding returns the judgement with an answer and what it was compared with.
func (j Judgement) Finding(status Status, b Bound) Finding {
	f := Finding{Split: j.Split, Severity: j.Severity, args: maps.Clone(j.Args), instead: j.Instead, Fact: Fact{
		Status: status, Value: b.Value, Low: b.Low, High: b.High, Want: wantIn(j.Unit, j.Want),
		Threshold: j.Want.Args["limit"].Number, Unit: j.Unit, Items: j.Items, Rows: j.Rows,
	}}
	if f.Items == nil {
		f.Items = []string{}
	}
	if status == Unknown {
		f.Needs, f.Settleable = j.Needs, j.Settles
	}
	return f
}

// AtMost returns the judgement of a value that must not exceed a limit.
func (j Judgement) AtMost(limit float64, b Bound) Finding {
	j.Want = WantAtMost(limit)
	return j.Finding(b.AtMost(limit), b)
}

// wantIn is a threshold in the unit of what is compared with it: shares are in per cent.
func wantIn(unit string, want message.Text) message.Text {
	if unit != message.UnitShare {
		return want
	}
	args := maps.Clone(want.Args)
	for _, name := range []string{"limit", "fail"} {
		if a, ok := args[name]; ok && a.Number != nil {
			a.Unit = unit
			args[name] = a
		}
	}
	return message.Text{ID: want.ID, Args: args}
}

// Skip returns the only finding of a check that has nothing to judge, and says why. A
// command among the arguments of why is one that would give it something to judge.
func Skip(split rollout.Split, severity Severity, why message.Text) []Finding {
	f := Finding{
		Split: split, Severity: severity, args: message.Args{"reason": message.Nested(why)},
		Fact: Fact{Status: Skipped, Items: []string{}},
	}
	for _, a := range why.Args {
		if a.Command != nil {
			f.Command = a.Command
		}
	}
	return []Finding{f}
}

// moot are the reasons, by id, for which a gate can judge nothing in a run, ever.
var moot = map[string]bool{}

// Moot registers a reason for Skip that no command and no setting would take away: the run
// has nothing that the gate is about.
func Moot(reason message.Def) message.Def {
	moot[reason.ID] = true
	return reason
}

// IsMoot reports whether the run has nothing that the fact is about, such as tool calls
// or a second split. A report leaves it out: it could not have been checked.
func (f *Fact) IsMoot() bool {
	why := f.Title.Args["reason"].Text
	return f.Status == Skipped && why != nil && moot[why.ID]
}
