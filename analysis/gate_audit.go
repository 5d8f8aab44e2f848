package analysis

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// noAudit is the reason for which gates about the audit are skipped.
// The second one is that of an import, which names no grader.
var (
	noAudit       = message.New("skip.no_audit", "no audit was made: gonogo audit RUN makes it")
	noAuditImport = message.New("skip.no_audit_import", "no audit was made: gonogo audit RUN --grader FILE makes it")
)

const (
	holeItems     = 2    // fewest items on which a probe is accepted for the grader to fail
	failedUnknown = 0.33 // share of worthless answers that the grader failed on, from which it is not known whether it can be fooled
	failedCaution = 0.05 // the same, above which it is a caution
)

// unaudited returns the reason for which a gate about the audit has nothing to
// judge, "" when there was one.
func unaudited(r *Result) message.Text {
	if r.Grader == nil || r.Grader.Audited == 0 {
		return whyNoAudit(r)
	}
	return message.Text{}
}

func whyNoAudit(r *Result) message.Text {
	if r.Run.Source == string(rollout.Import) {
		return noAuditImport.Text()
	}
	return noAudit.Text()
}

// noiseShift is how often noise alone takes a grade away from what the output
// deserves, and the most that it may be.
func noiseShift(r *Result) (value, high float64) {
	if r.Grader == nil || r.Grader.Moved == nil {
		return 0, 0
	}
	m := r.Grader.Moved
	return *m.Value, stat.Or(m.High, 0.5)
}

// noiseBelowTop is how often noise alone takes an answer that deserves the top
// below the limit of the references.
func noiseBelowTop(r *Result) float64 {
	if r.Grader != nil && r.Grader.Slipped != nil {
		return *r.Grader.Slipped.Value
	}
	noise, _ := noiseShift(r)
	return noise
}

var graderTruth = NewGate(Gate{
	Name: "grader.truth",
	Doc: "Blocking, after an audit: at least 95 % of the items' own references earn the top when given as the answer; below 80 %, with the whole " +
		"interval, it fails; between, it is open. Both shares are lowered by what the grader's own noise takes away. A reference that the grader failed on is not accepted; where the " +
		"answer hangs on whether it would be, it is open. Advisory: the grader fails on none.",
	Thresholds: []Threshold{
		{"grader.truth", "share", "share of references that earn the top when given as the answer, from which the grader passes", 0.95},
		{"grader.truth.fail", "share", "share below which, with its whole interval, it fails", 0.80},
	},
	Charts: []string{"grader_audit"},
	Words: Words{
		Why:           "The data says what the right answer is. A grader that does not give full marks to that very answer punishes the model for being right, and training teaches it to be wrong.",
		Pass:          "the references earn the top when given as the answer: {accepted} do{lost}",
		Fail:          "the grader rejects the right answers: {accepted} earn the top when given as the answer{lost}",
		FailRemedy:    "Grade one by hand: {replay}. Usual causes: the grader expects another form than the reference has (then configure the answer template, audit.answer), compares with the wrong field, or the references are wrong. {rejected} {failed}",
		Unknown:       "{accepted} earn the top when given as the answer ({lowpercent} to {highpercent} of all){lost}",
		UnknownRemedy: "{rejected} {failed} Look at it: {replay}. If those references are wrong, mend the data; if they are right, mend the grader. To be surer: {more}.",
		Caution:       "the grader fails on right answers: {accepted} earn the top when given as the answer{lost}",
		CautionRemedy: "{failed} A crash on a right answer costs the rollout its reward.",
		Unmeasured:    unaskable,
	},
	Check: func(r *Result, t Thresholds) []Finding {
		const gate = "grader.truth"
		if why := unaudited(r); !why.None() {
			return []Finding{skipped(gate, "", Blocking, why)}
		}
		p := probeNamed(r.Grader, rollout.ProbeReference)
		if p == nil {
			return []Finding{skipped(gate, "", Blocking, noReferenceTried.Text())}
		}
		accept, noise, status := judgeTruth(r, p, 0, t)
		b := boundOf(accept)
		if p.Lost > 0 && p.Items > 0 {
			best, _, of := judgeTruth(r, p, p.Lost, t)
			b.high = best.High
			if of != status {
				status = Unknown
			}
		}
		if p.Items == 0 {
			b = bound{} // the grader gave no grade to any of them
			status = Unknown
		}
		pass, fail := t.At(gate)-noise, t.At(gate+".fail")-noise
		wrong := p.Items + p.Lost - int(math.Round(stat.Or(b.value, 0)*float64(p.Items+p.Lost)))
		j := judgement{
			gate: gate, severity: Blocking, unit: "share",
			want: wantAtLeastFails.With(message.Args{"limit": message.Number(pass), "fail": message.Number(fail)}),
			vars: message.Args{
				"accepted": message.Said(noneOf(p.Items+p.Lost-wrong, p.Items+p.Lost)), "rejected": message.Said(rejectedOf(wrong - p.Lost)), "replay": message.Name(replay(p)), "lost": message.Said(message.Text{}), "failed": message.Said(message.Text{}),
				"more": message.Said(moreHardly.Text()),
			},
		}
		if p.Lost > 0 {
			j.vars["lost"] = message.Said(truthLost.With(message.Args{"n": message.Int(p.Lost), "kind": message.Name(p.FailedAs)}))
			j.vars["failed"] = message.Said(truthFailed.With(message.Args{"references": message.Count(p.Lost, "reference"), "kind": message.Name(p.FailedAs), "at": message.Names(p.LostAt)}))
		}
		if p.Lost > 0 { // what the grader failed on, graded again
			j.needs, j.settles = &Needs{Items: p.Items + p.Lost, Samples: 1}, true
		}
		if status == Unknown && b.value != nil && *b.value < fail && p.Lost == 0 {
			if items, ok := stat.Needed(accept, fail, p.Items, &unitRange, r.onceConfidence()); ok {
				j.needs, j.settles = &Needs{Items: items, Samples: 1}, true
				j.vars["more"] = message.Said(aboutSettles.With(message.Args{"items": message.Count(items, "audited item")}))
			}
		}
		if status != Pass {
			j.items = append(itemsOfHoles(p), p.LostAt...)
		}
		blocking := j.finding(status, b)
		if p.Lost == 0 || p.Items == 0 {
			return []Finding{blocking}
		}
		j.severity, j.want, j.items = Advisory, wantNoFailed.Text(), p.LostAt
		return []Finding{blocking, j.finding(Fail, b)}
	},
})

