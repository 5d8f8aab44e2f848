package output

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gonogo/analysis"
	"gonogo/analysis/archive"
	"gonogo/analysis/collect"
	"gonogo/analysis/gate"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/report"
	"gonogo/sampler/input/document"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

// StandardOutput is the value of --output for standard output.
const StandardOutput = "-"

// RunOfResult returns the directory of a result.json, given that file; any other path is returned
// unchanged.
func RunOfResult(run string) string {
	if info, err := os.Stat(run); err == nil && !info.IsDir() && filepath.Base(run) == archive.ResultFile {
		return filepath.Dir(run)
	}
	return run
}

// ResultFor returns the run's result.json, or a fresh analysis if there is none, if the run's files
// have changed, if it was judged by other settings than the run's own, or if settings are given. A
// result judged by the rules of another version is returned as it is, and so is one with gates that
// this program lacks, which is refused where it would have to be replaced.
func ResultFor(ctx context.Context, c *project.Invocation, dir string) (*analysis.Result, error) {
	kept, err := archive.ReadResult(dir)
	if err != nil {
		return nil, exit.AsUsage(err)
	}
	if kept == nil || c.Report.Judging {
		return AnalyzeRun(ctx, c, dir)
	}
	if lacking := archive.Lacking(kept.Gates, gate.All()); len(lacking) > 0 {
		fmt.Fprintf(c.Err, "note: %s was judged with gates that this program lacks (%s) and is shown as it is.\n",
			filepath.Join(dir, archive.ResultFile), console.Visible(strings.Join(lacking, ", ")))
		return kept, nil
	}
	kept.Run.JudgedBy = archive.JudgedBy(kept)
	if !archive.SameRules(kept, gate.All()) {
		fmt.Fprintf(c.Err, "note: %s was judged by gonogo %s, by other rules, and is shown as it is: gonogo analyze %s "+
			"judges again.\n", filepath.Join(dir, archive.ResultFile), console.Visible(kept.Run.JudgedBy), message.Shell(dir))
		return kept, nil
	}
	opened, err := rollout.OpenManifest(dir)
	if errors.Is(err, rollout.ErrNotARun) {
		return kept, nil // there is only the result
	}
	if err != nil {
		return nil, exit.AsUsage(err)
	}
	settings, err := project.SettingsFor(c, opened.Manifest)
	if err != nil {
		return nil, err
	}
	if kept.GroupSize == settings.GroupSize &&
		maps.Equal(kept.Thresholds.ByName(), gate.All().Values(settings.Thresholds).ByName()) {
		return kept, nil
	}
	if opened.Manifest == nil || len(opened.Manifest.Config) == 0 {
		fmt.Fprintf(c.Err, "note: %s was judged with settings other than the defaults; the report says which "+
			"thresholds were changed.\n", filepath.Join(dir, archive.ResultFile))
		return kept, nil
	}
	fmt.Fprintf(c.Err, "note: %s was judged with settings other than the run's own; this report uses the run's "+
		"own. To use others, pass them here too (--set, --group-size, --config).\n",
		filepath.Join(dir, archive.ResultFile))
	return Analyze(ctx, c, opened, settings)
}

// PresentResult is ResultFor by the rules of this program: a result judged by other rules is judged
// again. It stores nothing.
func PresentResult(ctx context.Context, c *project.Invocation, dir string) (*analysis.Result, error) {
	kept, err := archive.ReadResult(dir)
	if err != nil || kept == nil || archive.SameRules(kept, gate.All()) || len(archive.Lacking(kept.Gates, gate.All())) > 0 {
		return ResultFor(ctx, c, dir)
	}
	fmt.Fprintf(c.Err, "note: %s was judged by gonogo %s, by other rules, and is judged again here: gonogo analyze %s "+
		"stores that.\n", filepath.Join(dir, archive.ResultFile), console.Visible(archive.JudgedBy(kept)),
		message.Shell(dir))
	return AnalyzeRun(ctx, c, dir)
}

// ReportDir returns the directory of a run's report.
func ReportDir(run string) string { return filepath.Join(run, "report") }

