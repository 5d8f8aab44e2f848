package output

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/stat"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/report"
	"gonogo/sampler/rollout"
)

// FormatNames lists the names that --format takes.
func FormatNames() []string {
	var names []string
	for _, f := range report.Formats() {
		names = append(names, f.Name)
	}
	return names
}

// PickFormats returns the formats by name; none named means the usual ones.
func PickFormats(list string) ([]report.Format, error) {
	wanted := make(map[string]bool)
	for name := range strings.SplitSeq(cmp.Or(list, config.DefaultFormats), ",") {
		name = strings.TrimSpace(name)
		switch name {
		case config.DefaultFormats:
			for _, f := range report.Usual() {
				wanted[f.Name] = true
			}
		case config.AllFormats:
			for _, f := range report.Formats() {
				wanted[f.Name] = true
			}
		default:
			names := append(FormatNames(), config.DefaultFormats, config.AllFormats)
			if !slices.Contains(names, name) {
				return nil, exit.Usagef("there is no report format %q%s", name, ui.Choices(name, names))
			}
			wanted[name] = true
		}
	}
	return slices.DeleteFunc(report.Formats(), func(f report.Format) bool { return !wanted[f.Name] }), nil
}

// PrintFormat writes one format to standard output, and nothing else.
func PrintFormat(ctx context.Context, c *project.Call, run string, r *analysis.Result, to Delivery) error {
	if err := WriteResult(run, r); err != nil {
		return err
	}
	p, f := PageTo(ctx, c, run, r, to), to.Formats[0]
	if f.Rollouts && p.Rollouts == nil {
		return NoRollouts(run, to.Formats)
	}
	err := f.Write(c.Out, p)
	Warn(c, p)
	return err
}

// rolloutsOf reads the rollouts of a run for its report; nil where there are
// none.
func rolloutsOf(ctx context.Context, c *project.Call, run string, r *analysis.Result) report.Rollouts {
	opened, err := rollout.Open(run)
	if err != nil {
		return nil
	}
	if _, err := os.Stat(opened.File()); err != nil {
		return nil
	}
	read := rollout.ReadOptions{OnConflict: rollout.Conflict(c.OnConflict)}
	return func(yield func(collect.Counted) error) (rollout.Input, error) {
		return collect.Rollouts(ctx, opened, read, stat.Range{Lo: r.RewardRange[0], Hi: r.RewardRange[1]}, yield)
	}
}

// withoutTexts reads rollouts without what was said in them, and without the way
// to it.
func withoutTexts(all report.Rollouts) report.Rollouts {
	if all == nil {
		return nil
	}
	return func(yield func(collect.Counted) error) (rollout.Input, error) {
		return all(func(n collect.Counted) error {
			rec := *n.Record
			rec.TraceID, rec.Line = "", 0
			if rec.Error != "" {
				rec.Error = fmt.Sprintf("[%d characters]", utf8.RuneCountInString(rec.Error))
			}
			n.Record = &rec
			return yield(n)
		})
	}
}

// NoRollouts says which formats cannot be written without rollouts.
func NoRollouts(run string, formats []report.Format) error {
	var files []string
	for _, f := range formats {
		files = append(files, f.File)
	}
	are := "is"
	if len(files) > 1 {
		are = "are"
	}
	return exit.Usagef("%s %s made of the rollouts themselves, and %s has no %s", strings.Join(files, " and "), are, run, rollout.RolloutsFile)
}
