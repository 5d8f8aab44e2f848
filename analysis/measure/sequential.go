package measure

import (
	"fmt"
	"math"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// looksRule is how the error of a wrong verdict is spent over looks: by the square of the share of
// samples made.
//
// Note: of the spending functions that resemble O'Brien & Fleming's and Pocock's boundaries and
// this one, at 4, 7 and fewer looks, this one at 7 saves most if a weak signal must be
// distinguished from none, and nearly as much as Pocock's if the signal is strong, with a last look
// that is hardly wider (simulated: docs/calibration/simulations.md).
const looksRule = "kim_demets_2"

// Limits of a plan of looks.
const (
	looksPlanned = 8 // evenly spaced looks, of which the first may be too early
	soonest      = 4 // samples, or a group, before which there is no verdict
)

// PlanLooks plans sampling that ends once the verdict is decided, with at most the given number of
// samples per item. The plan lists the samples per item after which the run is judged. Looks before
// a few samples are left out, because nothing could be decided.
func PlanLooks(most int, s analysis.Settings) *rollout.Looks {
	plan := &rollout.Looks{Rule: looksRule, Error: 1 - s.Confidence, Made: []rollout.Look{}}
	for i := 1; i <= looksPlanned; i++ {
		samples := (most*i + looksPlanned - 1) / looksPlanned
		if samples >= min(s.GroupSize, soonest, most) && !slices.Contains(plan.At, samples) {
			plan.At = append(plan.At, samples)
		}
	}
	return plan
}

// ConfidenceAtLook returns the confidence of the intervals for a look at that many samples, so that
// all looks of the plan together err as often as one judgement with the plan's error would. Between
// looks it is that of the look before, and before the first that of the first: neither spends the
// error of a later look.
func ConfidenceAtLook(plan *rollout.Looks, samples int) float64 {
	most := float64(plan.At[len(plan.At)-1])
	times := []float64{float64(plan.At[0]) / most}
	for _, n := range plan.At[1:] {
		if n <= samples { // later looks do not matter
			times = append(times, float64(n)/most)
		}
	}
	z := stat.Boundaries(plan.Error, times, stat.KimDeMets)
	return stat.ConfidenceAt(z[len(z)-1])
}

// atLook returns the settings for judging rollouts, which are those of the current look if the run
// is judged while it is sampled, and the looks for the result.
func atLook(s analysis.Settings, m *rollout.Manifest) (analysis.Settings, *analysis.Looks, error) {
	if m == nil || m.Looks == nil {
		return s, nil, nil
	}
	plan := *m.Looks
	if plan.Rule != looksRule || len(plan.At) == 0 || !slices.IsSorted(plan.At) || plan.At[0] < 1 {
		return s, nil, fmt.Errorf("%s plans looks by the rule %q at %v samples, and this gonogo knows only %s, at "+
			"increasing ones", rollout.ManifestFile, plan.Rule, plan.At, looksRule)
	}
	plan.Error = 1 - s.Confidence
	looks := &analysis.Looks{
		Rule: plan.Rule, Confidence: s.Confidence, At: plan.At, Made: len(plan.Made),
		Ended: plan.Ended,
	}
	samples := 0
	if last := plan.Last(); last != nil {
		samples = last.Samples
	}
	s.Confidence = math.Max(s.Confidence, ConfidenceAtLook(&plan, samples))
	return s, looks, nil
}
