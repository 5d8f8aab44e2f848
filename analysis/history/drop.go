package history

import (
	"math"
	"slices"

	"gonogo/analysis/stat"
)

// TrendDrop returns the change since which the mean reward has been lower by more than margin;
// nil if there is none. It counts only changes that chance explains in at most 2 of 100
// searches, that are newer than the last accepted night, and that certainly do not come after
// base, the night with which the newest one was compared: otherwise that comparison decides.
// Of several it returns the one that fell from the highest level. This finds a slow decline
// that no single night shows, and a partial recovery does not hide it. After is the current
// level.
func (h *History) TrendDrop(base int, margin float64) *Change {
	index := slices.IndexFunc(h.Series, func(s Series) bool { return s.Name == Reward })
	if index < 0 || !h.Nights[len(h.Nights)-1].InTrend {
		return nil
	}
	accepted := -1
	for i, n := range h.Nights {
		if n.Accepted {
			accepted = i
		}
	}
	levels := h.Series[index].Levels
	now, back := levels[len(levels)-1].Value, 0.0 // back: half-width of the interval of the last change
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
