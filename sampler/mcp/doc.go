// Package mcp calls tools of servers that speak the Model Context Protocol, over
// standard input and output or over HTTP.
//
// In: a Config for each server, and calls of package sampler. Out: the tools that
// the servers list, in the form in which a model is offered them, and what a model
// is shown of their answers, as sampler.Result, or a *sampler.Failure.
//
// The protocol is the official SDK's: versions, sessions, event streams,
// cancellation. Lists and answers are read here, from what the servers wrote: the
// SDK would sort the properties of a schema, which a model sees in their order, and
// refuse an answer for a kind of content that it does not know.
package mcp
