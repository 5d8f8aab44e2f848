package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"gonogo/analysis/price"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/docs"
	"gonogo/report"
	"gonogo/report/chart"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/input/spelling"
	"gonogo/sampler/logs/importer"
)

// topic is a page of built-in documentation.
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
				console.Entry(w, x.Word, x.Meaning)
			}
		}},
		{"gates", "the checks behind the verdict, and their thresholds", console.WriteGates},
		{"config", "the keys of gonogo.yaml", func(w io.Writer) { fmt.Fprint(w, config.Help()) }},
		{
			"schema", "the JSON Schema of gonogo.yaml, for editors",
			func(w io.Writer) { fmt.Fprintf(w, "%s\n", config.Keys().JSON()) },
		},
		{
			"prices", "the built-in list of published prices",
			func(w io.Writer) { fmt.Fprint(w, price.ListText()) },
		},
		{"graders", "the kinds of grader that can be run", func(w io.Writer) {
			for _, k := range grader.Kinds() {
				console.Entry(w, k.Name, k.Doc)
			}
		}},
		{"probes", "what the audit submits to the grader", console.WriteProbes},
		{"failures", "how requests fail, and what happens then", console.WriteFailures},
		{"formats", "logs that can be imported, and reports that can be written", func(w io.Writer) {
			fmt.Fprintln(w, "gonogo import reads:")
			for _, f := range importer.Formats() {
				console.Entry(w, f.Name, f.Doc)
			}
			fmt.Fprintln(w, "\ngonogo export RUN --format NAME writes:")
			for _, f := range exportFormats() {
				console.Entry(w, f.name, f.doc)
			}
			fmt.Fprintln(w, "\ngonogo report writes:")
			for _, f := range report.Formats() {
				console.Entry(w, strings.TrimSuffix(f.Name+", "+f.File, ", "), f.Doc)
			}
			fmt.Fprintln(w, "\ngonogo compare BASE NEW -o DIR writes:")
			for _, f := range report.ComparisonFormats() {
				console.Entry(w, f.Name+", "+f.File, f.Doc)
			}
			fmt.Fprintln(w, "\nresult.json, in the run directory, keeps to the JSON Schema that gonogo help result "+
				"prints.")
		}},
		{"charts", "the pictures of the report", func(w io.Writer) {
			for _, c := range chart.Charts() {
				console.Entry(w, c.Name, c.Doc+" How to read it: "+c.Read)
			}
			fmt.Fprintln(w, "\nOf a comparison (gonogo compare):")
			for _, c := range chart.Comparisons() {
				console.Entry(w, c.Name, c.Doc+" How to read it: "+c.Read)
			}
		}},
		{"worlds", "the worlds of gonogo demo and the templates of gonogo init", console.WriteWorlds},
	}
	for _, schema := range docs.Schemas() {
		list = append(list, topic{
			schema.Topic, "the JSON Schema of " + schema.Doc,
			func(w io.Writer) { fmt.Fprintf(w, "%s", schema.JSON) },
		})
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
			return exit.Usagef("there is no topic or command %q%s; topics are %s", name,
				spelling.DidYouMean(name, append(names, commandNames()...)), strings.Join(names, ", "))
		},
	}
}
