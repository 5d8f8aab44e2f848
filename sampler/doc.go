// Package sampler makes rollouts: N samples of every item, concurrent,
// bounded, cancellable and resumable.
//
// In: items, a Model, the Tools of the job, a Grader and a Config. Out: one
// rollout.Record for each rollout that ended, passed to one Sink by one goroutine.
// Regrade does the same for gradings alone; its Tasks are recorded or made-up outputs.
// The package knows no wire format: the model, tool and grader endpoints are in the
// packages below, behind the interfaces in boundary.go.
package sampler
