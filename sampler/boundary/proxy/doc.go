// Package proxy serves the gonogo command; its API may change in any release.
//
// It forwards an agent's requests to the model of a run.
//
// In: the requests that an agent makes to its own base URL on loopback, in the format of Responses or
// Chat Completions, streamed or not. Out: the model's answers, as they arrive; and for each rollout its
// conversation, tool calls and tokens, and how often the model failed. Requests obey the run's limits
// and carry the run's key, which the agent never sees.
package proxy
