package analysis

// BestAt returns the best of k rollouts or, where items have fewer, the best of
// as many as are known below k. ok is false when nothing is known.
func (sr *SplitResult) BestAt(k int) (found AtK, ok bool) {
	for _, p := range sr.BestOf {
		if p.Known() && p.K <= k && p.K > found.K {
			found, ok = p, true
		}
	}
	return found, ok
}

// SignalAt returns the informative share at group size g as a lower and an
// upper bound: the same entry where the share is exact, nil where nothing is
// known.
func (sr *SplitResult) SignalAt(g int) (lower, upper *Signal) {
	for i := range sr.Signal {
		s := &sr.Signal[i]
		if s.GroupSize != g || !s.Known() {
			continue
		}
		switch s.Bound {
		case "lower":
			lower = s
		case "upper":
			upper = s
		default:
			return s, s
		}
	}
	return lower, upper
}
