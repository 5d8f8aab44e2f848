package analysis

import (
	"gonogo/analysis/message"
	"gonogo/analysis/shift"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Shift compares splits with each other, and rows with each other.
type Shift struct {
	Pairs    []ShiftPair `json:"pairs"`
	Coverage []Coverage  `json:"coverage"`
	// between splits: each row of B with the row of A that it copies; each family once
	Leakage    []Leak     `json:"leakage"`
	Conflicts  []Conflict `json:"conflicts"` // within and between splits
	Crossings  []Crossing `json:"crossings"` // what each two splits share, in numbers
	Duplicates []Leak     `json:"duplicates"`
	Flaws      []Flaw     `json:"flaws"`

	Rows       map[rollout.Split]int `json:"rows"`
	References int                   `json:"references"`           // rows that have a reference
	InPrompt   []RowName             `json:"reference_in_prompt"`  // rows whose prompt holds their own reference
	InPromptOf int                   `json:"reference_checked_in"` // rows for which that can be checked
	// fields that distinguish rows but not splits: ids, counters, texts
	LeftOut []string       `json:"fields_left_out"`
	Notes   []message.Text `json:"notes"`
}

// The quantities that are compared between splits.
const (
	OnLastUser = "last_user"
	OnPrompt   = "prompt"
	OnFields   = "fields"
	OnReward   = "reward"
	OnTools    = "tools"
)

// ShiftPair is one test of one quantity between two splits.
type ShiftPair struct {
	A         rollout.Split  `json:"a"`
	B         rollout.Split  `json:"b"`
	On        string         `json:"on"`
	About     message.Text   `json:"about,omitzero"` // the single number or category tested; empty for a joint test
	Test      string         `json:"test"`
	Primary   bool           `json:"primary"` // whether it is the test that decides this pair and quantity
	Statistic *float64       `json:"statistic"`
	Effect    stat.Estimate  `json:"effect"`
	P         *float64       `json:"p"`
	PHolm     *float64       `json:"p_holm"`
	Chance    *float64       `json:"chance"` // the effect expected without any shift
	Missed    *float64       `json:"missed"` // the effect size that the test finds at 5 % with 80 % power
	NA        int            `json:"n_a"`
	NB        int            `json:"n_b"`
	Top       []message.Text `json:"top"`
	Items     []string       `json:"items"`
	// values that only one split has, hidden from the classifier
	LeftOut []string `json:"left_out,omitempty"`
}

// Coverage is the share of B's items that are far from every item of A.
type Coverage struct {
	A         rollout.Split `json:"a"`
	B         rollout.Split `json:"b"`
	On        string        `json:"on"`
	Share     stat.Estimate `json:"share"`
	Threshold *float64      `json:"threshold"`
	Chance    *float64      `json:"chance"`
	NA        int           `json:"n_a"`
	NB        int           `json:"n_b"`
	Items     []string      `json:"items"`
}

// Leak is a pair of items that are too alike.
type Leak struct {
	Kind   shift.LeakKind `json:"kind"`
	A      string         `json:"a"`
	B      string         `json:"b"`
	ASplit rollout.Split  `json:"a_split"`
	BSplit rollout.Split  `json:"b_split"`
	Score  *float64       `json:"score"`
}

// Conflict is a pair of items with the same, or nearly the same, prompt and different references.
type Conflict struct {
	Kind   shift.ConflictKind `json:"kind"`
	A      string             `json:"a"`
	B      string             `json:"b"`
	ASplit rollout.Split      `json:"a_split"`
	BSplit rollout.Split      `json:"b_split"`
	Rows   int                `json:"rows"` // that ask the same
}

// Crossing counts the rows of B that have a copy in A, each under its most certain kind, and those
// whose family is also in A.
type Crossing struct {
	A        rollout.Split `json:"a"`
	B        rollout.Split `json:"b"`
	RowsA    int           `json:"rows_a"`
	RowsB    int           `json:"rows_b"`
	Exact    int           `json:"exact"`
	Swapped  int           `json:"swapped"`
	Near     int           `json:"near"`
	Family   int           `json:"family"`
	Both     int           `json:"both,omitempty"` // rows counted in both Exact and Family
	Families int           `json:"families"`
	Note     message.Text  `json:"note,omitzero"`
}

// RowName names an item of a split.
type RowName struct {
	Split rollout.Split `json:"split"`
	Item  string        `json:"item"`
}

// Flaw is a degenerate row.
type Flaw struct {
	Kind shift.FlawKind `json:"kind"`
	RowName
}
