// Package tryout serves the gonogo command; its API may change in any release.
//
// It tries a grader on answers that no model gave, before anything is paid for.
//
// In: a grader, the bounds of gradings, and answers of known value: the reference, an empty one and
// a wrong one of an item (see [audit.TrialAnswers]). Out: what is wrong with the grader or the
// references, as findings; those that block would cost every rollout its reward.
package tryout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
	"gonogo/sampler/wording"
)

// Limit bounds a trial in which no model grades.
const Limit = time.Minute

const (
	mostRows  = 5    // shown per finding
	topShare  = 0.99 // share of the reward range that counts as its top, as for the audit's references
	mostWords = 101  // letters of an answer that a row shows
)

// Trial is a trial of a grader.
type Trial struct {
	Grader   sampler.Grader
	Sampling sampler.Config               // configuration of the rollouts
	Range    [2]float64                   // of rewards, bottom and top
	Judges   int                          // judges per grade
	Remote   bool                         // an endpoint grades
	Session  bool                         // the grader works in the session of a rollout
	Agent    bool                         // an agent makes the rollouts, with tools that no item names
	Played   bool                         // an environment grades, by an episode in which the model replies the answer
	Running  bool                         // a run is about to start: paid gradings end with the first grade
	Group    bool                         // the grader compares the outputs of an item
	InFlight int                          // most gradings at one time outside sessions
	Mask     func(string) string          // masks secrets in errors and answers
	Place    func(*rollout.Record) string // location of the item of an answer, such as train.jsonl:7
}

// Finding is a fault of a grader or of the references.
type Finding struct {
	Blocking bool     `json:"blocking"`
	Title    string   `json:"title"`
	Remedy   string   `json:"remedy,omitempty"`
	Rows     []string `json:"rows"` // the first answers that show it
}

// Costly reports whether a grading costs money or a session.
func (t Trial) Costly() bool { return t.Judges > 0 || t.Session }

// Most returns how many gradings a trial of that many answers takes at most: if it fails, some are
// graded again to see why, and each is retried once if a request may fail.
func (t Trial) Most(answers int) int {
	again := 2 * min(answers, t.repeats())
	switch mayFail := t.Judges > 0 || t.Remote; {
	case mayFail && t.Running:
		return 2 * (answers + again)
	case mayFail:
		return answers + 2*again
	}
	return answers + again
}

// repeats returns how many of the decisive failures are examined.
func (t Trial) repeats() int {
	if t.Costly() {
		return 1
	}
	return 3
}

// Try submits each answer to the grader once, and returns how many gradings ended, with or without
// a grade, and what is wrong. 0 without a finding means that no grade came within [Limit].
func (t Trial) Try(ctx context.Context, answers []sampler.Task) (graded int, findings []Finding, err error) {
	if t.Group {
		answers = grouped(answers)
	}
	var recs records
	var ended error
	each := [][]sampler.Task{answers}
	if t.Running && t.Costly() { // a grader that works is used once
		each = slices.Collect(slices.Chunk(answers, 1))
	}
	for _, some := range each {
		got, end, err := t.grade(ctx, some, t.Running)
		if err != nil {
			return 0, nil, err
		}
		recs, ended = append(recs, got...), end
		if ended != nil || slices.ContainsFunc(got, func(r *rollout.Record) bool { return !ungraded(r) }) {
			break
		}
	}
	down, refused := errors.AsType[*endpoint.Error](ended)
	refused = refused && down.Times == 0 && down.For == 0
	failed, traced := decisive(recs), false
	if !refused || !t.Costly() {
		if traced, err = t.wantsTrace(ctx, answers, failed); err != nil {
			return len(recs), nil, err
		}
	}
	if !traced && (refused || ended != nil && len(recs) == 0) {
		return len(recs), []Finding{{Blocking: true, Title: t.Mask(ended.Error())}}, nil
	}
	return len(recs), t.findings(recs, len(failed) > 0 && !traced && !t.idleSession(failed), traced), nil
}

// grouped has the answers of each item graded as one group, without items that have one answer.
func grouped(answers []sampler.Task) []sampler.Task {
	groups := make(map[rollout.Key][]*rollout.Record)
	key := func(t sampler.Task) rollout.Key { return rollout.Key{Split: t.Record.Split, Item: t.Record.Item} }
	for _, t := range answers {
		groups[key(t)] = append(groups[key(t)], t.Record)
	}
	answers = slices.Clone(answers)
	for i := range answers {
		t := &answers[i]
		t.Group = groups[key(*t)]
		t.Place = slices.Index(t.Group, t.Record)
	}
	return slices.DeleteFunc(answers, func(t sampler.Task) bool { return len(t.Group) < 2 })
}

// records collects records.
type records []*rollout.Record

