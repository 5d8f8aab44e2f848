package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/docs"
	"gonogo/fixtures"
	"gonogo/report"
	"gonogo/report/chart"
	"gonogo/sampler/audit"
	"gonogo/sampler/grader"
	"gonogo/sampler/importer"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// topic is one page of documentation that the code itself carries.
type topic struct {
	Name  string
	Doc   string
	print func(io.Writer)
}

// topics lists the pages of `gonogo help`.
func topics() []topic {
	list := []topic{
		{"words", "what item, rollout, reward, group and the rest mean", func(w io.Writer) {
			for _, x := range docs.Words() {
				entry(w, x.Word, x.Meaning)
			}
		}},
		{"gates", "the checks behind the verdict, and their thresholds", printGates},
		{"config", "the keys of gonogo.yaml", func(w io.Writer) { fmt.Fprint(w, config.Help()) }},
		{"schema", "the JSON Schema of gonogo.yaml, for editors", func(w io.Writer) { fmt.Fprintf(w, "%s\n", config.Schema()) }},
		{"prices", "the built-in list of published prices", func(w io.Writer) { fmt.Fprint(w, analysis.PriceListText()) }},
		{"graders", "the kinds of grader that can be run", func(w io.Writer) {
			for _, k := range grader.Kinds() {
				entry(w, k.Name, k.Doc)
			}
		}},
		{"probes", "what the audit puts to the grader", printProbes},
		{"failures", "how requests fail, and what happens then", printFailures},
		{"formats", "logs that can be imported, and reports that can be written", func(w io.Writer) {
			fmt.Fprintln(w, "gonogo import reads:")
			for _, f := range importer.Formats() {
				entry(w, f.Name, f.Doc)
			}
			fmt.Fprintln(w, "\ngonogo export RUN --format NAME writes:")
			for _, f := range exportFormats() {
				entry(w, f.name, f.doc)
			}
			fmt.Fprintln(w, "\ngonogo report writes:")
			for _, f := range report.Formats() {
				entry(w, strings.TrimSuffix(f.Name+", "+f.File, ", "), f.Doc)
			}
			fmt.Fprintln(w, "\ngonogo compare BASE NEW -o DIR writes:")
			for _, f := range report.ComparisonFormats() {
				entry(w, f.Name+", "+f.File, f.Doc)
			}
			fmt.Fprintln(w, "\nresult.json, in the run directory, keeps to the JSON Schema that gonogo help result prints.")
		}},
		{"charts", "the pictures of the report", func(w io.Writer) {
			for _, c := range chart.Charts() {
				entry(w, c.Name, c.Doc+" How to read it: "+c.Read)
			}
			fmt.Fprintln(w, "\nOf a comparison (gonogo compare):")
			for _, c := range chart.Comparisons() {
				entry(w, c.Name, c.Doc+" How to read it: "+c.Read)
			}
		}},
		{"worlds", "the worlds of gonogo demo and the templates of gonogo init", printWorlds},
	}
	for _, schema := range docs.Schemas() {
		list = append(list, topic{schema.Topic, "the JSON Schema of " + schema.Doc, func(w io.Writer) { fmt.Fprintf(w, "%s", schema.JSON) }})
	}
	return list
}

func helpCommand() *cli.Command {
	lines := ui.Names(topics(), func(t topic) string { return fmt.Sprintf("   %-10s %s", t.Name, t.Doc) })
	return &cli.Command{
		Name:        "help",
		Usage:       "print documentation on a topic, or the help of a command",
		ArgsUsage:   "[TOPIC|COMMAND]",
		Description: "Topics:\n" + strings.Join(lines, "\n") + "\n\nExample:\n   gonogo help gates",
		Action: func(c *cli.Context) error {
			name := c.Args().First()
			if name == "" {
				return cli.ShowAppHelp(c)
			}
			var names []string
			for _, t := range topics() {
				if t.Name == name {
					t.print(c.App.Writer)
					return nil
				}
				names = append(names, t.Name)
			}
			if c.App.Command(name) != nil {
				return cli.ShowCommandHelp(c, name)
			}
			return exit.Usagef("there is no topic or command %q%s; topics are %s", name, ui.DidYouMean(name, append(names, commandNames()...)), strings.Join(names, ", "))
		},
	}
}

func printGates(w io.Writer) {
	fmt.Fprintln(w, "Gates, in the order in which the first that fails is the reason of the verdict; the")
	fmt.Fprintln(w, "worst of the facts below a gate decides it:")
	for _, g := range gate.All() {
		entry(w, g.Name, g.Doc)
		for _, part := range g.Parts {
			fmt.Fprintf(w, "      %s\n%s", part.Name, ui.Wrap(part.Doc, "          ", 80))
		}
	}
	fmt.Fprintln(w, "\nThresholds (set with --set NAME=VALUE, or under thresholds in gonogo.yaml):")
	for _, t := range gate.Thresholds() {
		entry(w, fmt.Sprintf("%s = %g", t.Name, t.Default), t.Doc)
	}
}

func printProbes(w io.Writer) {
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
				entry(w, p.Name, p.Doc)
			}
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w, "Your own probes and detectors go under audit in gonogo.yaml: gonogo help config.")
}

func printFailures(w io.Writer) {
	fmt.Fprintln(w, "How requests end, and what that does to them and to their endpoint:")
	for _, r := range limit.Rules() {
		entry(w, r.Name, r.Doc+". Then: "+strings.Join(r.Then(), "; ")+".")
	}
	fmt.Fprintln(w, "\nA server's Retry-After and its rate limit headers apply to all requests to the endpoint; one of more than", limit.Patience, "ends the retries.")
	fmt.Fprintln(w, "Whatever the failures, an endpoint that gives no answer for", limit.Outage, "or, if that is longer, for sampling.retry_for stops the command.")
}

// entry prints a name and, indented below, its text.
func entry(w io.Writer, name, doc string) {
	fmt.Fprintf(w, "\n  %s\n%s", name, ui.Wrap(doc, "      ", 80))
}

// worldNames lists the worlds by their names alone.
func worldNames() string {
	var b strings.Builder
	for _, g := range fixtures.Groups() {
		names := ui.Names(g.Worlds, func(w fixtures.World) string { return w.Name })
		b.WriteString(ui.Wrap(g.Title, "", 80) + ui.Wrap(strings.Join(names, ", "), "   ", 80))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// printWorlds says what each world is and what its verdict is.
func printWorlds(w io.Writer) {
	for i, g := range fixtures.Groups() {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, g.Title)
		for _, world := range g.Worlds {
			doc := world.Doc
			if world.Like != "" {
				doc = world.Like + ". " + doc
			}
			entry(w, world.Name, fmt.Sprintf("%s Verdict: %s.", doc, world.Outcome()))
		}
	}
	fmt.Fprintln(w, "\ngonogo demo --world NAME runs one. docs/worlds.md shows pictures of the first ones.")
}
