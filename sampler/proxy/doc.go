// Package proxy stands between agents and the model of a run.
//
// In: the requests that an agent makes to a base URL of its own on loopback, by
// Responses or Chat Completions, streamed or not. Out: the model's answers, as
// they come; and for each rollout what was said, which tools were called, the
// tokens, and how often the model failed. Requests go through the run's limits,
// and carry the run's key, which the agent never sees.
package proxy
