package main

import (
	"fmt"
	"io"
	"strings"

	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/fixtures"
)

// worldGroup are worlds that are reported together.
type worldGroup struct {
	title  string
	worlds []fixtures.World
}

// worldGroups parts the worlds into those that a task of one's own is like and
// those that show one thing.
func worldGroups() []worldGroup {
	return []worldGroup{
		{"Tasks that agents were fine-tuned for, the templates of gonogo init:", fixtures.Templates()},
		{"Their twins, the same with one thing otherwise:", fixtures.Twins()},
		{"Basic worlds, of questions about annual reports:", fixtures.Basics()},
		{"One thing wrong each, so that every gate has its world:", fixtures.Singles()},
	}
}

// worldNames lists the worlds by their names alone.
func worldNames() string {
	var b strings.Builder
	for _, g := range worldGroups() {
		var names []string
		for _, w := range g.worlds {
			names = append(names, w.Name)
		}
		b.WriteString(ui.Wrap(g.title, "", 80) + ui.Wrap(strings.Join(names, ", "), "   ", 80))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// printWorlds says what each world is and what its verdict is.
func printWorlds(w io.Writer) {
	for i, g := range worldGroups() {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, g.title)
		for _, world := range g.worlds {
			doc := world.Doc
			if world.Like != "" {
				doc = world.Like + ". " + doc
			}
			entry(w, world.Name, fmt.Sprintf("%s Verdict: %s.", doc, verdictOf(world)))
		}
	}
	fmt.Fprintln(w, "\ngonogo demo --world NAME runs one. docs/worlds.md shows pictures of the first ones.")
}

// verdictOf is a world's verdict with what decides it and what to be careful of.
func verdictOf(w fixtures.World) string {
	s := w.Verdict
	if w.Gate != "" {
		s += " by " + w.Gate
	}
	if more := w.OtherCautions(); len(more) > 0 {
		s += ", with cautions: " + strings.Join(more, ", ")
	}
	return s
}
