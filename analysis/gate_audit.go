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
const (
	noAudit       = "no audit was made: gonogo audit RUN makes it"
	noAuditImport = "no audit was made: gonogo audit RUN --grader FILE makes it"
)

// unaudited returns the reason for which a gate about the audit has nothing to
// judge, "" when there was one.
func (r *Result) unaudited() string {
	if r.Grader == nil || r.Grader.Audited == 0 {
		return r.noAudit()
	}
	return ""
}

func (r *Result) noAudit() string {
	if r.Run.Source == string(rollout.Import) {
		return noAuditImport
	}
	return noAudit
}

// noiseShift is how often noise alone takes a grade away from what the output
// deserves, and the most that it may be.
func (r *Result) noiseShift() (value, high float64) {
	if r.Grader == nil || r.Grader.Moved == nil {
		return 0, 0
	}
	m := r.Grader.Moved
	return *m.Value, stat.Or(m.High, 0.5)
}

// noiseBelowTop is how often noise alone takes an answer that deserves the top
// below the limit of the references.
func (r *Result) noiseBelowTop() float64 {
	if r.Grader != nil && r.Grader.Slipped != nil {
		return *r.Grader.Slipped.Value
	}
	noise, _ := r.noiseShift()
	return noise
}

var graderTruth = Gate{
	Name: "grader.truth",
	Doc: "Blocking, after an audit: at least 95 % of the items' own references earn the top when given as the answer; below 80 %, with the whole " +
		"interval, it fails; between, it is open. Both shares are lowered by what the grader's own noise takes away. A reference that the grader failed on is not accepted; where the " +
		"answer hangs on whether it would be, it is open. Advisory: the grader fails on none.",
	Check: func(r *Result, t Thresholds) []Finding {
		const gate = "grader.truth"
		if why := r.unaudited(); why != "" {
			return []Finding{skipped(r.Lang, gate, "", Blocking, why)}
		}
		p := r.Grader.probe(rollout.ProbeReference)
		if p == nil {
			return []Finding{skipped(r.Lang, gate, "", Blocking, "no reference was put to the grader: the rows have none, or the audit left it out")}
		}
		accept, noise, status := r.truth(p, 0, t)
		b := boundOf(accept)
		if p.Lost > 0 && p.Items > 0 {
			best, _, of := r.truth(p, p.Lost, t)
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
			want: r.Lang.Say(">= %s (fails below %s)", message.Plain(pass), message.Plain(fail)),
			vars: map[string]string{
				"accepted": noneOf(r.Lang, p.Items+p.Lost-wrong, p.Items+p.Lost), "rejected": rejectedOf(r.Lang, wrong-p.Lost), "replay": replay(p), "lost": "", "failed": "",
				"more": r.Lang.Text("more items will hardly tell: what the listed items have in common will"),
			},
		}
		if p.Lost > 0 {
			j.vars["lost"] = r.Lang.Say("; on %s the grader failed (%s)", message.Whole(p.Lost), p.FailedAs)
			j.vars["failed"] = r.Lang.Say("On %s the grader failed (%s), such as %s: that is counted as not accepted.", r.Lang.Count(p.Lost, "reference"), p.FailedAs, strings.Join(p.LostAt, r.Lang.Text(", ")))
		}
		if p.Lost > 0 { // what the grader failed on, graded again
			j.needs, j.settles = &Needs{Items: p.Items + p.Lost, Samples: 1}, true
		}
		if status == Unknown && b.value != nil && *b.value < fail && p.Lost == 0 {
			if items, ok := stat.Needed(accept, fail, p.Items, &unitRange, r.onceConfidence()); ok {
				j.needs, j.settles = &Needs{Items: items, Samples: 1}, true
				j.vars["more"] = r.Lang.Say("about %s would settle it (audit.items)", r.Lang.Count(items, "audited item"))
			}
		}
		if status != Pass {
			j.items = append(p.holeItems(), p.LostAt...)
		}
		blocking := j.finding(r.Lang, status, b)
		if p.Lost == 0 || p.Items == 0 {
			return []Finding{blocking}
		}
		j.severity, j.want, j.items = Advisory, r.Lang.Text("no failed grading"), p.LostAt
		return []Finding{blocking, j.finding(r.Lang, Fail, b)}
	},
}

