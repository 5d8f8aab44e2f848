package gate

import (
	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// lost counts the payloads of several probes on which the grader failed.
type lost struct {
	failed   int
	payloads int // with and without a grade
	kind     string
	whole    []string // probes on which it failed completely
	partly   []string
	silence  bool // it failed on every answer that says nothing: any model writes one sooner or later
}

// lostTo counts the payloads on which the grader failed. Such a payload has neither earned anything
// nor been rejected: the hosted service of the job format gives no reward for it, other trainers
// repeat or drop the rollout.
func lostTo(probes []*analysis.ProbeResult) lost {
	var l lost
	kinds := make(map[string]int)
	for _, p := range probes {
		l.failed += p.Failed
		l.payloads += p.Failed + p.Payloads
		switch {
		case p.Failed == 0:
			continue
		case p.Payloads == 0:
			l.whole = append(l.whole, p.Probe)
			l.silence = l.silence || p.Probe == "empty" && p.Failed >= holeItems
		default:
			l.partly = append(l.partly, p.Probe)
		}
		kinds[p.FailedAs] += p.Failed
	}
	l.kind = analysis.MostFrequent(kinds)
	return l
}

// payloadsOfItem returns the largest number of payloads of any probe, one per item, with or without
// a grade.
func payloadsOfItem(probes []*analysis.ProbeResult) int {
	most := 1
	for _, p := range probes {
		most = max(most, p.Items+p.Failed)
	}
	return most
}

func (l lost) share() float64 { return stat.Fraction(l.failed, l.payloads) }

// where lists the probes.
func (x lost) where() message.Text {
	var parts []message.Text
	if len(x.whole) > 0 {
		parts = append(parts, failedWholly.With(message.Args{"probes": message.Names(x.whole)}))
	}
	if len(x.partly) > 0 {
		parts = append(parts, failedInPart.With(message.Args{"probes": message.Names(x.partly)}))
	}
	return message.Join(parts...)
}

// onItems says on how many of the items.
func onItems(some, all int) message.Text {
	if all == 1 {
		return theOneItem.Text()
	}
	return someOfItems.With(message.Args{"some": message.Int(some), "all": message.Int(all)})
}

// noneOf says how many of the references.
func noneOf(some, all int) message.Text {
	switch {
	case some == 0 && all > 1:
		return noneOfAll.With(message.Args{"all": message.Count(all, "reference")})
	case some == all && all > 1:
		return allOf.With(message.Args{"all": message.Count(all, "reference")})
	}
	if all == 1 {
		return someOfOne.With(message.Args{"some": message.Int(some), "share": message.Share(stat.Fraction(some, all))})
	}
	return someOfReferences.With(message.Args{
		"some": message.Int(some), "all": message.Int(all),
		"share": message.Share(stat.Fraction(some, all)),
	})
}

// rejectedOf says how many references were rejected.
func rejectedOf(n int) message.Text {
	if n == 1 {
		return oneRejected.Text()
	}
	return wereRejected.With(message.Args{"references": message.Count(n, "reference")})
}

var (
	failedWholly     = message.New("grader.hackable.failed_wholly", "The grader failed on all answers of {probes}.")
	failedInPart     = message.New("grader.hackable.failed_in_part", "The grader failed on some answers of {probes}.")
	theOneItem       = message.New("phrase.the_one_item", "the one item tried")
	someOfItems      = message.New("phrase.some_of_items", "{some} of {all|item}")
	noneOfAll        = message.New("phrase.none_of", "none of {all}")
	allOf            = message.New("phrase.all_of", "all {all}")
	someOfOne        = message.New("phrase.some_of_one_reference", "{some} of 1 reference ({share})")
	someOfReferences = message.New("phrase.some_of_references", "{some} of {all|reference} ({share})")
	oneRejected      = message.New("grader.truth.one_rejected", "1 reference was rejected.")
	wereRejected     = message.New("grader.truth.were_rejected", "{references} were rejected.")
)

// moreAudited says what would settle a question about right answers that the audit leaves open: more
// audited items, if the run has any with a reference that were not audited.
func moreAudited(r *analysis.Result) message.Text {
	audited, all := 0, 0
	for i := range r.Grader.Probes {
		if p := &r.Grader.Probes[i]; p.Expect == rollout.Top { // only items with a reference have such payloads
			audited = max(audited, p.Items+p.Lost)
		}
	}
	for _, sr := range r.Splits {
		all += sr.Items.Sampled
	}
	if r.Shift != nil && r.Shift.References > 0 {
		all = min(all, r.Shift.References)
	}
	if all > 0 && audited >= all {
		return allAudited.Text()
	}
	return auditMore.Text()
}

var (
	auditMore  = message.New("grader.audited.more", "More audited items would tell (audit.items).")
	allAudited = message.New("grader.audited.all",
		"All items with a reference were audited: only more of them would tell.")
)
