package training

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A log is looked at when it has grown, and no more often; a look that comes too early is no failure.
func TestFollow(t *testing.T) {
	early := Early(errors.New("half a line"))
	broken := errors.New("broken")
	for _, test := range []struct {
		name   string
		grows  []time.Duration // after the start
		look   func(n int) (bool, error)
		looks  int
		lasted time.Duration
		err    error
	}{
		{"ends when a look is done", []time.Duration{15 * time.Second, 47 * time.Second}, func(n int) (bool, error) { return n == 3, nil }, 3, 50 * time.Second, nil},
		{"ends when the log has not grown", []time.Duration{time.Minute}, func(int) (bool, error) { return false, nil }, 2, 31 * time.Minute, nil},
		{"waits while the log is not complete", []time.Duration{15 * time.Second}, func(n int) (bool, error) {
			if n == 1 {
				return false, early
			}
			return true, nil
		}, 2, 20 * time.Second, nil},
		{"an incomplete log that no longer grows fails", nil, func(int) (bool, error) { return false, early }, 1, 30 * time.Minute, early},
		{"any other failure ends it", []time.Duration{15 * time.Second}, func(int) (bool, error) { return false, broken }, 1, 0, broken},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, looks := time.Now(), 0
				f := Follower{
					Every: 10 * time.Second, Idle: 30 * time.Minute,
					State: func() string {
						state := ""
						for _, at := range test.grows {
							if time.Since(began) >= at {
								state += "+"
							}
						}
						return state
					},
					Look: func(context.Context) (bool, error) {
						looks++
						return test.look(looks)
					},
				}
				err := f.Follow(t.Context())
				if looks != test.looks || time.Since(began) != test.lasted || !errors.Is(err, test.err) {
					t.Errorf("%d looks in %s: %v; want %d in %s: %v", looks, time.Since(began), err, test.looks, test.lasted, test.err)
				}
			})
		})
	}
}

func TestFollowEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		f := Follower{Every: 10 * time.Second, Idle: time.Hour, State: func() string { return "" }, Look: func(context.Context) (bool, error) { return false, nil }}
		if err := f.Follow(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}
