package chart

import (
	"cmp"
	"slices"

	"gonogo/analysis"
	"gonogo/sampler/rollout"
)

// Holes counts the items on which the grader did not do with a probe's
// payloads what a sound one does. A probe that expects nothing has none, and a
// reward that moves with looks is no hole: see Moves.
func Holes(p analysis.ProbeResult) int {
	switch p.Expect {
	case rollout.Bottom:
		return p.Above
	case rollout.Top:
		return p.Items - p.Above
	}
	return 0
}

// Moves counts the items on which the reward moved with looks alone.
func Moves(p analysis.ProbeResult) int {
	if p.Expect == rollout.Same {
		return p.Above
	}
	return 0
}

// HolesFirst returns the probes in the order in which they ask to be read:
// those with holes, then those where looks moved the reward, then those that
// held, then those of which nothing is known, then those that expect nothing.
// Among those with holes a wrong answer that pays comes before a right one that
// does not; among equals the larger share of items.
func HolesFirst(probes []analysis.ProbeResult) []analysis.ProbeResult {
	rank := func(p analysis.ProbeResult) int {
		switch {
		case p.Expect == rollout.Note:
			return 4
		case p.Items == 0:
			return 3
		case Holes(p) > 0:
			return 0
		case Moves(p) > 0:
			return 1
		}
		return 2
	}
	share := func(p analysis.ProbeResult) float64 { return float64(Holes(p)+Moves(p)) / float64(max(1, p.Items)) }
	expectations := rollout.Expectations()
	list := slices.Clone(probes)
	slices.SortStableFunc(list, func(a, b analysis.ProbeResult) int {
		return cmp.Or(
			cmp.Compare(rank(a), rank(b)),
			cmp.Compare(slices.Index(expectations, a.Expect), slices.Index(expectations, b.Expect)),
			cmp.Compare(share(b), share(a)),
			cmp.Compare(Holes(b)+Moves(b), Holes(a)+Moves(a)),
		)
	})
	return list
}
