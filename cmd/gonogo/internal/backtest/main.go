// Command backtest judges the base run of every recorded training again with
// the present code and compares the verdicts with what the trainings gained.
//
// In: fixtures/backtest/data. Out: docs/backtest.md, between its marks, and its
// pictures, all of the design half; with -held-out the same text of the other
// half, on standard output. It is run by make backtest.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gonogo/fixtures/backtest"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "backtest:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("backtest", flag.ContinueOnError)
	root := flags.String("root", ".", "the `directory` of the project")
	heldOut := flags.Bool("held-out", false, "open the held-out half: print its figures and write nothing. Thresholds may not be changed after that")
	if err := flags.Parse(args); err != nil {
		return err
	}
	half := backtest.Design
	if *heldOut {
		half = backtest.HeldOut
	}
	all, err := judged(ctx, filepath.Join(*root, "fixtures", "backtest", "data"), half)
	if err != nil {
		return err
	}
	parts := partsOf(all)
	for _, p := range parts {
		fmt.Fprintln(out, p.text)
	}
	if *heldOut {
		return nil
	}
	return write(filepath.Join(*root, "docs"), parts, all)
}

// write replaces the parts of docs/backtest.md and draws its pictures.
func write(docs string, parts []part, all []*training) error {
	page := filepath.Join(docs, "backtest.md")
	old, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	text, err := filled(string(old), parts)
	if err != nil {
		return fmt.Errorf("write %s: %w", page, err)
	}
	if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
		return err
	}
	for _, f := range figures(all) {
		b, err := drawn(f)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(docs, "backtest", f.Name+".png"), b, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// filled is a page whose marked parts say what they say now.
func filled(page string, parts []part) (string, error) {
	for _, p := range parts {
		before, rest, begun := strings.Cut(page, "<!-- "+p.name+" -->\n")
		_, after, ended := strings.Cut(rest, "<!-- end -->")
		if !begun || !ended {
			return "", fmt.Errorf("it has no marks of %s", p.name)
		}
		page = before + "<!-- " + p.name + " -->\n\n" + p.text + "\n<!-- end -->" + after
	}
	return page, nil
}