func (s *records) Append(r *rollout.Record) error {
	*s = append(*s, r)
	return nil
}

// grade grades answers, once each. A grader that gives no usable grade ends it early, and so does
// the time limit: ended is the cause, nil for the time limit.
func (t Trial) grade(ctx context.Context, answers []sampler.Task, running bool) (recs records, ended, err error) {
	cfg, timeout := t.Sampling, Limit
	cfg.RangeAssumed = false // a grade outside the range is a finding
	if t.Session {
		timeout += cfg.IsolationTimeout
	} else {
		cfg.Isolation, cfg.Rollouts = nil, t.InFlight
	}
	cfg.Retry.Max, cfg.Retry.Total, cfg.Uncounted = 0, Limit, true
	if running && (t.Judges > 0 || t.Remote) {
		// One after the other, with one retry each: an endpoint that was just started may fail at
		// first, and that must not stop a run.
		cfg.Rollouts, cfg.Retry.Max = 1, 1
	}
	within := ctx
	if t.Judges == 0 {
		cfg.Budget, cfg.Cost = nil, nil // nothing is paid for
		var stop context.CancelFunc
		within, stop = context.WithTimeout(ctx, timeout)
		defer stop()
	}
	each := func(yield func(sampler.Task, error) bool) {
		for _, task := range answers {
			if !yield(task, nil) {
				return
			}
		}
	}
	_, err = sampler.Regrade(within, sampler.RegradeOptions{Config: cfg, Tasks: each, Grader: t.Grader, Sink: &recs})
	turn := make(map[string]int) // by trace id
	for i, task := range answers {
		turn[task.Record.TraceID] = i
	}
	slices.SortFunc(recs, func(a, b *rollout.Record) int { return cmp.Compare(turn[a.TraceID], turn[b.TraceID]) })
	_, useless := errors.AsType[*sampler.GraderFailedError](err)
	_, misfit := errors.AsType[*sampler.RangeError](err)
	_, down := errors.AsType[*endpoint.Error](err)
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

// decisive returns the failures for which a grader cannot be used: those on references, or on any
// answer if there are no references, provided that most of these failed.
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

// wantsTrace reports whether a grader failed because the answers of a trial come without tool
// calls, unlike those of rollouts. This is tested, not guessed from the cause: the same answer is
// graded again both unchanged and after made-up calls of the available tools. A failure that only
// the calls change is due to them; one that stays the same would hit every rollout, and so would
// one without a tool to call. A service that looks a rollout up by its trace id, and says which one
// it does not know, has had no calls either.
func (t Trial) wantsTrace(ctx context.Context, answers []sampler.Task, failed []*rollout.Record) (bool, error) {
	var again []sampler.Task
	first := make(map[string]*rollout.Record) // by trace id
	for _, r := range failed[:min(len(failed), t.repeats())] {
		i := slices.IndexFunc(answers, func(task sampler.Task) bool { return task.Record.TraceID == r.TraceID })
		acted, can := audit.WithToolCalls(answers[i], t.Agent)
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
	recs, _, err := t.grade(ctx, again, true)
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

// idleSession reports whether a grader that works in the session of a rollout failed for a reason
// of its own: it may need what a model has done there. A grader that cannot be started, or whose
// grade is invalid, is wrong without a model, too.
func (t Trial) idleSession(failed []*rollout.Record) bool {
	kinds := []string{sampler.KindServer, sampler.KindTimeout, sampler.KindReported, sampler.KindRuntime}
	return t.Session &&
		!slices.ContainsFunc(failed, func(r *rollout.Record) bool { return !slices.Contains(kinds, r.Kind) })
}

func isReference(r *rollout.Record) bool { return r.Probe.Name == rollout.ProbeReference }

// bestReferences selects the reference of each item in the form that earned most: a worked solution is
// tried as a whole and as its answer alone.
func bestReferences(recs []*rollout.Record) func(*rollout.Record) bool {
	best := make(map[rollout.Key]*rollout.Record)
	item := func(r *rollout.Record) rollout.Key { return rollout.Key{Split: r.Split, Item: r.Item} }
	for _, r := range recs {
		if isReference(r) && r.Reward != nil && (best[item(r)] == nil || *r.Reward > *best[item(r)].Reward) {
			best[item(r)] = r
		}
	}
	return func(r *rollout.Record) bool { return best[item(r)] == r }
}

func ungraded(r *rollout.Record) bool { return r.Reward == nil }

// findings returns what the grades show. blocks says whether the grader's failures block the run,
// traced whether they are due to answers without a trace.
func (t Trial) findings(recs []*rollout.Record, blocks, traced bool) []Finding {
	lo, hi := t.Range[0], t.Range[1]
	top := lo + topShare*(hi-lo)
	probe := func(name string) func(*rollout.Record) bool {
		return func(r *rollout.Record) bool { return r.Probe.Name == name }
	}
	all := func(*rollout.Record) bool { return true }
	failed := ungraded

	var found []Finding
	add := func(f Finding, which ...func(*rollout.Record) bool) {
		for _, r := range recs {
			if !fits(r, which) {
				continue
			}
			if len(f.Rows) < mostRows {
				f.Rows = append(f.Rows, t.row(r))
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
	needs := "These answers come without tool calls; if the grader needs some, continue with --despite-problems."
	if t.Session {
		needs = "The grader was tried in a session in which no model had worked: if it needs that, nothing is wrong."
	}
	fails := Finding{
		Blocking: blocks, Title: "it fails on " + failures(raised),
		Remedy: "Correct the grader: an answer that it fails on has no reward. If an answer is more than the bare " +
			"reference, set audit.answer. " + needs,
	}
	switch {
	case t.Played:
		fails.Remedy = "Repair the environment: each answer was played as an episode in which the model replies just " +
			"that, and these episodes ended without a reward. What the environment prints is in agent.log of a run."
	case traced:
		fails.Title += ", because these answers come without tool calls"
		fails.Remedy = "Rollouts that call a tool are graded. A rollout without tool calls gets no reward: make the " +
			"grader grade it."
	case count(recs, raised) == len(recs):
		fails.Remedy = "Correct the grader: it gives no reward to any answer, right or wrong; its own log says why. " + needs
	}
	add(fails, raised)
	add(Finding{
		Blocking: blocks, Title: fmt.Sprintf("its reward is outside reward_range [%g, %g] for %s", lo, hi,
			failures(outside)),
		Remedy: "Set reward_range to what the grader can give, or correct the grader.",
	}, outside)
	if t.Group {
		best := make(map[rollout.Key]float64)
		for _, r := range recs {
			if r.Reward != nil {
				key := rollout.Key{Split: r.Split, Item: r.Item}
				known, ok := best[key]
				if best[key] = *r.Reward; ok {
					best[key] = max(known, *r.Reward)
				}
			}
		}
		beaten := func(r *rollout.Record) bool {
			return r.Reward != nil && *r.Reward < best[rollout.Key{Split: r.Split, Item: r.Item}]
		}
		add(Finding{
			Title: share("references", isReference, beaten) + " earn less than an empty or a wrong answer",
			Remedy: "Set audit.answer if an answer is more than the bare reference, and audit.reference if the " +
				"reference is in another field; else the references or the grader are wrong.",
		}, isReference, beaten)
		return found
	}
	high := func(r *rollout.Record) bool { return r.Reward != nil && *r.Reward >= top }
	low := func(r *rollout.Record) bool { return r.Reward != nil && *r.Reward < top }
	reference := bestReferences(recs)
	short := Finding{
		Title: fmt.Sprintf("%s earn less than the top of reward_range, %g", share("references", reference, low), hi),
		Remedy: "Set audit.answer if an answer is more than the bare reference, and audit.reference if the " +
			"reference is in another field; else the references or the grader are wrong.",
	}
	if most, alike := paid(recs, reference); alike && most > lo {
		short.Remedy += fmt.Sprintf(" All earn %g: if the grader never gives more, set reward_range to [%g, %[1]g].", most, lo)
	}
	add(short, reference, low)
	add(Finding{
		Title:  fmt.Sprintf("%s earn the top of reward_range, %g", share("empty answers", probe("empty"), high), hi),
		Remedy: "Correct the grader: a model learns to say nothing.",
	}, probe("empty"), high)
	add(Finding{
		Title:  fmt.Sprintf("%s earn the top of reward_range, %g", share("wrong answers", probe("wrong"), high), hi),
		Remedy: "Correct the grader: it pays for answers that are wrong.",
	}, probe("wrong"), high)
	return found
}

// paid returns the reward that records of a kind have, and whether it is the same for all of them.
func paid(recs []*rollout.Record, kind func(*rollout.Record) bool) (reward float64, alike bool) {
	for _, r := range recs {
		switch {
		case !kind(r):
		case r.Reward == nil || alike && *r.Reward != reward:
			return 0, false
		default:
			reward, alike = *r.Reward, true
		}
	}
	return reward, alike
}

// fits reports whether all of which hold for r.
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

// row returns a line for one answer, with its location and result.
func (t Trial) row(r *rollout.Record) string {
	what := r.Probe.Name
	if r.Answer != "" {
		what += " " + strconv.Quote(wording.Line(t.Mask(r.Answer), mostWords))
	}
	if r.Reward == nil {
		return fmt.Sprintf("%s: %s: %s", t.Place(r), what, strings.Join(strings.Fields(t.Mask(r.Error)), " "))
	}
	return fmt.Sprintf("%s: %s earns %g", t.Place(r), what, *r.Reward)
}
