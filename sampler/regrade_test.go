package sampler_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// tasks makes n tasks of different items, each with an answer.
func tasks(n, times int) []sampler.Task {
	items := makeItems(n)
	all := make([]sampler.Task, n)
	for i := range all {
		all[i] = sampler.Task{Item: &items[i], Times: times, Record: &rollout.Record{
			Item: items[i].ID, Split: rollout.Train, Source: rollout.Live, Outcome: rollout.Graded, Answer: "42",
			TraceID: fmt.Sprint("trace_", i), Elapsed: rollout.Seconds(time.Hour), Retries: 1, Calls: []rollout.Call{{Name: "search"}}, Turns: 2,
		}}
	}
	return all
}

func feed(all []sampler.Task, end error) iter.Seq2[sampler.Task, error] {
	return func(yield func(sampler.Task, error) bool) {
		for _, t := range all {
			if !yield(t, nil) {
				return
			}
		}
		if end != nil {
			yield(sampler.Task{}, end)
		}
	}
}

func (w *world) regrade(ctx context.Context, drain <-chan struct{}, all []sampler.Task, sink sampler.Sink) (sampler.Stats, error) {
	w.t.Helper()
	return sampler.Regrade(ctx, sampler.RegradeOptions{
		Config: w.cfg, Tasks: feed(all, nil), Total: len(all), Grader: w.serve().Grader, Sink: sink,
		Drain: drain,
	})
}

func scores(values ...string) func(gradeRequest) reply {
	n := 0
	return func(gradeRequest) reply {
		n++
		v := values[min(n, len(values))-1]
		if v == "broken" {
			return fails(400)
		}
		return reply{body: `{"score":` + v + `}`}
	}
}

func TestRegradingFillsInACopy(t *testing.T) {
	half, one := 0.5, 1.0
	for _, c := range []struct {
		why    string
		known  rollout.Record // all but the item and the answer
		times  int
		grades func(gradeRequest) reply
		want   rollout.Record
	}{
		{
			"a first grade",
			rollout.Record{Outcome: rollout.Graded},
			1, scores("0.5"),
			rollout.Record{Outcome: rollout.Graded, Reward: &half},
		},
		{
			"three first grades",
			rollout.Record{Outcome: rollout.Graded},
			3, scores("0.5", "1", "0"),
			rollout.Record{Outcome: rollout.Graded, Reward: &half, Grades: []float64{0.5, 1, 0}},
		},
		{
			"new grades behind the recorded one",
			rollout.Record{Outcome: rollout.Graded, Reward: &one, Grades: []float64{1}, Parts: map[string]float64{"p": 1}},
			2, scores("0.5", "0"),
			rollout.Record{Outcome: rollout.Graded, Reward: &one, Grades: []float64{1, 0.5, 0}, Parts: map[string]float64{"p": 1}},
		},
		{
			"a grader that works now",
			rollout.Record{Outcome: rollout.GraderFailed, Error: "broken", Kind: sampler.KindServer},
			1, scores("1"),
			rollout.Record{Outcome: rollout.Graded, Reward: &one},
		},
		{
			"a grader that fails again, with its new cause alone",
			rollout.Record{Outcome: rollout.GraderFailed, Error: "judge: no verdict", Kind: sampler.KindServer},
			1, scores("broken"),
			rollout.Record{Outcome: rollout.GraderFailed, Kind: sampler.KindServer, Error: "http://grader.test/grade: status 400: broken"},
		},
		{
			"a limit stays one",
			rollout.Record{Outcome: rollout.StepLimit, Error: "max_steps of 4 reached"},
			1, scores("1"),
			rollout.Record{Outcome: rollout.StepLimit, Error: "max_steps of 4 reached", Reward: &one},
		},
		{
			"a limit after which the grader failed is one again",
			rollout.Record{Outcome: rollout.GraderFailed, Error: "max_steps of 4 reached; then grading failed: broken"},
			1, scores("1"),
			rollout.Record{Outcome: rollout.StepLimit, Error: "max_steps of 4 reached", Reward: &one},
		},
		{
			"a refusal with a text stays one",
			rollout.Record{Outcome: rollout.NoAnswer, Error: "the model refused"},
			1, scores("1"),
			rollout.Record{Outcome: rollout.NoAnswer, Error: "the model refused", Reward: &one},
		},
		{
			"one grading of three fails",
			rollout.Record{Outcome: rollout.Graded},
			3, scores("0.5", "broken", "1"),
			rollout.Record{Outcome: rollout.Graded, Reward: &half, Grades: []float64{0.5, 1}, Kind: sampler.KindServer, Error: "1 of 3 gradings failed: http://grader.test/grade: status 400: broken"},
		},
		{
			"all fail, and a recorded grade does not hide it",
			rollout.Record{Outcome: rollout.Graded, Reward: &one, Grades: []float64{1}},
			2, scores("broken"),
			rollout.Record{Outcome: rollout.GraderFailed, Kind: sampler.KindServer, Error: "http://grader.test/grade: status 400: broken"},
		},
		{
			"all fail after a limit",
			rollout.Record{Outcome: rollout.StepLimit, Error: "max_steps of 4 reached"},
			1, scores("broken"),
			rollout.Record{Outcome: rollout.GraderFailed, Kind: sampler.KindServer, Error: "max_steps of 4 reached; then grading failed: http://grader.test/grade: status 400: broken"},
		},
	} {
		t.Run(c.why, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.grade = c.grades
				task := tasks(1, c.times)
				rec := c.known
				rec.Item, rec.Split, rec.Answer, rec.TraceID, rec.Source = "q0", rollout.Train, "42", "trace_0", rollout.Live
				before := rec
				before.Grades = slices.Clone(rec.Grades)
				task[0].Record = &rec
				sink := &list{}
				_, err := w.regrade(t.Context(), nil, task, sink)
				w.check(err)
				want := c.want
				want.Item, want.Split, want.Answer, want.TraceID, want.Source = "q0", rollout.Train, "42", "trace_0", rollout.Live
				if d := cmp.Diff(&want, sink.records[0]); d != "" {
					t.Errorf("record (-want +got):\n%s", d)
				}
				if d := cmp.Diff(before, rec); d != "" {
					t.Errorf("the task's own record was changed:\n%s", d)
				}
			})
		})
	}
}

