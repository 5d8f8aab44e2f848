package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"gonogo/analysis/archive"
	"gonogo/analysis/curate"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/stage"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/rollout"
)

// curateOptions holds the flags of a curation.
type curateOptions struct {
	*project.Invocation
	Run string // as typed

	Train            string // the training file; "" for the configured one
	Keep             string // comma-separated reasons for which no row is dropped
	Sure             float64
	SureSet          bool
	Variance         float64
	VarianceSet      bool
	Near, Suspicious bool
	MeasuredOnly     bool
	Weights          bool
	DespiteChange    bool
	Force            bool
	Fresh            bool // make new rollouts
	FreshSamples     int
	FreshRun         string
}

// runCurate selects rows, writes them, measures them on new rollouts if requested, and prints the
// result.
func runCurate(ctx context.Context, c *curateOptions, dir string) error {
	if err := checkFresh(c); err != nil {
		return err
	}
	run, err := rollout.Open(dir)
	if err != nil {
		return exit.AsUsage(err)
	}
	cfg, err := project.ConfigFor(c.Invocation, run.Manifest)
	if err != nil {
		return err
	}
	source, err := curationSource(c, run, cfg)
	if err != nil {
		return err
	}
	chosen, err := chooseRows(ctx, c, run, cfg, source)
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
		return &exit.Error{Code: exit.NoGo, Err: errors.New("no row is worth training on by these reasons, and no " +
			"training file was written; --keep ignores reasons")}
	}
	return stopped
}

// chooseRows selects the rows by the command's flags.
func chooseRows(ctx context.Context, c *curateOptions, run *rollout.Run, cfg *config.Config,
	source *curated,
) (*curate.Curation, error) {
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
	if v := c.Variance; c.VarianceSet {
		if opt.Variance = v; !(v > 0 && (v < 1 || v == math.Trunc(v)) && v <= math.MaxInt32) {
			return nil, exit.Usagef("--variance %g: it is a share of the variance below 1, or a whole number of rows", v)
		}
	}
	keep, err := ui.PickNames("reason", c.Keep,
		ui.Names(curate.Reasons(), func(r curate.ReasonDoc) string { return string(r.Name) }))
	if err == nil && c.VarianceSet && slices.Contains(keep, string(curate.LowVariance)) {
		err = exit.Usagef("--keep low_variance keeps the rows that --variance drops: give one of them")
	}
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

// writeCuration writes the kept rows and the table.
func writeCuration(c *curateOptions, run *rollout.Run, source *curated, chosen *curate.Curation) error {
	out := c.Report.Output
	if out == "" {
		return nil
	}
	for _, input := range append(source.read, run.File(), filepath.Join(run.Dir, rollout.ItemsFile),
		filepath.Join(run.Dir, rollout.ManifestFile)) {
		if stage.SamePath(out, input) || stage.SamePath(archive.CurationTable(out), input) {
			return exit.Usagef("%s is what the rows are chosen from: name another file with --output", input)
		}
	}
	removed, err := archive.WriteCuration(out, chosen, source.data, c.Force)
	if taken, ok := errors.AsType[*archive.TakenError](err); ok {
		hint := "overwrite it"
		if taken.Stale {
			hint = "remove it"
		}
		return exit.Usagef("%w: choose another name with -o, or %s with --force", err, hint)
	}
	if removed {
		fmt.Fprintf(c.Err, "Removed %s, which an earlier choice had written: no row is kept now.\n",
			console.Visible(out))
	}
	return err
}
