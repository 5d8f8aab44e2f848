package stage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/rollout"
)

// The bounds of a trial. A run tries fewer items: it is about to grade.
const (
	trialItems    = 50
	trialItemsRun = 5
	trialTime     = time.Minute // without judges
	trialRows     = 5           // shown of each finding
	trialTop      = 0.99        // share of the reward range that counts as its top, as for the audit's references
)

// GraderTrial is what the run's grader made of answers that no model gave: the
// reference, an empty answer and a wrong one of each item.
type GraderTrial struct {
	Items    int            `json:"items"`             // drawn
	Of       int            `json:"of"`                // items there are
	Graded   int            `json:"graded"`            // answers put to the grader, with or without a grade
	Planned  int            `json:"planned"`           // answers
	Skipped  string         `json:"skipped,omitempty"` // why nothing was graded
	Findings []trialFinding `json:"findings,omitempty"`
}

// trialFinding is one thing that is wrong with a grader or with the references.
type trialFinding struct {
	Blocking bool     `json:"blocking"`
	Title    string   `json:"title"`
	Remedy   string   `json:"remedy,omitempty"`
	Rows     []string `json:"rows"` // the first ones
}

// TryGrader puts answers of a seeded sample of the items to the grader. paid allows
// requests to models that grade, and sessions, offline forbids any to an endpoint.
func TryGrader(ctx context.Context, p *project.Project, c *project.Call, paid, offline bool) (GraderTrial, error) {
	t, most := GraderTrial{Of: len(p.Inputs.Items)}, trialItems
	asked, boxed := len(p.Config.Body.Judges()), project.GradesInSession(p)
	if boxed {
		most = project.TrialCostly
	}
	switch {
	case boxed && offline:
		t.Skipped = "it needs a session (--offline)"
	case boxed && !paid:
		t.Skipped = fmt.Sprintf("it needs a session: --grade starts at most %d for it", 3*min(most, len(p.Inputs.Items)))
	case asked > 0 && offline, len(p.Config.Body.GraderURLs()) > 0 && offline:
		t.Skipped = "it is asked over the network (--offline)"
	case asked > 0 && !paid:
		t.Skipped = fmt.Sprintf("a model grades, and is paid for: --grade asks it, with at most %s", ui.Counted(3*asked*min(most, len(p.Inputs.Items)), "request"))
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
	answers, items, err := project.TrialAnswers(ctx, p, most)
	if err != nil {
		return t, err
	}
	t.Items, t.Planned = items, len(answers)
	if asked > 0 {
		fmt.Fprintf(c.Err, "Grading %s: %s to a model that grades.\n", ui.Counted(t.Planned, "answer"), ui.Counted(asked*t.Planned, "request"))
	}
	return t, tryAnswers(ctx, p, &t, answers, false)
}

// tryAnswers puts answers to the grader and says what is wrong with it. running says that a
// run is about to begin.
func tryAnswers(ctx context.Context, p *project.Project, t *GraderTrial, answers []sampler.Task, running bool) error {
	var recs trialSink
	var ended error
	each := [][]sampler.Task{answers}
	if running && project.Costly(p) { // one that works is graded once
		each = slices.Collect(slices.Chunk(answers, 1))
	}
	for _, some := range each {
		got, end, err := gradeTrial(ctx, p, some, running)
		if err != nil {
			return err
		}
		recs, ended = append(recs, got...), end
		if ended != nil || slices.ContainsFunc(got, func(r *rollout.Record) bool { return !ungraded(r) }) {
			break
		}
	}
	t.Graded = len(recs)
	down, refused := errors.AsType[*sampler.EndpointError](ended)
	refused = refused && down.Times == 0 && down.For == 0
	failed, traced := decisive(recs), false
	if !refused || !project.Costly(p) {
		var err error
		if traced, err = wantsTrace(ctx, p, answers, failed); err != nil {
			return err
		}
	}
	t.Findings = judgeTrial(p, recs, len(failed) > 0 && !traced && !idleSession(p, failed), traced)
	switch {
	case traced:
	case refused, ended != nil && len(recs) == 0:
		t.Findings = []trialFinding{{Blocking: true, Title: p.Redact.String(ended.Error())}}
	case len(recs) == 0 && t.Planned > 0:
		t.Skipped = fmt.Sprintf("it gave no grade within %v", trialTime)
	}
	return nil
}

// trialSink keeps records.
type trialSink []*rollout.Record

func (s *trialSink) Append(r *rollout.Record) error {
	*s = append(*s, r)
	return nil
}

// gradeTrial grades answers, once each. A grader that gives no usable grade ends it
// early, and so does the time: ended is why, nil for the time.
func gradeTrial(ctx context.Context, p *project.Project, answers []sampler.Task, running bool) (recs trialSink, ended, err error) {
	cfg, judges := p.Sampling(), len(p.Config.Body.Judges()) > 0
	most := trialTime
	if project.GradesInSession(p) {
		most += cfg.IsolationTimeout
	} else {
		cfg.Isolation, cfg.Rollouts = nil, p.Config.Sampling.InFlight
	}
	cfg.Retry.Max, cfg.Retry.Total, cfg.Uncounted = 0, trialTime, true
	if running && (judges || len(p.Config.Body.GraderURLs()) > 0) {
		// One after another, each again once: an endpoint that was just started may
		// stumble, and that must not stop a run.
		cfg.Rollouts, cfg.Retry.Max = 1, 1
	}
	within := ctx
	if !judges {
		cfg.Budget, cfg.Cost = nil, nil // nothing is paid for
		var stop context.CancelFunc
		within, stop = context.WithTimeout(ctx, most)
		defer stop()
	}
	each := func(yield func(sampler.Task, error) bool) {
		for _, task := range answers {
			if !yield(task, nil) {
				return
			}
		}
	}
	_, err = sampler.Regrade(within, nil, cfg, each, 0, p.Bounds.Grader, &recs, nil)
	turn := make(map[string]int) // by trace id
	for i, task := range answers {
		turn[task.Record.TraceID] = i
	}
	slices.SortFunc(recs, func(a, b *rollout.Record) int { return cmp.Compare(turn[a.TraceID], turn[b.TraceID]) })
	_, useless := errors.AsType[*sampler.GraderlessError](err)
	_, misfit := errors.AsType[*sampler.RangeError](err)
	_, down := errors.AsType[*sampler.EndpointError](err)
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case useless, misfit, down:
		return recs, err, nil
	case within.Err() != nil:
		return recs, nil, nil
	}
	return recs, nil, err
}

