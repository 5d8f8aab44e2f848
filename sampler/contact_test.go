package sampler_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

func TestADeadEndpointCostsOneRequest(t *testing.T) {
	for _, c := range []struct {
		why      string
		setup    func(*world)
		boundary string
		url      string
		says     string
		kind     string
		requests int
	}{
		{"no model server", func(w *world) { w.refuseDial["model.test"] = true }, "model", "http://model.test/v1/responses", "does not answer", "model", 0},
		{"the key is refused", func(w *world) {
			w.model = script(reply{status: 401, body: `{"error":{"message":"bad key planted-key-1","code":"invalid_api_key"}}`})
		}, "model", "http://model.test/v1/responses", "check the key", "model", 1},
		{"the model is unknown", func(w *world) {
			w.model = script(reply{status: 404, body: `{"error":{"message":"no such model","code":"model_not_found"}}`})
		}, "model", "http://model.test/v1/responses", "name of the model", "model", 1},
		{"no tool server", func(w *world) { w.refuseDial["tool.test"] = true }, "tool search", "http://tool.test/tool/search", "does not answer", "tool", 0},
		{"no grader server", func(w *world) { w.refuseDial["grader.test"] = true }, "grader", "http://grader.test/grade", "does not answer", "grade", 0},
		{"the grader refuses the key", func(w *world) { w.grade = func(gradeRequest) reply { return fails(401) } }, "grader", "http://grader.test/grade", "check the key", "grade", 1},
	} {
		t.Run(c.why, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.model = script(wants("search"), says("42"))
				c.setup(w)
				sink := &list{}
				stats, err := w.sample(t.Context(), nil, 50, 8, sink)
				var dead *endpoint.Error
				if !errors.As(err, &dead) {
					t.Fatalf("error %v, want an endpoint.Error", err)
				}
				if dead.Boundary != c.boundary || dead.URL != c.url || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), c.url) {
					t.Errorf("error %q of %s at %s", err, dead.Boundary, dead.URL)
				}
				if strings.Contains(err.Error(), "planted-key") {
					t.Errorf("the error shows the key: %q", err)
				}
				for _, r := range sink.records {
					if c.kind != "grade" || r.Outcome != rollout.GraderFailed || r.Kind != rollout.KindUngraded || r.Answer != "42" {
						t.Errorf("a record of outcome %s, kind %q, answer %q", r.Outcome, r.Kind, r.Answer)
					}
				}
				if (len(sink.records) > 0) != (c.kind == "grade") || stats.Recorded != len(sink.records) || stats.StoppedBy != sampler.StoppedByError || w.count(c.kind) != c.requests {
					t.Errorf("%d records, stopped by %q, %d requests to the dead endpoint, want %d", len(sink.records), stats.StoppedBy, w.count(c.kind), c.requests)
				}
			})
		})
	}
}

func TestAToolsNotFoundIsForTheModelOnceItHasAnswered(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.model = script(wants("search"), wants("search"), says("42"))
		n := 0
		w.tool = func(toolRequest) reply {
			if n++; n == 1 {
				return gives("x")
			}
			return reply{status: 404, body: `{"detail":"no such document"}`}
		}
		r, err := w.rollout()
		w.check(err)
		if c := r.Calls[1]; r.Outcome != rollout.Graded || c.Status != rollout.CallError || !strings.Contains(c.Output, "no such document") {
			t.Errorf("outcome %s, second call %+v", r.Outcome, c)
		}
	})
}

func TestABrokenEndpointIsNotADeadOne(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.cfg.Breaker = 0
		w.model = script(wants("search"), says("42"))
		w.tool = func(toolRequest) reply { return reply{hangUp: true} }
		stats, err := w.sample(t.Context(), nil, 10, 2, &list{})
		w.check(err)
		if stats.Outcomes[rollout.ToolFailed] != 20 || stats.Retries["tool search"] != 60 {
			t.Errorf("stats %+v: a server that answers badly is measured, not refused", stats)
		}
	})
}

func TestAnEndpointThatGoesAwayStopsTheRun(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.cfg.Concurrency = 1 // refuseDial is a plain map
		n := 0
		w.model = func(modelRequest) reply {
			if n++; n == 20 {
				w.refuseDial["model.test"] = true
			}
			a := says("42")
			a.header = map[string]string{"Connection": "close"}
			a.wait = time.Second
			return a
		}
		sink := &list{}
		stats, err := w.sample(t.Context(), nil, 1000, 1, sink)
		var dead *endpoint.Error
		if !errors.As(err, &dead) || stats.Outcomes[rollout.Graded] != 20 {
			t.Fatalf("error %v, stats %+v; want the 20 graded rollouts kept and an endpoint.Error", err, stats)
		}
		if lost := stats.Outcomes[rollout.ModelAPI]; lost > 0 {
			t.Errorf("%d rollouts were recorded as lost: what it did not answer was never made", lost)
		}
	})
}

func TestAToolsVeryFirstNotFoundIsForTheModel(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.model = script(wants("search"), says("42"))
		w.tool = func(toolRequest) reply { return reply{status: 404, body: `{"detail":"no such document"}`} }
		sink := &list{}
		_, err := w.sample(t.Context(), nil, 7, 1, sink)
		w.check(err)
		for _, r := range sink.records {
			if c := r.Calls[0]; r.Outcome != rollout.Graded || c.Status != rollout.CallError || !strings.Contains(c.Output, "no such document") {
				t.Fatalf("outcome %s, call %+v", r.Outcome, c)
			}
		}
		if len(sink.records) != 7 {
			t.Errorf("%d of 7 rollouts were recorded", len(sink.records))
		}
	})
}

