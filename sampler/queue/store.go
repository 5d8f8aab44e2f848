package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// keepFor is how long the worker goes on storing results after it was asked to stop at once:
// they are paid for.
const keepFor = 5 * time.Second

// keepOn gives results keepFor to be stored after the rollouts were aborted, then calls lose.
func (s *workSession) keepOn(ctx context.Context, over <-chan struct{}, lose func()) {
	if ctx.Err() == nil {
		return
	}
	t := time.NewTimer(keepFor)
	defer t.Stop()
	select {
	case <-t.C:
		lose()
	case <-over:
	}
}

// Append stores a record in the background. Once it is stored, its job is finished and its
// slot is free. A record that is too large is refused.
func (s *workSession) Append(rec *rollout.Record) error {
	body, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	body = s.redact.JSON(body)
	if err := rollout.TooLarge(len(body), s.room); err != nil {
		return err
	}
	s.mu.Lock()
	t := s.tasks[rec.TraceID]
	delete(s.tasks, rec.TraceID)
	s.made++
	if rec.Outcome.Missing() {
		s.missing++
	}
	s.mu.Unlock()
	if t == nil {
		return fmt.Errorf("rollout %s/%s/%d was not requested", rec.Split, rec.Item, rec.Sample)
	}
	s.stores.Go(func() {
		if err := s.store(t, body); err != nil {
			s.c.log.Error("a result was not stored, and its rollout will be made again",
				slog.String("item", rec.Item), slog.Int("sample", rec.Sample),
				slog.String("error", endpoint.Brief(err.Error())))
			s.stop(err)
			return // giveBack returns the job
		}
		s.mu.Lock()
		msg := t.msg
		s.mu.Unlock()
		_ = msg.Ack() // if it is lost, the job comes again, and the planner knows that it is done
		s.c.discard(s.keep, s.names, msg.Headers())
		s.drop(t)
		<-s.slots
	})
	return nil
}

// store stores a result unless its key already has one.
func (s *workSession) store(t *task, body []byte) error {
	it := t.job.Item
	doing := fmt.Sprintf("store the result of rollout %s/%s/%d", it.Split, it.ID, t.job.Sample)
	h := nats.Header{}
	h.Set(deliveryHeader, t.delivery)
	h.Set(workerHeader, s.me.Host+" ("+strconv.Itoa(s.me.PID)+")")
	m, err := s.c.seal(s.keep, s.names, s.names.result(t.key), "result."+string(t.key)+"."+t.delivery, body, h)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	exists, err := s.c.create(s.keep, doing, s.names.results(), m)
	for n := 0; full(apiCode(err)) && pause(s.keep, backoff(n)); n++ { // it is paid for, and someone may make room
		if n == 0 {
			s.c.log.Warn("waiting for the queue", slog.String("for", doing),
				slog.String("error", endpoint.Brief(err.Error())))
		}
		exists, err = s.c.create(s.keep, doing, s.names.results(), m)
	}
	if err != nil || !exists {
		return err
	}
	standing, err := s.standing(t)
	if err != nil || standing == t.delivery {
		return err
	}
	if standing != "" { // if it is gone, ours may be the recorded one: the planner knows
		s.c.discard(s.keep, s.names, m.Header)
	}
	_, err = s.ask(s.keep, workerMessage{Op: opTwice, Key: t.key, Delivery: t.delivery})
	if errors.Is(err, errOver) {
		return nil
	}
	return err
}

// standing returns which delivery of the job the stored result comes from; it is the task's
// own if only the receipt was lost. "" means that the result is gone.
func (s *workSession) standing(t *task) (delivery string, err error) {
	err = s.c.persist(s.keep, "look at a result", func(ctx context.Context) error {
		results, err := s.c.js.Stream(ctx, s.names.results())
		if err != nil {
			return err
		}
		m, err := results.GetLastMsgForSubject(ctx, s.names.result(t.key))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		if err == nil {
			delivery = cmp.Or(m.Header.Get(deliveryHeader), "another")
		}
		return err
	})
	return delivery, err
}
