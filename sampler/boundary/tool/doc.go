// Package tool serves the gonogo command; its API may change in any release.
//
// It calls the tools of a job over HTTP, in the wire format that a hosted trainer uses.
//
// In: a Config for each tool, and calls of package sampler. Out: what the model
// is shown, as sampler.Result, or a *endpoint.Failure.
package tool