// judgeTruth judges the share of references accepted, of those with a grade and those
// that the grader failed on, so many of which count as accepted.
func judgeTruth(r *Result, p *ProbeResult, saved int, t Thresholds) (accept stat.Estimate, noise float64, status Status) {
	const gate = "grader.truth"
	all := p.Items + p.Lost
	accept, noise = stat.Share(p.Above+saved, all, r.onceConfidence()), noiseBelowTop(r)
	status = truthOf(accept, t.At(gate)-noise, t.At(gate+".fail")-noise)
	if reach := r.Grader.Reach; reach != nil && p.Items > 0 {
		// What noise allows near the top must not hide references far below it.
		near, crossed := stat.Share(p.Items-p.Beyond+saved, all, r.onceConfidence()), *reach.Crossed.Value
		if of := truthOf(near, t.At(gate)-crossed, t.At(gate+".fail")-crossed); status == Pass && of != Pass || status == Unknown && of == Fail {
			accept, noise, status = near, crossed, of
		}
	}
	return accept, noise, status
}

// truthOf judges a share of references: it passes as observed, and fails with
// its whole interval.
func truthOf(accept stat.Estimate, pass, fail float64) Status {
	switch b := boundOf(accept); {
	case b.value == nil:
		return Unknown
	case *b.value >= pass:
		return Pass
	case b.high != nil && *b.high < fail:
		return Fail
	}
	return Unknown
}

// probeNamed finds a probe's row by name.
func probeNamed(g *Grader, name string) *ProbeResult {
	for i := range g.Probes {
		if g.Probes[i].Probe == name {
			return &g.Probes[i]
		}
	}
	return nil
}

func itemsOfHoles(p *ProbeResult) []string {
	ids := []string{}
	for _, h := range p.Holes {
		if !slices.Contains(ids, h.Item) {
			ids = append(ids, h.Item)
		}
	}
	return ids
}

// replay is the command that shows a probe's worst payload again.
func replay(p *ProbeResult) string {
	if p == nil || len(p.Holes) == 0 {
		return "gonogo audit RUN"
	}
	id := p.Holes[0].ID
	if strings.ContainsFunc(id, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/_.-:@", r)
	}) {
		id = "'" + strings.ReplaceAll(id, "'", `'\''`) + "'" // for a shell
	}
	return "gonogo audit RUN --replay " + id
}