func TestARolloutKeepsItsTimesAndAProbeGetsItsOwn(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.cfg.Concurrency = 1
		w.cfg.Retry = limit.Retry{Max: 1}
		failed := map[string]bool{}
		w.grade = func(r gradeRequest) reply {
			if !failed[r.Trace] {
				failed[r.Trace] = true
				return fails(503)
			}
			return reply{body: `{"score":1}`, wait: 3 * time.Second}
		}
		all := tasks(2, 1)
		all[1].Record.Source, all[1].Record.Probe = rollout.Probe, &rollout.ProbeInfo{Name: "p", Expect: rollout.Bottom}
		sink := &list{}
		stats, err := w.regrade(t.Context(), nil, all, sink)
		w.check(err)
		for _, r := range sink.records {
			want, retries, started := time.Hour, 2, false
			if r.Source == rollout.Probe {
				want, retries, started = 3*time.Second, 1, true
			}
			if time.Duration(r.Elapsed) != want || r.Retries != retries || r.Started.IsZero() == started {
				t.Errorf("%s: elapsed %v, %d retries, started %v", r.Source, time.Duration(r.Elapsed), r.Retries, r.Started)
			}
		}
		stats.Boundaries = nil
		want := sampler.Stats{Rollouts: 2, Begun: 2, Recorded: 2, Outcomes: map[rollout.Outcome]int{rollout.Graded: 2}, Retries: map[string]int{"grader": 2}, Elapsed: 6 * time.Second}
		if d := cmp.Diff(want, stats); d != "" {
			t.Errorf("stats (-want +got):\n%s", d)
		}
	})
}

