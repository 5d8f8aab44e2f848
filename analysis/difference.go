package analysis

import (
	"gonogo/analysis/stat"
)

// SidesOf holds one thing of both runs.
type SidesOf[T any] struct {
	Base T `json:"base"`
	New  T `json:"new"`
}

// Difference is one quantity compared. Its value is the mean over items of new
// minus base.
type Difference struct {
	stat.Estimate
	Name      string         `json:"name"`
	Of        string         `json:"of,omitempty"` // the tool, pair of tools or part of the reward
	Unit      string         `json:"unit"`
	K         int            `json:"k,omitempty"` // rollouts that best_of and informative are of
	Base      *float64       `json:"base"`        // mean over the compared items
	New       *float64       `json:"new"`
	Direction string         `json:"direction"`        // up or down when the whole interval says so, else unclear
	Better    string         `json:"better,omitempty"` // the direction that is: up or down
	Change    string         `json:"change,omitempty"` // better, worse, changed, same or unclear
	P         *float64       `json:"p"`                // sign flips of paired items, two-sided; of unpaired ones Welch's
	Wilcoxon  *float64       `json:"wilcoxon_p"`       // signed ranks, as a check
	McNemar   *float64       `json:"mcnemar_p"`        // exact, where both runs hold one sample an item and two grades
	PHolm     *float64       `json:"p_holm"`           // corrected for the other ones beside it
	MDE       *float64       `json:"mde"`              // the smallest change that 80 % of such comparisons would find
	Family    *stat.Estimate `json:"family"`           // the same, clustered by family
}

// FewItems is the number of paired items below which a t interval leans on a
// normality that was never checked: the sign flips must agree then.
const FewItems = 20
