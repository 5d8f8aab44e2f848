// Package queue has the rollouts of a run made by workers in other processes and
// on other machines, over NATS JetStream.
//
// In: the jobs of one sampler.Sample, through a Planner, which is its Elsewhere;
// at the other end what a worker brings: its model, tools and grader. Out: the
// same records as of rollouts made here, and what the workers do. The planner
// stays the one writer of the run, and its lines the one place where requests of
// all workers wait, so that limits, pauses and the breaker hold for all together.
//
// Delivery is at least once, a record counts once: a job and its result stand
// under one key, and are stored only where none stands.
package queue
