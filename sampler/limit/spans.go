package limit

import "time"

// spans learns an allowance of requests per span of time, such as a hundred a second, which a
// server shows only by refusing what exceeds it, with a Retry-After. The allowance starts again
// when the span is over, not when Retry-After, counted from a refusal in the middle of it, is.
type spans struct {
	span   time.Duration // 0 = none is known
	begun  time.Time     // start of the current span
	first  uint64        // first request admitted in it
	most   uint64        // requests allowed per span; 0 = unknown
	guess  uint64        // requests that passed in the last span
	same   int           // spans in a row that showed the guess
	over   bool          // the allowance was used up, and more was refused
	wrong  int           // spans in a row that refused long before that
	clean  int           // spans in a row that were used up without a refusal
	needs  int           // number of those before more is tried
	kept   uint64        // allowance before more was tried, in the current span; 0 = nothing is tried
	raises int           // raises in a row that passed
}

const (
	fewestClean = 2
	mostClean   = 64
	wrongSpans  = 2
	lifted      = 8 // raises in a row that passed, after which there is no allowance
	sureSpans   = 2
)

// learn assumes that a span has started now, with request number seq.
func (s *spans) learn(now time.Time, span time.Duration, seq uint64) {
	*s = spans{span: span, begun: now, first: seq, needs: fewestClean, guess: s.guess, same: s.same}
}

// wait returns the time until another request fits into a span. admitted is how many were admitted
// so far.
func (s *spans) wait(now time.Time, admitted uint64) time.Duration {
	if s.span == 0 {
		return 0
	}
	if elapsed := now.Sub(s.begun); elapsed >= s.span {
		if s.next(admitted); s.span == 0 {
			return 0
		}
		s.begun = s.begun.Add(elapsed / s.span * s.span)
	}
	if s.over || s.most > 0 && admitted+1-s.first >= s.most {
		return s.begun.Add(s.span).Sub(now)
	}
	return 0
}

// next starts another span, and allows a little more if several were used up without a refusal:
// sooner and sooner while that passes, until in the end there is no allowance.
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

// refused notes a refusal, and reports whether it is due to an allowance: two spans in a row
// admitted the same number.
func (s *spans) refused(t Ticket) bool {
	if s.span == 0 || t.seq < s.first {
		return s.most > 0 // of the span before, whose end is already known
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
