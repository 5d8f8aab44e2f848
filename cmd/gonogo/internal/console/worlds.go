package console

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gonogo/analysis/message"
	"gonogo/fixtures"
	"gonogo/report/plain"
)

// WorldNames lists the names of the built-in worlds, by group.
func WorldNames() string {
	var b strings.Builder
	for _, g := range fixtures.Groups() {
		names := make([]string, len(g.Worlds))
		for i, w := range g.Worlds {
			names[i] = w.Name
		}
		b.WriteString(plain.Wrap(g.Title, "", 80) + plain.Wrap(strings.Join(names, ", "), "   ", 80))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// WriteWorlds describes each built-in world, with its verdict.
func WriteWorlds(w io.Writer) {
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
			Entry(w, world.Name, fmt.Sprintf("%s Verdict: %s.", doc, world.Outcome()))
		}
	}
	fmt.Fprintln(w, "\ngonogo demo --world NAME runs one. docs/worlds/stories.md shows pictures of the first ones.")
}

// Templates lists the templates, each with similar tasks.
func Templates() string {
	var b strings.Builder
	for _, w := range fixtures.Templates() {
		fmt.Fprintf(&b, "   %s\n%s", w.Name, plain.Wrap(w.Like, "      ", 80))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// TemplateSteps says which files of a template were written next to its configuration at path, and
// what to do next.
func TemplateSteps(world fixtures.World, path string, files []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "wrote %s", strings.Join(files, ", "))
	if dir := filepath.Dir(path); dir != "." {
		fmt.Fprintf(&b, " in %s", dir)
	}
	fmt.Fprintf(&b, "\n%s", plain.Wrap(fmt.Sprintf("%s Verdict: %s.", world.Doc, world.Outcome()), "", 80))
	if program := world.Missing(); program != "" {
		fmt.Fprintf(&b, "It needs %s, which is not on PATH.\n", program)
	}
	config := ""
	if path != fixtures.ConfigFile {
		config = " -c " + message.Shell(path)
	}
	fmt.Fprintf(&b, "next:\n  gonogo run%s -o my-run      # offline, its endpoints are served on this machine\n",
		config)
	for _, p := range world.Policies {
		b.WriteString(plain.Wrap(fmt.Sprintf("and to compare with it: %s Verdict: %s. What the comparison shows: %s.",
			p.Doc, fixtures.World{Verdict: p.Verdict, Gate: p.Gate}.Outcome(), strings.Join(p.Shows, "; ")), "", 80))
		fmt.Fprintf(&b, "  gonogo run%s -o %s --set model.name=%s\n  gonogo compare my-run %s\n", config, p.Name,
			p.Name, p.Name)
	}
	b.WriteString("then, for your own task: replace the rows, then the tools' server_url and the grader in\n" +
		"the job, then the model, and last remove the key world from the configuration\n")
	return b.String()
}
