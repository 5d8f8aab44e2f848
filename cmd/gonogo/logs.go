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

	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/logs/importer"
	"gonogo/sampler/rollout"
)

// logFlags say how logs of other tools are read.
func logFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "format", Usage: "read the log as `NAME` (gonogo help formats)"},
		&cli.StringFlag{Name: "score", Usage: "if the log has several scores, use `NAME` as the reward"},
		&cli.StringSliceFlag{
			Name: "map",
			Usage: "which column of a table is which part of a rollout: `PART=COLUMN[,PART=COLUMN...]`; may be " +
				"repeated",
		},
		&cli.StringFlag{Name: "item", Usage: "what an item of the log is: `prompt`, so that each prompt is one, item, to " +
			"keep the ids of the log whatever was asked, or a KEY of the rows that holds its id"},
	}
}

// conflictFlag is --on-conflict.
func conflictFlag() cli.Flag {
	return &cli.StringFlag{
		Name:  "on-conflict",
		Usage: "if lines for the same rollout differ, take the `first|last`; without this flag they are an error",
	}
}

// logOptions reads logFlags and conflictFlag. Rollouts that name no split are of the given one.
func logOptions(c *cli.Context, split rollout.Split) (importer.Options, error) {
	opt := importer.Options{
		Split: split, OnConflict: rollout.Conflict(c.String("on-conflict")), Score: c.String("score"),
		Item: c.String("item"),
	}
	var err error
	if opt.Map, err = importer.ColumnMap(c.StringSlice("map")); err == nil {
		err = opt.Check()
	}
	return opt, exit.AsUsage(err)
}

// setLogFlags lists those of logFlags that are set.
func setLogFlags(c *cli.Context) (set []string) {
	for _, f := range logFlags() {
		if name := f.Names()[0]; c.IsSet(name) {
			set = append(set, "--"+name)
		}
	}
	return set
}

// readLog imports src into run. It returns what the run is from and the name of the format. If the log
// turns out to be broken, or the user interrupts, nothing of the run is left.
func readLog(c *cli.Context, src importer.Source, run *importer.Directory) (from, format string, err error) {
	first := src.Files[0].Name
	run.Manifest = rollout.Manifest{
		Name: importer.RunName(first), ToolVersion: project.Version(),
		Source: rollout.Import,
	}
	ctx, stop := ui.Cancellable(c.Context)
	defer stop()
	f, err := importer.Import(ctx, importer.Formats(), c.String("format"), src, run.Sink())
	from = filepath.Base(first)
	if n := len(src.Files); n > 1 {
		from = fmt.Sprintf("%s and %d more", from, n-1)
	}
	if err == nil {
		err = run.Close(fmt.Sprintf("imported from %s as %s", from, f.Name))
	}
	if err == nil {
		return from, f.Name, nil
	}
	switch {
	case ctx.Err() != nil:
		err = &exit.Error{
			Code: exit.Interrupted,
			Err:  errors.New("the import was interrupted, and nothing of it is kept"),
		}
	case !run.Failed:
		err = exit.AsUsage(err)
	}
	return from, f.Name, errors.Join(err, run.TakeBack())
}

// noteLog prints how a log was read.
func noteLog(c *cli.Context, run *importer.Directory) {
	for _, note := range run.Notes {
		if !strings.HasPrefix(note, "--split ") { // the command chose the split, not the user
			fmt.Fprintf(c.App.ErrWriter, "  %s\n", console.Visible(note))
		}
	}
}

// kindOf returns what gonogo can read at a path: a run directory, plain lines of rollouts, which are a
// run unless flags say how to read them, or a log of another tool.
func kindOf(c *cli.Context, path string) (inputKind, error) {
	opened, err := rollout.OpenManifest(path)
	switch {
	case errors.Is(err, rollout.ErrNotARun):
		return isLog, nil
	case errors.Is(err, fs.ErrNotExist):
		return isLog, exit.Usagef("there is no %s: name a run, or a log of another tool", path)
	case err != nil:
		return isLog, exit.AsUsage(err)
	case opened.Manifest != nil:
		return isRun, nil
	}
	info, err := os.Stat(opened.File())
	if (err != nil || info.Size() == 0) && filepath.Ext(opened.File()) == filepath.Ext(rollout.RolloutsFile) {
		return isRun, nil
	}
	if plainLines(c.Context, opened) {
		return isPlain, nil
	}
	return isLog, nil
}

type inputKind int

const (
	isRun inputKind = iota
	isPlain
	isLog
)

// plainLines reports whether the file of a run without a manifest holds gonogo's own lines, one a line.
func plainLines(ctx context.Context, run *rollout.Run) bool {
	first := errors.New("a rollout")
	stop := func(*rollout.Record) error { return first }
	_, err := importer.Import(ctx, importer.Formats(), "gonogo", importer.Paths(importer.Options{}, run.File()),
		importer.Sink{Record: stop})
	if errors.Is(err, importer.ErrUnrecognized) {
		return false
	}
	_, err = run.Records(ctx, rollout.ReadOptions{Lean: true}, stop)
	return errors.Is(err, first) || errors.Is(err, rollout.ErrNoRecords)
}

// unreadable returns an error of reading a log on one line, which names the log by what it is to the
// command.
func unreadable(what, path string, err error) error {
	// not by --format
	sniffed := strings.Contains(err.Error(), "no known format") || strings.HasSuffix(err.Error(), "holds no files")
	if !errors.Is(err, importer.ErrUnrecognized) || !sniffed && !strings.HasSuffix(err.Error(), "is empty") {
		return wrapped{what + ": ", err}
	}
	lines := strings.Split(err.Error(), "\n  ") // what the formats that fit its name lack, the tables last
	why := ""
	if len(lines) > 1 {
		why = ": " + lines[len(lines)-1]
	} else if strings.HasSuffix(lines[0], "is empty") {
		return exit.Usagef("%s: %s is empty", what, path)
	}
	return exit.Usagef("%s: %s is neither a run nor a log in a known format (gonogo help formats lists them)%s", what,
		path, why)
}

// wrapped is an error with a beginning, and with the exit code of the error.
type wrapped struct {
	begin string
	error
}

func (w wrapped) Error() string { return w.begin + w.error.Error() }
func (w wrapped) Unwrap() error { return w.error }
