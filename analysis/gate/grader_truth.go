package gate

import (
	"math"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
	"gonogo/sampler/wording"
)

var (
	truthPass = analysis.Threshold{
		Name: "grader.truth", Unit: "share",
		Doc:     "share of references that earn the top when given as the answer, from which the grader passes",
		Default: 0.95,
	}
	truthFail = analysis.Threshold{
		Name: "grader.truth.fail", Unit: "share",
		Doc: "share below which it fails, with its whole interval", Default: 0.80,
	}
)

var graderTruth = &analysis.Gate{
	Name:  "grader.truth",
	Label: "Right answers accepted",
	Doc: "Blocking, after an audit: at least 95 % of the items' own references earn the top when given as the " +
		"answer; it fails if the whole interval is below 80 %, and is unknown in between. Both shares are " +
		"lowered by the grader's own noise. A reference on which the grader failed counts as not accepted; " +
		"if that decides the answer, the gate is unknown. So it is if the references were sent in a form that " +
		"none of the answers at the top has, if nothing but the prompts, or nothing, says which form answers " +
		"have, or if nearly all references earn over half of the range. A reference lacks only a bonus, and " +
		"counts as accepted, if the core of its reward is at the best of the recorded rollouts and at its " +
		"top, and the reference earns at least what the lowest of these earned, over half of the range. " +
		"Advisory: the grader fails on none.",
	Thresholds: []analysis.Threshold{truthPass, truthFail},
	Charts:     []string{"grader_audit"},
	Words: analysis.Words{
		Why: "The data says what the right answer is. A grader that does not give full marks to that very " +
			"answer punishes the model for being right, and training teaches it to be wrong.",
		Pass: "the references earn the top when given as the answer: {accepted} do{lost}",
		Fail: "the grader rejects the right answers: {accepted} earned the top when given as the answer{lost}",
		FailRemedy: "Grade one by hand: {replay}. Usual causes: the grader expects a different form from the " +
			"reference's (then configure the answer template, audit.answer), compares with the wrong field, or the " +
			"references are wrong. {rejected} {failed}",
		Unknown: "{accepted} earned the top when given as the answer ({lowpercent} to {highpercent} of all){lost}",
		UnknownRemedy: "{rejected} {failed} See one: {replay}. If those references are wrong, fix the data; if " +
			"they are right, fix the grader. To be more certain: {more}.",
		Caution:       "the grader fails on right answers: {accepted} earned the top when given as the answer{lost}",
		CautionRemedy: "{failed} A crash on a right answer costs the rollout its reward.",
		Unmeasured:    unaskable,
		UnmeasuredR:   unaskableRemedy,
	},
	Check: audited(analysis.Blocking, func(r *analysis.Result, t analysis.Thresholds) []analysis.Finding {
		p := probeNamed(r.Grader, rollout.ProbeReference)
		if p == nil {
			return analysis.Skip("", analysis.Blocking, noReferenceTried.Text())
		}
		accept, noise, status := judgeTruth(r, p, 0, t)
		b := analysis.BoundOf(accept)
		if p.Lost > 0 && p.Items > 0 {
			best, _, bestStatus := judgeTruth(r, p, p.Lost, t)
			b.High = best.High
			if bestStatus != status {
				status = analysis.Unknown
			}
		}
		if p.Items == 0 {
			b = analysis.Bound{} // the grader graded none of them
			status = analysis.Unknown
		}
		pass, fail := t.At(truthPass)-noise, t.At(truthFail)-noise
		wrong := p.Items + p.Lost - int(math.Round(stat.ValueOr(b.Value, 0)*float64(p.Items+p.Lost)))
		j := analysis.Judgement{
			Severity: analysis.Blocking, Unit: "share",
			Want: wantAtLeastFails.With(message.Args{"limit": message.Number(pass), "fail": message.Number(fail)}),
			Args: message.Args{
				"accepted": message.Nested(noneOf(p.Items+p.Lost-wrong, p.Items+p.Lost)),
				"rejected": message.Nested(rejectedOf(wrong - p.Lost)), "replay": replay(p),
				"lost": message.Nested(message.Text{}), "failed": message.Nested(message.Text{}),
				"more": message.Nested(moreHardly.Text()),
			},
		}
		if p.Lost > 0 {
			j.Args["lost"] = message.Nested(truthLost.With(message.Args{
				"n":    message.Int(p.Lost),
				"kind": message.Name(p.FailedAs),
			}))
			j.Args["failed"] = message.Nested(
				truthFailed.With(message.Args{
					"references": message.Count(p.Lost, "reference"),
					"kind":       message.Name(p.FailedAs), "at": message.Names(p.LostAt),
				}))
		}
		if p.Lost > 0 { // once the grader's failures are graded again
			j.Needs, j.Settles = &analysis.Needs{Items: p.Items + p.Lost, Samples: 1}, true
		}
		if status == analysis.Unknown && b.Value != nil && *b.Value < fail && p.Lost == 0 {
			if items, ok := stat.Needed(accept, fail, p.Items, &unitRange, r.AuditConfidence()); ok {
				j.Needs, j.Settles = &analysis.Needs{Items: items, Samples: 1}, true
				j.Args["more"] = message.Nested(
					aboutSettles.With(message.Args{"items": message.Count(items, "audited item")}))
			}
		}
		if f := r.Grader.Form; f != nil && f.Asked && status == analysis.Fail {
			status, j.Instead, j.Needs, j.Settles = analysis.Unknown, &askedFormWords, nil, false
			j.Args["set"] = message.Nested(
				setAnswer.With(message.Args{"variable": message.Name("{{reference}}")}))
		}
		if f := r.Grader.Form; f != nil && f.Unseen && status == analysis.Fail {
			// The answers at the top show that the grader pays for another form than this one.
			status, j.Instead, j.Needs, j.Settles = analysis.Unknown, &otherFormWords, nil, false
			j.Args["set"], j.Args["paid"] = message.Nested(
				setAnswer.With(message.Args{"variable": message.Name("{{reference}}")})),
				message.Quote(wording.ClipBytes(f.Paid, analysis.ExcerptLength))
			if f.Template != "" && !f.Framed {
				j.Args["set"] = message.Nested(setAnswerTo.With(message.Args{"form": message.Quote(f.Template)}))
			}
		}
		if status == analysis.Fail && mostlyPaid(r, p) {
			status, j.Instead = analysis.Unknown, &bonusWords
		}
		if status != analysis.Pass {
			j.Items = append(itemsOfHoles(p), p.LostAt...)
		}
		blocking := j.Finding(status, b)
		if p.Lost == 0 || p.Items == 0 {
			return []analysis.Finding{blocking}
		}
		j.Severity, j.Want, j.Items = analysis.Advisory, wantNoFailed.Text(), p.LostAt
		return []analysis.Finding{blocking, j.Finding(analysis.Fail, b)}
	}),
}

