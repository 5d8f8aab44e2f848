package shift

import (
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

// Names of the tests, as Result.Test gives them.
const (
	Energy       = "energy" // energy distance over all features
	MMD          = "mmd"    // maximum mean discrepancy over all features
	C2ST         = "c2st"   // how well a classifier tells the samples apart
	Kolmogorov   = "ks"     // one number
	ChiSquare    = "chi2"   // one category
	PopStability = "psi"    // one number or category, no p
)

// Result is one test of one quantity. What cannot be tested has no Statistic
// and no P, and the first warning of Effect says why.
type Result struct {
	Test    string
	About   message.Text // the one number or category that was tested; none for all features together
	Primary bool         // the one test of this comparison that decides; the others describe

	Statistic *float64
	Effect    stat.Estimate
	P         *float64 // by permutation, (b+1)/(B+1): never 0
	PHolm     *float64 // set by Adjust
	Chance    *float64 // Effect's value (PSI: the statistic) to be expected without any shift
	Missed    *float64 // an effect of this size is found at 5 % with 80 % power: smaller ones may have been missed

	NA, NB int            // rows compared, at most Options.Rows a side
	Top    []message.Text // what differs most
	Items  []string       // ids of the rows of b that tell most

	LeftOut []string // values that only one of the samples has, which the classifier is not shown
}
