package stage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/rollout"
	"gonogo/sampler/tryout"
)

// The bounds of a trial. A run tries fewer items: it is about to grade.
const (
	trialItems    = 50
	trialItemsRun = 5
)

// GraderTrial is what the run's grader made of answers that no model gave: the
// reference, an empty answer and a wrong one of each item.
type GraderTrial struct {
	Items    int              `json:"items"`             // drawn
	Of       int              `json:"of"`                // items there are
	Graded   int              `json:"graded"`            // answers put to the grader, with or without a grade
	Planned  int              `json:"planned"`           // answers
	Skipped  string           `json:"skipped,omitempty"` // why nothing was graded
	Findings []tryout.Finding `json:"findings,omitempty"`

	references bool // answers that are right are among them
}

// TryGrader puts answers of a seeded sample of the items to the grader. paid allows
// requests to models that grade, and sessions, offline forbids any to an endpoint.
func TryGrader(ctx context.Context, p *project.Project, c *project.Call, paid, offline bool) (GraderTrial, error) {
	t, most := GraderTrial{Of: len(p.Inputs.Items)}, trialItems
	trial := trialOf(p, false)
	asked, boxed := trial.Judges, trial.Session
	if boxed {
		most = project.TrialCostly
	}
	gradings := trial.Most(3 * min(most, len(p.Inputs.Items)))
	switch {
	case boxed && offline:
		t.Skipped = "it needs a session (--offline)"
	case boxed && !paid:
		t.Skipped = fmt.Sprintf("it needs a session: --grade starts at most %d for it", gradings)
	case asked > 0 && offline, len(p.Config.Body.GraderURLs()) > 0 && offline:
		t.Skipped = "it is asked over the network (--offline)"
	case asked > 0 && !paid:
		t.Skipped = fmt.Sprintf("a model grades, and is paid for: --grade asks it, with at most %s", ui.Count(asked*gradings, "request"))
	case asked > 0 && p.Config.TakeJudgeKey() != nil:
		t.Skipped = p.Config.TakeJudgeKey().Error()
	default:
		for _, e := range p.GradingEndpoints() {
			if err := sampler.Reach(ctx, e.URL); err != nil {
				t.Skipped = "it does not answer: " + p.Redact.String(err.Error())
			}
		}
	}
	if t.Skipped != "" {
		return t, nil
	}
	answers, items, err := p.TrialAnswers(ctx, most)
	if err != nil {
		return t, err
	}
	t.Items, t.Planned = items, len(answers)
	t.references = slices.ContainsFunc(answers, func(a sampler.Task) bool { return a.Record.Probe.Name == rollout.ProbeReference })
	if asked > 0 {
		fmt.Fprintf(c.Err, "Grading %s: %s to a model that grades, at most %d if it fails.\n", ui.Count(t.Planned, "answer"), ui.Count(asked*t.Planned, "request"), asked*trial.Most(t.Planned))
	}
	return t, t.try(ctx, p, answers, false)
}

// try puts answers to the grader. running says that a run is about to begin.
func (t *GraderTrial) try(ctx context.Context, p *project.Project, answers []sampler.Task, running bool) (err error) {
	t.Graded, t.Findings, err = trialOf(p, running).Try(ctx, answers)
	if err == nil && t.Graded == 0 && len(t.Findings) == 0 && t.Planned > 0 {
		t.Skipped = fmt.Sprintf("it gave no grade within %v", tryout.Limit)
	}
	return err
}

// trialOf is the trial of a run's grader.
func trialOf(p *project.Project, running bool) tryout.Trial {
	return tryout.Trial{
		Grader: p.Bounds.Grader, Sampling: p.Sampling(), Range: *p.Config.RewardRange, Judges: len(p.Config.Body.Judges()), Remote: len(p.Config.Body.GraderURLs()) > 0,
		Session: p.GradesInSession(), Agent: p.Config.Agent.Used(), Running: running, InFlight: p.Config.Sampling.InFlight, Mask: p.Redact.String,
		Place: func(r *rollout.Record) string {
			for i := range p.Inputs.Items { // none at a worker
				if it := &p.Inputs.Items[i]; it.ID == r.Item && it.Split == r.Split && it.File != "" {
					return fmt.Sprintf("%s:%d", it.File, it.Line)
				}
			}
			return r.Item
		},
	}
}

// bad is why the grader cannot be used; nil where it can.
func (t GraderTrial) bad() error {
	for _, f := range t.Findings {
		if f.Blocking {
			return &exit.Error{Code: exit.Usage, Err: fmt.Errorf("the grader: %s: see above", f.Title)}
		}
	}
	return nil
}