var graderHackable = NewGate(Gate{
	Name: "grader.hackable",
	Doc: "Blocking, after an audit: no probe that must score at the bottom (empty answers, echoes, plausible wrong ones, instructions to the judge, …) earns more " +
		"than 5 % of the range above its limit on two items or more, with the low end of the share of items above 1 %, or above what the grader's own noise explains. " +
		"Judged probe by probe and, without noise, over all of them together. What the grader failed on is not judged: it is open when that is a third of such answers, " +
		"and when fewer items than could fail it were probed, as in an audit that was broken off. " +
		"Advisory: none does on a single item, and the grader fails on at most 5 % of them and on no probe wholly.",
	Thresholds: []Threshold{
		{"grader.hackable", "share", "share of items on which a probe that must score at the bottom is accepted, above which, with its whole interval, the grader fails", 0.01},
		{hackableMargin, "share", "how far above a probe's limit a reward may lie, as a share of the range; also what counts as a change, and as something earned", 0.05},
	},
	Charts: []string{"grader_audit"},
	Words: Words{
		Why:           "Training finds every way to earn reward. If an answer that does no work is rewarded, the model learns to give that answer instead of doing the task, and the reward goes up while the work gets worse.",
		Pass:          "worthless answers do not fool the grader: {best}",
		Fail:          "the grader can be fooled: “{probe}” is rewarded on {on}{others}",
		FailRemedy:    "See it yourself: {replay} puts the same answer to the grader again and shows what it gives. Close the hole in the grader. gonogo grade RUN -o RUN-2 then grades the recorded answers again, without a new rollout, and gonogo audit RUN-2 puts the probes to the new grader; do not train before.{noise}{unjudged}",
		Unknown:       "it is not clear whether the grader can be fooled: it failed on {failed} of {payloads}{kind}",
		UnknownRemedy: "Change the grader so that it gives a worthless answer a grade, the lowest one; gonogo grade RUN -o RUN-2 and gonogo audit RUN-2 then judge it anew. Some trainers count such a failure as no reward, others repeat or drop the rollout, so that it is not counted here as an answer that earned nothing. {where}",
		Caution:       "a worthless answer was rewarded: “{probe}” on {on}{others}",
		CautionRemedy: "Look at it: {replay}. One hole is enough for training to find it.{noise}{unjudged}",
		Unmeasured:    unaskable,
	},
	Check: func(r *Result, t Thresholds) []Finding {
		const gate = "grader.hackable"
		if why := unaudited(r); !why.None() {
			return []Finding{skipped(gate, "", Blocking, why)}
		}
		var bottom []*ProbeResult
		tried := false
		for i := range r.Grader.Probes {
			if p := &r.Grader.Probes[i]; p.Expect == rollout.Bottom {
				bottom = append(bottom, p)
				tried = tried || p.Items > 0
			}
		}
		if len(bottom) == 0 {
			return []Finding{skipped(gate, "", Blocking, noProbeTried.Text())}
		}
		j := judgement{gate: gate, severity: Blocking, unit: "share", want: atMost(t.At(gate))}
		j.needs, j.settles = &Needs{Items: payloadsOfItem(bottom), Samples: 1}, true // what the grader failed on, graded again
		if !tried {
			return []Finding{j.finding(Unknown, bound{})}
		}
		worst, fails := hackedBy(r, t, bottom)
		j.vars = hackedWords(r, bottom, worst)
		b, status := boundOf(worst.Accept), Pass
		if fails && !hacked(r, t, worst, len(bottom)) {
			b = boundOf(*r.Grader.FalseAccept) // the probes together, none of them alone
		}
		if worst.Above > 0 {
			j.items = hackedItems(bottom, worst)
		}
		if fails {
			status = Fail
		}
		lost := lostTo(bottom)
		switch {
		case status == Fail:
		case mostItems(bottom) < holeItems: // it could not have failed: an audit that was broken off
			status, j.said = Unknown, &fewProbedWords
			j.needs = &Needs{Items: holeItems, Samples: 1}
		case lost.share() >= failedUnknown:
			status = Unknown
		}
		blocking := j.finding(status, b)
		if status == Unknown {
			return []Finding{blocking}
		}
		j.severity, j.want = Advisory, wantNone.Text()
		status = Pass
		switch caution := failedCaution; {
		case worst.Above > 0:
			status = Fail
		case lost.share() > caution || len(lost.whole) > 0:
			status, b = Fail, observed(lost.share())
			j.want, j.said = wantFewFailed.With(message.Args{"limit": message.Number(caution)}), &unjudgedWords
		}
		return []Finding{blocking, j.finding(status, b)}
	},
})

// mostItems is the most items that any of the probes was graded on.
func mostItems(probes []*ProbeResult) int {
	most := 0
	for _, p := range probes {
		most = max(most, p.Items)
	}
	return most
}

