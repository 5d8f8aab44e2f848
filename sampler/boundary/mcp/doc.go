// Package mcp serves the gonogo command; its API may change in any release.
//
// It calls tools of servers that speak the Model Context Protocol, over standard input and output or
// over HTTP.
//
// In: a Config for each server, and calls of package sampler. Out: the tools that the servers list,
// in the format in which they are offered to a model, and their answers, as a sampler.Result or an
// *endpoint.Failure.
//
// The official SDK implements the protocol: versions, sessions, event streams, cancellation. This
// package parses lists and answers itself, from the servers' original bytes: the SDK would sort the
// properties of a schema, whose order the model sees, and reject an answer with an unknown type of
// content.
package mcp
