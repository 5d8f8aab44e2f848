// Package brief is what the planner of a run tells its workers.
//
// In: a configuration as it was written, and what it depends on. Out: a [Brief] without
// secrets, which travels as the description of a queue's plan; on the other side, what of the
// run is missing or different there.
package brief
