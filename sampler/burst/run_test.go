package burst_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/boundary/isolation"
	"gonogo/sampler/burst"
	"gonogo/sampler/rollout"
)

// of returns the requests to an endpoint in the waves of a purpose.
func of(b *rollout.Burst, calls []rollout.BurstCall, endpoint string, purpose rollout.Purpose) []rollout.BurstCall {
	return slices.DeleteFunc(slices.Clone(calls), func(c rollout.BurstCall) bool {
		return c.Endpoint != endpoint || b.Waves[c.Wave].Purpose != purpose
	})
}

func count(calls []rollout.BurstCall, f func(rollout.BurstCall) bool) int {
	n := 0
	for _, c := range calls {
		if f(c) {
			n++
		}
	}
	return n
}

// The waves of a step of 40: repeats, the doublings, then the step as often as
// 80 rollouts take, each of them all at once.
func TestASoundServer(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		in := recorded(20)
		in.Batch = 10
		b, calls := play(t, config(), plan(t, in), serve(t, echo, score))
		var waves []string
		for _, w := range b.Waves {
			waves = append(waves, fmt.Sprintf("%s %d: %d", w.Purpose, w.Size, w.Rollouts))
			if w.Discarded > 0 {
				t.Errorf("%s: %d are discarded", w.Purpose, w.Discarded)
			}
		}
		want := "repeat 4: 16, ramp 1: 32, ramp 2: 32, ramp 4: 32, ramp 8: 32, ramp 16: 32, ramp 32: 32, burst 40: 40, burst 40: 40"
		if got := strings.Join(waves, ", "); got != want {
			t.Errorf("waves\n%s\nwant\n%s", got, want)
		}
		if b.Rollouts != 40 || b.BatchSize != 10 || b.GroupSize != 4 || b.Split != rollout.Train {
			t.Errorf("the burst is %+v", b)
		}
		searches := of(b, calls, "tool search", rollout.BurstWave)
		if len(searches) != 160 || len(of(b, calls, "grader", rollout.BurstWave)) != 80 {
			t.Errorf("%d searches, want two of each of 80 rollouts", len(searches))
		}
		most := 0
		for _, c := range searches {
			most = max(most, c.Flight)
			if c.Elapsed != rollout.Seconds(100*time.Millisecond) || c.Kind != "" || len(c.Odd) > 0 || c.Leak != "" || c.Status != 200 || c.RequestBytes == 0 || c.ReplyBytes == 0 {
				t.Fatalf("a call is %+v", c)
			}
		}
		if most != 40 {
			t.Errorf("%d calls in flight, want all 40", most)
		}
		repeats := of(b, calls, "tool search", rollout.RepeatWave)
		if n := count(repeats, func(c rollout.BurstCall) bool { return c.Again == rollout.SameAnswer }); len(repeats) != 64 || n != 32 {
			t.Errorf("%d calls with repeats, %d the same; want 64 and 32", len(repeats), n)
		}
		traces := map[string]bool{}
		for _, c := range calls {
			traces[c.TraceID] = true
		}
		if want := 16 + 6*32 + 80; len(traces) != want {
			t.Errorf("%d trace ids for %d rollouts", len(traces), want)
		}
	})
}

func TestAServerThatSlowsDownAbove32(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		slow := func(w http.ResponseWriter, r request) {
			if r.flight > 32 {
				time.Sleep(150 * time.Millisecond)
			}
			echo(w, r)
		}
		in := recorded(20)
		in.Rollouts = 128
		cfg := config()
		cfg.Least, cfg.Repeats = 0, 0
		b, calls := play(t, cfg, plan(t, in), serve(t, slow, score))
		if b.BatchSize != 0 || len(b.Notes) != 1 || !strings.Contains(b.Notes[0], "fewer than the 32 of a step") {
			t.Errorf("the burst is %+v", b)
		}
		for i, w := range b.Waves {
			n := count(calls, func(c rollout.BurstCall) bool {
				return c.Wave == i && c.Endpoint == "tool search" && c.Elapsed > rollout.Seconds(200*time.Millisecond)
			})
			if w.Size <= 32 && n > 0 || w.Size > 32 && n == 0 {
				t.Errorf("%d at once: %d slow calls", w.Size, n)
			}
		}
	})
}

