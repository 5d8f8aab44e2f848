package rollout

import (
	"cmp"
	"encoding/json"

	"gonogo/sampler/jsontext"
)

// ProbeInfo says which probe a record of probes.jsonl belongs to and what a sound grader must do
// with it. Such a record has the source "probe"; its Answer is the payload, and its Sample numbers
// the probe's payloads for the item.
type ProbeInfo struct {
	Name   string      `json:"name"`
	Expect Expectation `json:"expect"`
	// share of the reward range: the most that a payload of bottom may earn, the least that one of
	// top must earn
	Limit *float64 `json:"limit,omitempty"`
	Base  *Base    `json:"base,omitempty"` // the recorded rollout that the payload was made from
	// share of the item's rollouts that gave this answer, if the probe counts them
	Share *float64 `json:"share,omitempty"`
	Zero  bool     `json:"zero,omitempty"` // a rollout that is marked counts as the bottom of the range
	// how many outputs the payload was graded with, by a grader that compares them; 0: by itself
	Group int `json:"group,omitempty"`
}

// Base identifies a recorded rollout, and gives the reward it had.
type Base struct {
	Sample int      `json:"sample"`
	Reward *float64 `json:"reward"`
}

// Expectation is what a sound grader does with a payload.
type Expectation string

// The expectations.
const (
	Bottom Expectation = "bottom" // scores it no higher than the probe's limit
	Top    Expectation = "top"    // scores it at the top of the range
	Same   Expectation = "same"   // scores it as it scored the rollout it was made from
	Note   Expectation = "note"   // nothing is expected: the reward is worth knowing
)

// Expectations lists the expectations.
func Expectations() []Expectation { return []Expectation{Bottom, Top, Same, Note} }

// The probes whose records have a special meaning. The names of other probes are only shown to
// readers.
const (
	ProbeReference = "reference" // the item's own reference as the answer
	// a recorded output, graded again; Grades holds all its grades, the recorded one first
	ProbeRegrade   = "regrade"
	ProbeConstant  = "constant"   // the most common reference as the answer to every item
	ProbeConsensus = "consensus"  // an answer that most of the item's rollouts gave and that is not its reference
	ProbeLabel     = "label"      // an output that a person scored
	ProbeSearch    = "search"     // the text that a search found to earn most without answering
	ProbeSearchTry = "search_try" // a text that a search tried
	ProbeAttacker  = "attacker"   // an attack by a model, proven wrong
	ProbeAttackTry = "attack_try" // a text that such a model wrote; its reward is that of a second grader
	ProbePolicy    = "policy_"    // and a policy's name: a rollout that follows a script instead of the model
	// calls every tool once, then only claims that the task is done
	ProbeEachTool = ProbePolicy + "each_tool"
	ProbeDetector = "detector/" // and the detector's name: reward 1 marks the rollout Base as a hack, 0 clears it
)

// Earlier is a grade that an output had from another grader.
type Earlier struct {
	Grader  string             `json:"grader"` // name or kind, and the start of its hash
	Outcome Outcome            `json:"outcome"`
	Error   string             `json:"error,omitempty"`
	Reward  *float64           `json:"reward,omitempty"`
	Grades  []float64          `json:"grades,omitempty"`
	Parts   map[string]float64 `json:"parts,omitempty"`
}

// UnmarshalJSON reads an earlier grade. A null among its grades or parts is omitted, never read as
// zero.
func (e *Earlier) UnmarshalJSON(b []byte) error {
	type plain Earlier
	p := struct {
		Grades json.RawMessage `json:"grades"`
		Parts  json.RawMessage `json:"parts"`
		*plain
	}{plain: (*plain)(e)}
	*e = Earlier{}
	if err := jsontext.Unmarshal(b, &p); err != nil {
		return err
	}
	var err error
	if p.Grades != nil {
		if e.Grades, err = readGrades(p.Grades); err != nil {
			return err
		}
	}
	if p.Parts != nil {
		e.Parts, err = readParts(p.Parts)
	}
	return err
}

// Label is a person's opinion of an output: one line of labels.jsonl.
type Label struct {
	Split  Split  `json:"split,omitempty"`
	Item   string `json:"item"`
	Sample *int   `json:"sample,omitempty"` // nil: the label is about Output, which need not come from a rollout
	// of the policy that gave the output; 0 also if the item has rollouts of one step only
	Step   int      `json:"step,omitempty"`
	Output string   `json:"output,omitempty"`
	Rater  string   `json:"rater,omitempty"`
	Score  *float64 `json:"score,omitempty"` // in the grader's range
	Mark   string   `json:"mark,omitempty"`  // right, wrong, hack or unclear
	Note   string   `json:"note,omitempty"`
}

// GraderInfo describes a run's grader to a reader.
type GraderInfo struct {
	Kind    string   `json:"kind"`
	Name    string   `json:"name,omitempty"`
	Hash    string   `json:"hash,omitempty"`    // of the grader's definition, in hexadecimal
	Formula string   `json:"formula,omitempty"` // of a grader composed of parts
	Parts   []string `json:"parts,omitempty"`   // in the order of the formula
	Gates   []string `json:"gates,omitempty"`   // the parts without which the formula gives nothing
	Core    string   `json:"core,omitempty"`    // the part that the configuration declares to be the task itself
	// how many outputs of an item the grader compares; 0: it grades each by itself
	GroupSize int `json:"group_size,omitempty"`
}

// String returns the grader's name, else its kind, and the start of its hash.
func (g *GraderInfo) String() string {
	name := cmp.Or(g.Name, g.Kind)
	if g.Hash == "" {
		return name
	}
	return name + " " + g.Hash[:min(len(g.Hash), 8)]
}
