package sampler

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sort"
	"time"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// Task is an output to grade, either of a recorded rollout or made up.
type Task struct {
	Item   *rollout.Item   // nil stands for an item of which only the id is known
	Record *rollout.Record // what is known; a copy is filled in
	Times  int             // gradings wanted, at least 1

	// Group holds the records of the item that are graded together, this one at Place; nil for a
	// grader that grades each output by itself.
	Group []*rollout.Record
	Place int
}

// Tasks returns the recorded rollouts as tasks, each with its item and the number of gradings, times.
// For a grader that compares the outputs of an item, groupSize is how many: those of the first samples,
// of the next, and so on. It then reads records twice and yields a group's tasks once it has read all of
// them, so memory holds the groups that are still incomplete.
func Tasks(items []rollout.Item, records func() iter.Seq2[*rollout.Record, error], times, groupSize int,
) iter.Seq2[Task, error] {
	if groupSize == 0 {
		return singly(items, records(), times)
	}
	return func(yield func(Task, error) bool) {
		members := make(map[rollout.Key]int)
		for rec, err := range records() {
			if err != nil {
				yield(Task{}, err)
				return
			}
			members[groupOf(rec, groupSize)]++
		}
		groups := make(map[rollout.Key][]Task)
		for task, err := range singly(items, records(), times) {
			if err != nil {
				yield(task, err)
				return
			}
			key := groupOf(task.Record, groupSize)
			group := append(groups[key], task)
			if groups[key] = group; len(group) < members[key] {
				continue
			}
			delete(groups, key)
			sort.Slice(group, func(i, j int) bool { return group[i].Record.Sample < group[j].Record.Sample })
			var together []*rollout.Record
			for _, t := range group {
				together = append(together, t.Record)
			}
			for i, t := range group {
				if t.Group, t.Place = together, i; !yield(t, nil) {
					return
				}
			}
		}
	}
}

// groupOf returns the key of a record's group: Sample counts the item's groups.
func groupOf(r *rollout.Record, size int) rollout.Key {
	key := r.Key()
	key.Sample /= size
	return key
}

// singly returns the recorded rollouts as tasks without groups.
func singly(items []rollout.Item, records iter.Seq2[*rollout.Record, error], times int) iter.Seq2[Task, error] {
	byKey := make(map[rollout.Key]*rollout.Item, len(items))
	for i := range items {
		byKey[rollout.Key{Split: items[i].Split, Item: items[i].ID}] = &items[i]
	}
	return func(yield func(Task, error) bool) {
		for rec, err := range records {
			task := Task{Record: rec, Times: times}
			if err == nil {
				task.Item = byKey[rollout.Key{Split: rec.Split, Item: rec.Item}]
			}
			if !yield(task, err) {
				return
			}
		}
	}
}

// RegradeOptions says what Regrade grades, with what, and where the records go.
type RegradeOptions struct {
	Config                        // RolloutTimeout does not apply
	Tasks  iter.Seq2[Task, error] // read one by one, as workers become free
	Total  int                    // how many tasks there are, for Watch; 0 if unknown
	Grader Grader
	Sink   Sink
	Drain  <-chan struct{} // closed: no further grading starts; nil never closes
	Watch  func(Event)     // as in SampleOptions
}

// Regrade grades recorded outputs and hands a record of each to the sink. It bounds, paces,
// retries, drains and ends as Sample does, with a Task in place of a rollout. An error from o.Tasks
// is returned after the gradings in flight have ended and are recorded.
//
// A copy of the task's record gets the grade; OutputOf makes the output from it. Gradings are
// numbered from len(Record.Grades). If the record has Grades, the new ones are appended and Reward
// remains the first; otherwise Reward is the first new grade, and Grades are set if Times is more
// than 1. Each grading that fails means one grade fewer: the outcome is grader if all fail,
// otherwise Error and Kind report the first failure. Judge and JudgeCalls cover these gradings
// only. A record of the source probe also gets Started, Elapsed and Retries of its gradings; a
// rollout keeps its own and adds to Retries.
func Regrade(ctx context.Context, o RegradeOptions) (Stats, error) {
	cfg, g := o.Config, o.Grader
	if err := cfg.Validate(); err != nil {
		return Stats{}, err
	}
	if g == nil {
		return Stats{}, errors.New("grade: there is no grader")
	}
	s := newSession(cfg, 0, Boundaries{Grader: g})
	s.account = cfg.Budget.Open(gradingAccount, !cfg.Uncounted)
	all := func(yield func(work, error) bool) {
		for t, err := range o.Tasks {
			if err == nil {
				err = t.check()
			}
			if !yield(func(ctx context.Context) (ended, error) { return s.regrade(ctx, t) }, err) {
				return
			}
		}
	}
	return s.run(ctx, o.Drain, o.Total, all, o.Sink, o.Watch)
}

