package main

import (
	"fmt"
	"io"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// watchful hands records on and tells once, at the first of them, of a reward
// outside the range: it is missing data, and better mended now than after the
// last rollout.
type watchful struct {
	to   sampler.Sink
	say  io.Writer
	told bool
}

// Hold hands on a record whose grade is still to come.
func (w *watchful) Hold(r *rollout.Record) error {
	if h, keeps := w.to.(sampler.Holder); keeps {
		return h.Hold(r)
	}
	return nil
}

// Append hands the record on.
func (w *watchful) Append(r *rollout.Record) error {
	if r.Kind == sampler.KindRange && !w.told {
		w.told = true
		fmt.Fprintf(w.say, "warning: item %s: %s. Until then it is missing data, never a number; gonogo grade RUN grades what is recorded again, without sampling\n", shownID(r.Item), visible(r.Error))
	}
	return w.to.Append(r)
}
