package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"gonogo/analysis"
	"gonogo/analysis/history"
	"gonogo/sampler/rollout"
)

// judge compares tonight with the last good night and with the trend, and says
// in n what came of it. The comparison is nil where there is nothing to compare
// with.
func (h *nights) judge(c *cli.Context, p *project, opened *rollout.Run, r *analysis.Result, n *history.Night) (*analysis.Comparison, *history.History, error) {
	base := history.LastGood(h.list, n, h.thereBy(c.Context))
	if err := c.Context.Err(); err != nil {
		return nil, nil, err
	}
	var comparison *analysis.Comparison
	tolerance := 0.0
	if base < 0 {
		h.alone(c.Context, r, n)
	} else {
		var err error
		if comparison, err = h.compare(c, p, opened, &h.list[base]); err != nil {
			return nil, nil, err
		}
		tolerance = comparison.Tolerance
		n.Base, n.Answer, n.Sentence, n.ExitCode = h.list[base].Name, comparison.Answer, comparison.Sentence, comparison.ExitCode
	}
	if c.Bool("accept") && n.Split != "" {
		n.Accepted, n.ExitCode = true, exitDone
	}
	n.Good = n.ExitCode == exitDone
	trend := history.Analyze(append(slices.Clone(h.list), *n), history.DefaultOptions())
	if fell := trend.Fallen(base, tolerance); fell != nil && n.ExitCode != exitNoGo && !n.Accepted {
		n.ExitCode, n.Good = exitNoGo, false
		n.Sentence += fmt.Sprintf(" Against the trend it regressed: the mean reward was %.3g, fell around night %s and is %.3g, and no single night since shows it; --accept takes that for the new normal.",
			fell.Before, trend.Nights[fell.Night].Name, fell.After)
		mark := &trend.Nights[len(trend.Nights)-1]
		mark.ExitCode, mark.Good, mark.Sentence = n.ExitCode, n.Good, n.Sentence
	}
	return comparison, trend, nil
}

// alone answers for a night that is compared with none. The first one passes
// when it is worth comparing with.
func (h *nights) alone(ctx context.Context, r *analysis.Result, n *history.Night) {
	lost := slices.ContainsFunc(r.Findings, func(f analysis.Finding) bool {
		return f.Gate == "infra.failures" && f.Split == n.Split && f.Status == analysis.Fail && f.Severity == analysis.Blocking
	})
	good, comparable, gone := 0, 0, 0
	for i := range h.list {
		if old := &h.list[i]; old.Good {
			good++
			if history.Comparable(old, n) {
				comparable++
				if !h.thereBy(ctx)(old) {
					gone++
				}
			}
		}
	}
	n.ExitCode = exitUndecided
	switch {
	case n.Split == "":
		n.Sentence = "The night holds no rollout with a reward."
	case lost:
		switch m := r.Splits[n.Split].Missing; {
		case m.Grader == 0:
			n.Sentence = "Too many rollouts were lost to failing endpoints: what is left is no fair sample."
		case m.Grader == m.Total():
			n.Sentence = "Too many rollouts were lost to failures of the grader: what is left is no fair sample."
		default:
			n.Sentence = "Too many rollouts were lost to failing endpoints and failures of the grader: what is left is no fair sample."
		}
	case good == 0:
		n.ExitCode, n.Sentence = exitDone, "There is no good night yet to compare with: later nights are compared with this one."
	case gone > 0:
		n.Sentence = fmt.Sprintf("The rollouts of %s that this one could be compared with are gone from %s, or damaged: bring them back, or take this night for the new normal with --accept.", counted(gone, "good night"), filepath.Join(h.dir, nightRuns))
	default:
		n.Sentence = fmt.Sprintf("None of %s can be compared with this one: the items or the reward range are others. --accept takes this night for the new normal.", counted(good, "good night"))
	}
}

// compare holds tonight against a night of the past, and keeps what came of it
// in tonight's run directory.
func (h *nights) compare(c *cli.Context, p *project, opened *rollout.Run, with *history.Night) (*analysis.Comparison, error) {
	base, err := rollout.Open(h.run(with.Name))
	if err != nil {
		return nil, err
	}
	comparison, err := analysis.Compare(c.Context, base, opened, rollout.ReadOptions{}, p.cfg.settings())
	if err != nil {
		return nil, err
	}
	page := p.cfg.Report.comparison(comparison, pageOptions(c, opened.Dir))
	for _, file := range []struct {
		name  string
		write func(*bytes.Buffer) error
	}{
		{comparisonFile, func(b *bytes.Buffer) error { return comparison.Encode(b) }},
		{comparisonMarkdown, func(b *bytes.Buffer) error { return page.WriteMarkdown(b) }},
	} {
		var b bytes.Buffer
		if err := file.write(&b); err != nil {
			return nil, err
		}
		if err := rollout.WriteFile(filepath.Join(opened.Dir, file.name), b.Bytes()); err != nil {
			return nil, err
		}
	}
	return comparison, nil
}
