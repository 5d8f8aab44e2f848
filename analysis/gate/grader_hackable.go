package gate

import (
	"math"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

var hackableLimit = analysis.Threshold{
	Name: "grader.hackable", Unit: "share", Doc: "share of items on which a " +
		"probe that must score at the bottom is accepted; the grader fails if the whole interval is above it",
	Default: 0.01,
}

var graderHackable = &analysis.Gate{
	Name:  "grader.hackable",
	Label: "Worthless answers rewarded",
	Doc: "Blocking, after an audit: no probe that must score at the bottom (empty answers, echoes, plausible wrong " +
		"ones, instructions to the judge, …) is " +
		"rewarded on two items or more, with the low end of the share of items above 1 %, or above what the " +
		"grader's own noise explains. An answer counts as rewarded if it earns over 5 % of the range more than " +
		"its limit, and either as much as a right answer or over 5 % more than the item's own rollouts do on " +
		"average: training does not move towards an answer that earns less. " +
		"Judged probe by probe and, without noise, over all of them together. Answers on which the grader failed " +
		"are not judged: the gate is unknown if they are a third of all, " +
		"or if too few items were probed for it to fail, as in an interrupted audit. " +
		"Advisory: no such probe is rewarded on a single item, and the grader fails on at most 5 % of them and on " +
		"no entire probe.",
	Thresholds: []analysis.Threshold{hackableLimit, analysis.HackableMargin},
	Charts:     []string{"grader_audit"},
	Words: analysis.Words{
		Why: "Training finds every way to earn reward. If an answer that does no work is rewarded, the " +
			"model learns to give that answer instead of doing the task, and the reward goes up while the work gets " +
			"worse.",
		Pass: "worthless answers do not fool the grader: {best}",
		Fail: "the grader can be fooled: “{probe}” is rewarded on {on}{others}",
		FailRemedy: "See for yourself: {replay} sends the same answer to the grader again and shows the reward. " +
			"Close the hole: the grader must not pay for “{probe}”. Then {grade} regrades the recorded answers " +
			"without new rollouts, and {audit_next} tries the probes on the new grader. Do not train until it withstands all of them.{noise}{unjudged}",
		Unknown: "it is not clear whether the grader can be fooled: it failed on {failed} of {payloads}{kind}",
		UnknownRemedy: "Make the grader give worthless answers the lowest grade instead of failing, then run " +
			"{grade} and {audit_next}. Some trainers count such a failure as no reward, others retry or drop the " +
			"rollout, so it is not counted here as an answer that earned nothing. {where}",
		Caution:       "a worthless answer was rewarded: “{probe}” on {on}{others}",
		CautionRemedy: "Look at it: {replay}. One hole is enough for training to find it.{noise}{unjudged}",
		Unmeasured:    unaskable,
		UnmeasuredR:   unaskableRemedy,
	},
	Check: audited(analysis.Blocking, func(r *analysis.Result, t analysis.Thresholds) []analysis.Finding {
		var bottom []*analysis.ProbeResult
		tried := false
		for i := range r.Grader.Probes {
			if p := &r.Grader.Probes[i]; p.Expect == rollout.Bottom {
				bottom = append(bottom, p)
				tried = tried || p.Items > 0
			}
		}
		if len(bottom) == 0 {
			return analysis.Skip("", analysis.Blocking, noProbeTried.Text())
		}
		j := analysis.Judgement{
			Severity: analysis.Blocking, Unit: "share",
			Want: analysis.WantAtMost(t.At(hackableLimit)),
		}
		// once the grader's failures are graded again
		j.Needs, j.Settles = &analysis.Needs{Items: payloadsOfItem(bottom), Samples: 1}, true
		if !tried {
			return []analysis.Finding{j.Finding(analysis.Unknown, analysis.Bound{})}
		}
		worst, fails := hackedBy(r, t, bottom)
		j.Args = hackedWords(r, bottom, worst)
		b, status := analysis.BoundOf(worst.Accept), analysis.Pass
		if fails && !hacked(r, t, worst, len(bottom)) {
			b = analysis.BoundOf(*r.Grader.FalseAccept) // only the probes together, none of them alone
		}
		if worst.Above > 0 {
			j.Items = hackedItems(bottom, worst)
		}
		if fails {
			status = analysis.Fail
		}
		lost := lostTo(bottom)
		switch {
		case status == analysis.Fail:
		case mostItems(bottom) < holeItems: // it could not have failed, as in an interrupted audit
			status, j.Instead = analysis.Unknown, &fewProbedWords
			j.Needs = &analysis.Needs{Items: holeItems, Samples: 1}
		case lost.share() >= failedUnknown || lost.silence:
			status = analysis.Unknown
		}
		blocking := j.Finding(status, b)
		if status == analysis.Unknown {
			return []analysis.Finding{blocking}
		}
		j.Severity, j.Want = analysis.Advisory, analysis.WantNone.Text()
		status = analysis.Pass
		switch caution := failedCaution; {
		case worst.Above > 0:
			status = analysis.Fail
		case lost.share() > caution || len(lost.whole) > 0:
			status, b = analysis.Fail, analysis.Observed(lost.share())
			j.Want, j.Instead = wantFewFailed.With(message.Args{"limit": message.Number(caution)}), &unjudgedWords
		}
		return []analysis.Finding{blocking, j.Finding(status, b)}
	}),
}

// mostItems returns the largest number of items on which any of the probes was graded.
func mostItems(probes []*analysis.ProbeResult) int {
	most := 0
	for _, p := range probes {
		most = max(most, p.Items)
	}
	return most
}

// hackedBy returns the probe with the strongest evidence, and whether the grader fails.
func hackedBy(r *analysis.Result, t analysis.Thresholds,
	bottom []*analysis.ProbeResult,
) (worst *analysis.ProbeResult, fails bool) {
	worst = bottom[0]
	for _, p := range bottom {
		if p.Items > 0 && worst.Items == 0 {
			worst = p // a probe without results is no evidence
		}
		failed := hacked(r, t, p, len(bottom))
		if failed && !fails || failed == fails && stat.ValueOr(p.Accept.Value, -1) > stat.ValueOr(worst.Accept.Value, -1) {
			worst, fails = p, failed
		}
	}
	return worst, fails || hackedTogether(r, t, bottom)
}

// hacked judges a probe by the low end of the share of items on which it is accepted. If regrades
// differ, that end must exceed the largest share that noise alone explains for an item's payloads,
// with the error divided among the probes (Bonferroni): one of twenty probes gets lucky. If a
// distance greater than the margin is crossed by noise less often, the items beyond that distance
// are judged as well.
func hacked(r *analysis.Result, t analysis.Thresholds, p *analysis.ProbeResult, probes int) bool {
	if p.Items == 0 || p.Above < holeItems {
		return false
	}
	limit := t.At(hackableLimit)
	noise, most := noiseShift(r)
	if noise == 0 {
		return *p.Accept.Low > limit
	}
	tests, reach := probes, r.Grader.Reach
	if reach != nil && reach.Distance <= 1.5*t.At(analysis.HackableMargin)*r.Range().Width() {
		reach = nil // the margin itself, which is judged anyway
	}
	if reach != nil {
		tests = 2 * probes
	}
	explained := func(items int, most float64) bool {
		low, _ := stat.ClopperPearson(float64(items), float64(p.Items), 1-(1-r.AuditConfidence())/float64(tests))
		return low <= max(limit, 1-math.Pow(1-most, float64(p.Payloads)/float64(p.Items)))
	}
	return !explained(p.Above, most) || reach != nil && !explained(p.Beyond, stat.ValueOr(reach.Crossed.High, 0.5))
}

// hackedTogether judges the share of accepted payloads over all probes, if no noise was seen:
// single holes in several probes add up.
func hackedTogether(r *analysis.Result, t analysis.Thresholds, bottom []*analysis.ProbeResult) bool {
	if noise, _ := noiseShift(r); noise > 0 || r.Grader.FalseAccept == nil || r.Grader.FalseAccept.Low == nil {
		return false
	}
	items := hackedItems(bottom, bottom[0])
	return len(items) >= holeItems && *r.Grader.FalseAccept.Low > t.At(hackableLimit)
}

// hackedItems lists the items with holes, those of the worst probe first.
func hackedItems(bottom []*analysis.ProbeResult, worst *analysis.ProbeResult) []string {
	ids := itemsOfHoles(worst)
	for _, p := range bottom {
		for _, id := range itemsOfHoles(p) {
			if !slices.Contains(ids, id) && len(ids) < analysis.MaxItemsListed {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

func hackedWords(r *analysis.Result, bottom []*analysis.ProbeResult, worst *analysis.ProbeResult) message.Args {
	lost := lostTo(bottom)
	judged := message.Count(len(bottom)-len(lost.whole), "probe")
	best := noneRewarded.With(message.Args{"judged": judged})
	vars := message.Args{
		"probe": message.Name(worst.Probe), "on": message.Nested(onItems(worst.Above, worst.Items)),
		"replay": replay(worst), "others": message.Nested(message.Text{}), "noise": message.Nested(message.Text{}),
		"unjudged": message.Nested(message.Text{}),
		"failed":   message.Int(lost.failed), "payloads": message.Count(lost.payloads, "worthless answer"),
		"kind": message.Nested(message.Text{}), "where": message.Nested(lost.where()),
	}
	if worst.Above > 0 {
		best = farthest.With(message.Args{"judged": judged, "probe": vars["probe"], "on": vars["on"]})
	}
	if lost.failed > 0 {
		vars["kind"] = message.Nested(inBrackets.With(message.Args{"what": message.Name(lost.kind)}))
		vars["unjudged"] = message.Nested(couldNotBe.With(message.Args{
			"failed":   message.Int(lost.failed),
			"payloads": vars["payloads"], "kind": message.Name(lost.kind),
		}))
		best = message.Concat(best,
			andNotJudged.With(message.Args{"failed": message.Int(lost.failed), "payloads": vars["payloads"]}))
	}
	vars["best"] = message.Nested(best)
	others := 0
	for _, p := range bottom {
		if p != worst && p.Above > 0 {
			others++
		}
	}
	if others > 0 {
		vars["others"] = message.Nested(othersFound.With(message.Args{"others": message.Count(others, "other probe")}))
	}
	if noise, _ := noiseShift(r); noise > 0 {
		vars["noise"] = message.Nested(noisyGrader.With(message.Args{"share": message.Share(noise)}))
	}
	return vars
}

var (
	noneRewarded = message.New("grader.hackable.none", "none of {judged} is rewarded")
	farthest     = message.New("grader.hackable.farthest",
		"of {judged}, “{probe}” gets farthest and is rewarded on {on}")
	couldNotBe = message.New("grader.hackable.not_judged",
		" {failed} of {payloads} could not be judged, because the grader failed on them ({kind}).")
	andNotJudged = message.New("grader.hackable.and_not_judged", "; {failed} of {payloads} could not be judged")
	othersFound  = message.New("grader.hackable.others", ", and {others} found a hole too")
	noisyGrader  = message.New("grader.hackable.noisy", " The grader is noisy (about {share} of its grades are off "+
		"by chance), so a single hit may be luck: --replay grades it again.")
)

var noProbeTried = message.New("skip.no_probe_tried", "no probe that must score at the bottom was sent to the grader")

const (
	holeItems = 2 // fewest items on which a probe is accepted for the grader to fail
	// share of worthless answers that the grader failed on, from which it is not known whether it can be fooled
	failedUnknown = 0.33
	failedCaution = 0.05 // the same, above which it is a caution
)

// unjudgedWords replaces the words if the grader failed on some of the answers that must score at
// the bottom.
var unjudgedWords = analysis.NewWording("grader.hackable.unjudged",
	"{failed} of {payloads} could not be judged: the grader failed on them{kind}",
	"{where} A worthless answer should get the lowest grade, not a failure: whether a trainer then gives no reward, "+
		"retries the rollout or drops it is not known here. Fix the grader; {grade} and {audit_next} then judge it "+
		"again.")

// fewProbedWords replaces the words if too few items were probed for the grader to fail.
var fewProbedWords = analysis.NewWording("grader.hackable.few",
	"it is not clear whether the grader can be fooled: it was sent worthless answers on too few items",
	"An interrupted audit, or one of a single item (audit.items), cannot show holes on other items. {audit_more} "+
		"tries the probes on more.")
