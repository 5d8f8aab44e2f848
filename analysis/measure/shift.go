package measure

import (
	"maps"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/shift"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// itemShift is a comparison of items, to which a comparison of their rollouts can be added. It does
// not keep the texts.
type itemShift struct {
	found  *analysis.Shift
	opt    shift.Options
	copies origins
	tests  []pairTests
}

// pairTests holds the tests between two splits.
type pairTests struct {
	a, b rollout.Split
	done []tested
}

// newItemShift compares items; nil if none has a row.
func newItemShift(items []rollout.Item, s analysis.Settings) *itemShift {
	rows, entries := shiftRows(items, s)
	if len(rows) == 0 {
		return nil
	}
	sh := &analysis.Shift{
		Pairs: []analysis.ShiftPair{}, Coverage: []analysis.Coverage{}, Rows: map[rollout.Split]int{},
		Notes: []message.Text{}, LeftOut: []string{},
	}
	for i := range rows {
		sh.Rows[rollout.Split(rows[i].entry.Split)]++
		if rows[i].entry.Reference != "" {
			sh.References++
		}
	}
	searchLeaks(sh, entries)
	is := &itemShift{found: sh, opt: shift.Options{Seed: s.Seed, Confidence: s.Confidence}, copies: originsOf(sh)}
	is.compareRows(once(rows, shiftRow.key, is.copies))
	return is
}

// searchLeaks searches for copies, conflicts and degenerate rows.
func searchLeaks(sh *analysis.Shift, entries []shift.Entry) {
	found := shift.Leaks(entries)
	name := func(i int) analysis.RowName {
		return analysis.RowName{Split: rollout.Split(entries[i].Split), Item: entries[i].ID}
	}
	leaks := func(pairs []shift.Pair) []analysis.Leak {
		list := make([]analysis.Leak, len(pairs))
		for i, p := range pairs {
			a, b := name(p.A), name(p.B)
			list[i] = analysis.Leak{
				Kind: p.Kind, A: a.Item, B: b.Item, ASplit: a.Split, BSplit: b.Split,
				Score: stat.FiniteOrNil(p.Score),
			}
		}
		return list
	}
	sh.Leakage, sh.Duplicates = leaks(found.Pairs), leaks(found.Duplicates)
	sh.Conflicts, sh.Crossings, sh.Flaws, sh.InPrompt = []analysis.Conflict{}, []analysis.Crossing{},
		[]analysis.Flaw{}, []analysis.RowName{}
	for _, x := range found.Conflicts {
		a, b := name(x.A), name(x.B)
		sh.Conflicts = append(sh.Conflicts, analysis.Conflict{
			Kind: x.Kind, A: a.Item, B: b.Item, ASplit: a.Split,
			BSplit: b.Split, Rows: x.Rows,
		})
	}
	for _, x := range found.Crossings {
		sh.Crossings = append(sh.Crossings, analysis.Crossing{
			A: rollout.Split(x.A), B: rollout.Split(x.B), RowsA: x.RowsA, RowsB: x.RowsB,
			Exact: x.Exact, Swapped: x.Swapped, Near: x.Near, Family: x.Family, Both: x.Both, Families: x.Families,
			Note: x.Note,
		})
	}
	for _, x := range found.Flaws {
		sh.Flaws = append(sh.Flaws, analysis.Flaw{Kind: x.Kind, RowName: name(x.Row)})
	}
	for _, i := range found.Answers {
		sh.InPrompt = append(sh.InPrompt, name(i))
	}
	sh.InPromptOf = found.Answerable
	if !found.Note.IsEmpty() {
		sh.Notes = append(sh.Notes, found.Note)
	}
}

// compareRows tests each pair of splits on their rows, without rows that repeat another.
func (is *itemShift) compareRows(rows []shiftRow) {
	sh := is.found
	kinds := fieldKinds(rows)
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		if kinds[name] == leftOut {
			sh.LeftOut = append(sh.LeftOut, name)
		}
	}
	fields := slices.ContainsFunc(slices.Collect(maps.Values(kinds)), func(k fieldKind) bool { return k != leftOut })
	for _, pair := range addPairs(sh) {
		a, b, t := pair[0], pair[1], pairTests{a: pair[0], b: pair[1]}
		last := func(r *shiftRow) string { return r.lastUser }
		t.add(analysis.OnLastUser, texts(rows, a, last), texts(rows, b, last), true, is.opt)
		addCoverage(sh, a, b, texts(rows, a, last), texts(rows, b, last), is.opt)
		if differ(rows, a, b) {
			whole := func(r *shiftRow) string { return r.entry.Prompt }
			t.add(analysis.OnPrompt, texts(rows, a, whole), texts(rows, b, whole), false, is.opt)
		}
		if fields {
			t.add(analysis.OnFields, fieldSample(rows, a, kinds), fieldSample(rows, b, kinds), true, is.opt)
		}
		is.tests = append(is.tests, t)
	}
}