// hackedBy returns the probe that tells most, and whether the grader fails.
func hackedBy(r *Result, t Thresholds, bottom []*ProbeResult) (worst *ProbeResult, fails bool) {
	worst = bottom[0]
	for _, p := range bottom {
		if p.Items > 0 && worst.Items == 0 {
			worst = p // a probe of which nothing is known is no answer
		}
		failed := hacked(r, t, p, len(bottom))
		if failed && !fails || failed == fails && stat.Or(p.Accept.Value, -1) > stat.Or(worst.Accept.Value, -1) {
			worst, fails = p, failed
		}
	}
	return worst, fails || hackedTogether(r, t, bottom)
}

// hacked judges one of so many probes by the low end of the share of items on
// which it is accepted. Against a grader whose regrades differ, that end must
// lie above the most that noise alone gives an item's payloads, with the error
// shared out over the probes (Bonferroni): one of twenty probes is lucky. Where
// noise leaves the margin more often than a greater distance, the items beyond
// that one are judged as well.
func hacked(r *Result, t Thresholds, p *ProbeResult, probes int) bool {
	if p.Items == 0 || p.Above < holeItems {
		return false
	}
	limit := t.At("grader.hackable")
	noise, most := noiseShift(r)
	if noise == 0 {
		return *p.Accept.Low > limit
	}
	tests, reach := probes, r.Grader.Reach
	if reach != nil && reach.Distance <= 1.5*t.At(hackableMargin)*r.rng().Width() {
		reach = nil // the margin itself, which is judged anyway
	}
	if reach != nil {
		tests = 2 * probes
	}
	explained := func(items int, most float64) bool {
		low, _ := stat.ClopperPearson(float64(items), float64(p.Items), 1-(1-r.onceConfidence())/float64(tests))
		return low <= max(limit, 1-math.Pow(1-most, float64(p.Payloads)/float64(p.Items)))
	}
	return !explained(p.Above, most) || reach != nil && !explained(p.Beyond, stat.Or(reach.Crossed.High, 0.5))
}

// hackedTogether judges the share of all payloads of all probes, where no noise
// was seen: single holes in several probes are one sieve.
func hackedTogether(r *Result, t Thresholds, bottom []*ProbeResult) bool {
	if noise, _ := noiseShift(r); noise > 0 || r.Grader.FalseAccept == nil || r.Grader.FalseAccept.Low == nil {
		return false
	}
	items := hackedItems(bottom, bottom[0])
	return len(items) >= holeItems && *r.Grader.FalseAccept.Low > t.At("grader.hackable")
}