// otherFormWords replaces the words if the references were sent in a form that no answer at the top
// has.
var otherFormWords = analysis.NewWording("grader.truth.form",
	"{accepted} earned the top when given as the answer, in a form that none of the answers at the top has{lost}",
	"{set} Then {audit} sends the references again. An answer of this run that earned the top: {paid}. If that "+
		"answer is not right, the grader pays for something other than the references.")

// mostlyPaid reports whether nearly all references earn over half of the range: what is missing may be a
// bonus on top of the task.
func mostlyPaid(r *analysis.Result, p *analysis.ProbeResult) bool {
	n, rng := 0, r.Range()
	for _, one := range p.Rewards {
		if one.Reward != nil && *one.Reward > (rng.Lo+rng.Hi)/2 {
			n++
		}
	}
	return n > 0 && 20*n >= 19*len(p.Rewards)
}

// bonusWords replaces the words if the references earn most of the range.
var bonusWords = analysis.NewWording("grader.truth.bonus",
	"{accepted} earned the top when given as the answer, but nearly all earned over half of the range{lost}",
	"If the reward pays a bonus that a bare reference lacks, let the grader return its parts and name the task's own "+
		"part in audit.core, or set audit.answer to a form that earns the bonus. If no answer can earn the top, correct "+
		"reward_range. Else the grader rejects right answers: {replay}.")

// askedFormWords replaces the words if nothing but the prompts says which form answers have.
var askedFormWords = analysis.NewWording("grader.truth.asked",
	"{accepted} earned the top when given as the answer, bare or in the form that the prompts ask for{lost}",
	"{set} Then {audit} sends the references again. {rejected} See one: {replay}. If the form is right, the grader "+
		"rejects right answers.")

var (
	setAnswer = message.New("grader.truth.set_answer",
		"Set audit.answer to the form that the grader wants, with {variable} in the place of the reference.")
	setAnswerTo = message.New("grader.truth.set_answer_to",
		"Set audit.answer to the form that the grader wants, such as {form}, which the answers at the top have.")
)

// judgeTruth judges the share of references accepted, counting those on which the grader failed in
// the denominator and saved of them as accepted.
func judgeTruth(r *analysis.Result, p *analysis.ProbeResult, saved int,
	t analysis.Thresholds,
) (accept stat.Estimate, noise float64, status analysis.Status) {
	all := p.Items + p.Lost
	accept, noise = stat.Share(p.Above+saved, all, r.AuditConfidence()), noiseBelowTop(r)
	status = truthOf(accept, t.At(truthPass)-noise, t.At(truthFail)-noise)
	if reach := r.Grader.Reach; reach != nil && p.Items > 0 {
		// Noise near the top must not hide references far below it.
		near, crossed := stat.Share(p.Items-p.Beyond+saved, all, r.AuditConfidence()), *reach.Crossed.Value
		if nearStatus := truthOf(near, t.At(truthPass)-crossed, t.At(truthFail)-crossed); status == analysis.Pass &&
			nearStatus != analysis.Pass || status == analysis.Unknown && nearStatus == analysis.Fail {
			accept, noise, status = near, crossed, nearStatus
		}
	}
	return accept, noise, status
}

// truthOf judges a share of references: it passes on the observed share and fails if the whole
// interval is below.
func truthOf(accept stat.Estimate, pass, fail float64) analysis.Status {
	switch b := analysis.BoundOf(accept); {
	case b.Value == nil:
		return analysis.Unknown
	case *b.Value >= pass:
		return analysis.Pass
	case b.High != nil && *b.High < fail:
		return analysis.Fail
	}
	return analysis.Unknown
}

var (
	wantAtLeastFails = message.New("want.at_least_fails", "≥ {limit} (fails below {fail})")
	moreHardly       = message.New("grader.truth.more_hardly",
		"more items will hardly help: look at what the listed items have in common")
	truthLost   = message.New("grader.truth.lost", "; on {n} the grader failed ({kind})")
	truthFailed = message.New("grader.truth.failed",
		"On {references} the grader failed ({kind}), such as {at}: that is counted as not accepted.")
	aboutSettles  = message.New("grader.truth.settles", "about {items} would settle it (audit.items)")
	wantNoFailed  = message.New("want.no_failed", "no failed grading")
	wantFewFailed = message.New("want.few_failed", "≤ {limit} of gradings failed, and no probe entirely")
)

var noReferenceTried = message.New("skip.no_reference_tried",
	"no reference was sent to the grader: the rows have none, or the audit left it out")
