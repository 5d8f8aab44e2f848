package compare

import (
	"cmp"
	"math"
	"path/filepath"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// otherGraders reports whether the rewards of the new run are those of another grader than the base's.
func otherGraders(base, new *collect.RunItems) bool {
	b, n := base.Run.Manifest, new.Run.Manifest
	switch {
	case n == nil || n.Grader == nil:
		return false
	case b == nil || b.Grader == nil:
		return regraded(base.Run, new.Run) // the base has recorded rewards
	}
	return b.Grader.String() != n.Grader.String()
}

// regraded reports whether one run holds the rollouts of the other, graded again, or both those of a
// third.
func regraded(base, new *rollout.Run) bool {
	b, n := cmp.Or(base.Manifest, &rollout.Manifest{}), cmp.Or(new.Manifest, &rollout.Manifest{})
	source := cmp.Or(b.ID, filepath.Base(base.File()))
	return n.GradedFrom != "" && (n.GradedFrom == source || n.GradedFrom == b.GradedFrom) ||
		b.GradedFrom != "" && b.GradedFrom == n.ID
}

// graderAgreement compares the rewards of two graders, output by output; nil if no output has both.
func graderAgreement(p pairing, s analysis.Settings) *GraderAgreement {
	r, margin := s.RewardRange, s.Thresholds.At(analysis.HackableMargin)*s.RewardRange.Width()
	noise := collect.RewardNoise * r.Width()
	atEnd := func(reward float64) bool { return reward <= r.Lo+noise || reward >= r.Hi-noise }
	a := &GraderAgreement{YesNo: true}
	var pairs [][]stat.Pair
	var differ, outputs []float64
	n := 0
	for _, it := range p.pairs {
		var list []stat.Pair
		far := 0
		for i := range it.base.Tries { // as many as in it.new: the outputs are the same
			b, n := &it.base.Tries[i], &it.new.Tries[i]
			if !b.Valid || !n.Valid {
				continue
			}
			list = append(list, stat.Pair{X: b.Reward, Y: n.Reward})
			far += one(math.Abs(n.Reward-b.Reward) > margin)
			a.YesNo = a.YesNo && atEnd(b.Reward) && atEnd(n.Reward)
		}
		pairs, n = append(pairs, list), n+len(list)
		differ, outputs = append(differ, float64(far)), append(outputs, float64(len(list)))
	}
	if n == 0 {
		return nil
	}
	a.Differ = stat.RatioOfSums(differ, outputs, n, s.Confidence)
	if !a.YesNo {
		a.Agreement = stat.Spearman(pairs, s.Confidence)
		return a
	}
	for _, item := range pairs {
		for i, q := range item {
			item[i] = stat.Pair{X: math.Round((q.X - r.Lo) / r.Width()), Y: math.Round((q.Y - r.Lo) / r.Width())}
		}
	}
	a.Agreement = stat.Kappa(pairs, s.Confidence)
	return a
}
