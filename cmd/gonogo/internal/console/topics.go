package console

import (
	"fmt"
	"io"
	"strings"

	"gonogo/analysis/gate"
	"gonogo/report/plain"
	"gonogo/sampler/audit"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// WriteGates writes the checks behind the verdict, with their parts and thresholds.
func WriteGates(w io.Writer) {
	fmt.Fprintln(w, "Gates, in order: the first that fails is the reason for the verdict; the")
	fmt.Fprintln(w, "worst of the facts below a gate decides it:")
	for _, g := range gate.All() {
		Entry(w, g.Name, g.Doc)
		for _, part := range g.Parts {
			fmt.Fprintf(w, "      %s\n%s", part.Name, plain.Wrap(part.Doc, "          ", 80))
		}
	}
	fmt.Fprintln(w, "\nThresholds (set with --set NAME=VALUE, or under thresholds in gonogo.yaml):")
	for _, t := range gate.All().Thresholds() {
		Entry(w, fmt.Sprintf("%s = %g", t.Name, t.Default), t.Doc)
	}
}

// WriteProbes writes the probes of an audit, by the expected grade.
func WriteProbes(w io.Writer) {
	for _, group := range []struct {
		expect rollout.Expectation
		title  string
	}{
		{rollout.Bottom, "What a sound grader scores near the bottom of the range:"},
		{rollout.Top, "What it scores at the top:"},
		{rollout.Same, "What it scores the same as the recorded rollout that the probe was made from:"},
		{rollout.Note, "For information:"},
	} {
		fmt.Fprintln(w, group.title)
		for _, p := range audit.Probes() {
			if p.Expect == group.expect {
				Entry(w, p.Name, p.Doc)
			}
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w, "Your own probes and detectors go under audit in gonogo.yaml: gonogo help config.")
}

// WriteFailures writes how requests end, and what happens then.
func WriteFailures(w io.Writer) {
	fmt.Fprintln(w, "How requests end, and what that does to them and to their endpoint:")
	for _, r := range limit.Rules() {
		Entry(w, r.Name, r.Doc+". Then: "+strings.Join(r.Then(), "; ")+".")
	}
	fmt.Fprintln(w, "\nA server's Retry-After and its rate limit headers apply to all requests to the endpoint; one "+
		"of more than", limit.Patience, "ends the retries.")
	fmt.Fprintln(w, "Whatever the failures, an endpoint that returns only failures for", limit.Gone,
		"stops the command; one where requests hang or get 429s does so after", limit.Outage,
		"without an answer. A sampling.retry_for of more than that replaces both limits.")
}

// Entry writes a name and, indented below, its text.
func Entry(w io.Writer, name, doc string) {
	fmt.Fprintf(w, "\n  %s\n%s", name, plain.Wrap(doc, "      ", 80))
}
