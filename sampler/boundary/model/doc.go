// Package model serves the gonogo command; its API may change in any release.
//
// It asks OpenAI-compatible endpoints for the next turn of a rollout, and judges for grades.
//
// In: a Config, and requests of package sampler. Out: sampler.Reply,
// sampler.Completion and *endpoint.Failure. Two wire formats, Responses and Chat
// Completions, against any base URL.
//
// Requests go through the raw API of the official SDK, github.com/openai/openai-go/v3:
// its typed structs cost more time than a local server needs to answer, and drop unknown
// fields. The SDK's own retries are off, and it reads nothing from the environment. Never
// sent: seed and n of the policy model, because equal seeds make equal samples, and
// samples that share a request share nothing but their first turn.
package model
