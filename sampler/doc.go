// Package sampler makes rollouts: N samples of every item, concurrent,
// bounded, cancellable and resumable.
//
// In: items, a Model, the Tools of the job, a Grader and a Config. Out: one
// rollout.Record for each rollout that came to an end, handed to one Sink by
// one goroutine. Regrade does the same for gradings alone: in come Tasks, which
// are outputs recorded before or made up. The package knows no wire format:
// model, tool and grader endpoints live in the rooms below, behind the
// interfaces of this file's neighbour, boundary.go.
package sampler
