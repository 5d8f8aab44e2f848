package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/importer"
	"gonogo/sampler/rollout"
)

func importCommand() *cli.Command {
	return &cli.Command{
		Name:      "import",
		Usage:     "turn another tool's log of rollouts into a run directory",
		ArgsUsage: "FILE...",
		Description: `The format is recognized from the file; --format names it (gonogo help formats
lists them). A failure recorded in the log becomes an outcome, never a number.
Then analyze and report work as on a run made here.

Several files of one format make one import: items that occur again in later files
are further samples. For a directory, the files in it whose names the format knows
are read.

Tables (CSV, JSON lines, Parquet) have a row for each rollout. Tables of a report,
and others whose columns are named like the parts of a rollout, need no mapping;
for others --map says which column is which part:
   ` + wrapPartNames() + `

Example:
   gonogo import results.json -o imported
   gonogo analyze imported
   gonogo import log.csv --map item=question_id,sample=trial,reward=score -o imported`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "format", Usage: "read the file as `NAME`"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the run directory `RUN`"},
			&cli.StringFlag{Name: "split", Usage: "`train|eval|production`: the split of rollouts that do not name theirs (default train)"},
			&cli.StringFlag{Name: "score", Usage: "if there are several scores, use `NAME` as the reward"},
			&cli.StringSliceFlag{Name: "map", Usage: "which column of a table is which part of a rollout: `PART=COLUMN[,PART=COLUMN...]`; may be repeated"},
			&cli.StringFlag{Name: "on-conflict", Usage: "if lines for the same rollout differ, take the `first|last`; without this flag they are an error"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return exit.Usagef("import takes the files of a log, and there are none")
			}
			if c.String("output") == "" {
				return exit.Usagef("import writes a run directory: name it with --output RUN, as in gonogo import %s -o imported", c.Args().First())
			}
			src, err := importSource(c)
			if err != nil {
				return err
			}
			if err := refuseRun(c.String("output")); err != nil {
				return err
			}
			return importFiles(c, src)
		},
	}
}

func importSource(c *cli.Context) (importer.Source, error) {
	opt := importer.Options{
		Split: rollout.Split(c.String("split")), OnConflict: rollout.Conflict(c.String("on-conflict")), Score: c.String("score"),
	}
	switch opt.Split {
	case "", rollout.Train, rollout.Eval, rollout.Production:
	default:
		return importer.Source{}, exit.Usagef("--split is %q: it is train, eval or production", opt.Split)
	}
	switch opt.OnConflict {
	case "", rollout.First, rollout.Last:
	default:
		return importer.Source{}, exit.Usagef("--on-conflict is %q: it is first or last", opt.OnConflict)
	}
	var err error
	if opt.Map, err = columnMap(c.StringSlice("map")); err != nil {
		return importer.Source{}, err
	}
	return importer.Paths(opt, c.Args().Slice()...), nil
}

// columnMap reads what --map says. A column's name may hold an equals sign.
func columnMap(given []string) (map[string]string, error) {
	columns := make(map[string]string)
	for _, list := range given {
		for pair := range strings.SplitSeq(list, ",") {
			part, column, ok := strings.Cut(pair, "=")
			part = strings.TrimSpace(part)
			if !ok || part == "" || column == "" {
				return nil, exit.Usagef("--map %s: it is PART=COLUMN, as in --map item=question_id,reward=score", list)
			}
			if was, twice := columns[part]; twice && was != column {
				return nil, exit.Usagef("--map names two columns for %s: %s and %s", part, was, column)
			}
			columns[part] = column
		}
	}
	return columns, nil
}

// wrapPartNames lists the parts for the help.
func wrapPartNames() string {
	return strings.TrimSpace(ui.Wrap(strings.Join(importer.PartNames(), ", "), "   ", 80))
}

// refuseRun keeps an import from being mixed into rollouts or a run that are
// there: what a broken import takes back must be its own.
func refuseRun(dir string) error {
	for _, there := range []struct{ file, holds string }{{rollout.RolloutsFile, "rollouts"}, {rollout.ManifestFile, "a run"}} {
		if _, err := os.Stat(filepath.Join(dir, there.file)); !errors.Is(err, fs.ErrNotExist) {
			return exit.Usagef("%s holds %s already: name a new directory", dir, there.holds)
		}
	}
	return nil
}

// nameInFolder names a file with its folder, for logs are often called alike.
func nameInFolder(file string) string {
	if whole, err := filepath.Abs(file); err == nil {
		file = whole
	}
	dir, name := filepath.Dir(file), strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if dir != filepath.Dir(dir) {
		name = filepath.Base(dir) + "/" + name
	}
	return name
}

// importFiles writes the run while the files are read, and takes it back when
// they turn out to be broken.
func importFiles(c *cli.Context, src importer.Source) error {
	first := src.Files[0].Name
	run := importer.Directory{Dir: c.String("output"), Manifest: rollout.Manifest{
		Name:        nameInFolder(first),
		ToolVersion: project.Version(),
		Source:      rollout.Import,
	}}
	format, err := importer.Import(c.Context, importer.Formats(), c.String("format"), src, run.Sink())
	from := filepath.Base(first)
	if n := len(src.Files); n > 1 {
		from = fmt.Sprintf("%s and %d more", from, n-1)
	}
	if err == nil {
		err = run.Close(fmt.Sprintf("imported from %s as %s", from, format.Name))
	}
	if err != nil {
		if !run.Failed {
			err = exit.AsUsage(err)
		}
		return errors.Join(err, run.TakeBack())
	}
	fmt.Fprintf(c.App.ErrWriter, "Imported %s from %s (%s) into %s.\n", ui.Count(run.Rollouts, "rollout"), from, format.Name, run.Dir)
	for _, note := range run.Notes {
		fmt.Fprintf(c.App.ErrWriter, "  %s\n", ui.Visible(note))
	}
	fmt.Fprintf(c.App.ErrWriter, "Next: gonogo report %s\n", run.Dir)
	return nil
}
