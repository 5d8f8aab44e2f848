package history

import (
	"math"
	"slices"

	"gonogo/analysis/stat"
)

// TrendDrop is the change that took the mean reward of the newest night, and of the night
// it was compared with, below where it once was by more than margin, and that no one has
// accepted since and that chance explains in at most 2 of 100 searches: of those from
// whose level the reward is still away, the one that fell from highest. A creep that no
// single night shows is found so, and a rise of a part of the way does not hide it. After
// is the level now. nil when there is none; where base may lie before a change, the
// comparison with it decides.
func (h *History) TrendDrop(base int, margin float64) *Change {
	at := slices.IndexFunc(h.Series, func(s Series) bool { return s.Name == Reward })
	if at < 0 || !h.Nights[len(h.Nights)-1].InTrend {
		return nil
	}
	accepted := -1
	for i, n := range h.Nights {
		if n.Accepted {
			accepted = i
		}
	}
	levels := h.Series[at].Levels
	now, back := levels[len(levels)-1].Value, 0.0 // back: half the interval of the last change
	var fell *Change
	for _, c := range slices.Backward(h.Changes) {
		if c.Series != Reward || c.High == nil {
			continue
		}
		half := *c.High - c.Difference
		k := slices.IndexFunc(levels, func(l Level) bool { return l.From == c.Night })
		if k == len(levels)-1 {
			back = half
		} else {
			half = math.Hypot(half, back)
		}
		c.Before, c.After, c.Difference = levels[k-1].Value, now, now-levels[k-1].Value
		c.Low, c.High = stat.FiniteOrNil(c.Difference-half), stat.FiniteOrNil(c.Difference+half)
		if c.P <= trendP && *c.High < -margin && c.First > accepted && base >= c.Last &&
			(fell == nil || c.Before > fell.Before) {
			fell = &c
		}
	}
	return fell
}
