// Package model serves the gonogo command; its API may change in any release.
//
// It asks OpenAI-compatible endpoints for the next turn of a rollout, and judges for grades.
//
// In: a Config, and requests of package sampler. Out: sampler.Reply, sampler.Completion and
// *endpoint.Failure. It speaks two wire formats, Responses and Chat Completions, with any base URL.
//
// Requests go through the raw API of the official SDK, github.com/openai/openai-go/v3: its typed
// structs take more time than a local server needs to answer, and drop unknown fields. The SDK's own
// retries are off, and it reads nothing from the environment. The policy model is never sent seed and
// n: equal seeds make equal samples, and samples of one request can share only their first turn.
package model