func TestRegradingObeysTheBoundsOfSampling(t *testing.T) {
	errBroken := errors.New("rollouts.jsonl:7: broken JSON")
	judged := func(tokens int) func(*world) {
		return func(w *world) {
			w.judge = func(int) reply {
				return reply{body: fmt.Sprintf(`{"status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"{\"steps\":[],\"result\":1}"}]}],"usage":{"input_tokens":%d,"output_tokens":0}}`, tokens), wait: time.Second}
			}
		}
	}
	for _, c := range []struct {
		why      string
		setup    func(*world)
		end      error // of the tasks
		stop     string
		by       sampler.StoppedBy
		err      string
		recorded func(n int) bool
	}{
		{"all of them", func(*world) {}, nil, "", "", "", func(n int) bool { return n == 40 }},
		{"the budget counts outputs", func(w *world) { w.cfg.Budget = limit.NewBudget(limit.Bounds{Rollouts: 9}) }, nil, "", sampler.StoppedByBudget, "", func(n int) bool { return n == 9 }},
		{"the budget counts a judge's tokens", func(w *world) {
			judged(100)(w)
			w.cfg.Budget, w.cfg.Concurrency = limit.NewBudget(limit.Bounds{Tokens: 1000}), 1
		}, nil, "", sampler.StoppedByBudget, "", func(n int) bool { return n == 10 }},
		{"drained", func(*world) {}, nil, "drain", sampler.StoppedByDrain, "", func(n int) bool { return n >= 4 && n <= 12 }},
		{"canceled", func(*world) {}, nil, "cancel", sampler.StoppedByCancel, "canceled", func(n int) bool { return n >= 4 && n < 12 }},
		{"no more tasks can be read", func(*world) {}, errBroken, "", sampler.StoppedByError, errBroken.Error(), func(n int) bool { return n == 40 }},
		{"nothing listens", func(w *world) { w.refuseDial["grader.test"] = true }, nil, "", sampler.StoppedByError, "does not answer", func(n int) bool { return n == 0 }},
		{"the key is refused", func(w *world) { w.grade = func(gradeRequest) reply { return fails(401) } }, nil, "", sampler.StoppedByError, "check the key", func(n int) bool { return n == 0 }},
	} {
		t.Run(c.why, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.cfg.Concurrency = 4
				w.grade = func(gradeRequest) reply { return reply{body: `{"score":1}`, wait: time.Second} }
				c.setup(w)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				drain := make(chan struct{})
				sink := &list{after: func(n int) {
					switch {
					case n == 4 && c.stop == "drain":
						close(drain)
					case n == 4 && c.stop == "cancel":
						cancel()
					}
				}}
				stats, err := sampler.Regrade(ctx, sampler.RegradeOptions{
					Config: w.cfg, Tasks: feed(tasks(40, 1), c.end), Total: 40, Grader: w.serve().Grader,
					Sink: sink, Drain: drain,
				})
				if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) || stats.StoppedBy != c.by {
					t.Errorf("stopped by %q, error %v", stats.StoppedBy, err)
				}
				if n := len(sink.records); !c.recorded(n) || n != stats.Recorded || stats.Rollouts != 40 || stats.ToolCalls != 0 {
					t.Errorf("%d records, stats %+v", n, stats)
				}
				if n := w.busiest(); n > 4 {
					t.Errorf("%d requests at once", n)
				}
			})
		})
	}
}

func TestTasksAreTakenAsWorkersAreFree(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		taken, most := 0, 0
		var recorded atomic.Int64
		sink := &list{after: func(int) { recorded.Add(1) }}
		all := func(yield func(sampler.Task, error) bool) {
			for _, task := range tasks(50, 1) {
				taken++
				most = max(most, taken-int(recorded.Load()))
				if !yield(task, nil) {
					return
				}
			}
		}
		w.cfg.Concurrency = 1 // so that what is recorded is the worker's past
		_, err := sampler.Regrade(t.Context(), sampler.RegradeOptions{
			Config: w.cfg, Tasks: all, Grader: w.serve().Grader, Sink: sink,
		})
		w.check(err)
		if most > 3 {
			t.Errorf("%d tasks were taken ahead of the records: one in work, one dealt and one at hand are 3", most)
		}
	})
}

