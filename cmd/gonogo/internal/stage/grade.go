package stage

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"

	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/rollout"
)

// GradeAgain grades the outputs of a run, each times times, into another run directory.
func GradeAgain(ctx context.Context, p *project.Project, c *project.Invocation, run *rollout.Run, dir string,
	times int,
) error {
	if SamePath(run.Dir, dir) {
		return exit.Usagef("%s is the run itself: name another directory with --output, so that its grades stay", dir)
	}
	if err := p.Spending.CountRun(ctx, dir); err != nil {
		return exit.AsUsage(err)
	}
	if err := p.ReadyToGrade(ctx, c); err != nil {
		return err
	}
	writer, err := rollout.Create(dir, p.RegradeManifest(c, run), run.Items, rollout.WriterOptions{Redact: p.Redact})
	if err != nil {
		return exit.AsUsage(err)
	}
	former, err := rollout.CopyForRegrade(ctx, run, rollout.ReadOptions{OnConflict: rollout.Conflict(c.OnConflict)},
		dir, writer, p.Bounds.GroupSize)
	if err != nil {
		return exit.AsUsage(errors.Join(err, writer.Close()))
	}
	if err := p.Session.KeepSessions(ctx, dir); err != nil {
		return errors.Join(err, writer.Close())
	}
	changed := 0 // number of changed rewards
	stats, err := regrade(ctx, p, c, run, former, times, sampler.SinkFunc(func(rec *rollout.Record) error {
		if n := len(rec.Earlier); n > 0 && rec.Reward != nil {
			if was := rec.Earlier[n-1].Reward; was == nil || *was != *rec.Reward {
				changed++
			}
		}
		return writer.Append(rec)
	}))
	if stats.Recorded == former.Left {
		err = errors.Join(err,
			writer.Amend(func(m *rollout.Manifest) { m.Grading = run.Manifest != nil && run.Manifest.Grading }))
	}
	closed := project.FinishRun(p, writer)
	p.ShowWarnings(c.Err)
	console.WriteRegraded(c.Err, former, stats, changed)
	st := gradingStage
	st.source = run.Dir
	if err := JoinDiskError(stageEnded(p, c, st, dir, stats, err), closed); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.Out, "%s\n", dir)
	return err
}

