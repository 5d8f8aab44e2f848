package endpoint

import (
	"context"

	"gonogo/sampler/limit"
)

// Queue is where the requests of a run wait for their turn, one queue per endpoint, first come,
// first served. It learns the outcome of each. A Set is a Queue; a worker uses its planner's. It is
// safe for concurrent use.
type Queue interface {
	// Enter waits until a request may be made. leave ends the request and is called once. The error
	// is ctx's, or the *Error of an endpoint that was given up.
	Enter(ctx context.Context, endpoint string) (leave func(Outcome), err error)
	// Rest notes that a request has failed and will be retried; rise, which is called once, notes
	// that it is due.
	Rest(endpoint string) (rise func())
	// Arrived notes that the rollout has entered its first queue, or has ended without one.
	Arrived(traceID string)
}

// Outcome is how a request ended. The zero value says nothing about its endpoint.
type Outcome struct {
	Result  limit.Result
	Fault   limit.Fault // for the endpoint's breaker, which ignores the class Void
	Failure *Failure    // never nil if Fault can trip a breaker
	Cause   string      // of the failure, for readers
}
