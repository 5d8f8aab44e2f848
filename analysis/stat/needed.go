package stat

import (
	"math"
	"sort"
)

// Limits past which Needed calls a threshold out of reach.
const (
	closest  = 1e-3 // share of the range between value and threshold
	farthest = 100  // times the items at hand,
	fewItems = 50   // or this many where there are fewer
)

// Needed returns how many items in all (not in addition), each sampled as
// often as those at hand, would move the interval of e off the threshold if
// its value stayed what it is. m is the number of items behind e and the
// interval is that of ItemMeans with an error that shrinks as 1/√m, and what
// unseen items may hold about as 1/m; where there is no error to shrink it is
// the interval for items that agree, and for one item Hoeffding's.
//
// settleable is false, and items 0, when the value lies within 1e-3 of the
// range of the threshold, when more than 100·max(m, 50) items would be needed,
// and when e has no value, or neither an error nor a range. An interval that
// excludes the threshold already gives m.
func Needed(e Estimate, threshold float64, m int, r *Range, conf float64) (items int, settleable bool) {
	checkConf(conf)
	if e.Value == nil || m < 1 || e.SE == nil && r == nil {
		return 0, false
	}
	gap := math.Abs(*e.Value - threshold)
	if gap == 0 || r != nil && gap < closest*r.Width() {
		return 0, false
	}
	if excludes(e.Low, e.High, threshold) {
		return m, true
	}
	most := farthest * max(m, fewItems)
	extra := 1 + sort.Search(most-m, func(i int) bool {
		low, high := e.grown(m, m+1+i, r, conf)
		return excludes(low, high, threshold)
	})
	if m+extra > most {
		return 0, false
	}
	return m + extra, true
}

// grown returns the interval that e would have on more items. What widen had
// moved shrinks as the share of items that may lie beyond all those seen.
func (e Estimate) grown(m, more int, r *Range, conf float64) (low, high *float64) {
	factor := float64(more) / float64(m)
	s := spread{mean: *e.Value, clusters: more, equal: float64(more), n: int(float64(e.N) * factor), draws: int(float64(e.Draws) * factor), r: r, conf: conf}
	switch {
	case e.SE != nil:
		before := s
		before.clusters, before.equal, before.n, before.draws, before.se = m, float64(m), e.N, e.Draws, *e.SE
		s.se = *e.SE / math.Sqrt(factor)
		low, high, _ = s.moved(e, before, unseenShare(more, conf)/unseenShare(m, conf))
		return low, high
	case m == 1 && r.holds(s.mean):
		lo, hi := Hoeffding(s.mean, more, *r, conf)
		return &lo, &hi
	}
	low, high, _ = s.interval()
	return low, high
}

func excludes(low, high *float64, threshold float64) bool {
	return low != nil && high != nil && (threshold < *low || threshold > *high)
}
