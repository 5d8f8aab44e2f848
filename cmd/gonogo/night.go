package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"gonogo/analysis"
	"gonogo/analysis/archive"
	"gonogo/analysis/compare"
	"gonogo/analysis/history"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/output"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/stage"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/report"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

// Make makes a night, records it and returns its answer as an exit code.
func (h *nightRun) Make(ctx context.Context, c *project.Invocation, p *project.Project, now time.Time) error {
	if n := h.nightWithoutPage(p, now); n != nil {
		return h.writeAgain(ctx, c, p, *n)
	}
	name, note := h.tonight(p, now)
	if note != "" {
		fmt.Fprintf(c.Err, "note: %s\n", note)
	}
	dir := h.Run(name)
	h.warnDamaged(ctx, c)
	stopped, failed, err := stage.Make(ctx, c, p, dir)
	if err != nil {
		return err
	}
	if stopped != nil {
		fmt.Fprintf(c.Err, "note: night %s is incomplete and is not kept\n", name)
		return errors.Join(failed, stopped)
	}
	_, err = h.record(ctx, c, p, madeNight{
		name: name, began: now, failed: failed,
		regrade: func(base *rollout.Run, split rollout.Split) ([]compare.Regraded, error) {
			return stage.GradeSample(ctx, p, c, base, split)
		},
	})
	return err
}

// Read records a night that was made elsewhere: read reads its logs into a run directory. A log that
// cannot be judged leaves nothing behind.
func (h *nightRun) Read(ctx context.Context, c *project.Invocation, p *project.Project, now time.Time,
	read func(dir string) error,
) error {
	name := h.NewName(now)
	h.warnDamaged(ctx, c)
	if err := read(h.Run(name)); err != nil {
		return err
	}
	recorded, err := h.record(ctx, c, p, madeNight{name: name, began: now})
	if !recorded {
		err = errors.Join(err, os.RemoveAll(h.Run(name)))
	}
	return err
}

// madeNight is a night whose rollouts exist.
type madeNight struct {
	name    string
	began   time.Time
	failed  error // of its variants
	regrade func(base *rollout.Run, split rollout.Split) ([]compare.Regraded, error)
}

// record judges a night, adds it to the history and returns its answer as an exit code.
func (h *nightRun) record(ctx context.Context, c *project.Invocation, p *project.Project, m madeNight) (recorded bool,
	err error,
) {
	dir := h.Run(m.name)
	defer output.SaveMemory()()
	opened, result, to, err := output.Judged(ctx, c, p, dir)
	if err != nil {
		return false, err
	}
	if opened.Items, err = opened.ReadItems(); err != nil {
		return false, err
	}
	to.Lead = "This night alone: "
	if err := errors.Join(archive.WriteResult(dir, result), output.WriteReport(ctx, c, dir, result, to)); err != nil {
		return false, err
	}
	if opened.Manifest != nil && !opened.Manifest.Started.IsZero() {
		m.began = opened.Manifest.Started
	}
	n := history.NewNight(m.name, m.began, opened, result)
	compared, trend, err := h.Judge(ctx, &n, opened, result, archive.JudgeOptions{
		Settings: p.Config.Settings(), Detect: h.Detect, Accept: h.Accept, Regrade: m.regrade,
		Note: func(text string) { fmt.Fprintf(c.Err, "note: %s\n", console.Visible(p.Redact.String(text))) },
		Rejudge: func(base *rollout.Run, stored *analysis.Result) (*analysis.Result, error) {
			return output.Rejudge(ctx, c, p, base, stored)
		},
	})
	if err == nil && compared != nil {
		err = keep(c, p, dir, compared)
	}
	if err != nil {
		return false, err
	}
	if err := h.Add(n); err != nil {
		return false, err
	}
	return true, withAnswer(c, n, m.failed, h.show(c, p.Config.Report, n, compared, trend), h.writePage(c, to, trend),
		h.pruneTo(ctx, c))
}

// writeAgain prints a recorded night and writes the page that is missing because the command was
// killed.
func (h *nightRun) writeAgain(ctx context.Context, c *project.Invocation, p *project.Project, n history.Night) error {
	fmt.Fprintf(c.Err,
		"note: night %s is recorded but missing from the page: writing the page; nothing is sampled\n", n.Name)
	formats, err := output.PickFormats(strings.Join(p.Config.Report.Formats, ","))
	if err != nil {
		return err
	}
	trend := history.Analyze(h.Nights, history.DefaultOptions())
	return withAnswer(c, n, h.show(c, p.Config.Report, n, nil, trend),
		h.writePage(c, output.Delivery{Formats: formats, Look: p.Config.Report}, trend), h.pruneTo(ctx, c))
}