// SamePath reports whether two paths name the same file or directory.
func SamePath(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// regrade grades what remains of a former run.
func regrade(ctx context.Context, p *project.Project, c *project.Invocation, run *rollout.Run,
	former *rollout.RegradeSource, times int, to sampler.Sink,
) (sampler.Stats, error) {
	if former.Left == 0 {
		return sampler.Stats{}, nil
	}
	return gradeRecorded(ctx, p, c, run, former.Left, false, former.Records, times, to)
}

// gradeTasks passes tasks to a grader, with progress and signal handling. uncounted says that they
// do not count as rollouts of the budget.
func gradeTasks(ctx context.Context, p *project.Project, c *project.Invocation, what string, total int, uncounted bool,
	to sampler.Sink, tasks func(context.Context) iter.Seq2[sampler.Task, error], g sampler.Grader) (sampler.Stats,
	error,
) {
	cfg := p.Sampling()
	cfg.Cost, cfg.Uncounted = p.Spending.GradingCost(), uncounted
	if len(grader.SessionReads(g)) == 0 {
		cfg.Isolation, cfg.Rollouts = nil, p.Config.Sampling.InFlight
	}
	stats, err := underProgress(ctx, p, c, what, total, cfg,
		func(ctx context.Context, drain <-chan struct{}, show *console.Progress) (sampler.Stats, error) {
			cfg.Log = p.Log
			return sampler.Regrade(ctx, sampler.RegradeOptions{
				Config: cfg, Tasks: tasks(ctx), Total: total, Grader: g, Sink: watched(show, to, nil), Drain: drain,
				Watch: show.Watch,
			})
		})
	console.WarnLeftOpen(c.Err, stats)
	return stats, err
}

// gradeUngraded grades the recorded answers without a grade; the model is not called again. cutOff
// limits this to answers whose grading was interrupted.
func gradeUngraded(ctx context.Context, p *project.Project, c *project.Invocation, dir string, to sampler.Sink,
	cutOff bool,
) error {
	if p.GradesInSession() {
		return nil
	}
	run, err := rollout.OpenManifest(dir)
	if err != nil {
		return err
	}
	ungraded, err := run.Ungraded(ctx, cutOff, p.Bounds.GroupSize)
	if err != nil || ungraded.Len() == 0 {
		return err
	}
	if run, err = rollout.Open(dir); err != nil { // now with its items
		return err
	}
	if p.Config.Queue.Remote() {
		if err := p.ReadyToGrade(ctx, c); err != nil {
			return fmt.Errorf("%w (%s recorded without a grade: they are graded here, not by workers)", err,
				console.Count(ungraded.Len(), "answer"))
		}
	}
	stats, err := gradeRecorded(ctx, p, c, run, ungraded.Len(), true, ungraded.Records, 1, to)
	fmt.Fprintf(c.Err, "Graded %d of %s recorded without a grade, without sampling again: %s failed.\n",
		stats.Recorded, console.Count(ungraded.Len(), "answer"), console.Count(stats.Outcomes[rollout.GraderFailed],
			"grading"))
	return stageEnded(p, c, gradingStage, dir, stats, err)
}

// gradeRecorded grades records of a run, each times times. uncounted says that they do not count as
// rollouts of the budget.
func gradeRecorded(ctx context.Context, p *project.Project, c *project.Invocation, run *rollout.Run, n int, uncounted bool,
	records func(context.Context) iter.Seq2[*rollout.Record, error], times int, to sampler.Sink) (sampler.Stats,
	error,
) {
	tasks := func(ctx context.Context) iter.Seq2[sampler.Task, error] {
		return sampler.Tasks(run.Items, func() iter.Seq2[*rollout.Record, error] { return records(ctx) }, times,
			p.Bounds.GroupSize)
	}
	return gradeTasks(ctx, p, c, "outputs", n, uncounted, to, tasks, p.Bounds.Grader)
}

// graderKeys are the settings in which a run with another grader differs.
var graderKeys = []string{"grader", "job", "judge.api", "judge.base_url", "sampling.sample_tools"}

// regradeHint says how to continue a run that was made with another grader but otherwise the same
// settings: grades of two graders must not be mixed in one directory.
func regradeHint(p *project.Project, c *project.Invocation, dir string, err error) error {
	differs, ok := errors.AsType[*rollout.BindingError](err)
	if !ok || slices.ContainsFunc(differs.Keys, func(key string) bool { return !slices.Contains(graderKeys, key) }) {
		return err
	}
	run, openErr := rollout.OpenManifest(dir)
	if openErr != nil || run.Manifest == nil || slices.Contains(differs.Keys, "job") &&
		jobWithoutGrader(run.Manifest.Config) != jobWithoutGrader(p.Config.Masked()) {
		return err
	}
	to := strings.TrimRight(dir, "/") + "-regraded"
	with := project.ConfigFlags(p, c)
	return fmt.Errorf("the grader has changed since %s was made (%s): grades of two graders do not mix. Put it "+
		"back, or grade the recorded answers with the new one into a directory of their own, without sampling "+
		"again, and continue there:\n  gonogo grade %s%s -o %s\n  gonogo %s%s -o %s",
		dir, strings.Join(differs.Keys, ", "), message.Shell(dir), with, message.Shell(to), c.Command, with,
		message.Shell(to))
}

// jobWithoutGrader returns the job of a manifest's configuration without its grader.
func jobWithoutGrader(file []byte) string {
	cfg, err := config.FromManifest(rollout.ManifestFile, file)
	if err != nil || cfg.Body == nil {
		return ""
	}
	return string(cfg.Body.BodyWith([]byte("null")))
}

// GradeSample grades some outputs of a run again with the project's grader, the first of each item
// of a split, and returns both grades. It writes nothing. It returns none for a grader that works
// in the rollout's session, which no longer exists, or that compares the outputs of an item.
func GradeSample(ctx context.Context, p *project.Project, c *project.Invocation, run *rollout.Run,
	split rollout.Split,
) ([]compare.Regraded, error) {
	if p.Bounds.Grader == nil || p.GradesInSession() || p.Bounds.GroupSize > 0 || p.Config.RewardOfAgent() {
		return nil, nil
	}
	sample, err := compare.SampleOutputs(ctx, run, split)
	if err != nil || len(sample) == 0 {
		return nil, err
	}
	records := func(context.Context) iter.Seq2[*rollout.Record, error] { return compare.Ungraded(sample) }
	again := make(map[string]float64) // by item
	_, err = gradeRecorded(ctx, p, c, run, len(sample), true, records, 1,
		sampler.SinkFunc(func(r *rollout.Record) error {
			if r.Outcome == rollout.Graded && r.Reward != nil {
				again[r.Item] = *r.Reward
			}
			return nil
		}))
	return compare.Regradings(sample, again), errors.Join(err, ctx.Err())
}
