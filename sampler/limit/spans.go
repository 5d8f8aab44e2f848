package limit

import "time"

// spans keeps an allowance of requests in each span of time, such as a hundred a second,
// which a server shows only by refusing what is above it, with a Retry-After. The allowance begins
// again when the span is over, not when
// Retry-After, counted from a refusal in the middle of it, is.
type spans struct {
	span   time.Duration // 0 = there is none, as far as is known
	begun  time.Time     // one of them
	first  uint64        // request admitted in it
	most   uint64        // may be; 0 = not known
	guess  uint64        // that may be, as the last span showed
	same   int           // spans in a row that showed it
	over   bool          // it was used up, and more was refused
	wrong  int           // spans in a row that refused long before that
	clean  int           // spans in a row that were used up with no refusal
	needs  int           // of them before more is tried
	kept   uint64        // that passed before more was tried, in the span at hand; 0 = it is not tried
	raises int           // in a row that passed
}

const (
	fewestClean = 2
	mostClean   = 64
	wrongSpans  = 2
	lifted      = 8 // raises in a row that passed: there is no allowance any more
	sureSpans   = 2
)

// learn takes it that a span has begun now, with the request that was let through as
// number seq.
func (s *spans) learn(now time.Time, span time.Duration, seq uint64) {
	*s = spans{span: span, begun: now, first: seq, needs: fewestClean, guess: s.guess, same: s.same}
}

// wait is how long until another request fits into a span. admitted is how many
// were let through so far.
func (s *spans) wait(now time.Time, admitted uint64) time.Duration {
	if s.span == 0 {
		return 0
	}
	if gone := now.Sub(s.begun); gone >= s.span {
		if s.next(admitted); s.span == 0 {
			return 0
		}
		s.begun = s.begun.Add(gone / s.span * s.span)
	}
	if s.over || s.most > 0 && admitted+1-s.first >= s.most {
		return s.begun.Add(s.span).Sub(now)
	}
	return 0
}

// next begins another span, and tries a little more where several were used up with no
// refusal: sooner and sooner where that passes, and none is kept in the end.
func (s *spans) next(admitted uint64) {
	used := admitted + 1 - s.first
	s.first = admitted + 1
	switch {
	case s.over || s.most == 0 || used < s.most:
		s.clean, s.over = 0, false
		return
	case s.kept > 0:
		s.needs, s.wrong = max(1, s.needs/2), 0
		if s.raises++; s.raises >= lifted {
			*s = spans{}
			return
		}
	}
	s.kept = 0
	if s.clean++; s.clean >= s.needs {
		s.kept, s.clean = s.most, 0
		s.most += max(1, s.most/uint64(10*max(1, s.needs/fewestClean)))
	}
}

// refused notes a refusal, and reports whether it is of an allowance: two spans in a
// row let the same number pass.
func (s *spans) refused(t Ticket) bool {
	if s.span == 0 || t.seq < s.first {
		return s.most > 0 // of the span before, whose end it has shown already
	}
	used := t.seq - s.first
	switch {
	case s.over:
		return true
	case s.most == 0 && (used > s.guess+s.guess/10+1 || s.guess > used+used/10+1):
		s.guess, s.same = used, 1
		return false
	case s.most == 0 && s.same+1 < sureSpans:
		s.same++
		return false
	case s.most > 0 && used < s.most*4/5:
		if s.wrong++; s.wrong >= wrongSpans {
			*s = spans{}
		}
		return false
	case s.kept > 0:
		s.needs = min(mostClean, 2*s.needs)
	}
	s.over, s.wrong, s.kept, s.raises, s.most = true, 0, 0, 0, max(1, used)
	return true
}
