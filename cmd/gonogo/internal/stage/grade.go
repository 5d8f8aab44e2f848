package stage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/grader"
	"gonogo/sampler/rollout"
)

// ShownID is an id as people are shown it on a line with others: in quotes where it
// holds what is not plain to see, a line break among it.
func ShownID(id string) string {
	if strings.ContainsFunc(id, func(r rune) bool { return !unicode.IsPrint(r) }) || !utf8.ValidString(id) {
		return strconv.Quote(id)
	}
	return id
}

// GradeAgain grades what run holds, each answer that many times, into a run directory of its
// own.
func GradeAgain(ctx context.Context, p *project.Project, c *project.Call, run *rollout.Run, dir string, times int) error {
	if SamePath(run.Dir, dir) {
		return exit.Usagef("%s is the run itself: name another directory with --output, so that its grades stay", dir)
	}
	if err := p.ReadyToGrade(ctx, c); err != nil {
		return err
	}
	writer, err := rollout.Create(dir, p.RegradeManifest(run), run.Items, rollout.WriterOptions{Redact: p.Redact})
	if err != nil {
		return exit.AsUsage(err)
	}
	former, err := rollout.CopyForRegrade(ctx, run, rollout.ReadOptions{OnConflict: rollout.Conflict(c.OnConflict)}, dir, writer)
	if err != nil {
		return exit.AsUsage(errors.Join(err, writer.Close()))
	}
	if err := p.Session.KeepSessions(ctx, dir); err != nil {
		return errors.Join(err, writer.Close())
	}
	changed := &changes{to: writer}
	stats, err := regrade(ctx, p, c, run, former, times, changed)
	closed := project.FinishRun(p, writer)
	p.ShowWarnings(c.Err)
	toldOfGrades(c.Err, former, stats, changed.n)
	if err := JoinDiskError(stageEnded(p, gradingStage, dir, stats, err), closed); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.Out, "%s\n", dir)
	return err
}

// toldOfGrades says the outcome of grading again, in one line.
func toldOfGrades(w io.Writer, former *rollout.RegradeSource, stats sampler.Stats, changed int) {
	if former.Left == 0 {
		fmt.Fprintln(w, "All outputs are graded already.")
		return
	}
	fmt.Fprintf(w, "Graded %s of %s again: %s changed, %s failed. %s without an output taken over.\n",
		message.Whole(stats.Recorded), ui.Count(former.Left, "output"), ui.Count(changed, "reward"), ui.Count(stats.Outcomes[rollout.GraderFailed], "grading"), ui.Count(former.Copied, "rollout"))
	if former.Ungradable > 0 {
		fmt.Fprintf(w, "warning: %s had a grade and no recorded output: without a grade here\n", ui.Count(former.Ungradable, "rollout"))
	}
}

// SamePath reports whether two paths name the same directory.
func SamePath(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// changes counts the rewards that another grader changed.
type changes struct {
	to sampler.Sink
	n  int
}

// Append hands a graded record on.
func (c *changes) Append(rec *rollout.Record) error {
	if n := len(rec.Earlier); n > 0 && rec.Reward != nil {
		if was := rec.Earlier[n-1].Reward; was == nil || *was != *rec.Reward {
			c.n++
		}
	}
	return c.to.Append(rec)
}

// regrade grades what is left of a former run.
func regrade(ctx context.Context, p *project.Project, c *project.Call, run *rollout.Run, former *rollout.RegradeSource, times int, to sampler.Sink) (sampler.Stats, error) {
	if former.Left == 0 {
		return sampler.Stats{}, nil
	}
	return gradeRecorded(ctx, p, c, run, former.Left, false, former.Records, times, to)
}

// gradeTasks hands tasks to a grader under progress and signals. uncounted says that
// they are none of the budget's rollouts.
func gradeTasks(ctx context.Context, p *project.Project, c *project.Call, what string, total int, uncounted bool, to sampler.Sink, tasks func(context.Context) iter.Seq2[sampler.Task, error], g sampler.Grader) (sampler.Stats, error) {
	cfg := p.Sampling()
	cfg.Cost, cfg.Uncounted = p.Spending.GradingCost(), uncounted
	if len(grader.SessionReads(g)) == 0 {
		cfg.Isolation, cfg.Rollouts = nil, p.Config.Sampling.InFlight
	}
	show := progressOf(p, c, what, total, cfg)
	defer show.Close()
	ctx, drain, release := ui.Interruptible(ctx, show, what)
	defer release()
	defer p.TakeGraderWarnings()
	cfg.Log = p.Log
	stats, err := sampler.Regrade(ctx, drain, cfg, tasks(ctx), total, g, &watchedSink{to: to, say: show}, show.Watch)
	show.Ended(stats)
	project.WarnLeftOpen(c.Err, stats)
	return stats, err
}
