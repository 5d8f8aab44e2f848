package sampler

import (
	"errors"
	"maps"
	"sync"
	"time"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// Stats counts what one call of Sample or Regrade did. For Regrade a rollout is one output that is
// graded, however often: it makes no tool calls, and only a judge's tokens count.
type Stats struct {
	Rollouts      int                     // rollouts requested
	Begun         int                     // rollouts started
	Recorded      int                     // records handed to the sink
	Outcomes      map[rollout.Outcome]int // records by outcome, without Deferred
	Deferred      int                     // answers recorded without a grade, to be graded with their groups
	Retries       map[string]int          // retried requests, by endpoint.State.Name
	ToolCalls     int                     // tool calls of the recorded rollouts
	Tokens        int64                   // tokens of the recorded rollouts, policy and judge, as far as known
	TokensUnknown int                     // recorded rollouts whose servers did not report their tokens
	USD           limit.Sum               // cost of the recorded rollouts in US dollars, as far as known
	USDUnknown    int                     // recorded rollouts of unknown cost
	Judged        limit.Sum               // cost of the rollouts that started first, by item: predicts the rest
	LeftOpen      int                     // sessions that could not be stopped
	Ungraded      string                  // why the last failed grading failed; "" if none did
	Leaking       int                     // recorded rollouts that found another rollout's canary
	Elapsed       time.Duration
	StoppedBy     StoppedBy
	Boundaries    []endpoint.State // the endpoints that were used, such as model, grader and tools
}

// NotRun is the number of requested rollouts without a record.
func (s Stats) NotRun() int { return s.Rollouts - s.Recorded }

// Useful reports whether any recorded rollout is not missing data.
func (s Stats) Useful() bool {
	for outcome, n := range s.Outcomes {
		if n > 0 && !outcome.Missing() {
			return true
		}
	}
	return s.Deferred > 0
}

// Plus returns the counts of s and of then, which continued the same run: counts are added; the
// other fields are then's.
func (s Stats) Plus(then Stats) Stats {
	sum := then
	sum.Rollouts, sum.Begun, sum.Recorded = s.Rollouts+then.Rollouts, s.Begun+then.Begun, s.Recorded+then.Recorded
	sum.Outcomes, sum.Retries = addCounts(s.Outcomes, then.Outcomes), addCounts(s.Retries, then.Retries)
	sum.ToolCalls, sum.Tokens, sum.TokensUnknown = s.ToolCalls+then.ToolCalls, s.Tokens+then.Tokens,
		s.TokensUnknown+then.TokensUnknown
	sum.USD, sum.USDUnknown, sum.Judged = s.USD.Plus(then.USD), s.USDUnknown+then.USDUnknown, s.Judged.Plus(then.Judged)
	sum.Deferred += s.Deferred
	sum.LeftOpen, sum.Leaking, sum.Elapsed = s.LeftOpen+then.LeftOpen, s.Leaking+then.Leaking, s.Elapsed+then.Elapsed
	return sum
}

func addCounts[K comparable](a, b map[K]int) map[K]int {
	sum := make(map[K]int, len(a)+len(b))
	for _, counts := range []map[K]int{a, b} {
		for k, n := range counts {
			sum[k] += n
		}
	}
	return sum
}

// StoppedBy says why sampling ended before all rollouts were done; "" if it did not.
type StoppedBy string

// The reasons.
const (
	StoppedByDrain        StoppedBy = "drain"
	StoppedByBudget       StoppedBy = "budget"
	StoppedByUnknownUsage StoppedBy = "untold"
	StoppedByCancel       StoppedBy = "cancel"
	StoppedByError        StoppedBy = "error"
)

// ErrUnknownUsage ends a run with a bound on tokens or money whose servers do not report usage.
var ErrUnknownUsage = errors.New("the endpoint of the model or of a judge does not report its tokens, so " +
	"sampling.max_tokens and sampling.max_usd cannot be enforced: set them to 0 and use sampling.max_rollouts")

// Event is the progress of a run: the counts so far. InFlight is Begun minus Recorded. The receiver
// owns the maps and slices.
type Event struct {
	Stats
	InFlight int
}

// counter keeps Stats while workers and writer update them.
type counter struct {
	start   time.Time
	grouped bool // answers are graded with their groups

	mu    sync.Mutex // guards the fields below
	stats Stats
	first costSample
}

// begun counts a start and returns how many came before it.
func (c *counter) begun() (place int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	place = c.stats.Begun
	c.stats.Begun++
	c.stats.Rollouts = max(c.stats.Rollouts, c.stats.Begun) // a caller may not know the total
	return place
}

func (c *counter) recorded(e ended) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stats.Outcomes == nil {
		c.stats.Outcomes = map[rollout.Outcome]int{}
	}
	c.stats.Recorded++
	switch outcome := e.record.Outcome; {
	case outcome == rollout.GraderFailed && e.record.Kind == rollout.KindUngraded && c.grouped:
		c.stats.Deferred++
	case outcome == rollout.GraderFailed:
		c.stats.Ungraded = e.record.Error
		fallthrough
	default:
		c.stats.Outcomes[outcome]++
	}
	if len(e.record.Leaks) > 0 {
		c.stats.Leaking++
	}
	c.stats.ToolCalls += e.toolCalls
	if e.tokens != nil {
		c.stats.Tokens += *e.tokens
	} else {
		c.stats.TokensUnknown++
	}
	switch {
	case e.usd != nil:
		c.stats.USD.Add(*e.usd, nil)
	case e.priced:
		c.stats.USDUnknown++
	}
	c.first.end(e.place, e.usd, itemKey{e.record.Split, e.record.Item})
	c.stats.Judged = c.first.judged
}

func (c *counter) leftOpen() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.LeftOpen++
}

// snapshot returns the counts so far, with its own copies of the maps.
func (c *counter) snapshot() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Outcomes = maps.Clone(s.Outcomes)
	s.Elapsed = time.Since(c.start)
	return s
}
