package stage

import (
	"context"
	"fmt"
	"io"
	"strings"

	"gonogo/cmd/gonogo/internal/brief"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/tryout"
)

// The number of items in a trial. A run tries fewer because it is about to grade anyway.
const (
	trialItems    = 50
	trialItemsRun = 5
)

// TryGrader grades answers for a seeded sample of the items. paid allows requests to models that
// grade, and sessions; offline forbids requests to any endpoint.
func TryGrader(ctx context.Context, p *project.Project, c *project.Invocation, paid, offline bool) (tryout.Result, error) {
	total, most := len(p.Inputs.Items), trialItems
	trial := trialOf(p, false)
	if trial.Session {
		most = project.TrialCostly
	}
	if p.Config.RewardOfAgent() {
		return tryout.Result{Of: total, Skipped: "the agent computes the reward itself, within its rollout"}, nil
	}
	why := console.TrialWithheld(trial, 3*min(most, total), paid, offline)
	if why == "" && trial.Judges > 0 {
		if err := p.Config.TakeJudgeKey(); err != nil {
			why = err.Error()
		}
	}
	for _, e := range p.GradingEndpoints() {
		if why != "" {
			break
		}
		if err := endpoint.Reach(ctx, e.URL); err != nil {
			why = "it does not answer: " + p.Redact.String(err.Error())
		}
	}
	if why != "" {
		return tryout.Result{Of: total, Skipped: why}, nil
	}
	answers, items, err := p.TrialAnswers(ctx, most)
	if err != nil {
		return tryout.Result{}, err
	}
	if n := len(answers); trial.Judges > 0 {
		fmt.Fprintf(c.Err, "Grading %s: %s to a model that grades, at most %d if it fails.\n",
			console.Count(n, "answer"), console.Count(trial.Judges*n, "request"), trial.Judges*trial.Most(n))
	}
	t, err := trial.Run(ctx, answers)
	t.Items, t.Of = items, total
	return t, err
}

// trialOf returns the trial of a run's grader. running says that a run is about to start.
func trialOf(p *project.Project, running bool) tryout.Trial {
	return tryout.Trial{
		Grader: p.Bounds.Grader, Sampling: p.Sampling(), Range: *p.Config.RewardRange,
		Judges: len(p.Config.Body.Judges()), Remote: len(p.Config.Body.GraderURLs()) > 0,
		Session: p.GradesInSession(), Agent: p.Config.Agent.Used(), Running: running,
		Group: p.Bounds.GroupSize > 0, Played: p.Config.PlaysToGrade(),
		InFlight: p.Config.Sampling.InFlight, Mask: p.Redact.String,
		Place: tryout.ByLine(p.Inputs.Items), // empty on a worker
	}
}

// runTrial tries the grader before a run in dir is paid for: on one or two answers if a grading
// itself costs money. A run that holds a grade was graded by this very grader, since another one
// would be refused.
func runTrial(ctx context.Context, p *project.Project, c *project.Invocation, dir string) error {
	if p.Config.RewardOfAgent() || tryout.AlreadyGraded(ctx, dir) {
		return nil
	}
	most := trialItemsRun
	if trialOf(p, true).Costly() {
		most = project.TrialCostly
	}
	answers, _, err := p.TrialAnswers(ctx, most)
	if err != nil {
		return err
	}
	t, err := tryNow(ctx, p, c.Err, answers)
	if err != nil {
		return err
	}
	if bad := t.Blocking(); bad != nil && !c.Sampling.DespiteProblems {
		return exit.Usagef("the grader: %s: see above; nothing was sampled; correct the grader, or sample "+
			"--despite-problems", bad.Title)
	}
	return nil
}

// TryOnWorker tries the grader on a worker, with the answers that came with the run.
func TryOnWorker(ctx context.Context, p *project.Project, w io.Writer, with []brief.Answer) error {
	if p.Config.RewardOfAgent() {
		return nil
	}
	answers := make([]sampler.Task, len(with))
	for i, a := range with {
		answers[i] = sampler.Task{Item: a.Item, Record: a.Record, Times: 1}
	}
	t, err := tryNow(ctx, p, w, answers)
	if err != nil {
		return err
	}
	if bad := t.Blocking(); bad != nil { // reported in full to the planner, which has no row to show
		return fmt.Errorf("the grader: %s",
			strings.Join(append([]string{bad.Title}, bad.Rows[:min(1, len(bad.Rows))]...), ": "))
	}
	return nil
}

// tryNow tries the grader of a run that is about to start, and shows the result.
func tryNow(ctx context.Context, p *project.Project, w io.Writer, answers []sampler.Task) (tryout.Result, error) {
	trial := trialOf(p, true)
	if trial.Costly() && len(answers) > 0 {
		answers = answers[:min(len(answers), project.TrialCostly)]
		fmt.Fprintf(w, "The grader is tried first: %s.\n", console.TrialCosts(trial, len(answers)))
	}
	t, err := trial.Run(ctx, answers)
	if err == nil {
		console.WriteTrial(w, t, t.Skipped == "")
	}
	return t, err
}
