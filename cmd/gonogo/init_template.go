package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gonogo/fixtures"
	"gonogo/sampler/rollout"
)

// templateList is a line for each template.
func templateList() string {
	var lines []string
	for _, w := range fixtures.Templates() {
		lines = append(lines, fmt.Sprintf("   %-16s %s", w.Name, w.Doc))
	}
	return strings.Join(lines, "\n")
}

// initTemplate writes a world's files to start from.
func initTemplate(c *cli.Context) error {
	if c.NArg() > 0 {
		return usagef("init takes no arguments, only flags, got %q", c.Args().First())
	}
	for _, flag := range []string{"job", "train", "eval", "production", "model"} {
		if c.IsSet(flag) {
			return usagef("--template brings its own files: leave --%s out", flag)
		}
	}
	world, err := templateNamed(c.String("template"))
	if err != nil {
		return err
	}
	out := c.String("output")
	if out == "-" {
		return usagef("a template is several files: name the configuration's place with -o DIR/gonogo.yaml")
	}
	dir, files := filepath.Dir(out), world.Files()
	config := filepath.Base(out)
	if _, taken := files[config]; taken && config != fixtures.ConfigFile {
		return usagef("the template has a file %s of its own: give the configuration another name", config)
	}
	if config != fixtures.ConfigFile {
		files[config] = files[fixtures.ConfigFile]
		delete(files, fixtures.ConfigFile)
	}
	names := slices.Sorted(maps.Keys(files))
	if !c.Bool("force") {
		if err := noneThere(dir, names); err != nil {
			return err
		}
	}
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return fmt.Errorf("write the template: %w", err)
		}
		if err := rollout.WriteFile(path, files[name]); err != nil {
			return fmt.Errorf("write the template: %w", err)
		}
	}
	_, err = fmt.Fprint(c.App.ErrWriter, templateSteps(world, out, names))
	return err
}

// templateNamed finds a template.
func templateNamed(name string) (fixtures.World, error) {
	var names []string
	for _, w := range fixtures.Templates() {
		if w.Name == name {
			return w, nil
		}
		names = append(names, w.Name)
	}
	return fixtures.World{}, usagef("there is no template %q%s; there are: %s", name, didYouMean(name, names), strings.Join(names, ", "))
}

// noneThere refuses to write over files.
func noneThere(dir string, names []string) error {
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return usagef("%s is there already: choose another folder with -o DIR/gonogo.yaml, or overwrite it with --force", path)
		}
	}
	return nil
}

// templateSteps words what was written and what to do now.
func templateSteps(world fixtures.World, out string, names []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "wrote %s: %s\n", filepath.Dir(out), strings.Join(names, ", "))
	fmt.Fprintf(&b, "%s\n", world.Doc)
	if program := lacking(world); program != "" {
		fmt.Fprintf(&b, "It needs %s, which is not on PATH.\n", program)
	}
	config := ""
	if out != fixtures.ConfigFile {
		config = " -c " + shellQuoted(out)
	}
	fmt.Fprintf(&b, "next:\n  gonogo run%s -o my-run      # against its own endpoints on this machine, offline\n", config)
	for _, p := range world.Policies {
		fmt.Fprintf(&b, "  gonogo run%s -o %s --set model.name=%s      # %s\n  gonogo compare my-run %s\n", config, p.Name, p.Name, p.Doc, p.Name)
	}
	b.WriteString("then, for your own task: replace the rows, the tools' server_url and the grader in the job, and the model; take the key world out\n")
	return b.String()
}
