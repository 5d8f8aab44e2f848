package main

import (
	"fmt"
	"io"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// watchful hands records on and tells once, at the first of them, of a reward
// outside the range: the analysis will refuse the run until the range is set,
// and it is better known now than after the last rollout.
type watchful struct {
	to     sampler.Sink
	lo, hi float64
	say    io.Writer
	told   bool
}

// Append hands the record on.
func (w *watchful) Append(r *rollout.Record) error {
	if r.Reward != nil && (*r.Reward < w.lo || *r.Reward > w.hi) && !w.told {
		w.told = true
		fmt.Fprintf(w.say, "warning: the grader gave %g to item %s, outside the reward range [%g, %g]: set reward_range to what it can give, or the run cannot be analysed\n", *r.Reward, visible(r.Item), w.lo, w.hi)
	}
	return w.to.Append(r)
}
