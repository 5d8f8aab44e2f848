// Package queue serves the gonogo command; its API may change in any release.
//
// It has workers in other processes and on other machines make the rollouts of a run, over
// NATS JetStream.
//
// In: the jobs of one sampler.Sample, through a Planner, which is its RemoteMaker; on
// the other side a worker's model, tools and grader. Out: the same records as those of
// local rollouts, and the state of the workers. The planner remains the only writer of
// the run, and requests of all workers wait in its queues, so limits, pauses and
// the breaker apply to all of them together.
//
// Delivery is at least once, and a record counts once: a job and its result share a
// key, and are stored only if the key is free.
package queue