func TestWhatDepartsFromTheWireContract(t *testing.T) {
	for what, c := range map[string]struct {
		reply string // with %s for the call's id
		want  []string
		lost  bool
	}{
		"as it should be":          {`{"call_id":"%s","output":"x"}`, nil, false},
		"within a result":          {`{"result":{"call_id":"%s","output":"x"}}`, nil, false},
		"no call id":               {`{"output":"x%.0s"}`, []string{rollout.NoCallID}, false},
		"another call's id":        {`{"call_id":"mine%s","output":"x"}`, []string{rollout.WrongCallID}, false},
		"an output that is a list": {`{"call_id":"%s","output":[1]}`, []string{rollout.OutputNoString}, false},
		"no output":                {`{"call_id":"%s"}`, []string{rollout.NoOutput}, true},
		"no JSON":                  {`<html>%.0s`, []string{rollout.NoOutput}, true},
		"too long":                 {`{"call_id":"%s","output":"` + strings.Repeat("x", 1_000_000) + `"}`, []string{rollout.ReplyTooLarge}, false},
	} {
		t.Run(what, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				in := recorded(1)
				in.Rollouts = 1
				cfg := config()
				cfg.Least, cfg.Repeats = 1, 0
				b, calls := play(t, cfg, plan(t, in), serve(t, func(w http.ResponseWriter, r request) { fmt.Fprintf(w, c.reply, r.CallID) }, score))
				if got := calls[0].Odd; !slices.Equal(got, c.want) {
					t.Errorf("departures %q, want %q", got, c.want)
				}
				if lost := b.Waves[0].Discarded == 1; lost != c.lost {
					t.Errorf("discarded: %v", lost)
				}
				if n := len(of(b, calls, "tool search", rollout.BurstWave)); c.lost && n != 4 || !c.lost && n != 2 {
					t.Errorf("%d requests: a lost call is tried 4 times, then its rollout ends", n)
				}
			})
		})
	}
}

func TestAGraderWithoutAScore(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		in := recorded(1)
		in.Rollouts = 1
		cfg := config()
		cfg.Repeats = 0
		cfg.Least = 1
		_, calls := play(t, cfg, plan(t, in), serve(t, echo, func(w http.ResponseWriter, _ request) { fmt.Fprint(w, `{"score":"high"}`) }))
		last := calls[len(calls)-1]
		if !slices.Equal(last.Odd, []string{rollout.NoScore}) || !last.Discards || last.Kind != "not_a_number" || last.Try != 3 {
			t.Errorf("the last request is %+v", last)
		}
	})
}

func TestAServerThatLeaksAnotherRollout(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var last atomic.Pointer[string]
		leaky := func(w http.ResponseWriter, r request) {
			time.Sleep(10 * time.Millisecond)
			text := "mine is " + r.TraceID
			if was := last.Swap(&r.TraceID); was != nil {
				text += ", before it was " + *was
			}
			_ = json.NewEncoder(w).Encode(map[string]string{"call_id": r.CallID, "output": text})
		}
		in := recorded(4)
		in.Rollouts = 8
		cfg := config()
		cfg.Least = 8
		b, calls := play(t, cfg, plan(t, in), serve(t, leaky, score))
		burst := of(b, calls, "tool search", rollout.BurstWave)
		n := count(burst, func(c rollout.BurstCall) bool { return c.Leak != "" })
		if n < 8 {
			t.Errorf("%d of %d answers leak", n, len(burst))
		}
		for _, c := range calls {
			if c.Leak != "" && (c.Leak == c.TraceID || !slices.ContainsFunc(calls, func(o rollout.BurstCall) bool { return o.TraceID == c.Leak })) {
				t.Fatalf("%s is told of %s", c.TraceID, c.Leak)
			}
		}
		if n := count(of(b, calls, "grader", rollout.BurstWave), func(c rollout.BurstCall) bool { return c.Leak != "" }); n > 0 {
			t.Errorf("the grader leaks %d times", n)
		}
	})
}

func TestAServerThatIsNotIdempotent(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var n atomic.Int64
		counts := func(w http.ResponseWriter, r request) {
			_ = json.NewEncoder(w).Encode(map[string]string{"call_id": r.CallID, "output": fmt.Sprint(n.Add(1))})
		}
		in := recorded(4)
		in.Rollouts = 4
		b, calls := play(t, config(), plan(t, in), serve(t, counts, score))
		differ := func(c rollout.BurstCall) bool { return c.Again == rollout.OtherAnswer }
		if n := count(of(b, calls, "tool search", rollout.RepeatWave), differ); n != 8 {
			t.Errorf("%d repeats differ, want all 8", n)
		}
		if n := count(of(b, calls, "grader", rollout.RepeatWave), differ); n != 0 {
			t.Errorf("the grader differs %d times", n)
		}
	})
}

