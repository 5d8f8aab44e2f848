package archive

import (
	"context"
	"fmt"
	"path/filepath"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/history"
	"gonogo/sampler/rollout"
)

// JudgeOptions say how a night is judged.
type JudgeOptions struct {
	Settings analysis.Settings
	Detect   float64 // the drop that a night must be able to detect, as a share of the reward range
	Accept   bool    // the night is good whatever a comparison says

	// Regrade grades a sample of the outputs of an earlier night again, where tonight is worse,
	// to tell a grader that changed from a policy that did; nil leaves that out.
	Regrade func(base *rollout.Run, split rollout.Split) ([]compare.Regraded, error)
	// Note receives what was left out; it may be nil.
	Note func(text string)
}

// Judge compares a night, whose run and result are given, with the last good night and with
// the trend, and says in n its result. The comparison is nil if there is nothing to compare
// with. The night is not added to the history.
func (h *History) Judge(ctx context.Context, n *history.Night, tonight *rollout.Run, r *analysis.Result,
	o JudgeOptions,
) (*compare.Comparison, *history.History, error) {
	base := history.LastGood(h.Nights, n, h.There(ctx))
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if base < 0 {
		n.AnswerWithoutBase(h.Nights, r, h.There(ctx), filepath.Join(h.Dir, NightRuns))
		return nil, n.Conclude(h.Nights, base, nil, o.Accept), nil
	}
	with, err := rollout.Open(h.Run(h.Nights[base].Name))
	if err != nil {
		return nil, nil, err
	}
	comparison, err := compareNights(ctx, with, tonight, o.Settings)
	if err != nil {
		return nil, nil, err
	}
	before, err := ReadResult(with.Dir)
	if err != nil {
		o.note("the verdict of night %s is left out: %v", h.Nights[base].Name, err)
	}
	comparison.AddVerdicts(before, unaccepted(before, r))
	n.Fall(h.Nights, comparison, o.Detect)
	if err := attribute(ctx, with, tonight, comparison, o); err != nil {
		return nil, nil, err
	}
	return comparison, n.Conclude(h.Nights, base, comparison, o.Accept), nil
}

func (o JudgeOptions) note(format string, args ...any) {
	if o.Note != nil {
		o.Note(fmt.Sprintf(format, args...))
	}
}

// compareNights holds tonight against a night of the past, by intervals of which a month
// without a change errs in few.
func compareNights(ctx context.Context, base, tonight *rollout.Run, s analysis.Settings) (*compare.Comparison, error) {
	s.Confidence = max(s.Confidence, history.NightConfidence)
	return compare.Runs(ctx, base, tonight, rollout.ReadOptions{}, s)
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
func attribute(ctx context.Context, base, tonight *rollout.Run, comparison *compare.Comparison, o JudgeOptions) error {
	var regraded []compare.Regraded
	if o.Regrade != nil && comparison.Answer.ExitCode() == compare.Regressed.ExitCode() && !comparison.Unfair() {
		var err error
		if regraded, err = o.Regrade(base, *comparison.Split); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			o.note("outputs of the night before were not graded again: %s", err)
		}
	}
	return comparison.Attribute(ctx, base, tonight, rollout.ReadOptions{}, regraded)
}
