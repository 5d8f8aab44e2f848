package endpoint

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"gonogo/sampler/limit"
)

// Failure is a failure of an endpoint.
type Failure struct {
	URL    string // which endpoint, without query and credentials
	Status int    // HTTP status; 0 if no answer came
	// the status that Status stands for, if another: one that a proxy hid in the body of a success,
	// or 413 for a 429 that no retry can pass; else 0
	Hidden     int
	Temporary  bool          // worth another try
	RetryAfter time.Duration // delay that the server asked for; 0 if it did not
	Fatal      bool          // other rollouts will most likely fail too: a missing or refused key, an unknown model
	Err        error
}

// Error names the endpoint, the status and the cause.
func (f *Failure) Error() string {
	switch {
	case f.Status != 0:
		return fmt.Sprintf("%s: status %d: %v", f.URL, f.Status, f.Err)
	case f.URL != "":
		return fmt.Sprintf("%s: %v", f.URL, f.Err)
	}
	return f.Err.Error()
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// AsFailure returns the *Failure in err's chain, if there is one.
func AsFailure(err error) (*Failure, bool) {
	var f *Failure
	ok := errors.As(err, &f)
	return f, ok
}

// Class returns the row of limit.Rules that a failure belongs to.
func (f *Failure) Class() limit.Class {
	c := limit.ClassOf(cmp.Or(f.Hidden, f.Status))
	switch {
	case f.Fatal:
		return limit.Refused
	case OutOfFiles(f.Err): // fewer at once can be made
		return limit.Limited
	case c == limit.Served && f.Temporary:
		return limit.Unusable
	case c == limit.Served:
		return limit.Refused
	case f.Temporary && !c.Rule().Retryable: // the server itself says that a retry may succeed
		return limit.Unavailable
	case c == limit.Silent && Unreachable(f.Err):
		return limit.Absent
	}
	return c
}

// triedError is the failure of a request that is part of a try, after its own retries: the try is
// not repeated for it.
type triedError struct{ error }

// Unwrap returns the failure.
func (e *triedError) Unwrap() error { return e.error }
