package console

import (
	"fmt"
	"io"

	"gonogo/analysis/message"
	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// WarnLeaks says how many rollouts found what others had left behind.
func WarnLeaks(w io.Writer, s sampler.Stats) {
	if s.Leaking > 0 {
		fmt.Fprintf(w, "warning: %s found what another rollout had left behind (\"leaks\" in %s): they are not "+
			"isolated from each other; see docs/wire.md#sessions\n", Count(s.Leaking, "rollout"), rollout.RolloutsFile)
	}
}

// WarnLeftOpen says how many sessions could not be stopped.
func WarnLeftOpen(w io.Writer, s sampler.Stats) {
	if s.LeftOpen > 0 {
		fmt.Fprintf(w, "warning: %s could not be stopped; the next run of this command tries again\n",
			Count(s.LeftOpen, "session"))
	}
}

// WriteRegraded writes how a run was graded again; changed is the number of changed rewards.
func WriteRegraded(w io.Writer, former *rollout.RegradeSource, stats sampler.Stats, changed int) {
	if former.Left == 0 {
		fmt.Fprintln(w, "All outputs are graded already.")
		return
	}
	fmt.Fprintf(w, "Graded %s of %s again: %s changed, %s failed. %s without an output copied.\n",
		message.Whole(stats.Recorded), Count(former.Left, "output"), Count(changed, "reward"),
		Count(stats.Outcomes[rollout.GraderFailed], "grading"), Count(former.Copied, "rollout"))
	if former.Ungradable > 0 {
		fmt.Fprintf(w, "warning: %s had a grade but no recorded output, so no grade here\n",
			Count(former.Ungradable, "rollout"))
	}
}
