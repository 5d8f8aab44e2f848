package output

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/archive"
	"gonogo/analysis/gate"
	"gonogo/analysis/message"
	"gonogo/analysis/pilot"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/report"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

// PrintThresholdChanges prints which thresholds the command line changed for the
// verdict that is now stored in result.json.
func PrintThresholdChanges(c *project.Invocation, r *analysis.Result) {
	if len(r.Changed) > 0 && len(c.Set) > 0 {
		fmt.Fprintf(c.Err, "note: %s now holds a verdict under changed thresholds: %s. A report judges by the run's "+
			"own configuration unless it is given the same --set.\n", archive.ResultFile, thresholdList(r.Changed))
	}
}

func thresholdList(changed []analysis.Changed) string {
	return strings.Join(ui.Names(changed, func(t analysis.Changed) string {
		return fmt.Sprintf("%s %s (default %s)", t.Name, message.Plain(t.Value), message.Plain(t.Default))
	}), ", ")
}

// Delivery says which reports are written, where, and how they look.
type Delivery struct {
	Formats []report.Format[*report.RunPage]
	Out     string
	Look    config.ReportValues
	Bare    *analysis.Result // the result without texts, if the report must not contain any
	Lead    string           // printed before the verdict on the terminal, if the verdict is not final
	config  string           // the file that regrading commands name; "" for none
	pilot   *pilot.Result    // nil if the run has none
	changed bool             // the configuration's grader is not the one that graded the run
}

// NoteGrader records and reports that the grader of the current configuration is not the one that
// graded the run, so that the report judges the old one. The configuration is the one given on the
// command line, else a gonogo.yaml in the current directory that has a changed version of the run's
// grader. An unreadable one is ignored.
func (d *Delivery) NoteGrader(c *project.Invocation, dir string) {
	run, err := rollout.OpenManifest(dir)
	if err != nil || run.Manifest == nil || run.Manifest.Grader == nil {
		return
	}
	file := c.Config
	path, err := project.ConfigPath(c)
	if err != nil {
		return
	}
	cfg, err := config.Peek(path, os.LookupEnv)
	if err != nil || cfg.Body == nil || len(cfg.Body.Grader) == 0 {
		return
	}
	p := project.NewUnwired(cfg)
	if d.changed = p.ChangedGrader(run) || file != "" && p.SameGrader(c, run) != nil; !d.changed {
		return
	}
	d.config = file
	fmt.Fprintf(c.Err, "note: the grader in %s is not the one that graded %s: gonogo grade %s%s -o %s grades the "+
		"recorded answers with it, without a new rollout.\n",
		path, dir, message.Shell(dir), project.ConfigFlags(p, c),
		message.Shell(message.Place{Dir: dir}.At([]string{message.NextRun})...))
}

// readPilot reads what the first steps of the training say. A pilot.json that cannot be read is left
// out and reported: the verdict of the run needs none.
func (d *Delivery) readPilot(c *project.Invocation, dir string) {
	r, err := archive.ReadPilot(dir)
	if err != nil {
		fmt.Fprintf(c.Err, "note: the report leaves out the pilot: %s\n", console.Visible(err.Error()))
	}
	if d.pilot = r; r != nil && d.Bare != nil {
		d.pilot = r.WithoutTexts()
	}
}

// Deliver prints a result, as JSON or for a terminal, stores it as result.json unless another version
// of gonogo judged it, and, if formats are requested, writes the report. It prints first, so that the
// findings are shown even if nothing can be written.
func Deliver(ctx context.Context, c *project.Invocation, dir string, r *analysis.Result, to Delivery) error {
	to.readPilot(c, dir)
	var err error
	if shown := cmp.Or(to.Bare, r); c.JSON {
		err = shown.Encode(c.Out)
	} else {
		err = report.WriteText(c.Out, to.page(shown, PageOptions(c, dir)))
	}
	if err != nil {
		return err
	}
	if err := store(dir, r); err != nil {
		return err
	}
	if to.Formats == nil {
		return nil
	}
	return WriteReport(ctx, c, dir, r, to)
}

// store writes result.json, unless it holds the verdict of another version.
func store(dir string, r *analysis.Result) error {
	if archive.JudgedBy(r) != project.Version() {
		return nil
	}
	return archive.WriteResult(dir, r)
}