// It serves 99 at once and refuses what comes beyond. A trainer that repeats
// three times loses some rollouts, and none of a smaller wave.
func TestAServerThatFailsAt100AtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		full := func(w http.ResponseWriter, r request) {
			if r.flight >= 100 {
				time.Sleep(time.Millisecond)
				http.Error(w, `{"error":"full"}`, http.StatusServiceUnavailable)
				return
			}
			time.Sleep(2 * time.Second)
			echo(w, r)
		}
		in := recorded(40)
		in.Batch = 40
		cfg := config()
		cfg.Repeats = 0
		b, calls := play(t, cfg, plan(t, in), serve(t, full, score))
		last := b.Waves[len(b.Waves)-1]
		for _, w := range b.Waves {
			if w.Size < 100 && w.Discarded > 0 {
				t.Errorf("%d at once: %d are discarded", w.Size, w.Discarded)
			}
		}
		if last.Size != 160 || last.Discarded == 0 || last.Discarded > 61 {
			t.Errorf("the burst is %+v", last)
		}
		failed := count(of(b, calls, "tool search", rollout.BurstWave), func(c rollout.BurstCall) bool { return c.Failed && c.Kind == "status 503" && c.Status == 503 })
		discards := count(of(b, calls, "tool search", rollout.BurstWave), func(c rollout.BurstCall) bool { return c.Discards })
		if failed < 61 || discards != last.Discarded {
			t.Errorf("%d failures, %d for good of %d", failed, discards, last.Discarded)
		}
	})
}

func TestKindsOfFailures(t *testing.T) {
	for kind, search := range map[string]answers{
		"timeout":     func(http.ResponseWriter, request) { time.Sleep(3 * time.Second) },
		"broken":      func(http.ResponseWriter, request) { panic(http.ErrAbortHandler) },
		"refused 404": func(w http.ResponseWriter, _ request) { http.Error(w, `{"output":"no such"}`, http.StatusNotFound) },
		"status 429":  func(w http.ResponseWriter, _ request) { http.Error(w, "slow down", http.StatusTooManyRequests) },
	} {
		t.Run(kind, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				in := recorded(1)
				in.Rollouts = 1
				cfg := config()
				cfg.Least, cfg.Repeats, cfg.ToolTimeout = 1, 0, time.Second
				b, calls := play(t, cfg, plan(t, in), serve(t, search, score))
				if told := len(b.Notes) == 1 && strings.Contains(b.Notes[0], "of 2 calls that the tools accepted when they were recorded, they refuse 2 now"); told != (kind == "refused 404") {
					t.Errorf("notes %q", b.Notes)
				}
				if calls[0].Kind != kind || calls[0].Failed == strings.HasPrefix(kind, "refused") {
					t.Errorf("the call is %+v", calls[0])
				}
			})
		})
	}
}

// A dead endpoint is not asked again and again in each smaller wave.
func TestAServerThatAlwaysFails(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		in := recorded(4)
		in.Rollouts = 16
		cfg := config()
		cfg.Least = 16
		b, _ := play(t, cfg, plan(t, in), serve(t, func(w http.ResponseWriter, _ request) { w.WriteHeader(http.StatusInternalServerError) }, score))
		if len(b.Waves) != 3 || b.Waves[2].Discarded != 16 || len(b.Notes) != 1 {
			t.Errorf("waves %+v, notes %q", b.Waves, b.Notes)
		}
	})
}

// With slow endpoints a smaller wave ends after its time.
func TestASmallWaveEndsAfterItsTime(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		in := recorded(4)
		in.Rollouts = 4
		cfg := config()
		cfg.Repeats, cfg.Least = 0, 4
		slow := func(w http.ResponseWriter, r request) { time.Sleep(4 * time.Second); echo(w, r) }
		b, _ := play(t, cfg, plan(t, in), serve(t, slow, score))
		if w := b.Waves[0]; w.Size != 1 || w.Rollouts != 3 {
			t.Errorf("one at a time made %d rollouts of 8.25 s in 20 s", w.Rollouts)
		}
	})
}

func TestTheGapsOfTheRecordingAreKept(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		in := recorded(1)
		in.Rollouts = 1
		cfg := config()
		cfg.Repeats, cfg.Least, cfg.Gaps = 0, 1, true
		_, calls := play(t, cfg, plan(t, in), serve(t, echo, score))
		// recorded at 1 s for 1 s, and at 4 s: gaps of 1 s and 2 s
		for i, want := range []time.Duration{time.Second, 3100 * time.Millisecond, 3200 * time.Millisecond} {
			if got := time.Duration(calls[i].At); got != want {
				t.Errorf("request %d at %v, want %v", i, got, want)
			}
		}
	})
}

func TestRequestsInFlightAreBounded(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		in := recorded(4)
		in.Rollouts = 16
		cfg := config()
		cfg.Flight = 5
		b, calls := play(t, cfg, plan(t, in), serve(t, echo, score))
		if n := count(calls, func(c rollout.BurstCall) bool {
			return c.Flight > 5 || c.Elapsed > rollout.Seconds(100*time.Millisecond)
		}); n > 0 {
			t.Errorf("%d calls beyond the bound, or charged with its wait", n)
		}
		if len(b.Notes) != 1 || !strings.Contains(b.Notes[0], "ulimit") || b.MaxFlight != 5 {
			t.Errorf("notes %q", b.Notes)
		}
	})
}

