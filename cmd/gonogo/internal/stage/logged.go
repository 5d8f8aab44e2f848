package stage

import (
	"context"
	"iter"
	"slices"

	"gonogo/cmd/gonogo/internal/project"
	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/rollout"
)

// GradesHere reports whether the project's grader can grade logged answers without a request to a
// server, a judge's included, without the session of their rollout, and each by itself.
func GradesHere(p *project.Project) bool {
	if p.Bounds.Grader == nil || p.GradesInSession() || p.Bounds.GroupSize > 0 || len(p.Config.Body.Judges()) > 0 ||
		len(p.Config.Body.GraderURLs()) > 0 || p.Config.RewardWithRollout() {
		return false
	}
	kind := p.GraderInfo().Kind
	return !slices.ContainsFunc(grader.Kinds(), func(k grader.Kind) bool { return k.Name == kind && k.Remote })
}

// GradeLogged grades n rollouts that a trainer logged, and returns the new rewards by sample number.
// It writes nothing.
func GradeLogged(ctx context.Context, p *project.Project, c *project.Invocation, items []rollout.Item, n int,
	records func(context.Context) iter.Seq2[*rollout.Record, error],
) (map[int]float64, error) {
	again := make(map[int]float64, n)
	tasks := func(ctx context.Context) iter.Seq2[sampler.Task, error] {
		return sampler.Tasks(items, func() iter.Seq2[*rollout.Record, error] { return records(ctx) }, 1, 0)
	}
	_, err := gradeTasks(ctx, p, c, "logged answers", n, true, sampler.SinkFunc(func(r *rollout.Record) error {
		if r.Outcome == rollout.Graded && r.Reward != nil {
			again[r.Sample] = *r.Reward
		}
		return nil
	}), tasks, p.Bounds.Grader)
	return again, err
}
