package sampler_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"gonogo/sampler"
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
		{"the tool's URL is wrong", func(w *world) {
			w.tool = func(toolRequest) reply { return reply{status: 404, body: "404 page not found"} }
		}, "tool search", "http://tool.test/tool/search", "404", "tool", 1},
		{"no grader server", func(w *world) { w.refuseDial["grader.test"] = true }, "grader", "http://grader.test/grade", "does not answer", "grade", 0},
		{"the grader refuses the key", func(w *world) { w.grade = func(gradeRequest) reply { return fails(403) } }, "grader", "http://grader.test/grade", "check the key", "grade", 1},
	} {
		t.Run(c.why, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.model = script(wants("search"), says("42"))
				c.setup(w)
				sink := &list{}
				stats, err := w.sample(t.Context(), nil, 50, 8, sink)
				var dead *sampler.EndpointError
				if !errors.As(err, &dead) {
					t.Fatalf("error %v, want an EndpointError", err)
				}
				if dead.Boundary != c.boundary || dead.URL != c.url || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), c.url) {
					t.Errorf("error %q of %s at %s", err, dead.Boundary, dead.URL)
				}
				if strings.Contains(err.Error(), "planted-key") {
					t.Errorf("the error shows the key: %q", err)
				}
				if len(sink.records) != 0 || stats.StoppedBy != sampler.StoppedByError || w.count(c.kind) != c.requests {
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
		var dead *sampler.EndpointError
		if !errors.As(err, &dead) || stats.Outcomes[rollout.Graded] != 20 {
			t.Fatalf("error %v, stats %+v; want the 20 graded rollouts kept and an EndpointError", err, stats)
		}
		if lost := stats.Outcomes[rollout.ModelAPI]; lost == 0 || lost > 20 {
			t.Errorf("%d rollouts were lost before the run stopped", lost)
		}
	})
}

func TestAFatalFailureInTheMiddleKeepsWhatIsThere(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.cfg.Concurrency = 1
		n := 0
		w.model = func(modelRequest) reply {
			if n++; n > 5 {
				return fails(401)
			}
			return says("42")
		}
		sink := &list{}
		stats, err := w.sample(t.Context(), nil, 20, 1, sink)
		var dead *sampler.EndpointError
		if !errors.As(err, &dead) || len(sink.records) != 5 || stats.Recorded != 5 || n != 6 {
			t.Errorf("error %v with %d records after %d requests, want the 5 that were made", err, len(sink.records), n)
		}
	})
}