// PrintRuleChanges prints what differs from the stored result of the same records, judged by other
// rules at the same settings.
func PrintRuleChanges(c *project.Invocation, was, is *analysis.Result) {
	if was == nil || archive.SameRules(was, is.Gates) {
		return
	}
	changes, ok := archive.Rejudged(was, is)
	if !ok || was.Verdict == is.Verdict && len(changes) == 0 {
		return
	}
	status := func(s *analysis.Status, none string) string {
		if s == nil {
			return none
		}
		return s.String()
	}
	verdict := "stays " + string(is.Verdict)
	if was.Verdict != is.Verdict {
		verdict = fmt.Sprintf("changes from %s to %s", was.Verdict, is.Verdict)
	}
	fmt.Fprintf(c.Err, "note: the stored result was judged by gonogo %s, by other rules; the verdict %s. Changed only "+
		"because the rules did:\n", console.Visible(archive.JudgedBy(was)), verdict)
	for _, x := range changes {
		on := ""
		if x.Split != "" {
			on = " on " + console.Visible(string(x.Split))
		}
		fmt.Fprintf(c.Err, "  %s%s (%s): %s, before %s\n", console.Visible(x.Gate), on, x.Severity, status(x.Is, "no longer judged"),
			status(x.Was, "not judged"))
	}
}

// AnalyzeRun analyzes a run with the command's flags.
func AnalyzeRun(ctx context.Context, c *project.Invocation, dir string) (*analysis.Result, error) {
	opened, err := rollout.OpenManifest(dir)
	if err == nil {
		err = CheckGates(dir)
	}
	if err != nil {
		return nil, exit.AsUsage(err)
	}
	settings, err := project.SettingsFor(c, opened.Manifest)
	if err != nil {
		return nil, err
	}
	return Analyze(ctx, c, opened, settings)
}

// CheckGates refuses a run whose result was judged with gates that this program lacks, before
// anything is done that would end in replacing the result.
func CheckGates(dir string) error { return exit.AsUsage(archive.CheckGates(dir, gate.All())) }

// Analyze computes the result of a run and of its variants.
func Analyze(ctx context.Context, c *project.Invocation, opened *rollout.Run,
	settings analysis.Settings,
) (*analysis.Result, error) {
	defer SaveMemory()()
	result, strangers, err := archive.Analyze(ctx, opened,
		rollout.ReadOptions{OnConflict: rollout.Conflict(c.OnConflict)}, settings, gate.All())
	for _, name := range strangers {
		fmt.Fprintf(c.Err, "note: %s is not a variant of this run and is left "+
			"out\n", rollout.VariantDir(opened.Dir, name))
	}
	if result != nil {
		result.Run.JudgedBy = project.Version()
	}
	return result, exit.AsUsage(err)
}

// Rejudge judges a run by a project's settings if its stored result was judged by other rules; else
// nil. It leaves a result with gates that this program lacks as it is.
func Rejudge(ctx context.Context, c *project.Invocation, p *project.Project, run *rollout.Run,
	stored *analysis.Result,
) (*analysis.Result, error) {
	if archive.SameRules(stored, gate.All()) || len(archive.Lacking(stored.Gates, gate.All())) > 0 {
		return nil, nil
	}
	return Analyze(ctx, c, run, p.Config.JudgeSettings(run.Manifest))
}

// WriteFile writes a file into a run directory atomically.
func WriteFile(dir, name string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	return disk.WriteFile(filepath.Join(dir, name), b.Bytes())
}

// The files of a comparison in the directory of a run.
const (
	ComparisonFile     = "comparison.json"
	ComparisonMarkdown = "comparison.md"
)

// Judged analyzes a run and returns the requested reports. The run is opened without its items.
func Judged(ctx context.Context, c *project.Invocation, p *project.Project,
	dir string,
) (*rollout.Run, *analysis.Result, Delivery, error) {
	opened, err := rollout.OpenManifest(dir)
	if err != nil {
		return nil, nil, Delivery{}, err
	}
	result, err := Analyze(ctx, c, opened, p.Config.JudgeSettings(opened.Manifest))
	if err != nil {
		return nil, nil, Delivery{}, err
	}
	formats, err := PickFormats(strings.Join(p.Config.Report.Formats, ","))
	return opened, result, Delivery{Formats: formats, Out: ReportDir(dir), Look: p.Config.Report, config: c.Config}, err
}
