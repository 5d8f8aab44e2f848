// Package tool serves the gonogo command; its API may change in any release.
//
// It calls the tools of a job over HTTP, in the wire format of a hosted trainer.
//
// In: a Config for each tool, and calls of package sampler. Out: what the model sees, as a
// sampler.Result, or an *endpoint.Failure.
package tool
