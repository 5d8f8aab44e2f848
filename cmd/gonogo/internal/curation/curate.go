package curation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonogo/analysis/curate"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/stage"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/report/console"
	"gonogo/sampler/rollout"
)

// Options are a curation's flags.
type Options struct {
	*project.Call
	Run string // as it was named

	Train            string // the file; "" is the configuration's
	Keep             string // reasons that drop nothing, with commas between
	Sure             float64
	SureSet          bool
	Near, Suspicious bool
	MeasuredOnly     bool
	Weights          bool
	DespiteChange    bool
	Force            bool
	Fresh            bool // make new rollouts
	FreshSamples     int
	FreshRun         string
}

// Run selects rows, writes them, measures them on new rollouts if requested, and prints the result.
func Run(ctx context.Context, c *Options, dir string) error {
	if err := checkFresh(c); err != nil {
		return err
	}
	run, err := rollout.Open(dir)
	if err != nil {
		return exit.AsUsage(err)
	}
	cfg, err := project.ConfigFor(c.Call, run.Manifest)
	if err != nil {
		return err
	}
	source, err := curationSource(c, run, cfg)
	if err != nil {
		return err
	}
	chosen, err := choose(ctx, c, run, cfg, source)
	if err != nil {
		return err
	}
	if err := writeCuration(c, run, source, chosen); err != nil {
		return err
	}
	stopped := measureAgain(ctx, c, run, source, chosen)
	if c.JSON {
		err = chosen.Encode(c.Out)
	} else {
		_, err = io.WriteString(c.Out, console.Visible(chosen.Summary()))
	}
	if err != nil {
		return errors.Join(stopped, err)
	}
	if stopped == nil && chosen.Kept == 0 {
		return &exit.Error{Code: exit.NoGo, Err: errors.New("no row is worth training on by these reasons, and no training file was written; --keep passes over reasons")}
	}
	return stopped
}

// choose is the pure part, under the command's flags.
func choose(ctx context.Context, c *Options, run *rollout.Run, cfg *config.Config, source *curated) (*curate.Curation, error) {
	s := cfg.Settings()
	if err := s.Validate(); err != nil {
		return nil, exit.AsUsage(err)
	}
	opt := curate.Options{Near: c.Near, Measured: c.MeasuredOnly, Suspicious: c.Suspicious, Weights: c.Weights}
	if c.SureSet {
		if opt.Sure = c.Sure; !(opt.Sure > 0 && opt.Sure < 1) {
			return nil, exit.Usagef("--sure %g: it is a probability above 0 and below 1", opt.Sure)
		}
	}
	keep, err := ui.PickNames("reason", c.Keep, ui.Names(curate.Reasons(), func(r curate.ReasonDoc) string { return string(r.Name) }))
	if err != nil {
		return nil, err
	}
	opt.Keep = ui.Names(keep, func(name string) curate.Reason { return curate.Reason(name) })
	read := rollout.ReadOptions{OnConflict: rollout.Conflict(c.OnConflict)}
	chosen, err := curate.Choose(ctx, run, read, source.file, s, opt)
	if errors.Is(err, rollout.ErrNoRecords) {
		err = fmt.Errorf("%w: gonogo sample makes the rollouts that rows are chosen by", err)
	}
	if err != nil {
		return nil, exit.AsUsage(err)
	}
	chosen.Run, chosen.File, chosen.SHA256 = c.Run, source.data.Path, source.data.SHA256
	chosen.Notes = slices.Insert(chosen.Notes, 0, source.notes...)
	return chosen, nil
}

// tableBeside is the table's name for a training file's.
func tableBeside(out string) string {
	if strings.EqualFold(filepath.Ext(out), ".jsonl") {
		out = out[:len(out)-len(".jsonl")]
	}
	return out + ".csv"
}

// writeCuration writes the kept rows and the table, whole or not at all. Where
// nothing is kept there is the table alone: an empty file is nothing to train on,
// and an older one, which would look like the answer, does not stay.
func writeCuration(c *Options, run *rollout.Run, source *curated, chosen *curate.Curation) error {
	out := c.Report.Output
	if out == "" {
		return nil
	}
	for _, own := range append(source.read, run.File(), filepath.Join(run.Dir, rollout.ItemsFile), filepath.Join(run.Dir, rollout.ManifestFile)) {
		if stage.SamePath(out, own) || stage.SamePath(tableBeside(out), own) {
			return exit.Usagef("%s is what the rows are chosen from: name another file with --output", own)
		}
	}
	var rows, table bytes.Buffer
	kept := chosen.KeptLines()
	if err := source.data.Copy(&rows, func(line int) bool { return kept[line] }); err != nil {
		return err
	}
	if err := chosen.WriteTable(&table); err != nil {
		return err
	}
	files := []writtenFile{{tableBeside(out), table.Bytes()}}
	chosen.Written = &curate.Files{Table: tableBeside(out)}
	if chosen.Kept > 0 {
		files = append(files, writtenFile{out, rows.Bytes()})
		chosen.Written.Train = out
		return writeOutputs(files, c.Force)
	}
	_, stale := holds(out, nil)
	if stale && !c.Force {
		return exit.Usagef("no row is kept, and the %s that is there already would look like the answer: choose another name with -o, or let it be removed with --force", out)
	}
	if err := writeOutputs(files, c.Force); err != nil || !stale {
		return err
	}
	if err := os.Remove(out); err != nil {
		return fmt.Errorf("remove the training file of an earlier choice: %w", err)
	}
	fmt.Fprintf(c.Err, "Removed %s, which an earlier choice had written: no row is kept now.\n", console.Visible(out))
	return nil
}

// writtenFile is a file about to be written.
type writtenFile struct {
	path string
	text []byte
}

// writeOutputs writes files that must not be there yet, unless it is forced or
// they say the same: then the command is run again to go on.
func writeOutputs(files []writtenFile, force bool) error {
	var write []writtenFile
	for _, f := range files {
		same, there := holds(f.path, f.text)
		switch {
		case same:
			continue
		case there && !force:
			return exit.Usagef("%s is there already, with other content: choose another name with -o, or overwrite it with --force", f.path)
		}
		write = append(write, f)
	}
	for _, f := range write {
		if err := rollout.WriteFile(f.path, f.text); err != nil {
			return err
		}
	}
	return nil
}

// holds reports whether a file is there, and whether it holds that very text.
func holds(path string, text []byte) (same, there bool) {
	info, err := os.Stat(path)
	if err != nil {
		return false, false
	}
	if !info.Mode().IsRegular() || info.Size() != int64(len(text)) {
		return false, true
	}
	was, err := os.ReadFile(path)
	return err == nil && bytes.Equal(was, text), true
}
