// Package burst rehearses the load that a training step puts on tools and
// grader: batch × group rollouts that start at once.
//
// In: the items of a run and its recorded rollouts, from which NewPlan takes
// the calls of each rollout in their order, or, of tools marked safe that
// nothing was recorded of, arguments made by their schema; the same tools and
// grader that sampling asks. Out: a rollout.Burst and its requests. Run plays
// the plan in waves: first every call twice, then 1, 2, 4, … rollouts at once,
// then the step itself. No limiter stands in its way, because what the endpoints
// bear is what is measured; the requests in flight are bounded by what the
// machine can open alone. The model is not asked.
package burst
