package analysis

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// looksRule is how the error of a wrong verdict is spent over looks: by the
// square of the share of samples made.
//
// Note: of the spending functions that resemble O'Brien & Fleming's and Pocock's
// boundaries and this one, at 4, 7 and fewer looks, this one at 7 saves most
// where little signal must be told from none, and nearly as much as Pocock's
// where there is plenty, for a last look that is hardly wider (simulated:
// docs/calibration.md).
const looksRule = "kim_demets_2"

// Limits of a plan of looks.
const (
	looksPlanned = 8 // looks, evenly spaced, of which the first may be too early
	soonest      = 4 // samples, or a group, before which no verdict is given
)

// PlanLooks plans sampling that ends as soon as the verdict stands, at most at
// most samples per item: after which samples of every item the run is judged.
// Before a few samples nothing could be decided.
func PlanLooks(most int, s Settings) *rollout.Looks {
	plan := &rollout.Looks{Rule: looksRule, Error: 1 - s.Confidence, Made: []rollout.Look{}}
	for i := 1; i <= looksPlanned; i++ {
		at := (most*i + looksPlanned - 1) / looksPlanned
		if at >= min(s.GroupSize, soonest, most) && !slices.Contains(plan.At, at) {
			plan.At = append(plan.At, at)
		}
	}
	return plan
}

// ConfidenceAtLook is the confidence of the intervals that a look at so many
// samples is judged by, so that the looks of the plan together err as often as
// one judgement with the plan's error would. Between looks it is that of the
// look before, and before the first that of the first: neither spends what a
// later look has.
func ConfidenceAtLook(plan *rollout.Looks, samples int) float64 {
	most := float64(plan.At[len(plan.At)-1])
	times := []float64{float64(plan.At[0]) / most}
	for _, n := range plan.At[1:] {
		if n <= samples { // later looks change nothing
			times = append(times, float64(n)/most)
		}
	}
	z := stat.Boundaries(plan.Error, times, stat.KimDeMets)
	return stat.ConfidenceAt(z[len(z)-1])
}

// Look is the plan after a look at so many samples with this result. Sampling
// ends when the verdict stands, or nothing more is planned.
func Look(plan *rollout.Looks, samples int, r *Result) *rollout.Looks {
	next := plan.With(rollout.Look{Samples: samples, Confidence: r.Confidence, Verdict: string(r.Verdict)})
	switch {
	case r.Verdict != Undecided:
		next.Ended = rollout.EndedDecided
	case samples >= plan.At[len(plan.At)-1]:
		next.Ended = rollout.EndedMost
	}
	return next
}

// Looks is what a result says of sampling that ends when the verdict stands.
// Confidence is what all looks together keep; the result's own Confidence, that
// of its intervals, is the one of the look it stands at.
type Looks struct {
	Rule       string         `json:"rule"`
	Confidence float64        `json:"confidence"`
	At         []int          `json:"at"`    // samples per item at each look planned
	Made       int            `json:"made"`  // looks made
	Ended      rollout.Ending `json:"ended"` // "" while sampling goes on
}

// atLook returns the settings that rollouts are judged by: those of the look
// that a run stands at, where one is made while it is sampled; and what the
// result says of it.
func atLook(s Settings, m *rollout.Manifest) (Settings, *Looks, error) {
	if m == nil || m.Looks == nil {
		return s, nil, nil
	}
	plan := *m.Looks
	if plan.Rule != looksRule || len(plan.At) == 0 || !slices.IsSorted(plan.At) || plan.At[0] < 1 {
		return s, nil, fmt.Errorf("%s plans looks by the rule %q at %v samples, and this gonogo knows %s at rising ones alone", rollout.ManifestFile, plan.Rule, plan.At, looksRule)
	}
	plan.Error = 1 - s.Confidence
	looks := &Looks{Rule: plan.Rule, Confidence: s.Confidence, At: plan.At, Made: len(plan.Made), Ended: plan.Ended}
	samples := 0
	if last := plan.Last(); last != nil {
		samples = last.Samples
	}
	s.Confidence = math.Max(s.Confidence, ConfidenceAtLook(&plan, samples))
	return s, looks, nil
}

// looksNote says in words where sampling stands.
func looksNote(x *Looks, confidence float64) message.Text {
	if x == nil {
		return message.Text{}
	}
	text := looksUnderWay.With(message.Args{"looks": message.Count(x.Made, "look"), "all": message.Int(len(x.At))})
	last := x.At[len(x.At)-1]
	switch x.Ended {
	case rollout.EndedDecided:
		text = looksDecided.With(message.Args{"look": message.Int(x.Made), "all": message.Int(len(x.At)), "samples": message.Count(x.At[x.Made-1], "sample"), "most": message.Int(last)})
	case rollout.EndedMost:
		text = looksEnded.With(message.Args{"looks": message.Count(len(x.At), "look"), "samples": message.Count(last, "sample")})
	}
	return looksConfidence.With(message.Args{"where": message.Said(text), "each": message.Name(confidently(confidence)), "all": message.Name(confidently(x.Confidence))})
}

var (
	looksUnderWay   = message.New("note.looks.under_way", "sampling is under way until the verdict stands: {looks} of {all} made")
	looksDecided    = message.New("note.looks.decided", "sampling was stopped by the rule at look {look} of {all}, with {samples} of at most {most} per item")
	looksEnded      = message.New("note.looks.ended", "sampling ended with the last of {looks}, at {samples} per item")
	looksConfidence = message.New("note.looks", "{where}; the intervals of rollouts are at {each}, so that all looks together keep {all}")
)

// confidently writes a confidence with the digits that tell it from 1.
func confidently(x float64) string {
	places := max(0, int(math.Ceil(-math.Log10(1-x)))-1)
	return strings.TrimSuffix(strconv.FormatFloat(100*x, 'f', places, 64), ".0") + " %"
}

// onceConfidence is the confidence of what is judged once, whatever the number
// of looks at the rollouts: the audit of the grader.
func (r *Result) onceConfidence() float64 {
	if r.Looks != nil {
		return r.Looks.Confidence
	}
	return r.Confidence
}