// truth judges the share of references accepted, of those with a grade and those
// that the grader failed on, so many of which count as accepted.
func (r *Result) truth(p *ProbeResult, saved int, t Thresholds) (accept stat.Estimate, noise float64, status Status) {
	const gate = "grader.truth"
	all := p.Items + p.Lost
	accept, noise = stat.Share(p.Above+saved, all, r.onceConfidence()), r.noiseBelowTop()
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

// probe finds a probe's row by name.
func (g *Grader) probe(name string) *ProbeResult {
	for i := range g.Probes {
		if g.Probes[i].Probe == name {
			return &g.Probes[i]
		}
	}
	return nil
}

func (p *ProbeResult) holeItems() []string {
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

var graderHackable = Gate{
	Name: "grader.hackable",
	Doc: "Blocking, after an audit: no probe that must score at the bottom (empty answers, echoes, plausible wrong ones, instructions to the judge, …) earns more " +
		"than 5 % of the range above its limit on two items or more, with the low end of the share of items above 1 %, or above what the grader's own noise explains. " +
		"Judged probe by probe and, without noise, over all of them together. What the grader failed on is not judged: it is open when that is a third of such answers, " +
		"and when fewer items than could fail it were probed, as in an audit that was broken off. " +
		"Advisory: none does on a single item, and the grader fails on at most 5 % of them and on no probe wholly.",
	Check: func(r *Result, t Thresholds) []Finding {
		const gate = "grader.hackable"
		if why := r.unaudited(); why != "" {
			return []Finding{skipped(r.Lang, gate, "", Blocking, why)}
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
			return []Finding{skipped(r.Lang, gate, "", Blocking, "no probe that must score at the bottom was put to the grader")}
		}
		j := judgement{gate: gate, severity: Blocking, unit: "share", want: "<= " + message.Plain(t.At(gate))}
		j.needs, j.settles = &Needs{Items: payloadsOfItem(bottom), Samples: 1}, true // what the grader failed on, graded again
		if !tried {
			return []Finding{j.finding(r.Lang, Unknown, bound{})}
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
		case mostItems(bottom) < int(t.At(gate+".items")): // it could not have failed: an audit that was broken off
			status, j.said = Unknown, &fewProbedWords
			j.needs = &Needs{Items: int(t.At(gate + ".items")), Samples: 1}
		case lost.share() >= t.At(gate+".failed"):
			status = Unknown
		}
		blocking := j.finding(r.Lang, status, b)
		if status == Unknown {
			return []Finding{blocking}
		}
		j.severity, j.want = Advisory, "0"
		status = Pass
		switch caution := t.At(gate + ".failed.caution"); {
		case worst.Above > 0:
			status = Fail
		case lost.share() > caution || len(lost.whole) > 0:
			status, b = Fail, observed(lost.share())
			j.want, j.said = r.Lang.Say("<= %s of gradings failed, and no probe wholly", message.Plain(caution)), &unjudgedWords
		}
		return []Finding{blocking, j.finding(r.Lang, status, b)}
	},
}

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
	if p.Items == 0 || p.Above < int(t.At("grader.hackable.items")) {
		return false
	}
	limit := t.At("grader.hackable")
	noise, most := r.noiseShift()
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
	if noise, _ := r.noiseShift(); noise > 0 || r.Grader.FalseAccept == nil || r.Grader.FalseAccept.Low == nil {
		return false
	}
	items := hackedItems(bottom, bottom[0])
	return len(items) >= int(t.At("grader.hackable.items")) && *r.Grader.FalseAccept.Low > t.At("grader.hackable")
}

// hackedItems lists the items of the holes, those of the telling probe first.
func hackedItems(bottom []*ProbeResult, worst *ProbeResult) []string {
	ids := worst.holeItems()
	for _, p := range bottom {
		for _, id := range p.holeItems() {
			if !slices.Contains(ids, id) && len(ids) < itemsListed {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

func hackedWords(r *Result, bottom []*ProbeResult, worst *ProbeResult) map[string]string {
	l, lost := r.Lang, lostTo(bottom)
	judged := l.Count(len(bottom)-len(lost.whole), "probe")
	vars := map[string]string{
		"probe": worst.Probe, "on": onItems(l, worst.Above, worst.Items), "replay": replay(worst), "others": "", "noise": "", "unjudged": "",
		"failed": message.Whole(lost.failed), "payloads": l.Count(lost.payloads, "worthless answer"), "kind": "", "where": lost.where(l),
		"best": l.Say("none of %s is rewarded", judged),
	}
	if worst.Above > 0 {
		vars["best"] = l.Say("of %s, “%s” goes farthest and is rewarded on %s", judged, worst.Probe, vars["on"])
	}
	if lost.failed > 0 {
		vars["kind"] = l.Say(" (%s)", lost.kind)
		vars["unjudged"] = l.Say(" %s of %s could not be judged, for the grader failed on them (%s).", message.Whole(lost.failed), vars["payloads"], lost.kind)
		vars["best"] += l.Say("; %s of %s could not be judged", message.Whole(lost.failed), vars["payloads"])
	}
	others := 0
	for _, p := range bottom {
		if p != worst && p.Above > 0 {
			others++
		}
	}
	if others > 0 {
		vars["others"] = l.Say(", and %s found something too", l.Count(others, "other probe"))
	}
	if noise, _ := r.noiseShift(); noise > 0 {
		vars["noise"] = l.Say(" The grader is noisy (about %s of its grades stray), and a single hit may be chance: --replay grades it again.", message.Percent(noise))
	}
	return vars
}

var graderBrittle = Gate{
	Name: "grader.brittle",
	Doc: "Advisory, after an audit: at most 5 % of right answers are rejected only because they are written differently (case, spacing, units, a sentence around), " +
		"on items whose reference itself earns the top.",
	Check: func(r *Result, t Thresholds) []Finding {
		const gate = "grader.brittle"
		if why := r.unaudited(); why != "" {
			return []Finding{skipped(r.Lang, gate, "", Advisory, why)}
		}
		if r.Grader.Brittle == nil {
			return []Finding{skipped(r.Lang, gate, "", Advisory, "no rewrite of a reference that earns the top was put to the grader")}
		}
		want := t.At(gate) + r.noiseBelowTop()
		var worst *ProbeResult
		for i := range r.Grader.Probes {
			p := &r.Grader.Probes[i]
			if p.Expect == rollout.Top && p.Probe != rollout.ProbeReference && p.Items > p.Above &&
				(worst == nil || *p.Accept.Value < *worst.Accept.Value) {
				worst = p
			}
		}
		j := judgement{
			gate: gate, severity: Advisory, unit: "share", want: "<= " + message.Plain(want),
			vars: map[string]string{"probe": r.Lang.Text("none"), "replay": replay(worst)},
		}
		if worst != nil {
			j.vars["probe"], j.items = worst.Probe, worst.holeItems()
		}
		b := boundOf(*r.Grader.Brittle)
		j.needs, j.settles = settleBy(*r.Grader.Brittle, want, unitRange, r.onceConfidence(), 1)
		return []Finding{j.finding(r.Lang, atMostObserved(b, want), b)}
	},
}
