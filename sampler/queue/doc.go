// Package queue serves the gonogo command; its API may change in any release.
//
// It lets workers in other processes and on other machines make the rollouts of a run, over
// NATS JetStream.
//
// In: the jobs of one sampler.Sample, through a Planner, which is its RemoteMaker; on
// the worker's side its model, tools and grader. Out: the same records that local rollouts
// give, and the state of the workers. The planner is the only writer of the run, and the
// requests of all workers wait in its endpoint queues, so limits, pauses and the breaker
// apply to all workers together.
//
// Delivery is at least once, but a record counts once: a job and its result share a
// key, and each is stored only if its key is free.
package queue
