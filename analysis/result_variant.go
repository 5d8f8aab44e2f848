package analysis

import (
	"math"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// SidesOf holds a value of both runs.
type SidesOf[T any] struct {
	Base T `json:"base"`
	New  T `json:"new"`
}

// Difference is the comparison of one quantity. Its value is the mean over items of new minus base.
type Difference struct {
	stat.Estimate
	Name      string   `json:"name"`
	Of        string   `json:"of,omitempty"` // the tool, pair of tools or part of the reward
	Unit      string   `json:"unit"`
	K         int      `json:"k,omitempty"` // the number of rollouts for best_of and informative
	Base      *float64 `json:"base"`        // mean over the compared items
	New       *float64 `json:"new"`
	Direction string   `json:"direction"`        // up or down if the whole interval agrees, else unclear
	Better    string   `json:"better,omitempty"` // the better direction: up or down
	Change    string   `json:"change,omitempty"` // better, worse, changed, same or unclear
	// sign flips of paired items, two-sided; Welch's test for unpaired ones
	P        *float64       `json:"p"`
	Wilcoxon *float64       `json:"wilcoxon_p"` // signed-rank test, as a check
	McNemar  *float64       `json:"mcnemar_p"`  // exact, if both runs hold one sample an item and two grades
	PHolm    *float64       `json:"p_holm"`     // corrected for the other tests
	MDE      *float64       `json:"mde"`        // the smallest change that 80 % of such comparisons would detect
	Family   *stat.Estimate `json:"family"`     // the same, clustered by family
}

// Size returns how large a known difference is: the difference itself for a share, else relative to
// the larger of both sides.
func (d *Difference) Size() float64 {
	if d.Unit == message.UnitShare {
		return math.Abs(*d.Value)
	}
	return math.Abs(*d.Value) / max(math.Abs(stat.ValueOr(d.Base, 0)), math.Abs(stat.ValueOr(d.New, 0)),
		math.SmallestNonzeroFloat64)
}

// FewItems is the number of paired items below which a t interval depends on unchecked normality:
// the sign-flip test must then agree.
const FewItems = 20

// VariantAnswer says how a variant affects the mean reward.
type VariantAnswer string

// The answers about a variant. They are those of a comparison, corrected for the number of
// variants.
const (
	Gains        VariantAnswer = "gains"
	Loses        VariantAnswer = "loses"
	NoDifference VariantAnswer = "no_difference" // none larger than delta
	CannotTell   VariantAnswer = "cannot_tell"
)

// Variants ranks the variants of a run by their lift on eval, else by how each changes the mean reward
// on the same items. Every difference is variant minus base.
type Variants struct {
	Split      *rollout.Split `json:"split"`      // the split of the answers; null if none could be compared
	ByLift     bool           `json:"by_lift"`    // ranked by lift on eval, else by the difference on Split
	Delta      float64        `json:"delta"`      // the smallest change of the mean reward that matters
	Tolerance  float64        `json:"tolerance"`  // the largest change that counts as neither a gain nor a loss
	Hoped      float64        `json:"hoped"`      // the gain hoped for from training, from eval.power
	Correction string         `json:"correction"` // of the p-values of a split, over the variants
	Ranked     []Variant      `json:"ranked"`     // the best first; variants that cannot be compared come last
	Notes      []message.Text `json:"notes"`
}

// Variant is one variant of the run.
type Variant struct {
	Name    string                          `json:"name"`
	Doc     string                          `json:"doc,omitempty"`
	Dir     string                          `json:"dir"` // below the run directory
	Changes []rollout.Change                `json:"changes"`
	Answer  VariantAnswer                   `json:"answer"` // on the split of the answers
	Why     message.Text                    `json:"why"`
	Splits  map[rollout.Split]*VariantSplit `json:"splits"`
	Notes   []message.Text                  `json:"notes"`
}

// VariantSplit compares a variant with the base on one split.
type VariantSplit struct {
	Answer      VariantAnswer    `json:"answer"`
	Why         message.Text     `json:"why"`
	Paired      bool             `json:"paired"`
	Samples     SidesOf[Spread]  `json:"samples"`
	Missing     SidesOf[Missing] `json:"missing"`
	Mean        stat.Estimate    `json:"mean"`                // the variant's own, over all its items
	Lift        stat.Estimate    `json:"lift"`                // E[max of k] - mean; k is the same for all variants
	BaseLift    *stat.Estimate   `json:"base_lift,omitempty"` // at that k, if the base has more samples
	Reward      Difference       `json:"reward"`              // p_holm is over the variants
	Equivalence stat.Equivalence `json:"equivalence"`
	Costs       []Difference     `json:"costs"` // calls, turns, tokens and latency; descriptive
	Needs       *Needs           `json:"needs"` // items or samples needed to see a change of delta
}

// Foremost returns the variant with an answer whose difference is largest; nil if there is none.
func (v *Variants) Foremost(answer VariantAnswer) (best *Variant) {
	for i := range v.Ranked {
		one := &v.Ranked[i]
		sp := v.Ranking(one)
		if one.Answer == answer && sp != nil && sp.Reward.Known() &&
			(best == nil || *sp.Reward.Value > *v.Ranking(best).Reward.Value) {
			best = one
		}
	}
	return best
}

// Ranking returns a variant's comparison on the split of the answers; nil if it could not be
// compared there.
func (v *Variants) Ranking(of *Variant) *VariantSplit {
	if v.Split == nil {
		return nil
	}
	return of.Splits[*v.Split]
}
