package analysis

import (
	"encoding/json"

	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Shift compares splits with each other.
type Shift struct {
	Pairs     []ShiftPair       `json:"pairs"`
	Coverage  []json.RawMessage `json:"coverage"`
	Leakage   []Leak            `json:"leakage"`
	Conflicts []json.RawMessage `json:"conflicts"`
}

// ShiftPair is one test of one quantity between two splits.
type ShiftPair struct {
	A         rollout.Split `json:"a"`
	B         rollout.Split `json:"b"`
	On        string        `json:"on"`
	Test      string        `json:"test"`
	Statistic *float64      `json:"statistic"`
	Effect    stat.Estimate `json:"effect"`
	P         *float64      `json:"p"`
	PHolm     *float64      `json:"p_holm"`
	NA        int           `json:"n_a"`
	NB        int           `json:"n_b"`
	Top       []string      `json:"top"`
	Items     []string      `json:"items"`
}

// Leak is a pair of items that are too alike.
type Leak struct {
	Kind  string   `json:"kind"`
	A     string   `json:"a"`
	B     string   `json:"b"`
	Score *float64 `json:"score"`
}
