// Package burst serves the gonogo command; its API may change in any release.
//
// It rehearses the load of a training step on tools and grader: batch × group rollouts that
// start at the same time.
//
// In: the items of a run and its recorded rollouts, whose calls NewPlan replays in
// order; for tools marked safe without recorded calls, arguments generated from their
// schema; the same tools and grader that sampling uses. Out: a rollout.Burst and its
// requests. Run executes the plan in waves: first every call twice, then 1, 2, 4, …
// rollouts at once, then the whole step. There is no limiter, because the capacity of
// the endpoints is what is measured; only the machine's own limits bound the requests
// in flight. The model is not called.
package burst
