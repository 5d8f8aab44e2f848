package chart

import (
	"cmp"
	"slices"

	"gonogo/analysis"
	"gonogo/sampler/rollout"
)

// Holes counts the items on which the grader did not do with a probe's
// payloads what a sound one does. A probe that expects nothing has none.
func Holes(p analysis.ProbeResult) int {
	switch p.Expect {
	case rollout.Bottom, rollout.Same:
		return p.Above
	case rollout.Top:
		return p.Items - p.Above
	}
	return 0
}

// HolesFirst returns the probes in the order in which they ask to be read:
// those with holes, then those that held, then those of which nothing is
// known, then those that expect nothing. Among those with holes a wrong answer
// that pays comes before a right one that does not, and that before a reward
// that moves; among equals the larger share of items.
func HolesFirst(probes []analysis.ProbeResult) []analysis.ProbeResult {
	rank := func(p analysis.ProbeResult) int {
		switch {
		case p.Expect == rollout.Note:
			return 3
		case p.Items == 0:
			return 2
		case Holes(p) == 0:
			return 1
		}
		return 0
	}
	share := func(p analysis.ProbeResult) float64 { return float64(Holes(p)) / float64(max(1, p.Items)) }
	expectations := rollout.Expectations()
	list := slices.Clone(probes)
	slices.SortStableFunc(list, func(a, b analysis.ProbeResult) int {
		return cmp.Or(
			cmp.Compare(rank(a), rank(b)),
			cmp.Compare(slices.Index(expectations, a.Expect), slices.Index(expectations, b.Expect)),
			cmp.Compare(share(b), share(a)),
			cmp.Compare(Holes(b), Holes(a)),
		)
	})
	return list
}