// decisive are the failures for which a grader cannot be used: those on references, or
// on any answer where there are no references, where most of them failed.
func decisive(recs []*rollout.Record) []*rollout.Record {
	needed := slices.DeleteFunc(slices.Clone(recs), func(r *rollout.Record) bool { return !isReference(r) })
	if len(needed) == 0 {
		needed = slices.Clone(recs)
	}
	n := len(needed)
	lost := slices.DeleteFunc(needed, func(r *rollout.Record) bool { return !ungraded(r) })
	if 2*len(lost) <= n {
		return nil
	}
	return lost
}

// trialRepeats is how many of the decisive failures are looked into.
const trialRepeats = 3

// wantsTrace reports whether a grader failed because the answers of a trial come
// without tool calls, which those of rollouts have. That is tried, not guessed from the
// cause: the same answer is graded again both as it is and after made-up calls of the
// tools on offer. A failure that only the calls change is about them; one that stays
// the same would meet every rollout, and so would one where there is no tool to call.
// A service that looks a rollout up by its trace id, and says which one it does not
// know, has had no calls of it either.
func wantsTrace(ctx context.Context, p *project.Project, answers []sampler.Task, failed []*rollout.Record) (bool, error) {
	most := trialRepeats
	if project.Costly(p) {
		most = 1
	}
	var again []sampler.Task
	first := make(map[string]*rollout.Record) // by trace id
	for _, r := range failed[:min(len(failed), most)] {
		i := slices.IndexFunc(answers, func(t sampler.Task) bool { return t.Record.TraceID == r.TraceID })
		acted, can := audit.Acted(answers[i], p.Config.Agent.Used())
		if !can {
			continue
		}
		if strings.Contains(r.Error, r.TraceID) {
			return true, nil
		}
		first[r.TraceID] = r
		again = append(again, answers[i], acted)
	}
	if len(again) == 0 {
		return false, nil
	}
	recs, _, err := gradeTrial(ctx, p, again, true)
	if err != nil {
		return false, err
	}
	same := make(map[string]bool) // as before, by trace id
	for _, r := range recs {
		if len(r.Calls) == 0 && ungraded(r) {
			same[r.TraceID] = r.Error == first[r.TraceID].Error
		}
	}
	return slices.ContainsFunc(recs, func(r *rollout.Record) bool {
		steady, still := same[r.TraceID]
		return still && len(r.Calls) > 0 && (r.Reward != nil || steady && r.Error != first[r.TraceID].Error)
	}), nil
}

