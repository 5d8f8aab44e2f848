package stat

import (
	"math"

	"gonogo/analysis/message"
)

// Estimate is a number with its uncertainty. Value, SE, Low and High are nil
// when they cannot be estimated; a warning then says why and how much data
// would be enough. Low and High bound a two-sided interval at the confidence
// that the caller asked for.
type Estimate struct {
	Value    *float64       `json:"value"`
	SE       *float64       `json:"se"`
	Low      *float64       `json:"low"`
	High     *float64       `json:"high"`
	N        int            `json:"n"`     // rollouts
	Items    int            `json:"items"` // items
	Method   string         `json:"method"`
	Warnings []message.Text `json:"warnings"`

	// FixedSE is the standard error for exactly these items: sampling of
	// rollouts alone. nil when within-item variance cannot be estimated.
	FixedSE *float64 `json:"fixed_se"`

	// Draws is how many independent observations the N rollouts are: for a
	// statistic of groups of k, disjoint groups. 0 stands for N.
	Draws int `json:"draws,omitempty"`
}

// Known reports whether the estimate has a value.
func (e Estimate) Known() bool { return e.Value != nil }

// Some returns a pointer to x, and nil when x is NaN or infinite: no NaN and
// no infinity ever reaches a file.
func Some(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// Or returns *p, or otherwise when p is nil.
func Or(p *float64, otherwise float64) float64 {
	if p == nil {
		return otherwise
	}
	return *p
}
