package sampler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/internal/reported"
	"gonogo/sampler/rollout"
)

// episode is one rollout in progress.
type episode struct {
	*session
	todo  Rollout
	trace string
	by    *endpoint.Caller
	begun time.Time
	turns []Turn
	sent  EncodedTurns
	freed int // turns whose Carry has been dropped
	steps int // function calls + model turns
	usage tally
	rec   *rollout.Record
	box   *RolloutSession // nil without isolation
	look  lookout
}

// ending is how a conversation ended, before grading.
type ending struct {
	outcome rollout.Outcome // Graded if there is an answer to grade
	finish  rollout.Finish  // how the model's last reply ended
	text    string          // the text to grade; "" if there is none
	why     string          // the cause, if outcome is not Graded
}

// rollout runs one rollout to its end. It alternates the model and the tools until the model answers or
// a limit is reached, and has the answer graded. The error is ctx's, or the *endpoint.Error that
// ends the run; then there is no record, unless there is already an answer, which is recorded
// without its grade. All other failures are outcomes. Call leave once the record is written, and
// also after an error. Neither leave nor the start of a session counts as time of the rollout.
func (s *session) rollout(ctx context.Context, todo Rollout) (rec *rollout.Record, leave func(), err error) {
	e := s.begin(todo)
	outer := s.set.Caller(ctx, todo.Item, e.trace)
	defer outer.Arrived()
	leave, err = e.enter(ctx, outer)
	e.by = outer.Until(ctx, s.cfg.RolloutTimeout, nil)
	defer e.by.Stop()
	inner := e.by.Context()
	if err == nil {
		err = e.play(inner)
		e.inspect(ctx)
	}
	var b *boundaryError
	switch {
	case err == nil: // it ended, even if the run has ended meanwhile
	case errors.As(err, &b) && b.outcome == rollout.GraderFailed && (ctx.Err() != nil || b.ends() != nil):
		e.ungraded("grading was interrupted: " + b.err.Error()) // the answer is paid for
	case ctx.Err() != nil:
		return nil, leave, context.Cause(ctx)
	case errors.As(err, &b) && b.ends() != nil:
		return nil, leave, b.ends()
	case errors.As(err, &b):
		e.lost(b, inner.Err() != nil)
	}
	e.rec.Usage = e.usage.sum()
	e.rec.Elapsed = rollout.Seconds(e.by.Active())
	return e.withoutSessionSecrets(e.rec), leave, nil
}

func (s *session) begin(todo Rollout) *episode {
	it := todo.Item
	trace := s.name(s.seed, it.Split, it.ID, todo.Sample, todo.Attempt)
	now := time.Now()
	rec := &rollout.Record{
		Item: it.ID, Split: it.Split, Category: it.Category, Family: it.Family,
		Sample: todo.Sample, Attempt: todo.Attempt, Source: rollout.Live,
		TraceID: trace, Started: now,
	}
	return &episode{
		session: s, todo: todo, trace: trace, begun: now, rec: rec,
		look: lookout{rollout.Canary(trace), it.Row, rec},
	}
}

// boundaryError says which endpoint ended a rollout.
type boundaryError struct {
	outcome rollout.Outcome
	err     error
}

func (b *boundaryError) Error() string { return b.err.Error() }
func (b *boundaryError) Unwrap() error { return b.err }

// ends returns the error if it ends the run and not only the rollout, else nil.
func (b *boundaryError) ends() error {
	var end *endpoint.Error
	if errors.As(b.err, &end) {
		return end
	}
	return nil
}

// lost records a rollout that failed at a boundary.
func (e *episode) lost(b *boundaryError, late bool) {
	text := b.err.Error()
	if late {
		text = fmt.Sprintf("the rollout did not end within %v, waiting for the %s", e.cfg.RolloutTimeout, b.outcome)
	}
	if e.rec.Outcome == rollout.StepLimit {
		text = e.rec.Error + thenGrading + text
	}
	switch {
	case b.outcome == rollout.GraderFailed:
		e.rec.Kind = gradeKind(b.err)
	case notStarted(b.err):
		e.rec.Kind = KindSession
	default:
		if agentErr, ok := errors.AsType[*AgentError](b.err); ok {
			e.rec.Kind = agentErr.Kind
		}
	}
	e.rec.Outcome, e.rec.Error = b.outcome, endpoint.Brief(text)
}

// play holds the conversation and has the answer graded.
func (e *episode) play(ctx context.Context) error {
	carry := e.converse
	if e.b.Agent != nil {
		carry = e.attend
	}
	end, err := carry(ctx)
	if err != nil {
		return err
	}
	e.rec.Outcome, e.rec.Error, e.rec.Finish = end.outcome, endpoint.Brief(end.why), end.finish
	if end.text == "" && !e.paid(reported.Of(e.rec).Known()) {
		return nil
	}
	e.rec.Answer = end.text
	return e.grade(ctx)
}

// converse alternates the model and the tools until something ends the conversation.
func (e *episode) converse(ctx context.Context) (ending, error) {
	for {
		if limit := e.cfg.MaxSteps; limit > 0 && e.steps >= limit {
			return e.limited("max_steps", limit), nil
		}
		reply, err := e.reply(ctx)
		if err != nil {
			return ending{}, &boundaryError{rollout.ModelAPI, err}
		}
		if TooLong(reply.CutOff) {
			return refusedRequest(reply.CutOff, len(e.turns)), nil
		}
		if end, over := conclude(reply); over {
			return end, nil
		}
		if limit := e.cfg.MaxSteps; limit > 0 && e.steps+len(reply.Calls) > limit {
			return e.limited("max_steps", limit), nil
		}
		if limit := e.cfg.MaxToolCalls; limit > 0 && len(e.rec.Calls)+len(reply.Calls) > limit {
			return e.limited("max_tool_calls", limit), nil
		}
		if err := e.callTools(ctx, reply.Calls); err != nil {
			return ending{}, &boundaryError{rollout.ToolFailed, err}
		}
	}
}

