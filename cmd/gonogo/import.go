package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"gonogo/sampler/importer"
	"gonogo/sampler/rollout"
)

func importCommand() *cli.Command {
	return &cli.Command{
		Name:      "import",
		Usage:     "turn another tool's log of rollouts into a run directory",
		ArgsUsage: "FILE",
		Description: `The format is recognised from the file; --format says it outright
(gonogo help formats lists them). A failure recorded in the log becomes an
outcome, never a number. Then analyze and report work as on a run of ours.

Example:
   gonogo import results.json -o imported
   gonogo analyze imported`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "format", Usage: "read the file as `NAME`"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the run directory `RUN`"},
			&cli.StringFlag{Name: "split", Usage: "`train|eval|production`: the split of rollouts that do not name theirs (default train)"},
			&cli.StringFlag{Name: "on-conflict", Usage: "of differing lines for one rollout take the `first|last`; without it they are an error"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usagef("import takes one file, and there %s", argumentsText(c))
			}
			if c.String("output") == "" {
				return usagef("import writes a run directory: name it with --output RUN")
			}
			src, err := importSource(c)
			if err != nil {
				return err
			}
			if err := refuseRun(c.String("output")); err != nil {
				return err
			}
			return importFile(c, src)
		},
	}
}

func importSource(c *cli.Context) (importer.Source, error) {
	opt := importer.Options{Split: rollout.Split(c.String("split")), OnConflict: rollout.Conflict(c.String("on-conflict"))}
	switch opt.Split {
	case "", rollout.Train, rollout.Eval, rollout.Production:
	default:
		return importer.Source{}, usagef("--split is %q: it is train, eval or production", opt.Split)
	}
	return importer.File(c.Args().First(), opt), nil
}

// refuseRun keeps an import from being mixed into rollouts that are there.
func refuseRun(dir string) error {
	_, err := os.Stat(filepath.Join(dir, rollout.RolloutsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return usagef("%s holds rollouts already: name a new directory", dir)
}

// importFile reads the file twice: the first time for its items and to know
// that it is whole, so that a broken file leaves nothing behind.
func importFile(c *cli.Context, src importer.Source) error {
	var items []rollout.Item
	var notes []string
	format, err := importer.Import(c.Context, importer.Formats(), c.String("format"), src, importer.Sink{
		Item: func(it rollout.Item) error { items = append(items, it); return nil },
		Note: func(note string) { notes = append(notes, note) },
	})
	if err != nil {
		return asUsage(err)
	}
	manifest := rollout.Manifest{
		Name:        strings.TrimSuffix(filepath.Base(src.Name), filepath.Ext(src.Name)),
		ToolVersion: version(),
		Source:      rollout.Import,
		Notes:       append([]string{fmt.Sprintf("imported from %s as %s", filepath.Base(src.Name), format.Name)}, notes...),
	}
	writer, err := rollout.Create(c.String("output"), manifest, items, rollout.WriterOptions{})
	if err != nil {
		return asUsage(err)
	}
	records, err := copyRecords(c.Context, format, src, writer)
	if err = errors.Join(err, writer.Close()); err != nil {
		return err
	}
	fmt.Fprintf(c.App.ErrWriter, "Imported %s from %s (%s) into %s.\n", counted(records, "rollout"), src.Name, format.Name, c.String("output"))
	for _, note := range notes {
		fmt.Fprintf(c.App.ErrWriter, "  %s\n", visible(note))
	}
	fmt.Fprintf(c.App.ErrWriter, "Next: gonogo report %s\n", c.String("output"))
	return nil
}

func copyRecords(ctx context.Context, format importer.Format, src importer.Source, to *rollout.Writer) (int, error) {
	n := 0
	err := format.Read(ctx, src, importer.Sink{Record: func(r *rollout.Record) error {
		n++
		return to.Append(r)
	}})
	return n, err
}