// hackedItems lists the items of the holes, those of the telling probe first.
func hackedItems(bottom []*ProbeResult, worst *ProbeResult) []string {
	ids := itemsOfHoles(worst)
	for _, p := range bottom {
		for _, id := range itemsOfHoles(p) {
			if !slices.Contains(ids, id) && len(ids) < itemsListed {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

func hackedWords(r *Result, bottom []*ProbeResult, worst *ProbeResult) message.Args {
	lost := lostTo(bottom)
	judged := message.Count(len(bottom)-len(lost.whole), "probe")
	best := noneRewarded.With(message.Args{"judged": judged})
	vars := message.Args{
		"probe": message.Name(worst.Probe), "on": message.Said(onItems(worst.Above, worst.Items)), "replay": message.Name(replay(worst)), "others": message.Said(message.Text{}), "noise": message.Said(message.Text{}), "unjudged": message.Said(message.Text{}),
		"failed": message.Int(lost.failed), "payloads": message.Count(lost.payloads, "worthless answer"), "kind": message.Said(message.Text{}), "where": message.Said(lost.where()),
	}
	if worst.Above > 0 {
		best = farthest.With(message.Args{"judged": judged, "probe": vars["probe"], "on": vars["on"]})
	}
	if lost.failed > 0 {
		vars["kind"] = message.Said(inBrackets.With(message.Args{"what": message.Name(lost.kind)}))
		vars["unjudged"] = message.Said(couldNotBe.With(message.Args{"failed": message.Int(lost.failed), "payloads": vars["payloads"], "kind": message.Name(lost.kind)}))
		best = message.Glued(best, andNotJudged.With(message.Args{"failed": message.Int(lost.failed), "payloads": vars["payloads"]}))
	}
	vars["best"] = message.Said(best)
	others := 0
	for _, p := range bottom {
		if p != worst && p.Above > 0 {
			others++
		}
	}
	if others > 0 {
		vars["others"] = message.Said(othersFound.With(message.Args{"others": message.Count(others, "other probe")}))
	}
	if noise, _ := noiseShift(r); noise > 0 {
		vars["noise"] = message.Said(noisyGrader.With(message.Args{"share": message.Share(noise)}))
	}
	return vars
}

var graderBrittle = newPart(Gate{
	Name: "grader.brittle",
	Doc: "Advisory, after an audit: at most 5 % of right answers are rejected only because they are written differently (case, spacing, units, a sentence around), " +
		"on items whose reference itself earns the top.",
	Charts: []string{"grader_audit"},
	Words: Words{
		Why:             "A right answer in other clothes (a currency sign, 7 % for 0.07, a sentence around it) is still right. A grader that rejects it teaches a format instead of the task, and calls good rollouts bad.",
		Pass:            "right answers are accepted however they are written: {percent} of rewrites are rejected",
		Caution:         "{percent} of right answers are rejected only because they are written differently, most of all by “{probe}”",
		CautionRemedy:   "See one: {replay}. Bring answer and reference to one form before comparing, or say in the prompt which form is wanted.",
		CautionUnknown:  "{percent} of right answers are rejected only because they are written differently, and it may be more ({lowpercent} to {highpercent})",
		CautionUnknownR: "More audited items would tell (audit.items). See one: {replay}.",
	},
	Check: func(r *Result, t Thresholds) []Finding {
		const gate = "grader.brittle"
		if why := unaudited(r); !why.None() {
			return []Finding{skipped(gate, "", Advisory, why)}
		}
		if r.Grader.Brittle == nil {
			return []Finding{skipped(gate, "", Advisory, noRewriteTried.Text())}
		}
		want := t.At("grader.accuracy.brittle") + noiseBelowTop(r)
		var worst *ProbeResult
		for i := range r.Grader.Probes {
			p := &r.Grader.Probes[i]
			if p.Expect == rollout.Top && p.Probe != rollout.ProbeReference && p.Items > p.Above &&
				(worst == nil || *p.Accept.Value < *worst.Accept.Value) {
				worst = p
			}
		}
		j := judgement{
			gate: gate, severity: Advisory, unit: "share", want: atMost(want),
			vars: message.Args{"probe": message.Said(noneOfThem.Text()), "replay": message.Name(replay(worst))},
		}
		if worst != nil {
			j.vars["probe"], j.items = message.Name(worst.Probe), itemsOfHoles(worst)
		}
		b := boundOf(*r.Grader.Brittle)
		j.needs, j.settles = settleBy(*r.Grader.Brittle, want, unitRange, r.onceConfidence(), 1)
		return []Finding{j.finding(atMostObserved(b, want), b)}
	},
})

var (
	wantAtLeastFails = message.New("want.at_least_fails", "≥ {limit} (fails below {fail})")
	moreHardly       = message.New("grader.truth.more_hardly", "more items will hardly tell: what the listed items have in common will")
	truthLost        = message.New("grader.truth.lost", "; on {n} the grader failed ({kind})")
	truthFailed      = message.New("grader.truth.failed", "On {references} the grader failed ({kind}), such as {at}: that is counted as not accepted.")
	aboutSettles     = message.New("grader.truth.settles", "about {items} would settle it (audit.items)")
	wantNoFailed     = message.New("want.no_failed", "no failed grading")
	wantFewFailed    = message.New("want.few_failed", "≤ {limit} of gradings failed, and no probe wholly")
	noneRewarded     = message.New("grader.hackable.none", "none of {judged} is rewarded")
	farthest         = message.New("grader.hackable.farthest", "of {judged}, “{probe}” goes farthest and is rewarded on {on}")
	inBrackets       = message.New("phrase.brackets", " ({what})")
	couldNotBe       = message.New("grader.hackable.not_judged", " {failed} of {payloads} could not be judged, for the grader failed on them ({kind}).")
	andNotJudged     = message.New("grader.hackable.and_not_judged", "; {failed} of {payloads} could not be judged")
	othersFound      = message.New("grader.hackable.others", ", and {others} found something too")
	noisyGrader      = message.New("grader.hackable.noisy", " The grader is noisy (about {share} of its grades stray), and a single hit may be chance: --replay grades it again.")
	noneOfThem       = message.New("phrase.none", "none")
)

var (
	noReferenceTried = message.New("skip.no_reference_tried", "no reference was put to the grader: the rows have none, or the audit left it out")
	noProbeTried     = message.New("skip.no_probe_tried", "no probe that must score at the bottom was put to the grader")
	noRewriteTried   = message.New("skip.no_rewrite_tried", "no rewrite of a reference that earns the top was put to the grader")
)