// reply asks the model for its next turn and records it.
func (e *episode) reply(ctx context.Context) (Reply, error) {
	req := Request{Item: e.todo.Item, Turns: e.turns, RequestID: requestID(e.trace, len(e.turns)), Encoded: &e.sent}
	var reply Reply
	r := endpoint.Request{Endpoint: endpoint.Model, Name: req.RequestID, Timeout: e.cfg.ModelTimeout}
	retries, err := e.by.Do(ctx, r, func(ctx context.Context, t *endpoint.Try) (err error) {
		req.Try = t
		reply, err = e.b.Model.Reply(ctx, req)
		t.Used(reply.Usage)
		return err
	})
	e.rec.Retries += retries
	if err != nil || TooLong(reply.CutOff) {
		return reply, err
	}
	for ; e.freed < e.sent.Turns; e.freed++ {
		e.turns[e.freed].Reply.Carry = nil // it is encoded in sent, and holds the whole answer
	}
	e.blank(&reply.Text, &reply.Refusal, &reply.Reasoning)
	e.steps++
	e.rec.Turns++
	e.usage.add(reply.Usage)
	e.rec.Served = cmp.Or(reply.Served, e.rec.Served)
	e.turns = append(e.turns, Turn{Reply: reply})
	e.rec.Messages = append(e.rec.Messages, rollout.Message{
		Role: "assistant", Content: reply.Text, Refusal: reply.Refusal, Reasoning: reply.Reasoning,
		ToolCalls: reply.Calls,
	})
	e.look.inMessages(e.rec.Messages[len(e.rec.Messages)-1:], atModel)
	return reply, nil
}

// conclude reports whether a reply ends the conversation, and how. A reply that was cut off, a
// refusal, an empty answer and a turn with neither a message nor a call are the model's own
// failures.
func conclude(r Reply) (ending, bool) {
	blank := strings.TrimSpace(r.Text) == ""
	switch {
	case r.CutOff != "":
		return ending{outcome: rollout.NoAnswer, finish: r.Finish, why: "the reply was cut off: " + r.CutOff}, true
	case r.Refusal != "":
		return ending{outcome: rollout.NoAnswer, finish: rollout.FinishRefusal, why: "the model refused: " +
			r.Refusal}, true
	case r.Final && !blank:
		return ending{outcome: rollout.Graded, finish: r.Finish, text: r.Text}, true
	case r.Final:
		return ending{outcome: rollout.NoAnswer, finish: rollout.FinishEmpty, why: "the answer is empty"}, true
	case len(r.Calls) == 0:
		return ending{
			outcome: rollout.NoAnswer, finish: rollout.FinishEmpty,
			why: "the reply has neither a message nor a tool call",
		}, true
	}
	return ending{}, false
}

// limited ends a conversation that used up a limit. The text of the last reply, if any, is graded.
// Calls that would exceed the limit are not made. It is not documented which reward a trainer gives
// here; an outcome of its own keeps the case visible.
func (e *episode) limited(name string, limit int) ending {
	last := e.turns[len(e.turns)-1].Reply
	text := last.Text
	if strings.TrimSpace(text) == "" {
		text = ""
	}
	return ending{
		outcome: rollout.StepLimit, finish: last.Finish, text: text,
		why: fmt.Sprintf("%s of %d reached", name, limit),
	}
}

// ungraded records an answer without its grade.
func (e *episode) ungraded(why string) {
	if e.rec.Outcome == rollout.StepLimit {
		why = e.rec.Error + thenGrading + why
	}
	e.rec.Outcome, e.rec.Kind, e.rec.Error = rollout.GraderFailed, rollout.KindUngraded, endpoint.Brief(why)
}

// holdAfter is how long a grading may take before the answer is recorded without its grade. A kill
// loses answers that have waited less than that, as it loses rollouts that are not complete. Each
// held answer doubles what its rollout writes.
const holdAfter = 10 * time.Second

// hold records the answer if its grade does not come soon: a grader may take minutes, and a kill
// meanwhile must not waste what the model cost. Call over when the grade is known, or never will
// be.
func (e *episode) hold() (over func()) {
	if e.held == nil {
		return func() {}
	}
	c := *e
	rec := *e.rec
	c.rec = &rec
	c.ungraded("grading had not ended")
	rec.Usage = e.usage.sum()
	written := make(chan struct{})
	t := time.AfterFunc(holdAfter, func() {
		defer close(written)
		taken := make(chan bool)
		e.held <- ended{record: e.withoutSessionSecrets(&rec), held: true, taken: taken}
		<-taken
	})
	return func() {
		if !t.Stop() {
			<-written
		}
	}
}

// grade has the answer graded.
func (e *episode) grade(ctx context.Context) error {
	if e.b.GroupSize > 0 {
		e.ungraded("its group is graded together")
		return nil
	}
	out := OutputOf(e.todo.Item, e.rec)
	out.RolloutSession = e.box
	over := e.hold()
	g, err := e.session.grade(ctx, e.by, out)
	over()
	e.rec.Retries += g.retries
	e.rec.Judge, e.rec.JudgeCalls = g.Usage, g.JudgeCalls
	if err != nil {
		return &boundaryError{rollout.GraderFailed, err}
	}
	e.rec.Reward, e.rec.Parts, e.rec.Clipped = &g.Reward, g.Parts, g.Clipped
	return nil
}
