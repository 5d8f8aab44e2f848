// Package agent serves the gonogo command; its API may change in any release.
//
// It makes rollouts with a user's own program: a command that it starts, or a service.
//
// In: the item of a rollout, its limits, and how to reach the model. Out: the agent's answer, with as
// much of its conversation as it reports.
//
// Commands and services use the same JSON: one object in, one out (Request, Result).
package agent
