// Package brief describes a run for its workers.
//
// In: a configuration as it was written, and what it depends on. Out: a [Brief] without secrets,
// which is sent as the description of a queue's plan; on the worker's side, what the run needs and
// is missing or different there.
package brief