// idleSession reports whether a grader that works in the session of a rollout failed on
// its own account: it may want what a model has done there. One that cannot be started,
// or whose grade is none, needs no model to be wrong.
func idleSession(p *project.Project, failed []*rollout.Record) bool {
	own := []string{sampler.KindServer, sampler.KindTimeout, sampler.KindReported, sampler.KindRuntime}
	return project.GradesInSession(p) && !slices.ContainsFunc(failed, func(r *rollout.Record) bool { return !slices.Contains(own, r.Kind) })
}

func isReference(r *rollout.Record) bool { return r.Probe.Name == rollout.ProbeReference }

func ungraded(r *rollout.Record) bool { return r.Reward == nil }

// judgeTrial says what the grades show: whether the grader's failures block the run, or
// come of answers without a trace.
func judgeTrial(p *project.Project, recs []*rollout.Record, blocks, traced bool) []trialFinding {
	lo, hi := p.Config.RewardRange[0], p.Config.RewardRange[1]
	top := lo + trialTop*(hi-lo)
	probe := func(name string) func(*rollout.Record) bool {
		return func(r *rollout.Record) bool { return r.Probe.Name == name }
	}
	all := func(*rollout.Record) bool { return true }
	failed := ungraded

	var found []trialFinding
	add := func(f trialFinding, which ...func(*rollout.Record) bool) {
		for _, r := range recs {
			if !fits(r, which) {
				continue
			}
			if len(f.Rows) < trialRows {
				f.Rows = append(f.Rows, trialRow(p, r))
			}
		}
		if len(f.Rows) > 0 {
			found = append(found, f)
		}
	}
	share := func(name string, which ...func(*rollout.Record) bool) string {
		return fmt.Sprintf("%d of %d %s", count(recs, which...), count(recs, which[0]), name)
	}
	failures := func(which func(*rollout.Record) bool) string {
		in := share("answers", all, which)
		if count(recs, isReference) > 0 {
			in = share("references", isReference, which) + " and " + in + " in all"
		}
		return in
	}
	outside := func(r *rollout.Record) bool { return failed(r) && r.Kind == sampler.KindRange }
	raised := func(r *rollout.Record) bool { return failed(r) && r.Kind != sampler.KindRange }
	needs := "These answers come without tool calls; where the grader needs some, go on with --despite-problems."
	if project.GradesInSession(p) {
		needs = "No model has worked in the session that it was tried in: where the grader needs that, nothing is wrong."
	}
	fails := trialFinding{
		Blocking: blocks, Title: "it fails on " + failures(raised),
		Remedy: "Correct the grader: an answer that it fails on has no reward. Where an answer is more than the bare reference, set audit.answer. " + needs,
	}
	switch {
	case traced:
		fails.Title += ", because these answers come without tool calls"
		fails.Remedy = "Rollouts that call a tool are graded. One that calls none gets no reward: have the grader give it one."
	case count(recs, raised) == len(recs):
		fails.Remedy = "Correct the grader: it gives no answer a reward, whether right or wrong; its own log says why. " + needs
	}
	add(fails, raised)
	add(trialFinding{
		Blocking: blocks, Title: fmt.Sprintf("its reward is outside reward_range [%g, %g] for %s", lo, hi, failures(outside)),
		Remedy: "Set reward_range to what the grader can give, or correct the grader.",
	}, outside)
	high := func(r *rollout.Record) bool { return r.Reward != nil && *r.Reward >= top }
	low := func(r *rollout.Record) bool { return r.Reward != nil && *r.Reward < top }
	add(trialFinding{
		Title:  fmt.Sprintf("%s earn less than the top of reward_range, %g", share("references", isReference, low), hi),
		Remedy: "Set audit.answer where an answer is more than the bare reference, and audit.reference where the reference is in another field; else the references or the grader are wrong.",
	}, isReference, low)
	add(trialFinding{
		Title:  fmt.Sprintf("%s earn the top of reward_range, %g", share("empty answers", probe("empty"), high), hi),
		Remedy: "Correct the grader: a model learns to say nothing.",
	}, probe("empty"), high)
	add(trialFinding{
		Title:  fmt.Sprintf("%s earn the top of reward_range, %g", share("wrong answers", probe("wrong"), high), hi),
		Remedy: "Correct the grader: it pays for answers that are wrong.",
	}, probe("wrong"), high)
	return found
}