// ReportTo returns where `gonogo report` writes. The directory of a run that is a single file may
// hold anything, so it needs --output.
func ReportTo(c *project.Invocation, run string, formats []report.Format[*report.RunPage]) (string, error) {
	out := c.Report.Output
	if out == StandardOutput && len(formats) != 1 {
		return "", exit.Usagef("--output - takes one format: name it with --format")
	}
	if out != "" {
		return out, nil
	}
	if info, err := os.Stat(run); err == nil && !info.IsDir() {
		return "", exit.Usagef("%s is a file: say with --output where its report goes", run)
	}
	return ReportDir(run), nil
}

// PageOf makes the page of a run's result for this command's terminal.
func PageOf(c *project.Invocation, run string, r *analysis.Result, look config.ReportValues) *report.RunPage {
	return Delivery{Look: look, config: c.Config}.page(r, PageOptions(c, run))
}

// page makes the page of a result in the language of the reports. The stored result stays in
// English.
func (d Delivery) page(r *analysis.Result, opt report.Options) *report.RunPage {
	opt.Config, opt.GraderChanged, opt.Pilot = d.config, d.changed, d.pilot
	return report.NewRunPage(r.In(d.Look.Language()), opt)
}

// PageOptions returns the page options that depend on this command.
func PageOptions(c *project.Invocation, run string) report.Options {
	opt := report.Options{
		Version: project.Version(),
		Now:     time.Now(),
		Dir:     run,
		All:     c.Report.All,
		Full:    c.Report.FullPDF,
		Color:   console.IsTerminal(c.Out) && os.Getenv("NO_COLOR") == "",
		Width:   console.Width(c.Out),
	}
	if opened, err := rollout.OpenManifest(run); err == nil && opened.Manifest != nil && len(opened.Manifest.Config) > 0 {
		opt.ConfigFile, opt.GraderFile = existingFile(opened.Manifest.ConfigFile), existingFile(opened.Manifest.GraderFile)
	} else { // an import knows no other
		opt.ConfigFile, opt.GraderFile = c.ConfigFile(), c.Grader
	}
	return opt
}

// existingFile returns a file's name if the file exists: a run may have been made elsewhere.
func existingFile(file string) string {
	path := file
	if i := strings.LastIndex(file, ".py:"); i >= 0 { // FILE.py:NAME
		path = file[:i+len(".py")]
	}
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return ""
	}
	return file
}

// PageTo makes the page of a run's result for a delivery.
func PageTo(ctx context.Context, c *project.Invocation, run string, r *analysis.Result, to Delivery) *report.RunPage {
	opt := PageOptions(c, run)
	opt.Paper, opt.Font, opt.Rollouts = to.Look.Paper, to.Look.Font, rolloutsOf(ctx, c, run, r)
	from := to.Out
	if from == StandardOutput {
		from = "." // the likely working directory
	}
	switch {
	case to.Bare != nil:
		opt.Rollouts = withoutTexts(opt.Rollouts)
	case opt.Rollouts != nil:
		opt.Traces, opt.TracesLink = Traces(run, from)
	}
	return to.page(cmp.Or(to.Bare, r), opt)
}

// WriteReport writes a report. If there are no rollouts, it names the formats that need them, as an
// error if they were requested, else as a note, and still writes the others.
func WriteReport(ctx context.Context, c *project.Invocation, run string, r *analysis.Result, to Delivery) error {
	p, dir, formats := PageTo(ctx, c, run, r, to), to.Out, to.Formats
	var without []report.Format[*report.RunPage]
	if p.Rollouts == nil {
		without = slices.DeleteFunc(slices.Clone(formats), func(f report.Format[*report.RunPage]) bool { return !f.Rollouts })
		formats = slices.DeleteFunc(slices.Clone(formats), func(f report.Format[*report.RunPage]) bool { return f.Rollouts })
	}
	if dir == ReportDir(run) { // the directory may come from elsewhere
		if err := disk.CheckRegularDir(dir); err != nil {
			return exit.AsUsage(err)
		}
	}
	if err := report.Write(dir, p, formats); err != nil {
		return err
	}
	Warn(c, p)
	if _, err := fmt.Fprintf(c.Err, "%s%s%s: %s\n", placeOf(dir, formats), to.Lead,
		strings.TrimSpace(string(p.Verdict)+" "+p.Scope), console.Visible(p.Sentence)); err != nil {
		return err
	}
	if len(without) == 0 {
		return nil
	}
	missing := NoRollouts(run, without)
	if c.Report.Format != "" {
		return missing
	}
	_, err := fmt.Fprintf(c.Err, "note: %v\n", missing)
	return err
}

