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

// limitsMatter is how long rollouts are made before run.json says what limited an endpoint:
// in a shorter run gonogo has hardly measured it, and no one waited long for it.
const limitsMatter = time.Minute

// limitNote begins the notes of noteLimits.
const limitNote = "While rollouts were made, endpoint "

// noteLimits records in run.json, for the report, which endpoints 429s or their own queue
// limited when the rollouts ended, and the key that changes it. It replaces what an
// earlier call recorded.
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
