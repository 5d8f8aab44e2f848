package sampler_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// An endpoint that is gone from some moment on stops the run with what to do. What
// was recorded is kept, and going on asks for nothing of it again.
func TestAnEndpointThatVanishesLosesNothing(t *testing.T) {
	refused := os.NewSyscallError("connect", syscall.ECONNREFUSED)
	unknown := &net.DNSError{Err: "no such host", Name: "tool.test", IsNotFound: true}
	type row struct {
		host     string
		cause    error
		boundary string
		again    rollout.Outcome // what the rollouts are recorded as that it failed
		after    int             // requests of rollouts came to it
	}
	var table []row
	for _, after := range []int{50, 140, 157, 159} {
		table = append(table,
			row{"model.test", refused, "model", rollout.ModelAPI, 2 * after}, // it is asked twice
			row{"tool.test", unknown, "tool search", rollout.ToolFailed, after},
			row{"grader.test", refused, "grader", rollout.GraderFailed, after})
	}
	for _, tt := range table {
		t.Run(fmt.Sprintf("%s, %v, after %d requests", tt.host, tt.cause, tt.after), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var gone atomic.Bool
				var mu sync.Mutex // guards asked
				asked := map[string]bool{}
				came := 0
				here := func(host, trace string, a reply) reply {
					mu.Lock()
					defer mu.Unlock()
					asked[trace] = true
					if host == tt.host && len(a.body) > 0 {
						if came++; came > tt.after {
							gone.Store(true)
						}
					}
					if gone.Load() && host == tt.host {
						return reply{hangUp: true}
					}
					a.wait, a.header = 200*time.Millisecond, map[string]string{"Connection": "close"}
					return a
				}
				turns := script(wants("search"), says("42"))
				w.model = func(r modelRequest) reply { return here("model.test", r.Trace, turns(r)) }
				w.tool = func(r toolRequest) reply { return here("tool.test", r.Trace, gives("x")) }
				w.grade = func(r gradeRequest) reply { return here("grader.test", r.Trace, reply{body: `{"score":1}`}) }
				w.vanished = func(host string) error {
					if gone.Load() && host == tt.host {
						return tt.cause
					}
					return nil
				}
				w.cfg.Rollouts = 24
				b := w.serve()
				items, samples := makeItems(40), map[rollout.Split]int{rollout.Train: 4}
				sink := &list{}
				begun, silent := time.Now(), time.Duration(0)
				stats, err := sampler.Sample(t.Context(), sampler.SampleOptions{
					Config: w.cfg, Seed: 1, Rollouts: sampler.Plan(items, samples, nil), Boundaries: b, Sink: sink,
					Watch: func(e sampler.Event) {
						for _, b := range e.Boundaries {
							if b.Name == tt.boundary {
								silent = max(silent, b.Silent)
							}
						}
					},
				})

				took := time.Since(begun)
				dead, ok := errors.AsType[*endpoint.Error](err)
				if !ok || dead.Boundary != tt.boundary || stats.StoppedBy != sampler.StoppedByError {
					t.Fatalf("it ended with %v, %+v", err, stats)
				}
				for _, want := range []string{tt.host, tt.cause.Error(), "run again"} {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("error %q lacks %q", err, want)
					}
				}
				if took > 2*time.Minute || silent < 50*time.Second {
					t.Errorf("it took %v to stop, and said that it was silent for %v", took, silent)
				}
				state := map[rollout.Key]*rollout.Record{}
				good, failed := map[string]bool{}, 0
				for _, r := range sink.records {
					state[r.Key()] = r
					switch r.Outcome {
					case rollout.Graded:
						good[r.TraceID] = true
					case tt.again:
						failed++
					default:
						t.Errorf("rollout %v is recorded as %s: %s", r.Key(), r.Outcome, r.Error)
					}
				}
				t.Logf("stopped after %v: %d graded, %d failed by it, %d not made, %d asked for: %v", took, len(good), failed, stats.NotRun(), len(asked), err)
				if len(good) < tt.after/2-24 || len(good)+failed != stats.Recorded || failed > 0 && tt.host != "grader.test" || failed > 24 {
					t.Errorf("%d are graded, and it failed %d: %+v", len(good), failed, stats)
				}

				gone.Store(false)
				came = -10000
				asked = map[string]bool{}
				var left []sampler.Task
				jobs := sampler.Plan(items, samples, func(k rollout.Key) (rollout.RolloutState, bool) {
					r := state[k]
					if r == nil {
						return rollout.RolloutState{}, false
					}
					done := rollout.RolloutState{Attempt: r.Attempt, Outcome: r.Outcome, Output: r.Answer != ""}
					if done.Ungraded() {
						left = append(left, sampler.Task{Record: r, Times: 1})
					}
					return done, true
				})
				if tt.host == "grader.test" && (len(left) != failed || len(left) < 1) {
					t.Errorf("%d answers are recorded without a grade, and it failed %d", len(left), failed)
				}
				stats, err = sampler.Sample(t.Context(), sampler.SampleOptions{
					Config: w.cfg, Seed: 1, Rollouts: jobs, Boundaries: b, Sink: sink,
				})
				if want := 40*4 - len(good) - len(left); err != nil || stats.Recorded != want || stats.Outcomes[rollout.Graded] != want {
					t.Errorf("going on: error %v, %+v, want the other %d", err, stats, want)
				}
				for trace := range asked {
					if good[trace] || slices.ContainsFunc(left, func(t sampler.Task) bool { return t.Record.TraceID == trace }) {
						t.Errorf("%s was recorded, and is paid again", trace)
					}
				}
				stats, err = sampler.Regrade(t.Context(), sampler.RegradeOptions{
					Config: w.cfg, Tasks: feed(left, nil), Total: len(left), Grader: b.Grader, Sink: sink,
				})
				if err != nil || stats.Outcomes[rollout.Graded] != len(left) {
					t.Errorf("grading what was left: error %v, %+v, want %d graded", err, stats, len(left))
				}
			})
		})
	}
}
