package queue

import (
	"errors"
	"net"
	"testing"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/limit"
)

// What a worker could not connect to, and why, is the same to its planner.
func TestAFailureKeepsItsKindOnTheWire(t *testing.T) {
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	for _, c := range []struct {
		why     string
		err     error
		class   limit.Class
		noFiles bool
	}{
		{"no server", dial(errors.New("connection refused")), limit.Absent, false},
		{"no answer", errors.New("unexpected EOF"), limit.Silent, false},
		{"too many open files", &endpoint.OpenFilesError{Text: "socket: too many open files"}, limit.Limited, true},
	} {
		f := &endpoint.Failure{URL: "http://model.test", Temporary: true, Err: c.err}
		got := sendFailure(f).failure()
		if f.Class() != c.class || got.Class() != c.class || endpoint.OutOfFiles(got) != c.noFiles ||
			got.Error() != f.Error() {
			t.Errorf("%s: %v of class %v became %v of class %v", c.why, f, f.Class(), got, got.Class())
		}
	}
}