// placeOf says where the files of a report are; "" if it has none.
func placeOf(dir string, formats []report.Format[*report.RunPage]) string {
	place := ""
	for _, f := range formats {
		switch {
		case f.Name == "html":
			return fmt.Sprintf("The report is in %s: open %s\n", dir, filepath.Join(dir, f.File))
		case f.File != "":
			place = fmt.Sprintf("The report is in %s\n", dir)
		}
	}
	return place
}

// FormatNames lists the values of --format.
func FormatNames() []string {
	return ui.Names(report.Formats(), func(f report.Format[*report.RunPage]) string { return f.Name })
}

// PickFormats returns the formats by name; none named means the usual ones.
func PickFormats(list string) ([]report.Format[*report.RunPage], error) {
	wanted, err := ui.PickNames("report format", list, append(FormatNames(), config.DefaultFormats, config.AllFormats))
	if err != nil {
		return nil, err
	}
	if len(wanted) == 0 || slices.Contains(wanted, config.DefaultFormats) {
		wanted = append(wanted, ui.Names(report.Usual(), func(f report.Format[*report.RunPage]) string { return f.Name })...)
	}
	return slices.DeleteFunc(report.Formats(), func(f report.Format[*report.RunPage]) bool {
		return !slices.Contains(wanted, f.Name) && !slices.Contains(wanted, config.AllFormats)
	}), nil
}

// PrintFormat writes a single format to standard output.
func PrintFormat(ctx context.Context, c *project.Invocation, run string, r *analysis.Result, to Delivery) error {
	if err := store(run, r); err != nil {
		return err
	}
	to.readPilot(c, run)
	p, f := PageTo(ctx, c, run, r, to), to.Formats[0]
	if f.Rollouts && p.Rollouts == nil {
		return NoRollouts(run, to.Formats)
	}
	err := f.Write(c.Out, p)
	Warn(c, p)
	return err
}

// rolloutsOf returns a function that reads the rollouts of a run for its report; nil if there are
// none.
func rolloutsOf(ctx context.Context, c *project.Invocation, run string, r *analysis.Result) report.Rollouts {
	opened, err := rollout.OpenManifest(run)
	if err != nil {
		return nil
	}
	if _, err := os.Stat(opened.File()); err != nil {
		return nil
	}
	read := rollout.ReadOptions{OnConflict: rollout.Conflict(c.OnConflict), ToolError: r.ToolError()}
	return func(yield func(collect.Counted) error) (rollout.Input, error) {
		return collect.Rollouts(ctx, opened, read, stat.Range{Lo: r.RewardRange[0], Hi: r.RewardRange[1]}, yield)
	}
}

// withoutTexts removes the texts from rollouts.
func withoutTexts(all report.Rollouts) report.Rollouts {
	if all == nil {
		return nil
	}
	return func(yield func(collect.Counted) error) (rollout.Input, error) {
		return all(func(n collect.Counted) error { return yield(n.WithoutTexts()) })
	}
}

// NoRollouts returns the error about formats that cannot be written without rollouts.
func NoRollouts(run string, formats []report.Format[*report.RunPage]) error {
	files := ui.Names(formats, func(f report.Format[*report.RunPage]) string { return f.File })
	are := "is"
	if len(files) > 1 {
		are = "are"
	}
	return exit.Usagef("%s %s made of the rollouts themselves, and %s has no %s", strings.Join(files, " and "), are,
		run, rollout.RolloutsFile)
}

// Traces returns the file of a run's rollouts, and its URL relative to the directory of
// the report; "" if there is none.
func Traces(run, out string) (file, link string) {
	file = run
	if info, err := os.Stat(run); err == nil && info.IsDir() {
		file = filepath.Join(run, rollout.RolloutsFile)
	}
	return file, document.LinkTo(out, file)
}