func TestTasksThatCannotBeGraded(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		for _, c := range []struct {
			task sampler.Task
			want string
		}{
			{sampler.Task{Times: 1}, "no record"},
			{sampler.Task{Times: 0, Record: &rollout.Record{Item: "a"}}, "at least 1"},
		} {
			if _, err := w.regrade(t.Context(), nil, []sampler.Task{c.task}, &list{}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		}
		if _, err := sampler.Regrade(t.Context(), sampler.RegradeOptions{
			Config: w.cfg, Tasks: feed(nil, nil), Grader: nil, Sink: &list{},
		}); err == nil {
			t.Error("no grader is no error")
		}
		sink := &list{}
		_, err := w.regrade(t.Context(), nil, []sampler.Task{{Times: 1, Record: &rollout.Record{Item: "a", Split: rollout.Train, Answer: "x"}}}, sink)
		if err != nil || sink.records[0].Outcome != rollout.Graded {
			t.Errorf("an output whose item is not known: %v, %+v", err, sink.records)
		}
	})
}

// A part that fails is repeated by itself: those that have a grade are not asked again.
func TestAPartIsRepeatedByItself(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.cfg.Retry = limit.Retry{Max: 2}
		g := &parts{}
		sink := &list{}
		_, err := sampler.Regrade(t.Context(), sampler.RegradeOptions{
			Config: w.cfg, Tasks: feed(tasks(1, 2), nil), Total: 1, Grader: g, Sink: sink,
		})
		w.check(err)
		if want := []string{"0:0", "0:1", "0:1", "0:1", "1:0", "1:1", "1:1", "1:1"}; !slices.Equal(g.saw, want) {
			t.Errorf("regrade:part was %v, want %v", g.saw, want)
		}
		if r := sink.records[0]; r.Outcome != rollout.GraderFailed || r.Retries != 1+4 || r.JudgeCalls != 8 {
			t.Errorf("outcome %s, %d retries, %d calls of a judge; want none but of the part that fails", r.Outcome, r.Retries, r.JudgeCalls)
		}
	})
}

// parts is a grader of two parts, of which the second one always fails.
type parts struct{ saw []string }

func (p *parts) Grade(ctx context.Context, out sampler.Output) (sum sampler.Grade, err error) {
	for part := range 2 {
		one := gradeFunc(func(context.Context, sampler.Output) (sampler.Grade, error) {
			p.saw = append(p.saw, fmt.Sprintf("%d:%d", out.Regrade, part))
			if part == 0 {
				return sampler.Grade{JudgeCalls: 1}, nil
			}
			return sampler.Grade{JudgeCalls: 1}, &endpoint.Failure{Temporary: true, Err: errors.New("not yet")}
		})
		var g sampler.Grade
		g, _, err = out.GradeBy(ctx, one)
		sum.JudgeCalls += g.JudgeCalls
	}
	return sum, err
}

// Groups are an item's first samples, and the next; each task knows its place. A group comes once its
// last record has been read.
func TestGroups(t *testing.T) {
	var read []*rollout.Record
	for _, r := range []struct {
		item    string
		samples []int
	}{{"a", []int{3, 0}}, {"b", []int{1}}, {"a", []int{2, 1, 5}}, {"b", []int{0}}} {
		for _, n := range r.samples {
			read = append(read, &rollout.Record{Item: r.item, Split: rollout.Train, Sample: n})
		}
	}
	records := func() iter.Seq2[*rollout.Record, error] {
		return func(yield func(*rollout.Record, error) bool) {
			for _, r := range read {
				if !yield(r, nil) {
					return
				}
			}
		}
	}
	var got []string
	for task, err := range sampler.Tasks(nil, records, 2, 3) {
		if err != nil || task.Times != 2 || task.Group[task.Place] != task.Record {
			t.Fatalf("%+v, error %v", task, err)
		}
		var group []string
		for _, r := range task.Group {
			group = append(group, strconv.Itoa(r.Sample))
		}
		got = append(got, fmt.Sprintf("%s%d of %s", task.Record.Item, task.Record.Sample, strings.Join(group, "")))
	}
	want := []string{"a0 of 012", "a1 of 012", "a2 of 012", "a3 of 35", "a5 of 35", "b0 of 01", "b1 of 01"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	fails := func() iter.Seq2[*rollout.Record, error] {
		return func(yield func(*rollout.Record, error) bool) { yield(nil, errors.New("torn")) }
	}
	for task, err := range sampler.Tasks(nil, fails, 1, 3) {
		if err == nil || err.Error() != "torn" {
			t.Errorf("%+v, error %v", task, err)
		}
	}
}
