package endpoint

import (
	"context"
	"errors"
	"testing"

	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// A request that was not let in says nothing about its endpoint.
func TestARequestThatIsNotLetInIsNoAnswer(t *testing.T) {
	s := New(Config{Limits: func(string) limit.Limits { return limit.Limits{} }, GiveUp: func(*Error, bool) {}})
	defer s.Close()
	full := errors.New("no place")
	r := Request{Endpoint: Model, Enter: func(context.Context) (func(), error) { return nil, full }}
	_, err := s.Caller(t.Context(), &rollout.Item{ID: "a"}, "t").Do(t.Context(), r, func(context.Context, *Try) error {
		t.Error("it was made")
		return nil
	})
	if c := &s.endpoint(Model).contact; !errors.Is(err, full) || c.there || c.works || c.isOpen() {
		t.Errorf("%v; the endpoint counts as there: %v, works: %v, open: %v", err, c.there, c.works, c.isOpen())
	}
}

func TestARequestThatEndsNothing(t *testing.T) {
	s := New(Config{Limits: func(string) limit.Limits { return limit.Limits{} }, GiveUp: func(*Error, bool) { t.Error("the run ended") }})
	defer s.Close()
	c := s.Caller(t.Context(), &rollout.Item{ID: "a"}, "t")
	given := &Error{Boundary: Model, Err: errors.New("gone")}
	if err := c.Ended(Model, given); !errors.Is(err, given) {
		t.Errorf("an endpoint that was given up: %v", err)
	}
	if err := c.Ended(Model, &Failure{Status: 400, Err: errors.New("no")}); err != nil {
		t.Errorf("a refused request: %v", err)
	}
}

// A run takes up new rollouts only while those that it took up find their way into a queue: beyond
// eight on the way, another one would only hold memory. That holds at an endpoint without a queue yet.
func TestRolloutsOnTheWayToAQueueAreFew(t *testing.T) {
	s := New(Config{Limits: func(string) limit.Limits { return limit.Limits{} }, GiveUp: func(*Error, bool) {}})
	defer s.Close()
	for n := 1; n <= 9; n++ {
		s.Begin()
		if got, want := s.Crowded(), n >= 8; got != want {
			t.Errorf("%d rollouts on the way: crowded %v, want %v", n, got, want)
		}
	}
	for n := 8; n >= 7; n-- {
		s.Forget()
		if got, want := s.Crowded(), n >= 8; got != want {
			t.Errorf("one reached its queue, %d are left: crowded %v, want %v", n, got, want)
		}
	}
}