func TestAGraderThatAsksAModelGradesInTheBurstsAlone(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		in := recorded(4)
		in.Rollouts, in.Judged = 16, true
		p := plan(t, in)
		b, calls := play(t, config(), p, serve(t, echo, score))
		n := count(calls, func(c rollout.BurstCall) bool { return c.Endpoint == "grader" })
		if n != 80 || n != p.Gradings(config()) || n != len(of(b, calls, "grader", rollout.BurstWave)) {
			t.Errorf("%d gradings, planned %d", n, p.Gradings(config()))
		}
	})
}

func TestItStops(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		in := recorded(4)
		in.Rollouts = 16
		p, s := plan(t, in), serve(t, echo, score)
		drain := make(chan struct{})
		time.AfterFunc(time.Second, func() { close(drain) })
		if _, _, err := burst.Run(t.Context(), drain, config(), p, s.tools, s.grader, nil); !errors.Is(err, burst.ErrInterrupted) {
			t.Errorf("drained: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, _, err := burst.Run(ctx, nil, config(), p, s.tools, s.grader, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("canceled: %v", err)
		}
	})
}

// If rollouts have sessions, each of a burst has one of its own, and none is
// left.
func TestEachRolloutHasItsSession(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		in := recorded(4)
		in.Rollouts, in.Session = 8, true
		s := serve(t, echo, score)
		cfg := config()
		cfg.Least, cfg.Repeats = 8, 4
		cfg.Isolation, cfg.IsolationTimeout = s.keeper, time.Minute
		b, calls := play(t, cfg, plan(t, in), s)
		starts := of(b, calls, "session", rollout.BurstWave)
		if len(starts) != 8 || starts[0].Elapsed < rollout.Seconds(200*time.Millisecond) || len(starts[0].Odd) > 0 {
			t.Errorf("the sessions of the burst are %+v", starts)
		}
		if all := int64(4 + 3*32 + 8); s.started.Load() != all || s.open.Load() != 0 || len(b.Notes) > 0 {
			t.Errorf("%d sessions for %d rollouts, %d left open, notes %q", s.started.Load(), all, s.open.Load(), b.Notes)
		}
	})
}

// The wait for a session's place was taken for its start: with more rollouts than
// sessions the burst said that starts were slow, and lost those that waited longer
// than one may take.
func TestTheWaitForASessionIsNoneOfItsTime(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		in := recorded(4)
		in.Rollouts, in.Session = 16, true
		s := serve(t, echo, score)
		keeper, err := isolation.New(isolation.Config{Start: "http://world/start", Stop: "http://world/stop", Concurrency: 2, HTTP: s.client})
		if err != nil {
			t.Fatal(err)
		}
		cfg := config()
		cfg.Least, cfg.Repeats = 16, 0
		cfg.Isolation, cfg.IsolationTimeout, cfg.Sessions = keeper, time.Second, 2
		b, calls := play(t, cfg, plan(t, in), s)
		starts := of(b, calls, "session", rollout.BurstWave)
		if n := count(starts, func(c rollout.BurstCall) bool {
			return c.Failed || c.Flight > 2 || c.Elapsed > rollout.Seconds(300*time.Millisecond)
		}); n > 0 || len(starts) != 16 || s.open.Load() != 0 {
			t.Errorf("of %d starts %d failed, are beyond the bound or charged with its wait: %+v", len(starts), n, starts)
		}
		if len(b.Notes) != 1 || !strings.Contains(b.Notes[0], "session.concurrency") {
			t.Errorf("notes %q", b.Notes)
		}
	})
}

// A grader's rate_limit is our own doing: it is no time of the request, and what waits for it
// is not in flight.
func TestThePaceOfTheGraderIsNotMeasured(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		in := recorded(20)
		in.Batch = 10
		s := serve(t, echo, score)
		g, err := grader.New(grader.Kinds(), json.RawMessage(`{"type":"endpoint","url":"http://world/grade","rate_limit":10}`), grader.Env{HTTP: s.client})
		if err != nil {
			t.Fatal(err)
		}
		s.grader = g
		b, calls := play(t, config(), plan(t, in), s)
		most, last, longest := 0, time.Duration(0), time.Duration(0)
		for _, c := range of(b, calls, "grader", rollout.BurstWave) {
			most, last, longest = max(most, c.Flight), max(last, time.Duration(c.At)), max(longest, time.Duration(c.Elapsed))
		}
		if most > 12 || last < time.Second || longest > time.Second {
			t.Errorf("%d gradings in flight, the last sent after %v, the longest took %v", most, last, longest)
		}
	})
}