// add compares two samples.
func (t *pairTests) add(on string, x, y shift.Sample, primary bool, opt shift.Options) {
	for _, r := range shift.Compare(x, y, opt) {
		r.Primary = r.Primary && primary
		t.done = append(t.done, tested{t.a, t.b, on, r})
	}
}

// result adds the tests of the rollouts if c is not nil, and adjusts the p-values of the deciding
// tests for their number.
func (is *itemShift) result(c *evidence) *analysis.Shift {
	if is == nil {
		return nil
	}
	var results []*shift.Result
	for i := range is.tests {
		t := &is.tests[i]
		if c != nil {
			opt := is.opt
			opt.Words = c.featureWords()
			for on, samples := range c.shiftSamples(t.a, t.b, is.copies) {
				t.add(on, samples[0], samples[1], true, opt)
			}
		}
		for j := range t.done {
			results = append(results, &t.done[j].result)
		}
	}
	shift.Adjust(results)
	for _, t := range is.tests {
		for _, done := range t.done {
			is.found.Pairs = append(is.found.Pairs, done.pair())
		}
	}
	return is.found
}

// addPairs lists the pairs of splits to compare.
func addPairs(sh *analysis.Shift) (list [][2]rollout.Split) {
	for j, b := range rollout.Splits() {
		for _, a := range rollout.Splits()[:j] {
			if sh.Rows[a] > 0 && sh.Rows[b] > 0 {
				list = append(list, [2]rollout.Split{a, b})
			}
		}
	}
	return list
}

// differ reports whether the prompts of two splits differ in anything other than the last user
// message; else comparing whole prompts adds nothing.
func differ(rows []shiftRow, a, b rollout.Split) bool {
	first := -1
	for i := range rows {
		if split := rollout.Split(rows[i].entry.Split); split != a && split != b {
			continue
		}
		if first < 0 {
			first = i
		}
		if rows[i].rest != rows[first].rest {
			return true
		}
	}
	return false
}

func addCoverage(sh *analysis.Shift, a, b rollout.Split, x, y shift.Sample, opt shift.Options) {
	c := shift.Coverage(x, y, opt)
	sh.Coverage = append(sh.Coverage, analysis.Coverage{
		A: a, B: b, On: analysis.OnLastUser, Share: c.Share, Threshold: c.Threshold, Chance: c.Chance, NA: c.NA,
		NB: c.NB, Items: c.Items,
	})
}

// tested is one test with its subject.
type tested struct {
	a, b   rollout.Split
	on     string
	result shift.Result
}

func (t tested) pair() analysis.ShiftPair {
	r := t.result
	r.Effect.Warnings = list(r.Effect.Warnings)
	return analysis.ShiftPair{
		A: t.a, B: t.b, On: t.on, About: r.About, Test: r.Test, Primary: r.Primary, Statistic: r.Statistic,
		Effect: r.Effect,
		P:      r.P, PHolm: r.PHolm, Chance: r.Chance, Missed: r.Missed, NA: r.NA, NB: r.NB, Top: list(r.Top),
		Items: list(r.Items), LeftOut: r.LeftOut,
	}
}

func list[T any](values []T) []T {
	if values == nil {
		return []T{}
	}
	return values
}
