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

// JudgeOptions set how a night is judged.
type JudgeOptions struct {
	Settings analysis.Settings
	Detect   float64 // the drop that a night must be able to detect, as a share of the reward range
	Accept   bool    // the night is good whatever its comparison shows

	// Regrade grades a sample of the outputs of an earlier night again if tonight is worse, to
	// tell a changed grader from a changed policy; nil skips that.
	Regrade func(base *rollout.Run, split rollout.Split) ([]compare.Regraded, error)
	// Rejudge judges the run of an earlier night again if its stored result was judged by other rules,
	// and returns nil if it was not; a nil Rejudge leaves that result as it is.
	Rejudge func(base *rollout.Run, stored *analysis.Result) (*analysis.Result, error)

	// Note is called with notes on what was left out; it may be nil.
	Note func(text string)
}

// Judge compares night n, with its run and result, with the last good night and with the trend,
// and stores the answer in n. The comparison is nil if there is nothing to compare with. The
// night is not added to the history.
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
	if before, err = o.current(before, h.Nights[base].Name, with); err != nil {
		return nil, nil, err
	}
	comparison.AddVerdicts(before, unaccepted(before, r))
	n.Fall(h.Nights, comparison, o.Detect)
	if err := attribute(ctx, with, tonight, comparison, o); err != nil {
		return nil, nil, err
	}
	return comparison, n.Conclude(h.Nights, base, comparison, o.Accept), nil
}

// current returns the result of an earlier night by today's rules, and stores it if they are new to
// it, so that it is judged again only once.
func (o JudgeOptions) current(was *analysis.Result, night string, base *rollout.Run) (*analysis.Result, error) {
	if was == nil || o.Rejudge == nil {
		return was, nil
	}
	is, err := o.Rejudge(base, was)
	if err != nil {
		return nil, fmt.Errorf("judge night %s again: %w", night, err)
	}
	if is == nil {
		return was, nil
	}
	o.note("night %s was judged by other rules (gonogo %s), and is judged again: %s, before %s", night, JudgedBy(was),
		is.Verdict, was.Verdict)
	return is, WriteResult(base.Dir, is)
}

func (o JudgeOptions) note(format string, args ...any) {
	if o.Note != nil {
		o.Note(fmt.Sprintf(format, args...))
	}
}

// compareNights compares tonight with an earlier night, at a confidence of at least
// NightConfidence, at which few months without a change raise a false alarm.
func compareNights(ctx context.Context, base, tonight *rollout.Run, s analysis.Settings) (*compare.Comparison, error) {
	s.Confidence = max(s.Confidence, history.NightConfidence)
	return compare.Runs(ctx, base, tonight, rollout.ReadOptions{}, s)
}

// unaccepted returns tonight's result, or nil if its grader is NO-GO by the same gate as in the
// good night before: that night is good only because a user accepted it.
func unaccepted(before, tonight *analysis.Result) *analysis.Result {
	if before == nil {
		return tonight
	}
	if by := compare.UntrustedBy(tonight); by != "" && by == compare.UntrustedBy(before) {
		return nil
	}
	return tonight
}

// attribute finds the causes of a change. If tonight is worse, a sample of the outputs of the
// base night is graded again; if that fails, the causes come from the records alone.
func attribute(ctx context.Context, base, tonight *rollout.Run, comparison *compare.Comparison, o JudgeOptions) error {
	var regraded []compare.Regraded
	if o.Regrade != nil && comparison.Answer.ExitCode() == compare.Regressed.ExitCode() && !comparison.Unfair() {
		var err error
		if regraded, err = o.Regrade(base, *comparison.Split); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			o.note("outputs of the base night could not be regraded: %s", err)
		}
	}
	return comparison.Attribute(ctx, base, tonight, rollout.ReadOptions{}, regraded)
}
