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

// Finding is a gate's answer about one split, in one severity: the fact that decides it and all
// other facts that the gate examined.
type Finding struct {
	Gate     string
	Topic    string
	Split    rollout.Split // "" if it concerns the whole run
	Severity Severity
	Fact              // the deciding fact: the worst, and the first of equally bad ones
	Others   []Fact   // the rest, in the gate's order
	Charts   []string // the names of the pictures that show what the gate judges

	Command []string // the command that would give a skipped gate something to judge; nil if there is none

	// The arguments and the wording that the gate uses for the texts.
	args    message.Args
	instead *Wording
}

// Blockers lists the gates of the blocking findings with that status, each once.
func Blockers(findings []Finding, status Status) []string {
	var gates []string
	for _, f := range findings {
		if f.Severity == Blocking && f.Status == status && !slices.Contains(gates, f.Gate) {
			gates = append(gates, f.Gate)
		}
	}
	return gates
}

// Fact is one measured value compared with a threshold. Its texts are messages that Text.In
// renders.
type Fact struct {
	ID         string         `json:"id"`
	Status     Status         `json:"status"`
	Value      *float64       `json:"value"`
	Low        *float64       `json:"low"`
	High       *float64       `json:"high"`
	Threshold  *float64       `json:"threshold"`      // the argument limit of Want; null if it has none
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

// StoredFinding is a Finding as stored in result.json: it has the texts of the deciding fact, and
// the numbers of that fact are the first entry of Facts.
type StoredFinding struct {
	Gate       string         `json:"gate"`
	Topic      string         `json:"topic"`
	Split      rollout.Split  `json:"split"` // "" if it concerns the whole run
	Severity   Severity       `json:"severity"`
	Status     Status         `json:"status"`
	Facts      []Fact         `json:"facts"`
	Message    message.Text   `json:"message"`
	Why        message.Text   `json:"why"`
	Remedy     *message.Text  `json:"remedy"` // null if there is nothing to do
	Needs      *Needs         `json:"needs"`
	Settleable bool           `json:"settleable"`
	Items      []string       `json:"items"`
	Rows       []message.Text `json:"rows,omitempty"`   // text about the items, if there is more to say than their ids
	Charts     []string       `json:"charts,omitempty"` // the names of the pictures that show what the gate judges
}

// MarshalJSON writes the finding as a StoredFinding.
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

// UnmarshalJSON reads a StoredFinding.
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

// Listed returns what the fact points at, in language l: text about items, or their ids.
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

// Needs says how much data would settle an unknown finding.
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
				continue // only says that all parts pass
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

// Observed returns the bound of an observed share, which has no interval.
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

// Judgement is a finding under construction: a check fills it in, Finding turns it into a finding,
// and the gate adds the texts from its Words.
type Judgement struct {
	Split    rollout.Split // "" if it concerns the whole run
	Severity Severity
	Unit     string         // of the value: reward, share, items, calls, tokens, seconds
	Want     message.Text   // the threshold in words, such as WantAtMost; its argument limit becomes Threshold
	Args     message.Args   // values that Words refers to, in addition to those of every finding
	Items    []string       // items to look at
	Rows     []message.Text // text about items, listed instead of their ids
	Needs    *Needs         // of an unknown answer: how many items and samples would settle it
	Settles  bool           // of an unknown answer: whether more data would settle it
	Instead  *Wording       // replaces the title and remedy of the answer
}

// Finding returns the finding with a status and the bound that was compared with the threshold.
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

// AtMost returns the finding on a value that must not exceed a limit.
func (j Judgement) AtMost(limit float64, b Bound) Finding {
	j.Want = WantAtMost(limit)
	return j.Finding(b.AtMost(limit), b)
}

// wantIn returns a threshold in the unit of the compared value: shares become percentages.
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

// Skip returns the only finding of a check that has nothing to judge. why gives the reason; a
// command among its arguments becomes the finding's Command, which would give the check something
// to judge.
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

// moot holds the ids of the reasons for which a gate can never judge anything in a run.
var moot = map[string]bool{}

// Moot registers a reason for Skip that no command and no setting can remove: the run has nothing
// that the gate is about.
func Moot(reason message.Def) message.Def {
	moot[reason.ID] = true
	return reason
}

// IsMoot reports whether the run has nothing that the fact is about, such as tool calls or a second
// split. Reports omit such facts: they could not have been checked.
func (f *Fact) IsMoot() bool {
	why := f.Title.Args["reason"].Text
	return f.Status == Skipped && why != nil && moot[why.ID]
}
