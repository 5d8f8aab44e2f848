package sampler_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// A limit that is used up for days is no reason to wait for days: a refused
// request fails, as it does after such a Retry-After, and the same again and
// again ends the run with what the server asked for.
func TestAResetInDaysIsNotWaitedFor(t *testing.T) {
	for _, c := range []struct {
		why    string
		status int
		ends   bool
	}{
		{"an answer says so: the next one comes at once", 200, false},
		{"refusals say so", 429, true},
	} {
		t.Run(c.why, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.model = func(modelRequest) reply {
					a := says("42")
					a.status, a.wait = c.status, time.Second
					a.header = map[string]string{"X-Ratelimit-Remaining-Requests": "0", "X-Ratelimit-Reset-Requests": "3d"}
					return a
				}
				begin := time.Now()
				stats, err := w.sample(t.Context(), nil, 100, 1, &list{})
				if took := time.Since(begin); took > time.Minute {
					t.Errorf("took %v", took)
				}
				if !c.ends {
					w.check(err)
					return
				}
				if err == nil || !strings.Contains(err.Error(), "status 429") || !strings.Contains(err.Error(), "asks for a pause of 72h0m0s") {
					t.Errorf("error %v, of %d recorded", err, stats.Recorded)
				}
			})
		})
	}
}

// An endpoint that answers 5xx with ever another text, from a second after its last answer, is
// given up after a minute, or after the time for which requests are repeated where that is longer
// than usual.
func TestFailuresThatDifferForLongStopTheRun(t *testing.T) {
	words := strings.Fields("overloaded unrouted crashed starved detached draining restarting")
	for _, c := range []struct {
		why      string
		retryFor time.Duration
		breaker  int
		ends     time.Duration // after which it is given up at the earliest; 0 = never
	}{
		{"a minute", limit.Outage, 5, time.Minute},
		{"not earlier, where requests are repeated for ten seconds", 10 * time.Second, 5, time.Minute},
		{"later, where they are repeated for longer", 40 * time.Minute, 5, 40 * time.Minute},
		{"never, where it is switched off", limit.Outage, 0, 0},
	} {
		t.Run(c.why, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.cfg.Breaker, w.cfg.Retry.Total = c.breaker, c.retryFor
				var out time.Time
				n := 0
				w.model = func(modelRequest) reply {
					w.mu.Lock()
					defer w.mu.Unlock()
					if n++; n <= 50 {
						return says("42")
					}
					if out.IsZero() {
						out = time.Now()
					}
					return reply{wait: time.Second, status: 500 + n%4, body: fmt.Sprintf(`{"error":{"message":%q}}`, words[n%7])}
				}
				stats, err := w.sample(t.Context(), nil, 400, 1, &list{})
				took := time.Since(out)
				if c.ends == 0 {
					w.check(err)
					if stats.Recorded != 400 {
						t.Errorf("%d of 400 recorded", stats.Recorded)
					}
					return
				}
				var dead *endpoint.Error
				if !errors.As(err, &dead) || dead.Boundary != "model" || !strings.Contains(err.Error(), "has not answered for ") || !strings.Contains(err.Error(), "status 50") {
					t.Fatalf("error %v after %v", err, took)
				}
				if took < c.ends || took > c.ends+c.ends/2 {
					t.Errorf("given up after %v, want %v", took, c.ends)
				}
				if lost := stats.Outcomes[rollout.ModelAPI]; lost > 0 || stats.Outcomes[rollout.Graded] != 50 || stats.StoppedBy != sampler.StoppedByError {
					t.Errorf("kept %v, stopped by %q", stats.Outcomes, stats.StoppedBy)
				}
				if cause := boundary(t, stats, "model").Cause; !strings.HasPrefix(cause, "status 50") {
					t.Errorf("the boundary's cause is %q", cause)
				}
			})
		})
	}
}

// A run that drains ends within a minute if its endpoint only fails, and waits for one that works.
func TestADrainDoesNotWaitForAnEndpointThatOnlyFails(t *testing.T) {
	for _, c := range []struct {
		why      string
		answer   reply
		ends     time.Duration // at the latest, after the drain
		recorded bool          // the rollouts in flight are
	}{
		{"429s without end", reply{status: 429}, time.Minute, false},
		{"429s that ask for five minutes", reply{status: 429, header: map[string]string{"Retry-After": "300"}}, time.Minute, false},
		{"503s without end", reply{status: 503}, time.Minute, false},
		{"answers after four minutes", func() reply { a := says("42"); a.wait = 4 * time.Minute; return a }(), 9 * time.Minute, true},
	} {
		t.Run(c.why, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.model = func(modelRequest) reply { return c.answer }
				drain := make(chan struct{})
				time.AfterFunc(10*time.Second, func() { close(drain) })
				begun := time.Now()
				stats, err := w.sample(t.Context(), drain, 40, 1, &list{})
				w.check(err)
				if took := time.Since(begun) - 10*time.Second; took > c.ends {
					t.Errorf("ended %v after the drain, want at most %v", took, c.ends)
				}
				if stats.StoppedBy != sampler.StoppedByDrain || stats.Recorded > 0 != c.recorded {
					t.Errorf("stopped by %q, %d recorded", stats.StoppedBy, stats.Recorded)
				}
			})
		})
	}
}

// A connection that this process could not open, for lack of open files, is tried again with fewer
// at once, and ends the run if that does not help; it is no failure of the model.
func TestTooFewOpenFilesAreNoFailureOfTheModel(t *testing.T) {
	for _, c := range []struct {
		why  string
		lack int // dials that fail for it
		ends bool
	}{{"for a moment", 20, false}, {"for good", 1 << 30, true}} {
		t.Run(c.why, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var dials atomic.Int64
				w.vanished = func(string) error {
					switch n := dials.Add(1); {
					case n > int64(c.lack):
					case n%2 == 0: // as the resolver of Go reports it
						return &net.DNSError{Err: "dial udp: socket: " + syscall.EMFILE.Error(), Name: "model.test"}
					default:
						return os.NewSyscallError("socket", syscall.EMFILE)
					}
					return nil
				}
				stats, err := w.sample(t.Context(), nil, 40, 1, &list{})
				if n := stats.Outcomes[rollout.ModelAPI]; n > 0 {
					t.Errorf("%d rollouts count as failures of the model", n)
				}
				switch {
				case !c.ends && (err != nil || stats.Outcomes[rollout.Graded] != 40):
					t.Errorf("graded %d of 40, error %v", stats.Outcomes[rollout.Graded], err)
				case c.ends && (err == nil || !strings.Contains(err.Error(), "raise the limit on open files (ulimit -n)")):
					t.Errorf("error %v", err)
				}
			})
		})
	}
}
