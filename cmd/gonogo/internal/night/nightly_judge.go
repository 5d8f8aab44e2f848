package night

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/history"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/output"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/stage"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/report"
	"gonogo/sampler/rollout"
)

// judge compares tonight with the last good night and with the trend, and says in n its
// result. The comparison is nil if there is nothing to compare with.
func (h *Dir) judge(ctx context.Context, c *project.Call, p *project.Project, opened *rollout.Run, r *analysis.Result, n *history.Night) (*compare.Comparison, *history.History, error) {
	base := history.LastGood(h.List, n, h.thereBy(ctx))
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	var comparison *compare.Comparison
	tolerance := 0.0
	if base < 0 {
		n.AnswerWithoutBase(h.List, r, h.thereBy(ctx), filepath.Join(h.dir, nightRuns))
	} else {
		with, err := rollout.Open(h.run(h.List[base].Name))
		if err != nil {
			return nil, nil, err
		}
		if comparison, err = compareNights(ctx, p, with, opened); err != nil {
			return nil, nil, err
		}
		before, err := output.ReadResult(h.run(h.List[base].Name))
		if err != nil {
			fmt.Fprintf(c.Err, "note: the verdict of night %s is left out: %v\n", ui.Visible(h.List[base].Name), err)
		}
		comparison.AddVerdicts(before, unaccepted(before, r))
		n.Fall(h.List, comparison, h.Detect)
		if err := attribute(ctx, c, p, with, opened, comparison); err != nil {
			return nil, nil, err
		}
		if err := keep(c, p, opened.Dir, comparison); err != nil {
			return nil, nil, err
		}
		tolerance = comparison.Tolerance
		n.ApplyComparison(h.List[base].Name, comparison)
	}
	if h.Accept && n.Split != "" {
		n.Accepted, n.ExitCode = true, exit.OK
	}
	n.Good = n.ExitCode == exit.OK
	trend := history.Analyze(append(slices.Clone(h.List), *n), history.DefaultOptions())
	if fell := trend.TrendDrop(base, tolerance); fell != nil && n.ExitCode != exit.NoGo && !n.Accepted {
		n.RegressedByTrend(fell, trend.Nights[fell.Night].Name)
		mark := &trend.Nights[len(trend.Nights)-1]
		mark.ExitCode, mark.Good, mark.Sentence = n.ExitCode, n.Good, n.Sentence
	}
	return comparison, trend, nil
}

// unaccepted is tonight's result; nil where its grader is NO-GO by the gate by which that
// of the good night before was, too: that night is good because somebody accepted it.
func unaccepted(before, tonight *analysis.Result) *analysis.Result {
	if before == nil {
		return tonight
	}
	if by := compare.UntrustedBy(tonight); by != "" && by == compare.UntrustedBy(before) {
		return nil
	}
	return tonight
}

// attribute finds what is behind a change. Of a red night a sample of the outputs of the
// night before is graded again; where that fails, the records have to do.
func attribute(ctx context.Context, c *project.Call, p *project.Project, base, opened *rollout.Run, comparison *compare.Comparison) error {
	var regraded []compare.Regraded
	if comparison.ExitCode == exit.NoGo && !comparison.Unfair() {
		var err error
		if regraded, err = stage.GradeSample(ctx, p, c, base, *comparison.Split); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			fmt.Fprintf(c.Err, "note: outputs of the night before were not graded again: %s\n", ui.Visible(p.Redact.String(err.Error())))
		}
	}
	return comparison.Attribute(ctx, base, opened, rollout.ReadOptions{}, regraded)
}

// compareNights holds tonight against a night of the past, by intervals of which a month
// without a change errs in few.
func compareNights(ctx context.Context, p *project.Project, base, opened *rollout.Run) (*compare.Comparison, error) {
	settings := p.Config.Settings()
	settings.Confidence = max(settings.Confidence, history.NightConfidence)
	return compare.Runs(ctx, base, opened, rollout.ReadOptions{}, settings)
}

// keep writes a comparison into the run directory of a night.
func keep(c *project.Call, p *project.Project, dir string, comparison *compare.Comparison) error {
	page := output.NewComparison(p.Config.Report, comparison, output.PageOptions(c, dir))
	if err := output.WriteFile(dir, output.ComparisonFile, comparison.Encode); err != nil {
		return err
	}
	return output.WriteFile(dir, output.ComparisonMarkdown, func(w io.Writer) error { return report.WriteMarkdown(w, page) })
}
