package analysis

import "gonogo/analysis/message"

// The models used for extrapolation, as named in Extrapolated.Model.
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
	Notes  []message.Text `json:"notes"`   // why there is no fit, and how far the fits disagree
}

// ModelFit is one distribution over items, fitted by maximum likelihood.
type ModelFit struct {
	Quantity string    `json:"quantity"` // pass_at, or informative: best_of uses the same fit
	Model    string    `json:"model"`
	Outcomes []float64 `json:"outcomes"` // rewards, or 0 and 1 for fail and pass
	// parameters of the Dirichlet distribution over the outcomes; beta-binomial: b, a
	Alpha []float64 `json:"alpha"`
	Zero  float64   `json:"zero"`  // share of items that always give the first outcome
	Share []float64 `json:"share"` // mean share of each outcome: a/(a+b) of the passes
	Alike bool      `json:"alike"` // 1/(a+b+1) < 1e-3: only Share is meaningful
	// the model misses the values measured at all samples, so nothing is extrapolated from it
	Misfit        bool    `json:"misfit,omitempty"`
	LogLikelihood float64 `json:"log_likelihood"`
	Items         int     `json:"items"`
	N             int     `json:"n"`
	Refits        int     `json:"refits"` // item bootstraps behind the intervals
}