func (t *Task) check() error {
	switch {
	case t.Record == nil:
		return errors.New("grade: a task has no record")
	case t.Times < 1:
		return fmt.Errorf("grade %s/%s/%d: %d gradings are wanted: it must be at least 1", t.Record.Split,
			t.Record.Item, t.Record.Sample, t.Times)
	}
	if t.Item == nil {
		t.Item = &rollout.Item{ID: t.Record.Item, Split: t.Record.Split}
	}
	return nil
}

// regrade runs one task to its end.
func (s *session) regrade(ctx context.Context, t Task) (ended, error) {
	r := &regrading{rec: *t.Record, known: len(t.Record.Grades)}
	r.rec.GroupSize = len(t.Group)
	r.rec.Grades = slices.Clone(t.Record.Grades)
	begun := time.Now()
	took := s.set.Caller(ctx, t.Item, t.Record.TraceID)
	defer took.Arrived()
	out := OutputOf(t.Item, t.Record)
	out.Place = t.Place
	for _, other := range t.Group {
		out.Group = append(out.Group, OutputOf(t.Item, other))
	}
	box, leave, retries, err := s.startSession(ctx, took,
		RolloutSession{TraceID: out.TraceID, Item: t.Item, Sample: t.Record.Sample, Attempt: t.Record.Attempt})
	switch end, ends := errors.AsType[*endpoint.Error](err); {
	case ctx.Err() != nil:
		return ended{leave: anyhow(leave)}, context.Cause(ctx)
	case ends:
		return ended{leave: anyhow(leave)}, end
	}
	out.RolloutSession, r.retries = box, retries
	unopened := err
	for n := range t.Times {
		out.Regrade = r.known + n
		out.Again = out.Again || out.Regrade > 0
		if unopened != nil {
			r.add(grading{}, &GradeError{KindSession, &sessionError{unopened}})
			continue
		}
		g, err := s.grade(ctx, took, out)
		if ctx.Err() != nil {
			return ended{leave: anyhow(leave)}, context.Cause(ctx)
		}
		if end, ok := errors.AsType[*endpoint.Error](err); ok {
			return ended{leave: anyhow(leave)}, end
		}
		r.add(g, err)
	}
	rec := r.settle(t.Times)
	if rec.Source == rollout.Probe {
		rec.Started, rec.Elapsed, rec.Retries = begun, rollout.Seconds(took.Active()), r.retries
	}
	return s.price(ended{record: rec, tokens: judgeTokens(rec), took: took.Active(), leave: anyhow(leave)}), nil
}

// regrading fills in the copy of a task's record.
type regrading struct {
	rec     rollout.Record
	known   int // grades that the record had
	failed  int
	first   error // the first failure
	judged  tally
	calls   int
	retries int
}

func (r *regrading) add(g grading, err error) {
	r.retries += g.retries
	r.calls += g.JudgeCalls
	if g.JudgeCalls > 0 || g.Usage != (rollout.Usage{}) {
		r.judged.add(g.Usage)
	}
	if err != nil {
		if r.failed++; r.first == nil {
			r.first = err
		}
		return
	}
	if len(r.rec.Grades) == 0 {
		r.rec.Parts, r.rec.Clipped = g.Parts, g.Clipped
	}
	r.rec.Clipped = r.rec.Clipped || g.Clipped
	r.rec.Grades = append(r.rec.Grades, g.Reward)
}

// settle makes outcome, reward and error agree.
func (r *regrading) settle(times int) *rollout.Record {
	rec := &r.rec
	why, limited := limitOf(rec)
	rec.Retries += r.retries
	rec.Judge, rec.JudgeCalls = r.judged.sum(), r.calls
	rec.Kind, rec.Reward = "", nil
	if r.failed == times {
		if limited {
			why += thenGrading
		}
		rec.Outcome, rec.Kind, rec.Error = rollout.GraderFailed, gradeKind(r.first), endpoint.Brief(why+r.first.Error())
		rec.Grades, rec.Parts, rec.Clipped = nil, nil, false
		return rec
	}
	reward := rec.Grades[0]
	rec.Reward = &reward
	if r.known == 0 && times == 1 {
		rec.Grades = nil
	}
	switch {
	case limited:
		rec.Outcome, rec.Error = rollout.StepLimit, why
	case rec.Outcome != rollout.NoAnswer:
		rec.Outcome, rec.Error = rollout.Graded, ""
	}
	if r.failed > 0 {
		rec.Kind = gradeKind(r.first)
		text := fmt.Sprintf("%d of %d gradings failed: %v", r.failed, times, r.first)
		if rec.Error != "" {
			text = rec.Error + "; " + text
		}
		rec.Error = endpoint.Brief(text)
	}
	return rec
}
