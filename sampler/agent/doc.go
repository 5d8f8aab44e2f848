// Package agent has rollouts made by somebody's own program: a command that is
// started here, or a service.
//
// In: the item of a rollout, its limits, and where the model is to be asked. Out:
// what the agent answered, with as much of its conversation as it tells.
//
// Both ways speak the same JSON: one object in, one out (Request, Result).
package agent
