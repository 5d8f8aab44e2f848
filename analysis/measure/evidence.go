package measure

import "gonogo/analysis/collect"

// evidence is what was read of a run, and what the outputs that were graded twice
// tell about the grader's noise.
type evidence struct {
	*collect.Collector
	everywhere []regraded // the items of all splits, where some output was graded twice
}