// withAnswer joins the answer of a recorded night with other errors: of a variant, the output, or
// the removal of old nights. They are reported, and set the exit code if the answer is 0; a note then
// tells it from the exit code of a night that was not recorded.
func withAnswer(c *project.Invocation, n history.Night, failed ...error) error {
	err, code := errors.Join(failed...), n.ExitCode
	if err != nil {
		fmt.Fprintf(c.Err, "note: night %s is recorded (its own exit code is %d); something after it failed:\n",
			n.Name, code)
	}
	if code == exit.OK {
		return err
	}
	answer := error(&exit.Error{Code: code})
	if err == nil {
		return answer
	}
	for _, one := range exit.Split(err) {
		answer = errors.Join(answer, &exit.Error{Code: code, Err: one})
	}
	return answer
}

// pruneTo removes old nights according to --keep.
func (h *nightRun) pruneTo(ctx context.Context, c *project.Invocation) error {
	if h.Keep == 0 {
		return nil
	}
	removed, err := h.Prune(ctx, h.Keep)
	if removed > 0 {
		fmt.Fprintf(c.Err, "note: removed the rollouts of %s; %s holds their numbers\n",
			console.Count(removed, "night"), archive.NightsFile)
	}
	return err
}

// nightAnswer is the output of --json.
type nightAnswer struct {
	Night      history.Night       `json:"night"`
	Comparison *compare.Comparison `json:"comparison"` // null if there was nothing to compare with
	History    *history.History    `json:"history"`
}

// show prints the comparison, the nights and, last, the answer.
func (h *nightRun) show(c *project.Invocation, look config.ReportValues, n history.Night, compared *compare.Comparison,
	trend *history.History,
) error {
	if c.JSON {
		n.Items = nil // they are in nights.jsonl
		return ui.PrintJSON(c.Out, nightAnswer{Night: n, Comparison: compared, History: trend})
	}
	opt := output.PageOptions(c, h.Run(n.Name))
	if compared != nil {
		if err := report.WriteText(c.Out, output.NewComparison(look, compared, opt)); err != nil {
			return err
		}
	}
	trend.Lang, opt.Dir = look.Language(), h.Dir
	if err := report.WriteText(c.Out, report.NewHistoryPage(trend, opt)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.Out, "%s  %s\n", n.Word(trend.Lang), console.Visible(n.Sentence.In(trend.Lang)))
	return err
}

// historyFormats selects the formats of a run's report in which a history can be written.
func historyFormats(requested []report.Format[*report.RunPage]) []report.Format[*report.HistoryPage] {
	return slices.DeleteFunc(report.HistoryFormats(), func(f report.Format[*report.HistoryPage]) bool {
		return !slices.ContainsFunc(requested, func(r report.Format[*report.RunPage]) bool {
			return r.Name == f.Name || r.Name == "markdown" && f.Name == "markdown-full"
		})
	})
}

// writePage writes the page of the history into the history directory, in those formats of the
// run's report that a history supports.
func (h *nightRun) writePage(c *project.Invocation, to output.Delivery, trend *history.History) error {
	formats := historyFormats(to.Formats)
	dir := output.ReportDir(h.Dir)
	if len(formats) == 0 {
		return nil
	}
	if err := disk.CheckRegularDir(dir); err != nil {
		return exit.AsUsage(err)
	}
	opt := output.PageOptions(c, h.Dir)
	trend.Lang, opt.Paper, opt.Font = to.Look.Language(), to.Look.Paper, to.Look.Font
	page := report.NewHistoryPage(trend, opt)
	if err := report.Write(dir, page, formats); err != nil {
		return fmt.Errorf("write the page of the history: %w", err)
	}
	output.Warn(c, page)
	_, err := fmt.Fprintf(c.Err, "The history is in %s\n", dir)
	return err
}

// keep writes a comparison into the run directory of a night.
func keep(c *project.Invocation, p *project.Project, dir string, comparison *compare.Comparison) error {
	page := output.NewComparison(p.Config.Report, comparison, output.PageOptions(c, dir))
	if err := output.WriteFile(dir, output.ComparisonFile, comparison.Encode); err != nil {
		return err
	}
	return output.WriteFile(dir, output.ComparisonMarkdown,
		func(w io.Writer) error { return report.WriteMarkdown(w, page) })
}
