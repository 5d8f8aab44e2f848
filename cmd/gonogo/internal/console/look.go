package console

import (
	"fmt"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// LookText describes in one line the result of a look at n samples per item, which must be in the
// plan.
func LookText(plan *rollout.Looks, n int, result *analysis.Result) string {
	text := fmt.Sprintf("Look %d of %d, at %s per item: %s", slices.Index(plan.At, n)+1, len(plan.At),
		Count(n, "sample"), result.Verdict)
	if result.Reason != nil {
		text += " by " + *result.Reason
	}
	switch plan.Ended {
	case rollout.EndedDecided:
		text += fmt.Sprintf("; the verdict is decided, and of at most %s per item %s are not needed",
			message.Whole(plan.At[len(plan.At)-1]), Count(plan.At[len(plan.At)-1]-n, "sample"))
	case rollout.EndedAtMax:
		text += "; the maximum number of samples is reached"
	default:
		text += "; continuing"
	}
	return text + "."
}