func TestAToolThatKnowsNobodyStopsTheRun(t *testing.T) {
	for _, c := range []struct {
		why   string
		other reply // the answer to the fifth call
		stops bool
	}{
		{"no other answer ever came", reply{status: 404, body: "404 page not found"}, true},
		{"a server in trouble has not answered", fails(503), true},
		{"it answered once", gives("x"), false},
		{"its refusal of a call is an answer", fails(400), false},
		{"a refusal with an output is an answer", reply{status: 404, body: `{"output":"nothing found"}`}, false},
	} {
		t.Run(c.why, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.cfg.Concurrency, w.cfg.Retry.Max = 1, 0
				w.model = script(wants("search", "search"), says("42"))
				n := 0
				w.tool = func(toolRequest) reply {
					w.mu.Lock()
					defer w.mu.Unlock()
					if n++; n == 5 {
						return c.other
					}
					return reply{status: 404, body: "404 page not found"}
				}
				sink := &list{}
				stats, err := w.sample(t.Context(), nil, 30, 1, sink)
				if !c.stops {
					w.check(err)
					return
				}
				var dead *endpoint.Error
				if !errors.As(err, &dead) || dead.Boundary != "tool search" || dead.URL != "http://tool.test/tool/search" || !strings.Contains(err.Error(), "404 page not found (8 rollouts got no other answer)") {
					t.Fatalf("error %v", err)
				}
				if len(sink.records) != 7 || stats.StoppedBy != sampler.StoppedByError {
					t.Errorf("%d records, stopped by %q; want the 7 rollouts before the eighth", len(sink.records), stats.StoppedBy)
				}
			})
		})
	}
}

func TestAFatalFailureInTheMiddleEndsTheRunWhenItStays(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.cfg.Concurrency = 1 // the patience is 10 then
		n := 0
		w.model = func(modelRequest) reply {
			if n++; n > 5 && n != 12 {
				return fails(401)
			}
			return says("42")
		}
		sink := &list{}
		stats, err := w.sample(t.Context(), nil, 50, 1, sink)
		var dead *endpoint.Error
		if !errors.As(err, &dead) || !strings.Contains(err.Error(), "check the key") || n != 22 {
			t.Fatalf("error %v after %d requests, want 22: 5, 6 refused, 1, 10 refused in a row", err, n)
		}
		if stats.Outcomes[rollout.Graded] != 6 || stats.Outcomes[rollout.ModelAPI] != 15 {
			t.Errorf("outcomes %v", stats.Outcomes)
		}
	})
}

func TestAGraderThatRefusesOneItemDoesNotStopTheRun(t *testing.T) {
	for _, status := range []int{403, 404} {
		for _, first := range []bool{false, true} {
			inWorld(t, func(t *testing.T, w *world) {
				w.cfg.Concurrency = 1
				w.model = func(r modelRequest) reply { return says(r.Item) }
				refused := "q3"
				if first { // as when a run that lacks this item is resumed
					refused = "q0"
				}
				w.grade = func(r gradeRequest) reply {
					if r.Text == refused {
						return fails(status)
					}
					return reply{body: `{"score":1}`}
				}
				stats, err := w.sample(t.Context(), nil, 6, 4, &list{})
				w.check(err)
				if stats.Outcomes[rollout.Graded] != 20 || stats.Outcomes[rollout.GraderFailed] != 4 {
					t.Errorf("status %d of %s: outcomes %v", status, refused, stats.Outcomes)
				}
			})
		}
	}
}

func TestAWrongGraderURLStopsTheRunAtTheThirdItem(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.grade = func(gradeRequest) reply { return fails(404) }
		sink := &list{}
		_, err := w.sample(t.Context(), nil, 50, 8, sink)
		var dead *endpoint.Error
		if !errors.As(err, &dead) || dead.Boundary != "grader" || w.count("grade") != 3 {
			t.Fatalf("error %v after %d requests", err, w.count("grade"))
		}
		for _, r := range sink.records {
			if r.Outcome != rollout.GraderFailed {
				t.Errorf("a record of outcome %s", r.Outcome)
			}
		}
	})
}

// A server that says nothing for a while lets others follow, so a slow first
// answer holds no one up; when it then refuses them all the run ends as it does
// at once.
func TestASlowFirstAnswerHoldsNobodyUp(t *testing.T) {
	for _, c := range []struct {
		why     string
		first   reply
		refused bool
	}{
		{"the first answer takes an hour", reply{body: says("42").body, wait: time.Hour}, false},
		{"the key is refused after ten seconds", reply{status: 401, body: `{"error":{"message":"bad key"}}`, wait: 10 * time.Second}, true},
	} {
		t.Run(c.why, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.cfg.Concurrency, w.cfg.ModelTimeout = 8, 2*time.Hour
				n := 0
				w.model = func(modelRequest) reply {
					w.mu.Lock()
					defer w.mu.Unlock()
					if n++; n == 1 || c.refused {
						return c.first
					}
					a := says("42")
					a.wait = time.Second
					return a
				}
				sink, begin := &list{}, time.Now()
				early := time.Duration(0)
				sink.after = func(n int) {
					if n == 70 {
						early = time.Since(begin)
					}
				}
				_, err := w.sample(t.Context(), nil, 71, 1, sink)
				dead, ended := errors.AsType[*endpoint.Error](err)
				switch {
				case ended != c.refused:
					t.Errorf("error %v", err)
				case ended && (dead.Boundary != "model" || len(sink.records) != 0 || w.count("model") > 8 || time.Since(begin) > 11*time.Second):
					t.Errorf("%v, after %v, %d requests and %d records", err, time.Since(begin), w.count("model"), len(sink.records))
				case !ended && (len(sink.records) != 71 || early > 15*time.Second):
					t.Errorf("%d records, 70 of them after %v", len(sink.records), early)
				}
			})
		})
	}
}
