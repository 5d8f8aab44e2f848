package limit

import (
	"math"
	"math/bits"
)

// The numbers of refusals, chosen by the simulations of finish_test.go.
const (
	freeAtFirst  = 2    // refusals that say nothing, before the first cut
	freeLater    = 1    // the same after it
	freeShare    = 0.05 // of the requests, which cost less than a cut does
	mostShare    = 0.25 // that a cut need not change to be taken for the server's own
	doubts       = 3    // standard errors of a count
	inARow       = 10   // requests of which so many refused are the load's
	refusedOfRow = 5
	sameShare    = 0.75 // of the share before, after two cuts, is no change
	seen         = 40   // requests that show a share
)

// refusals tells the 429s that the load brings from those that come at any load: a
// proxy that refuses one request in fifty, or a limit that others use as well. Fewer
// requests at once do not avoid the second kind, and must not be the price of it.
type refusals struct {
	n, bad float64 // requests and refusals of them, the older ones count less
	row    uint16  // of the last inARow requests those that were refused, as bits

	cut        bool    // the load brought some, at least once
	calm       int     // requests since
	share      float64 // of refusals at any load; that of freeShare until it is known
	late, bad2 float64 // requests and refusals in the second half of the calm

	cuts   int     // in a row, with no calm between
	before float64 // the share before the first of them
	limit  float64 // and the limit
}

// served notes a request that was not refused.
func (r *refusals) served() { r.note(0) }

func (r *refusals) note(bad float64) {
	r.row = r.row<<1&(1<<inARow-1) | uint16(bad)
	r.n, r.bad = r.n+1, r.bad+bad
	if r.cut {
		if r.calm++; r.calm > calm/2 && r.calm <= calm {
			r.late, r.bad2 = r.late+1, r.bad2+bad
		}
		if r.calm == calm {
			r.share, r.cuts = min(mostShare, r.bad2/r.late), 0
			r.n, r.bad = r.late, r.bad2
		}
	}
	if r.n >= calm {
		r.n, r.bad = r.n/2, r.bad/2
	}
}

// refused notes a refusal, and reports whether the load brought it.
func (r *refusals) refused() (load bool) {
	r.note(1)
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

// flood reports whether most of the last requests were refused.
func (r *refusals) flood() bool {
	most := refusedOfRow
	if r.share > freeShare {
		most += 2
	}
	return bits.OnesCount16(r.row) >= most
}

// together is how many of the last requests were refused before the one at hand.
func (r *refusals) together() int { return max(0, bits.OnesCount16(r.row)-1) }

// shrunk notes a cut from a limit. ok is false where two cuts before have not changed
// the share of refusals: it is the server's own, and the limit before them is right.
func (r *refusals) shrunk(limit float64) (restored float64, ok bool) {
	share := r.bad / r.n
	if r.cuts >= 2 && !r.flood() && r.n >= seen && share <= mostShare && share >= sameShare*r.before {
		r.share, r.cuts, r.calm, r.n, r.bad = share, 0, calm, 0, 0
		return r.limit, false
	}
	if r.cuts++; r.cuts == 1 {
		r.before, r.limit = share, limit
	}
	r.cut, r.calm, r.late, r.bad2, r.n, r.bad, r.row = true, 0, 0, 0, 0, 0, 0
	return 0, true
}
