package analysis

import (
	"encoding/json"

	"gonogo/analysis/stat"
)

// Grader is what is known of the grader itself.
type Grader struct {
	NoiseVar          stat.Estimate     `json:"noise_var"` // mean variance of the grades of one output
	FlipRate          *stat.Estimate    `json:"flip_rate"`
	Consistency       *stat.Estimate    `json:"consistency"`
	Clipped           int               `json:"clipped"` // grades that a judge gave outside its range
	Resolution        *Resolution       `json:"resolution,omitempty"`
	Length            *LengthEffect     `json:"length,omitempty"`
	Agreement         json.RawMessage   `json:"agreement"`
	Probes            []json.RawMessage `json:"probes"`
	SuspectReferences []json.RawMessage `json:"suspect_references"`
	Guessable         *stat.Estimate    `json:"guessable"`
	TooGood           []json.RawMessage `json:"too_good"`
}

// Resolution says how finely the grader tells outputs apart.
type Resolution struct {
	Distinct    int      `json:"distinct"`
	EntropyBits *float64 `json:"entropy_bits"`
	ShareLow    *float64 `json:"share_lo"`
	ShareHigh   *float64 `json:"share_hi"`
}

// LengthEffect is the correlation of reward with the log of the answer's
// length, within items and over all rollouts.
type LengthEffect struct {
	Within stat.Estimate `json:"within"`
	Pooled stat.Estimate `json:"pooled"`
}
