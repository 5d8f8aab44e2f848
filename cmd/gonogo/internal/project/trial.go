package project

import (
	"context"

	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/grader"
)

// trialOfWorkers are the answers that each worker tries its grader on: of rows that
// are small compared with what a message of the queue may hold.
func trialOfWorkers(ctx context.Context, p *Project) (list []TrialAnswer, err error) {
	const most = 64 << 10
	answers, _, err := TrialAnswers(ctx, p, TrialCostly)
	for _, t := range answers {
		if len(list) < TrialCostly && len(t.Item.Row)+len(t.Record.Answer) < most {
			list = append(list, TrialAnswer{t.Item, t.Record})
		}
	}
	return list, err
}

// TrialCostly is how many answers a trial grades if gradings cost money, and how many answers workers get for theirs.
const TrialCostly = 2

// GradesInSession reports whether the grader works in the session of a rollout.
func GradesInSession(p *Project) bool { return len(grader.SessionReads(p.Bounds.Grader)) > 0 }

// Costly reports whether a grading costs money: it calls a model or needs a session.
func Costly(p *Project) bool { return len(p.Config.Body.Judges()) > 0 || GradesInSession(p) }

// TrialAnswers makes answers of a seeded sample of at most that many items.
func TrialAnswers(ctx context.Context, p *Project, most int) (answers []sampler.Task, items int, err error) {
	plan, err := audit.NewPlan(ctx, audit.Config{Items: most}, audit.Input{
		Seed: p.Inputs.Seed, Items: p.Inputs.Items, Range: *p.Config.RewardRange, Probes: audit.TrialProbes(), Answer: p.Config.Audit.Answer, Reference: p.Audit.Reference,
	})
	if err != nil {
		return nil, 0, err
	}
	return byProbe(plan), len(plan.Items), nil
}

// byProbe lists a trial's answers, all references first: they decide, and the rest may
// not be reached.
func byProbe(plan *audit.Plan) (answers []sampler.Task) {
	for _, probe := range audit.TrialProbes() {
		for task := range plan.Tasks() {
			if task.Record.Probe.Name == probe.Name {
				answers = append(answers, task)
			}
		}
	}
	return answers
}
