package limit

import "math"

// The constants of refusals, chosen by the simulations of finish_test.go.
const (
	freeAtFirst = 2    // refusals that say nothing, before the first cut
	freeLater   = 1    // the same after it
	freeShare   = 0.05 // of the requests: such a share costs less than a cut
	mostShare   = 0.25 // largest share, unchanged by cuts, that counts as the server's own
	doubts      = 3    // standard errors of a count
	flooded     = 5    // number of refusals within a row that are due to the load
	inARow      = 10   // requests admitted one after the other
	inAShortRow = 6    // the same if more than freeShare are refused at any load
	sameShare   = 0.75 // of the share before: at least this, after two cuts, is no change
	seen        = 40   // requests that are enough to show a share
)

// refusals distinguishes the 429s caused by the load from those that come at any load: a proxy that
// refuses one request in fifty, or a limit shared with others. Fewer requests at once do not avoid
// the second kind, so it must not lower the limit. Requests are counted in the order of admission,
// because a refusal comes sooner than an answer.
type refusals struct {
	n, bad float64         // admitted requests and refusals, older ones count less
	last   [flooded]uint64 // the last refused requests, the oldest first

	cut        bool    // the load has caused refusals at least once
	calm       int     // completed requests since the last cut
	share      float64 // share of refusals at any load, once the calm has shown it
	late, bad2 float64 // completed requests in the second half of the calm, and refusals among them

	cuts   int     // consecutive cuts without a calm in between
	before float64 // the share before the first of them
	limit  float64 // the limit before the first of them
}

// asked notes an admitted request.
func (r *refusals) asked() {
	if r.n++; r.n >= calm {
		r.n, r.bad = r.n/2, r.bad/2
	}
}

// served notes a request that was not refused.
func (r *refusals) served() { r.ended(0) }

func (r *refusals) ended(bad float64) {
	if !r.cut || r.calm >= calm {
		return
	}
	if r.calm++; r.calm > calm/2 {
		r.late, r.bad2 = r.late+1, r.bad2+bad
	}
	if r.calm == calm {
		r.share, r.cuts = min(mostShare, r.bad2/r.late), 0
		r.bad = min(r.bad, r.share*r.n)
	}
}

// refused notes that request number seq was refused, and reports whether the load caused it.
func (r *refusals) refused(seq uint64) (load bool) {
	r.ended(1)
	r.bad++
	copy(r.last[:], r.last[1:])
	r.last[flooded-1] = seq
	free, share := float64(freeAtFirst), freeShare
	if r.cut {
		free = freeLater
		if r.calm >= calm {
			share = r.share
		} else {
			share = max(share, r.share)
		}
	}
	usual := share * r.n
	return r.flood() || r.bad > free+usual+doubts*math.Sqrt(usual*(1-share))
}

// flood reports whether most of the requests around the last one were refused.
func (r *refusals) flood() bool {
	first, last := r.last[0], r.last[flooded-1]
	return first > 0 && max(first, last)-min(first, last) < r.window()
}

// window returns how many requests in a row may contain flooded refusals for these to be due to the
// load.
func (r *refusals) window() uint64 {
	if r.share > freeShare {
		return inAShortRow
	}
	return inARow
}

// together returns how many were refused with the last one, shortly before it.
func (r *refusals) together() (n int) {
	last := r.last[flooded-1]
	for _, seq := range r.last[:flooded-1] {
		if seq > 0 && max(seq, last)-min(seq, last) < r.window() {
			n++
		}
	}
	return n
}

// shrunk notes a cut from a limit. ok is false if two cuts before have not changed the share of
// refusals: the server refuses that share anyway, and the limit before the cuts is restored.
func (r *refusals) shrunk(limit float64) (restored float64, ok bool) {
	share := r.bad / max(r.n, 1)
	if r.cuts >= 2 && (!r.flood() || share > freeShare*2) && r.n >= seen && share <= mostShare &&
		share >= sameShare*r.before {
		restored = r.limit
		*r = refusals{cut: true, calm: calm, share: share}
		return restored, false
	}
	if r.cuts++; r.cuts == 1 {
		r.before, r.limit = share, limit
	}
	*r = refusals{cut: true, share: r.share, cuts: r.cuts, before: r.before, limit: r.limit}
	return 0, true
}
