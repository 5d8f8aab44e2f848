package judge

import (
	"cmp"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// noTrainingVerdict is shown below a verdict without any train gate.
var noTrainingVerdict = message.New("note.no_training", "no verdict on training")

// Judge runs every gate and folds the findings into the verdict. It records the gates in the result.
func Judge(r *analysis.Result, t analysis.Thresholds, gates analysis.Gates) {
	r.Findings, r.Changed, r.Gates = findings(r, t, gates), gates.Changed(r.Thresholds), recorded(gates)
	fold(r)
	r.Claim = claim(r, gates)
}

// claim returns what the verdict says about training.
func claim(r *analysis.Result, gates analysis.Gates) string {
	_, training := analysis.TrainingSplit(r)
	switch {
	case !training || r.Verdict == analysis.Undecided:
		return ""
	case r.Verdict == analysis.Go:
		return analysis.Start
	}
	unpaid := func(f analysis.Finding) bool { // right answers are not paid: the model can do the task
		return f.Status == analysis.Fail && f.Title.ID == "signal.informative.unpaid"
	}
	if slices.ContainsFunc(r.Findings, unpaid) {
		return analysis.Repair
	}
	return cmp.Or(gates.Named(*r.Reason).Claim, analysis.Repair)
}

// recorded returns the gates as result.json stores them.
func recorded(gates analysis.Gates) analysis.Gates {
	var list analysis.Gates
	for _, g := range gates {
		list = append(list, &analysis.Gate{
			Name: g.Name, Label: g.Label, Doc: g.Doc, OnRewards: g.OnRewards,
			Claim: g.Claim, Headline: g.Headline, Parts: recorded(g.Parts),
		})
	}
	return list
}

func findings(r *analysis.Result, t analysis.Thresholds, gates analysis.Gates) []analysis.Finding {
	list := []analysis.Finding{}
	for _, g := range gates {
		list = append(list, g.Judge(r, t)...)
	}
	return list
}

// fold makes the verdict. It is NO-GO if any blocking finding fails; else UNDECIDED if any is
// unknown, if no blocking gate judged anything, or if a required gate judged nothing; else GO.
// Other skipped findings never block. The reason is the first failing gate, else the first unknown
// one, else the first missing one.
func fold(r *analysis.Result) {
	r.Verdict, r.Reason, r.Cautions, r.Note = analysis.Go, nil, []string{}, message.Text{}
	cover(r)
	var failed, unknown *string
	evaluated := false
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity == analysis.Advisory {
			if f.Status == analysis.Fail && !slices.Contains(r.Cautions, f.Gate) {
				r.Cautions = append(r.Cautions, f.Gate)
			}
			continue
		}
		switch f.Status {
		case analysis.Fail:
			failed = first(failed, f.Gate)
		case analysis.Unknown:
			unknown = first(unknown, f.Gate)
		}
		evaluated = evaluated || f.Status != analysis.Skipped
	}
	switch {
	case failed != nil:
		r.Verdict, r.Reason = analysis.NoGo, failed
	case unknown != nil || !evaluated:
		r.Verdict, r.Reason = analysis.Undecided, unknown
	default:
		if missing := r.Missing(); len(missing) > 0 {
			r.Verdict, r.Reason = analysis.Undecided, &missing[0].Gate
		}
	}
	r.Note = note(r)
	r.ExitCode = r.Verdict.ExitCode()
}

func first(have *string, gate string) *string {
	if have != nil {
		return have
	}
	return &gate
}

// note says what the verdict does not cover.
func note(r *analysis.Result) message.Text {
	var parts []message.Text
	if _, ok := analysis.TrainingSplit(r); !ok && !onlyAudited(r) {
		parts = append(parts, noTrainingVerdict.Text())
	}
	missing, unseen := notRun(r)
	if text := looksNote(r.Looks, r.Confidence); !text.IsEmpty() {
		parts = append(parts, text)
	}
	if r.Run.Grading {
		parts = append(parts, gradingLeft.Text())
	} else if missing > 0 {
		text := notMadeYet.With(message.Args{"rollouts": message.Count(missing, "planned rollout")})
		if unseen > 0 {
			text = notMadeOfItems.With(message.Args{
				"rollouts": message.Count(missing, "planned rollout"),
				"items":    message.Count(unseen, "item"),
			})
		}
		parts = append(parts, text)
	}
	return message.Clauses(parts...)
}

