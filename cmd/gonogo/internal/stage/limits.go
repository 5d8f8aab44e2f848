package stage

import (
	"slices"
	"strings"
	"time"

	"gonogo/cmd/gonogo/internal/console"
	"gonogo/sampler"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// limitsMatter is how long rollouts must take before run.json records what limited an endpoint: in
// a shorter run gonogo has hardly measured it, and the waiting time hardly matters.
const limitsMatter = time.Minute

// limitNote begins the notes of noteLimits.
const limitNote = "While rollouts were made, endpoint "

// noteLimits records in run.json, for the report, which endpoints were limited by 429s or by their
// own queue when the rollouts ended, and the key that changes this. It replaces the notes of an
// earlier call.
func noteLimits(w *rollout.Writer, s sampler.Stats) error {
	if s.Elapsed < limitsMatter {
		return nil
	}
	isLimit := func(note string) bool { return strings.HasPrefix(note, limitNote) }
	var notes []string
	for _, b := range s.Boundaries {
		if b.HeldBy == limit.HeldByRefusals || b.HeldBy == limit.HeldByQueue {
			notes = append(notes, limitNote+b.Name+": "+console.Held(b)+".")
		}
	}
	if len(notes) == 0 && !slices.ContainsFunc(w.Manifest().Notes, isLimit) {
		return nil
	}
	return w.Amend(func(m *rollout.Manifest) {
		m.Notes = append(slices.DeleteFunc(slices.Clone(m.Notes), isLimit), notes...)
	})
}
