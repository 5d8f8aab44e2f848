package endpoint

import (
	"context"

	"gonogo/sampler/limit"
)

// Queue is where the requests of a run wait for their turn, in one line per endpoint,
// first come, first served. It learns how each ended. A Set is one; a worker's is its
// planner's. Safe for concurrent use.
type Queue interface {
	// Enter waits until a request may be made. leave ends it and is called once. The error
	// is ctx's, or the *Error of an endpoint that was given up.
	Enter(ctx context.Context, endpoint string) (leave func(Outcome), err error)
	// Rest notes that a request has failed and will be repeated; rise, which is called
	// once, that it is due.
	Rest(endpoint string) (rise func())
	// Arrived notes that the rollout has reached its first line, or has ended without
	// one.
	Arrived(traceID string)
}

// Outcome is how a request ended. The zero value says nothing about its endpoint.
type Outcome struct {
	Result  limit.Result
	Fault   limit.Fault // what the endpoint's breaker hears; that of class Void is nothing
	Failure *Failure    // never nil where Fault is one that opens a breaker
	Cause   string      // of the failure, for people
}
