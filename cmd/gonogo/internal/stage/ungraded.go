package stage

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/grader"
	"gonogo/sampler/rollout"
)

// gradesLater reports whether a recorded answer can be graded without its rollout.
// A grader that looks into the rollout's session cannot: what the rollout left there
// is gone, and it is sampled again.
func gradesLater(p *project.Project) bool { return len(grader.SessionReads(p.Bounds.Grader)) == 0 }

// gradeLeft grades the answers that a run holds without a grade: the model is not
// asked again. cutOff grades those alone whose grading was broken off.
func gradeLeft(ctx context.Context, p *project.Project, c *project.Call, dir string, to sampler.Sink, cutOff bool) error {
	if !gradesLater(p) {
		return nil
	}
	run, err := rollout.Open(dir)
	if err != nil {
		return err
	}
	left, err := run.Ungraded(ctx, cutOff)
	if err != nil || left.Len() == 0 {
		return err
	}
	if p.Config.Queue.Remote() {
		if err := p.ReadyToGrade(ctx, c); err != nil {
			return fmt.Errorf("%w (%s recorded without a grade: they are graded here, not by workers)", err, ui.Count(left.Len(), "answer"))
		}
	}
	stats, err := gradeRecorded(ctx, p, c, run, left.Len(), true, left.Records, 1, to)
	fmt.Fprintf(c.Err, "Graded %d of %s recorded without a grade, without sampling again: %s failed.\n",
		stats.Recorded, ui.Count(left.Len(), "answer"), ui.Count(stats.Outcomes[rollout.GraderFailed], "grading"))
	return stageEnded(p, gradingStage, dir, stats, err)
}

// gradeRecorded grades records of a run, each that many times. uncounted says that
// they are none of the budget's rollouts.
func gradeRecorded(ctx context.Context, p *project.Project, c *project.Call, run *rollout.Run, n int, uncounted bool, records func(context.Context) iter.Seq2[*rollout.Record, error], times int, to sampler.Sink) (sampler.Stats, error) {
	items := make(map[rollout.Key]*rollout.Item, len(run.Items))
	for i := range run.Items {
		it := &run.Items[i]
		items[rollout.Key{Split: it.Split, Item: it.ID}] = it
	}
	return gradeTasks(ctx, p, c, "outputs", n, uncounted, to, func(ctx context.Context) iter.Seq2[sampler.Task, error] {
		return func(yield func(sampler.Task, error) bool) {
			for rec, err := range records(ctx) {
				task := sampler.Task{Record: rec, Times: times}
				if err == nil {
					task.Item = items[rollout.Key{Split: rec.Split, Item: rec.Item}]
				}
				if !yield(task, err) {
					return
				}
			}
		}
	}, p.Bounds.Grader)
}

// graderKeys are the settings that a run with another grader differs in.
var graderKeys = []string{"grader", "job", "judge.api", "judge.base_url", "sampling.sample_tools"}

// regradeHint says how to go on with a run that was made with another grader and
// nothing else that differs: grades of two graders do not mix in one directory.
func regradeHint(p *project.Project, c *project.Call, dir string, err error) error {
	differs, ok := errors.AsType[*rollout.BindingError](err)
	if !ok || slices.ContainsFunc(differs.Keys, func(key string) bool { return !slices.Contains(graderKeys, key) }) {
		return err
	}
	run, openErr := rollout.Open(dir)
	if openErr != nil || run.Manifest == nil || slices.Contains(differs.Keys, "job") && jobBeside(run.Manifest.Config) != jobBeside(p.Config.Masked()) {
		return err
	}
	to := strings.TrimRight(dir, "/") + "-regraded"
	with := project.ConfigFlags(p, c)
	return fmt.Errorf("the grader has changed since %s was made (%s): grades of two graders do not mix. Put it back, or grade the recorded answers with the new one into a directory of their own, without sampling again, and go on there:\n  gonogo grade %s%s -o %s\n  gonogo %s%s -o %s",
		dir, strings.Join(differs.Keys, ", "), message.Shell(dir), with, message.Shell(to), c.Command, with, message.Shell(to))
}

// jobBeside is the job of a manifest's configuration without its grader.
func jobBeside(file []byte) string {
	cfg, err := config.FromManifest(rollout.ManifestFile, file)
	if err != nil || cfg.Body == nil {
		return ""
	}
	return string(config.WithGrader(cfg.Body.Raw, []byte("null")))
}
