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

// shiftOf compares items, where they are known, and their outcomes. It is nil
// where no item has a row. c holds the rollouts, if there are any.
func shiftOf(items []rollout.Item, s analysis.Settings, c *evidence) *analysis.Shift {
	rows := shiftRows(items, s)
	if len(rows) == 0 {
		return nil
	}
	sh := &analysis.Shift{
		Pairs: []analysis.ShiftPair{}, Coverage: []analysis.Coverage{}, Rows: map[rollout.Split]int{}, Notes: []message.Text{}, LeftOut: []string{},
	}
	for i := range rows {
		sh.Rows[rollout.Split(rows[i].entry.Split)]++
		if rows[i].entry.Reference != "" {
			sh.References++
		}
	}
	searchLeaks(sh, rows)
	compareSplits(sh, rows, c, s)
	return sh
}

// searchLeaks looks for copies, conflicts and degenerate rows.
func searchLeaks(sh *analysis.Shift, rows []shiftRow) {
	entries := make([]shift.Entry, len(rows))
	for i := range rows {
		entries[i] = rows[i].entry
	}
	found := shift.Leaks(entries)
	name := func(i int) analysis.RowName {
		return analysis.RowName{Split: rollout.Split(entries[i].Split), Item: entries[i].ID}
	}
	leaks := func(pairs []shift.Pair) []analysis.Leak {
		list := make([]analysis.Leak, len(pairs))
		for i, p := range pairs {
			a, b := name(p.A), name(p.B)
			list[i] = analysis.Leak{Kind: p.Kind, A: a.Item, B: b.Item, ASplit: a.Split, BSplit: b.Split, Score: stat.Some(p.Score)}
		}
		return list
	}
	sh.Leakage, sh.Duplicates = leaks(found.Pairs), leaks(found.Duplicates)
	sh.Conflicts, sh.Crossings, sh.Flaws, sh.InPrompt = []analysis.Conflict{}, []analysis.Crossing{}, []analysis.Flaw{}, []analysis.RowName{}
	for _, x := range found.Conflicts {
		a, b := name(x.A), name(x.B)
		sh.Conflicts = append(sh.Conflicts, analysis.Conflict{Kind: x.Kind, A: a.Item, B: b.Item, ASplit: a.Split, BSplit: b.Split, Rows: x.Rows})
	}
	for _, x := range found.Crossings {
		sh.Crossings = append(sh.Crossings, analysis.Crossing{
			A: rollout.Split(x.A), B: rollout.Split(x.B), RowsA: x.RowsA, RowsB: x.RowsB,
			Exact: x.Exact, Swapped: x.Swapped, Near: x.Near, Family: x.Family, Both: x.Both, Families: x.Families, Note: x.Note,
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

// compareSplits tests each two splits on all there is, and adjusts the p values of the
// tests that decide for their number. Repeated rows count once.
func compareSplits(sh *analysis.Shift, rows []shiftRow, c *evidence, s analysis.Settings) {
	opt := shift.Options{Seed: s.Seed, Confidence: s.Confidence}
	copies := originsOf(sh)
	rows = once(rows, shiftRow.key, copies)
	kinds := fieldKinds(rows)
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		if kinds[name] == leftOut {
			sh.LeftOut = append(sh.LeftOut, name)
		}
	}
	fields := slices.ContainsFunc(slices.Collect(maps.Values(kinds)), func(k fieldKind) bool { return k != leftOut })
	var pairs []tested
	for _, pair := range addPairs(sh) {
		a, b, opt := pair[0], pair[1], opt
		t := func(on string, x, y shift.Sample, primary bool) {
			for _, r := range shift.Compare(x, y, opt) {
				r.Primary = r.Primary && primary
				pairs = append(pairs, tested{a, b, on, r})
			}
		}
		last := func(r *shiftRow) string { return r.lastUser }
		t(analysis.OnLastUser, texts(rows, a, last), texts(rows, b, last), true)
		addCoverage(sh, a, b, texts(rows, a, last), texts(rows, b, last), opt)
		if differ(rows, a, b) {
			whole := func(r *shiftRow) string { return r.entry.Prompt }
			t(analysis.OnPrompt, texts(rows, a, whole), texts(rows, b, whole), false)
		}
		if fields {
			t(analysis.OnFields, fieldSample(rows, a, kinds), fieldSample(rows, b, kinds), true)
		}
		if c != nil {
			opt.Words = c.featureWords()
			for on, samples := range c.shiftSamples(a, b, copies) {
				t(on, samples[0], samples[1], true)
			}
		}
	}
	var results []*shift.Result
	for i := range pairs {
		results = append(results, &pairs[i].result)
	}
	shift.Adjust(results)
	for _, t := range pairs {
		sh.Pairs = append(sh.Pairs, t.pair())
	}
}

// addPairs are the splits to compare, two by two.
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

// differ reports whether the prompts of two splits hold anything besides the last user
// message that is not the same throughout: else comparing them says nothing new.
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
		A: a, B: b, On: analysis.OnLastUser, Share: c.Share, Threshold: c.Threshold, Chance: c.Chance, NA: c.NA, NB: c.NB, Items: c.Items,
	})
}

// tested is one test with what it is about.
type tested struct {
	a, b   rollout.Split
	on     string
	result shift.Result
}

func (t tested) pair() analysis.ShiftPair {
	r := t.result
	r.Effect.Warnings = list(r.Effect.Warnings)
	return analysis.ShiftPair{
		A: t.a, B: t.b, On: t.on, About: r.About, Test: r.Test, Primary: r.Primary, Statistic: r.Statistic, Effect: r.Effect,
		P: r.P, PHolm: r.PHolm, Chance: r.Chance, Missed: r.Missed, NA: r.NA, NB: r.NB, Top: list(r.Top), Items: list(r.Items), LeftOut: r.LeftOut,
	}
}

func list[T any](of []T) []T {
	if of == nil {
		return []T{}
	}
	return of
}
