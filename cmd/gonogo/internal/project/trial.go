package project

import (
	"context"

	"gonogo/cmd/gonogo/internal/brief"
	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/boundary/grader"
)

// TrialCostly is how many answers a trial grades if gradings cost money, and how many answers
// workers receive for their trial.
const TrialCostly = 2

// TrialAnswers makes answers for a seeded sample of at most limit items.
func (p *Project) TrialAnswers(ctx context.Context, limit int) (answers []sampler.Task, items int, err error) {
	return audit.TrialAnswers(ctx, audit.Input{
		Seed: p.Inputs.Seed, Items: p.Inputs.Items, Range: *p.Config.RewardRange, Answer: p.Config.Audit.Answer,
		Reference: p.Audit.Reference,
	}, limit)
}

// trialOfWorkers returns the answers on which each worker tries its grader: of rows that are small
// compared with the size limit of the queue's messages.
func (p *Project) trialOfWorkers(ctx context.Context) (list []brief.Answer, err error) {
	const most = 64 << 10
	answers, _, err := p.TrialAnswers(ctx, TrialCostly)
	for _, t := range answers {
		if len(list) < TrialCostly && len(t.Item.Row)+len(t.Record.Answer) < most {
			list = append(list, brief.Answer{Item: t.Item, Record: t.Record})
		}
	}
	return list, err
}

// GradesInSession reports whether the grader works in the session of a rollout. An answer then
// cannot be graded without its rollout, because the session's state is gone.
func (p *Project) GradesInSession() bool { return len(grader.SessionReads(p.Bounds.Grader)) > 0 }