var (
	noneMade       = message.New("note.none_made", "no rollout was made yet: only the grader and the items were judged")
	notMadeYet     = message.New("note.not_made", "{rollouts} not made yet")
	gradingLeft    = message.New("note.grading_left", "its grading has not ended: run the same gonogo grade again")
	notMadeOfItems = message.New("note.not_made_of_items", "{rollouts} not made yet, including all of {items}")
)

// cover records which blocking gates judged the run, which did not and why, and which of them the
// verdict requires.
func cover(r *analysis.Result) {
	r.Judged, r.NotJudged, r.Required = []string{}, []analysis.Unjudged{}, []string{}
	judgeable := make(map[string]bool)
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity != analysis.Blocking || f.Status == analysis.Skipped || slices.Contains(r.Judged, f.Gate) {
			continue
		}
		r.Judged = append(r.Judged, f.Gate)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity != analysis.Blocking || slices.Contains(r.Judged, f.Gate) ||
			slices.ContainsFunc(r.NotJudged, func(u analysis.Unjudged) bool { return u.Gate == f.Gate }) {
			continue
		}
		u := analysis.Unjudged{Gate: f.Gate}
		if why := f.Title.Args["reason"].Text; why != nil {
			u.Why = *why
		}
		u.Command, judgeable[f.Gate] = f.Command, f.Command != nil
		r.NotJudged = append(r.NotJudged, u)
	}
	if r.Run.Grading {
		r.NotJudged = append(r.NotJudged, analysis.Unjudged{Gate: analysis.Sampling, Why: gradingLeft.Text()})
		require(r, analysis.Sampling)
	} else if onlyAudited(r) {
		r.NotJudged = append(r.NotJudged, analysis.Unjudged{
			Gate: analysis.Sampling, Why: noneMade.Text(), Command: analysis.Commands["run"].Command,
		})
		require(r, analysis.Sampling)
	} else if missing, _ := notRun(r); missing > 0 {
		r.NotJudged = append(r.NotJudged,
			analysis.Unjudged{
				Gate:    analysis.Sampling,
				Why:     notMadeYet.With(message.Args{"rollouts": message.Count(missing, "planned rollout")}),
				Command: analysis.Commands["run"].Command,
			})
	}
	for _, name := range r.Require {
		i := slices.IndexFunc(analysis.Stages(), func(s analysis.Stage) bool { return s.Name == name })
		if i < 0 || name == analysis.Sampling {
			require(r, name)
			continue
		}
		stage := analysis.Stages()[i]
		for _, gate := range stage.Gates {
			if stage.Asked || slices.Contains(r.Judged, gate) || judgeable[gate] {
				require(r, gate)
			}
		}
	}
	for _, name := range r.Required {
		if why, open := leftOpen(r, name); open {
			r.NotJudged = append(r.NotJudged, analysis.Unjudged{Gate: name, Why: why})
		}
	}
}

// onlyAudited reports whether the run has an audit and no rollouts.
func onlyAudited(r *analysis.Result) bool {
	return len(r.Splits) == 0 && r.Grader != nil && r.Grader.Audited > 0
}

// leftOpen returns why a required gate judged nothing although it has no blocking finding: a gate
// about shift may find no difference and yet be unable to rule one out.
func leftOpen(r *analysis.Result, gate string) (why message.Text, open bool) {
	if slices.Contains(r.Judged, gate) ||
		slices.ContainsFunc(r.NotJudged, func(u analysis.Unjudged) bool { return u.Gate == gate }) {
		return why, false
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		switch {
		case f.Gate != gate:
		case f.Status == analysis.Pass || f.Status == analysis.Fail:
			return message.Text{}, false
		case !open:
			if why, open = f.Title, true; f.Status == analysis.Skipped && f.Title.Args["reason"].Text != nil {
				why = *f.Title.Args["reason"].Text
			}
		}
	}
	return why, open
}

func require(r *analysis.Result, name string) {
	if !slices.Contains(r.Required, name) {
		r.Required = append(r.Required, name)
	}
}

// notRun counts the planned rollouts without a record, and the items without any.
func notRun(r *analysis.Result) (rollouts, items int) {
	for _, split := range rollout.Splits() {
		if sr := r.Splits[split]; sr != nil && sr.Missing.NotRun != nil {
			rollouts += *sr.Missing.NotRun
			items += sr.Items.NotRun
		}
	}
	return rollouts, items
}