// fits reports whether all of which are true of r, and count of how many.
func fits(r *rollout.Record, which []func(*rollout.Record) bool) bool {
	for _, is := range which {
		if !is(r) {
			return false
		}
	}
	return true
}

func count(recs []*rollout.Record, which ...func(*rollout.Record) bool) (n int) {
	for _, r := range recs {
		if fits(r, which) {
			n++
		}
	}
	return n
}

// trialRow is one answer with its place and what it came to.
func trialRow(p *project.Project, r *rollout.Record) string {
	place := r.Item
	for i := range p.Inputs.Items { // none at a worker
		if it := &p.Inputs.Items[i]; it.ID == r.Item && it.Split == r.Split && it.File != "" {
			place = fmt.Sprintf("%s:%d", it.File, it.Line)
		}
	}
	what := r.Probe.Name
	if r.Answer != "" {
		what += " " + strconv.Quote(ui.OneLine(p.Redact.String(r.Answer)))
	}
	if r.Reward == nil {
		return fmt.Sprintf("%s: %s: %s", place, what, strings.Join(strings.Fields(p.Redact.String(r.Error)), " "))
	}
	return fmt.Sprintf("%s: %s earns %g", place, what, *r.Reward)
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
		of := ui.Counted(t.Items, "item")
		if t.Items < t.Of {
			of = fmt.Sprintf("a sample of %d of %s", t.Items, ui.Counted(t.Of, "item"))
		}
		fmt.Fprintf(w, "grader     tried on the reference, an empty and a wrong answer of %s: %d of %s graded\n", of, t.Graded, ui.Counted(t.Planned, "answer"))
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
	if project.Costly(p) {
		most = project.TrialCostly
	}
	answers, items, err := project.TrialAnswers(ctx, p, most)
	if err != nil {
		return err
	}
	if project.Costly(p) {
		answers = answers[:min(len(answers), project.TrialCostly)]
		fmt.Fprintf(c.Err, "The grader is tried first: %s.\n", trialCosts(p, len(answers)))
	}
	t := GraderTrial{Of: len(p.Inputs.Items), Items: items, Planned: len(answers)}
	if err := tryAnswers(ctx, p, &t, answers, true); err != nil {
		return err
	}
	t.print(c.Err, t.Skipped == "" || t.Planned == 0)
	if bad := t.bad(); bad != nil && !c.DespiteProblems {
		return fmt.Errorf("%w; nothing was sampled; correct the grader, or sample --despite-problems", bad)
	}
	return nil
}

// TryAtWork tries the grader where a worker has it, on the answers that came with the
// run.
func TryAtWork(ctx context.Context, p *project.Project, w io.Writer, with []project.TrialAnswer) error {
	answers := make([]sampler.Task, len(with))
	for i, a := range with {
		answers[i] = sampler.Task{Item: a.Item, Record: a.Record, Times: 1}
	}
	if len(answers) > 0 && project.Costly(p) {
		fmt.Fprintf(w, "The grader is tried first: %s.\n", trialCosts(p, len(answers)))
	}
	t := GraderTrial{Planned: len(answers)}
	if err := tryAnswers(ctx, p, &t, answers, true); err != nil {
		return err
	}
	t.print(w, true)
	for _, f := range t.Findings {
		if f.Blocking { // told whole to the planner, which has no row to show
			return fmt.Errorf("the grader: %s", strings.Join(append([]string{f.Title}, f.Rows[:min(1, len(f.Rows))]...), ": "))
		}
	}
	return nil
}

// trialCosts says what a trial of so many answers takes: one where it works, and where it
// fails the others, those that wantsTrace adds, and each again where a request may stumble.
func trialCosts(p *project.Project, answers int) string {
	most, asked := answers+2, len(p.Config.Body.Judges())
	if asked > 0 || len(p.Config.Body.GraderURLs()) > 0 {
		most *= 2
	}
	var costs []string
	for _, cost := range []struct {
		each     int
		noun, to string
	}{{asked, "request", " to a model that grades"}, {sessions(p), "session", ""}} {
		if cost.each > 0 {
			costs = append(costs, fmt.Sprintf("%s%s, at most %d where it fails", ui.Counted(cost.each, cost.noun), cost.to, most*cost.each))
		}
	}
	return strings.Join(costs, "; ")
}

// sessions is how many sessions a grading takes.
func sessions(p *project.Project) int {
	if project.GradesInSession(p) {
		return 1
	}
	return 0
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
