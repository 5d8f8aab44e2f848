package analysis

import "gonogo/analysis/message"

// The models behind what is extrapolated, as Extrapolated.Model names them.
const (
	BetaBinomial = "beta_binomial"
	ZeroInflated = "zero_inflated"
	Dirichlet    = "dirichlet"
)

// The quantities that are extrapolated.
const (
	PassAtK           = "pass_at"
	InformativeGroups = "informative"
	BestOfK           = "best_of"
)

// Extrapolation is what models fitted over the items predict for more rollouts than
// were made, with notes on their limits.
type Extrapolation struct {
	Fits   []ModelFit     `json:"fits"`
	BestOf []Extrapolated `json:"best_of"` // E[max of k rewards], for rewards of at most 8 values
	Notes  []message.Text `json:"notes"`   // why there is no fit, and how far the fits lie apart
}

// ModelFit is one distribution over items, fitted by maximum likelihood.
type ModelFit struct {
	Quantity string    `json:"quantity"` // pass_at, or informative: best_of is from the same fit
	Model    string    `json:"model"`
	Outcomes []float64 `json:"outcomes"` // rewards, or 0 and 1 for fail and pass
	// of the Dirichlet distribution over the outcomes; beta-binomial: b, a
	Alpha []float64 `json:"alpha"`
	Zero  float64   `json:"zero"`  // share of items that give the first outcome always
	Share []float64 `json:"share"` // mean share of each outcome: a/(a+b) of the passes
	Alike bool      `json:"alike"` // 1/(a+b+1) < 1e-3: only Share means something
	// it misses what was measured at all the samples: nothing is extrapolated from it
	Misfit        bool    `json:"misfit,omitempty"`
	LogLikelihood float64 `json:"log_likelihood"`
	Items         int     `json:"items"`
	N             int     `json:"n"`
	Refits        int     `json:"refits"` // item bootstraps behind the intervals
}
