package agent

import (
	"fmt"
	"math"
	"sync"
	"time"

	"gonogo/sampler"
)

// The statuses of a trajectory. CompleteRollout leads to ready or failed, UpdateReward from ready to
// reward-received.
const (
	statusOpen     = "in-progress"
	statusReady    = "ready"
	statusFailed   = "failed"
	statusRewarded = "reward-received"
	statusEnded    = "ended" // the run has recorded the rollout
)

// trajectory is one try of a rollout, as the job runtime sees it.
type trajectory struct {
	id     string
	model  sampler.ModelAccess
	signal chan struct{} // holds a token if something has changed
	over   chan struct{} // closed when the rollout ends

	mu    sync.Mutex // guards state
	state state
}

// state is what is known about a trajectory.
type state struct {
	status   string
	changed  time.Time // when the status changed
	lastCall time.Time // when the last call ended
	inFlight int       // calls that have not ended
	requests int       // to the model
	turns    int       // requests that the model answered
	rewards  []float64
	refused  string // why the last call was refused; "" if it was not

	completeToken, rewardToken string // client tokens of the calls that counted
}

func newTrajectory(id string, model sampler.ModelAccess) *trajectory {
	now := time.Now()
	return &trajectory{
		id: id, model: model, signal: make(chan struct{}, 1), over: make(chan struct{}),
		state: state{status: statusOpen, changed: now, lastCall: now},
	}
}

// now returns a copy of the state.
func (t *trajectory) now() state {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state
}

// change changes the state and wakes the rollout.
func (t *trajectory) change(f func(*state)) {
	t.mu.Lock()
	f(&t.state)
	t.state.lastCall = time.Now()
	t.mu.Unlock()
	select {
	case t.signal <- struct{}{}:
	default:
	}
}

// called notes a sign of life.
func (t *trajectory) called() { t.change(func(*state) {}) }

// begin notes the start of a request to the model, unless the trajectory is sealed.
func (t *trajectory) begin() (fault *runtimeError) {
	t.change(func(s *state) {
		if s.status != statusOpen {
			fault = invalid("Trajectory %s is not in valid status: it is %s, and takes no more turns", t.id, s.status)
			return
		}
		s.inFlight++
		s.requests++
	})
	return fault
}

// answered counts an answer of the model.
func (t *trajectory) answered() { t.change(func(s *state) { s.turns++ }) }

// finish notes the end of a request to the model. An answer that broke off is no turn.
func (t *trajectory) finish(brokeOff bool) {
	t.change(func(s *state) {
		s.inFlight--
		if brokeOff {
			s.turns--
		}
	})
}

// complete seals the trajectory. A repeated call with the same token has no effect.
func (t *trajectory) complete(status, token string) (fault *runtimeError) {
	if status == "" {
		status = statusReady
	}
	if status != statusReady && status != statusFailed {
		return invalid("Status is %q: it must be ready or failed", status)
	}
	t.change(func(s *state) {
		switch {
		case token != "" && token == s.completeToken:
		case s.status != statusOpen:
			fault = conflict("Cannot transition trajectory %s from %s to %s", t.id, s.status, status)
		default:
			s.status, s.changed, s.completeToken, s.refused = status, time.Now(), token, ""
		}
	})
	return fault
}

// reward takes the rewards of a trajectory that is complete: one, or one for each turn. Rewards of a
// trajectory that failed are accepted and ignored, because the platform's own SDK reports a 0 with each
// failure.
func (t *trajectory) reward(rewards []*float64, token string) (fault *runtimeError) {
	values := make([]float64, len(rewards))
	for i, r := range rewards {
		if r == nil || math.IsNaN(*r) || math.IsInf(*r, 0) {
			return invalid("Rewards[%d] is not a finite number", i)
		}
		values[i] = *r
	}
	t.change(func(s *state) {
		switch {
		case token != "" && token == s.rewardToken, s.status == statusFailed:
		case s.status == statusOpen:
			fault = conflict("Cannot transition trajectory %s from %s to %s: call CompleteRollout first", t.id, s.status,
				statusRewarded)
		case s.status != statusReady:
			fault = conflict("Cannot transition trajectory %s from %s to %s", t.id, s.status, statusRewarded)
		case len(values) == 0:
			fault = invalid("Rewards is empty")
		case len(values) != 1 && len(values) != s.turns:
			fault = invalid("Rewards has %d values for %d turns: give one for each turn, or one in all", len(values),
				s.turns)
		default:
			s.status, s.changed, s.rewards, s.rewardToken = statusRewarded, time.Now(), values, token
		}
	})
	return fault
}

// refuse notes why a call was refused.
func (t *trajectory) refuse(why string) { t.change(func(s *state) { s.refused = why }) }

// missing says which call of the agent a rollout lacks.
func (s state) missing() string {
	text := "did not complete the rollout (CompleteRollout)"
	if s.status == statusReady {
		text = "completed the rollout but reported no reward (UpdateReward)"
	}
	if s.refused != "" {
		text += fmt.Sprintf("; its last call was refused: %s", s.refused)
	}
	return text
}