// print shows what was found, and with quiet nothing else.
func (t GraderTrial) print(w io.Writer, quiet bool) {
	switch {
	case quiet:
	case t.Skipped != "":
		fmt.Fprintf(w, "grader     not tried: %s\n", ui.Visible(t.Skipped))
	default:
		of := ui.Count(t.Items, "item")
		if t.Items < t.Of {
			of = fmt.Sprintf("a sample of %d of %s", t.Items, ui.Count(t.Of, "item"))
		}
		on, lack := "the reference, an empty and a wrong answer", ""
		if !t.references {
			on, lack = "an empty and a wrong answer", "; no reference answer was found: set audit.reference, such as {{item.answer}}"
		}
		fmt.Fprintf(w, "grader     tried on %s of %s: %d of %s graded%s\n", on, of, t.Graded, ui.Count(t.Planned, "answer"), lack)
	}
	for _, f := range t.Findings {
		kind := "warning"
		if f.Blocking {
			kind = "fails"
		}
		fmt.Fprintf(w, "%-10s grader: %s\n", kind, ui.Visible(f.Title))
		if f.Remedy != "" {
			fmt.Fprintf(w, "%-10s %s\n", "", f.Remedy)
		}
		for _, row := range f.Rows {
			fmt.Fprintf(w, "%-10s - %s\n", "", ui.Visible(row))
		}
	}
}

// triedBefore tries the grader before a run in dir is paid for: on one answer or two
// where a grading is paid for itself. A run that holds a grade was graded by this very
// grader: with another it is refused.
func triedBefore(ctx context.Context, p *project.Project, c *project.Call, dir string) error {
	if holdsGrade(ctx, dir) {
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
	if bad := t.bad(); bad != nil && !c.Sampling.DespiteProblems {
		return fmt.Errorf("%w; nothing was sampled; correct the grader, or sample --despite-problems", bad)
	}
	return nil
}

// TryOnWorker tries the grader on a worker, with the answers that came with the
// run.
func TryOnWorker(ctx context.Context, p *project.Project, w io.Writer, with []project.TrialAnswer) error {
	answers := make([]sampler.Task, len(with))
	for i, a := range with {
		answers[i] = sampler.Task{Item: a.Item, Record: a.Record, Times: 1}
	}
	t, err := tryNow(ctx, p, w, answers)
	if err != nil {
		return err
	}
	for _, f := range t.Findings {
		if f.Blocking { // told whole to the planner, which has no row to show
			return fmt.Errorf("the grader: %s", strings.Join(append([]string{f.Title}, f.Rows[:min(1, len(f.Rows))]...), ": "))
		}
	}
	return nil
}

// tryNow tries the grader of a run that is about to begin, and shows what was found.
func tryNow(ctx context.Context, p *project.Project, w io.Writer, answers []sampler.Task) (t GraderTrial, err error) {
	if trial := trialOf(p, true); trial.Costly() && len(answers) > 0 {
		answers = answers[:min(len(answers), project.TrialCostly)]
		fmt.Fprintf(w, "The grader is tried first: %s.\n", trialCosts(trial, len(answers)))
	}
	t.Planned = len(answers)
	if err = t.try(ctx, p, answers, true); err == nil {
		t.print(w, t.Skipped == "")
	}
	return t, err
}

// trialCosts says what a trial of that many answers takes: one grading where the grader works.
func trialCosts(trial tryout.Trial, answers int) string {
	most := trial.Most(answers)
	var costs []string
	if trial.Judges > 0 {
		costs = append(costs, fmt.Sprintf("%s to a model that grades, at most %d if it fails", ui.Count(trial.Judges, "request"), most*trial.Judges))
	}
	if trial.Session {
		costs = append(costs, fmt.Sprintf("1 session, at most %d if it fails", most))
	}
	return strings.Join(costs, "; ")
}

// errFound ends a reading that has found what it looks for.
var errFound = errors.New("found")

// holdsGrade reports whether a run has a rollout with a grade.
func holdsGrade(ctx context.Context, dir string) bool {
	run, err := rollout.Open(dir)
	if err != nil {
		return false
	}
	_, err = run.Records(ctx, rollout.ReadOptions{Lean: true}, func(r *rollout.Record) error {
		if r.Reward != nil {
			return errFound
		}
		return nil
	})
	return errors.Is(err, errFound)
}
