package rollout

// Looks is a plan for sampling until the verdict is decided: rounds over all items, with a look at
// the verdict after some of them, and the error probability spread over all looks.
type Looks struct {
	Rule  string  `json:"rule"`            // how the error probability is spent
	Error float64 `json:"error"`           // total over all looks: one minus the confidence
	At    []int   `json:"at"`              // samples per item at each look, increasing; the last is the maximum
	Made  []Look  `json:"made"`            // so far, in order
	Ended Ending  `json:"ended,omitempty"` // why sampling ended; "" while it continues
}

// Look is one look at the verdict.
type Look struct {
	Samples    int     `json:"samples"`    // per item
	Confidence float64 `json:"confidence"` // of the intervals used at this look
	Verdict    string  `json:"verdict"`
}

// Ending says why sampling by a plan of looks ended.
type Ending string

// The endings.
const (
	EndedDecided Ending = "decided" // the verdict is decided
	EndedAtMax   Ending = "most"    // the maximum number of samples is reached
)

// Last returns the last look; nil before the first.
func (l *Looks) Last() *Look {
	if l == nil || len(l.Made) == 0 {
		return nil
	}
	return &l.Made[len(l.Made)-1]
}

// With returns the plan after one more look. It replaces a look at the same samples: rollouts lost
// to failed endpoints were made again.
func (l *Looks) With(look Look) *Looks {
	next := *l
	next.Made = nil
	for _, made := range l.Made {
		if made.Samples < look.Samples {
			next.Made = append(next.Made, made)
		}
	}
	next.Made = append(next.Made, look)
	next.Ended = ""
	return &next
}

// UntargetedSamples returns the planned samples of every item, by split, for the splits in which
// targeted sampling gives some items more. The extra samples count only for the class of the item.
func (m *Manifest) UntargetedSamples() map[Split]int {
	if m == nil || m.Planned == nil {
		return nil
	}
	all := make(map[Split]int)
	for split, most := range m.Planned.Targeted {
		if n := m.Planned.Samples[split]; most > n {
			all[split] = n
		}
	}
	return all
}
