package analysis

import "gonogo/sampler/rollout"

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

// Finding is a gate's answer about one split.
type Finding struct {
	Gate       string        `json:"gate"`
	Split      rollout.Split `json:"split"` // "" when it concerns the whole run
	Severity   Severity      `json:"severity"`
	Status     Status        `json:"status"`
	Value      *float64      `json:"value"`
	Low        *float64      `json:"low"`
	High       *float64      `json:"high"`
	Want       string        `json:"want"` // the threshold in words, such as ">= 0.10"
	Unit       string        `json:"unit"` // reward, share, items, calls, tokens, seconds
	Title      string        `json:"title"`
	Why        string        `json:"why"`
	Remedy     string        `json:"remedy"`
	Needs      *Needs        `json:"needs"`
	Settleable bool          `json:"settleable"`
	Items      []string      `json:"items"`

	lacks  string // the command that would give a skipped gate something to judge; "" where none would
	saying saying // what the texts were filled from; nothing in one that was read back
}

// Needs says how much more data would settle an unknown finding.
type Needs struct {
	Items   int `json:"items"`
	Samples int `json:"samples"`
}
