package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// noAudit is the reason for which gates about the audit are skipped.
const noAudit = "no audit was made: gonogo audit RUN makes it"

// unaudited returns the reason for which a gate about the audit has nothing to
// judge, "" when there was one.
func (r *Result) unaudited() string {
	if r.Grader == nil || r.Grader.Audited == 0 {
		return noAudit
	}
	return ""
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
		"interval, it fails; between, it is open. Both shares are lowered by what the grader's own noise takes away.",
	Check: func(r *Result, t Thresholds) []Finding {
		const gate = "grader.truth"
		if why := r.unaudited(); why != "" {
			return []Finding{skipped(gate, "", Blocking, why)}
		}
		p := r.Grader.probe(rollout.ProbeReference)
		if p == nil {
			return []Finding{skipped(gate, "", Blocking, "no reference was put to the grader: the rows have none, or the audit left it out")}
		}
		accept, noise := p.Accept, r.noiseBelowTop()
		status := truthOf(accept, t.At(gate)-noise, t.At(gate+".fail")-noise)
		if reach := r.Grader.Reach; reach != nil && p.Items > 0 {
			// What noise allows near the top must not hide references far below it.
			near, crossed := stat.Share(p.Items-p.Beyond, p.Items, r.Confidence), *reach.Crossed.Value
			if of := truthOf(near, t.At(gate)-crossed, t.At(gate+".fail")-crossed); status == Pass && of != Pass || status == Unknown && of == Fail {
				accept, noise, status = near, crossed, of
			}
		}
		pass, fail := t.At(gate)-noise, t.At(gate+".fail")-noise
		b := boundOf(accept)
		wrong := p.Items - int(math.Round(stat.Or(b.value, 0)*float64(p.Items)))
		j := judgement{
			gate: gate, severity: Blocking, unit: "share",
			want: fmt.Sprintf(">= %s (fails below %s)", number(pass), number(fail)),
			vars: map[string]string{
				"items": fmt.Sprint(p.Items), "wrong": fmt.Sprint(wrong), "replay": replay(p),
				"more": "more items will hardly tell: what the listed items have in common will",
			},
		}
		if status == Unknown && b.value != nil && *b.value < fail {
			if items, ok := stat.Needed(accept, fail, p.Items, &unitRange, r.Confidence); ok {
				j.needs, j.settles = &Needs{Items: items, Samples: 1}, true
				j.vars["more"] = fmt.Sprintf("about %s would settle it (audit.items)", plural(items, "audited item"))
			}
		}
		if status != Pass {
			j.items = p.holeItems()
		}
		return []Finding{j.finding(status, b)}
	},
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
		"Judged probe by probe and, without noise, over all of them together. Advisory: none does on a single item.",
	Check: func(r *Result, t Thresholds) []Finding {
		const gate = "grader.hackable"
		if why := r.unaudited(); why != "" {
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
			return []Finding{skipped(gate, "", Blocking, "no probe that must score at the bottom was put to the grader")}
		}
		j := judgement{gate: gate, severity: Blocking, unit: "share", want: "<= " + number(t.At(gate))}
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
		blocking := j.finding(status, b)
		j.severity, j.want = Advisory, "0"
		status = Pass
		if worst.Above > 0 {
			status = Fail
		}
		return []Finding{blocking, j.finding(status, b)}
	},
}

// hackedBy returns the probe that tells most, and whether the grader fails.
func hackedBy(r *Result, t Thresholds, bottom []*ProbeResult) (worst *ProbeResult, fails bool) {
	worst = bottom[0]
	for _, p := range bottom {
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
		low, _ := stat.ClopperPearson(float64(items), float64(p.Items), 1-(1-r.Confidence)/float64(tests))
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
	vars := map[string]string{
		"probe": worst.Probe, "above": fmt.Sprint(worst.Above), "items": fmt.Sprint(worst.Items), "probes": plural(len(bottom), "probe"),
		"replay": replay(worst), "others": "", "noise": "", "best": "none of " + plural(len(bottom), "probe") + " is rewarded",
	}
	if worst.Above > 0 {
		vars["best"] = fmt.Sprintf("of %s, “%s” goes farthest and is rewarded on %d of %d items", plural(len(bottom), "probe"), worst.Probe, worst.Above, worst.Items)
	}
	others := 0
	for _, p := range bottom {
		if p != worst && p.Above > 0 {
			others++
		}
	}
	if others > 0 {
		vars["others"] = ", and " + plural(others, "other probe") + " found something too"
	}
	if noise, _ := r.noiseShift(); noise > 0 {
		vars["noise"] = fmt.Sprintf(" The grader is noisy (about %s of its grades stray), and a single hit may be chance: --replay grades it again.", percent(noise))
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
			return []Finding{skipped(gate, "", Advisory, why)}
		}
		if r.Grader.Brittle == nil {
			return []Finding{skipped(gate, "", Advisory, "no rewrite of a reference that earns the top was put to the grader")}
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
			gate: gate, severity: Advisory, unit: "share", want: "<= " + number(want),
			vars: map[string]string{"probe": "none", "replay": replay(worst)},
		}
		if worst != nil {
			j.vars["probe"], j.items = worst.Probe, worst.holeItems()
		}
		b := boundOf(*r.Grader.Brittle)
		return []Finding{j.finding(atMostObserved(b, want), b)}
	},
}
