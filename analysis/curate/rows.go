package curate

import (
	"maps"
	"slices"
	"strings"

	"gonogo/analysis/measure"
	"gonogo/analysis/message"
	"gonogo/analysis/shift"
	"gonogo/sampler/rollout"
)

// judgeRows looks for what the rows of the file show by themselves: conflicts, flaws, and
// copies of each other and of rows of eval and production.
func (cu *curator) judgeRows() {
	// The splits are in reverse order, train last, so that what a row of train shares with
	// another split is reported at the row of train.
	var entries []shift.Entry
	for _, split := range []rollout.Split{rollout.Production, rollout.Eval} {
		for i := range cu.file.Others {
			if it := &cu.file.Others[i]; it.Split == split && len(it.Row) > 0 {
				entries = append(entries, measure.Entry(it, cu.s))
			}
		}
	}
	for i := range cu.file.Items {
		entries = append(entries, measure.Entry(&cu.file.Items[i], cu.s))
	}
	found := shift.Leaks(entries)
	cu.conflicts(entries, found.Conflicts)
	cu.leaks(entries, found.Pairs)
	cu.copies(entries, found.Duplicates)
	for _, f := range found.Flaws {
		if row := cu.trainRow(entries[f.Row]); row != nil {
			row.look(map[shift.FlawKind]message.Def{
				shift.Empty: emptyPrompt, shift.Constant: constantPrompt,
				shift.Truncated: truncatedPrompt,
			}[f.Kind].Text())
		}
	}
}

var (
	emptyPrompt     = message.New("curate.empty_prompt", "the prompt is empty")
	constantPrompt  = message.New("curate.constant_prompt", "the prompt is constant")
	truncatedPrompt = message.New("curate.truncated_prompt", "the prompt is truncated")
)

// trainRow returns the row of an entry of train; nil for an entry of another split.
func (cu *curator) trainRow(e shift.Entry) *Row {
	if e.Split != string(rollout.Train) {
		return nil
	}
	return &cu.rows[cu.rowOf[e.ID]]
}

// place returns how a message names an entry.
func (cu *curator) place(e shift.Entry) message.Arg {
	if row := cu.trainRow(e); row != nil {
		return message.Nested(inLine.With(message.Args{"item": message.Name(e.ID), "line": message.Int(row.Line)}))
	}
	return message.Name(e.Split + " " + e.ID)
}

var inLine = message.New("curate.in_line", "{item} in line {line}")

// conflicts drops all rows with the same prompt whose references contradict each other: it is
// unknown which one is right.
func (cu *curator) conflicts(entries []shift.Entry, list []shift.Conflict) {
	for _, c := range list {
		for _, i := range c.Among {
			row := cu.trainRow(entries[i])
			if row == nil || entries[i].Reference == "" {
				continue
			}
			other := c.A
			if i == other {
				other = c.B
			}
			if c.Kind == shift.SamePrompt {
				row.ground(Conflicting, nil, conflict.With(message.Args{"other": cu.place(entries[other])}))
			} else {
				row.look(almostConflict.With(message.Args{"other": cu.place(entries[other])}))
			}
		}
	}
}

var (
	conflict       = message.New("curate.conflict", "it has the same prompt as {other}, but their references differ")
	almostConflict = message.New("curate.almost_conflict",
		"it has almost the same prompt as {other}, but their references differ")
)

// leaks drops rows that are also in eval or production.
func (cu *curator) leaks(entries []shift.Entry, pairs []shift.Pair) {
	shared := make(map[string]message.Arg)
	for _, p := range pairs {
		row := cu.trainRow(entries[p.B])
		if row == nil {
			continue
		}
		other := cu.place(entries[p.A])
		copied := nearCopy
		if p.Kind == shift.SwappedLeak {
			copied = swappedCopy
		}
		switch args := (message.Args{"other": other, "share": message.Share(p.Score)}); {
		case p.Kind == shift.FamilyLeak:
			shared[familyKey(entries[p.B].Family)] = other
		case p.Kind == shift.ExactLeak:
			row.ground(Leaking, nil, asksTheSame.With(args))
		case cu.opt.Near:
			row.ground(Leaking, nil, copied.With(args))
		default:
			row.look(copied.With(args))
		}
	}
	for i := range cu.rows {
		if other, ok := shared[familyKey(cu.rows[i].Family)]; ok && cu.rows[i].Family != "" {
			cu.rows[i].ground(Leaking, nil, sameFamily.With(message.Args{"other": other}))
		}
	}
}

var (
	asksTheSame = message.New("curate.asks_the_same", "it has the same prompt as {other}")
	nearCopy    = message.New("curate.near_copy", "it is a near copy of {other}, which holds {share} of its text")
	swappedCopy = message.New("curate.swapped_copy", "it is a swapped copy of {other}, which holds {share} of its text")
	sharesText  = message.New("curate.shares_text", "it shares {share} of its text with {other}")
	sameFamily  = message.New("curate.same_family", "it belongs to the same family as {other}")
)

// familyKey returns the same key for families that differ only in case and spacing.
func familyKey(family string) string {
	return strings.ToLower(strings.Join(strings.Fields(family), " "))
}

// copies keeps one of the rows that ask the same, the one with the most rewards, because what
// is known about it applies to all.
func (cu *curator) copies(entries []shift.Entry, pairs []shift.Pair) {
	groups := groups{make(map[int]int)}
	for _, p := range pairs {
		row := cu.trainRow(entries[p.B])
		switch {
		case row == nil:
		case p.Kind == shift.ExactLeak || cu.opt.Near:
			groups.join(p.A, p.B)
		default:
			row.look(sharesText.With(message.Args{"share": message.Share(p.Score), "other": cu.place(entries[p.A])}))
		}
	}
	for _, members := range groups.list() {
		best := members[0]
		for _, i := range members {
			if cu.trainRow(entries[i]).N > cu.trainRow(entries[best]).N {
				best = i
			}
		}
		for _, i := range members {
			if i != best {
				cu.trainRow(entries[i]).ground(Duplicate, nil,
					asksTheSame.With(message.Args{"other": cu.place(entries[best])}))
			}
		}
	}
}

// groups is a union-find of entries by index.
type groups struct{ leader map[int]int }

func (g groups) find(i int) int {
	for {
		up, ok := g.leader[i]
		if !ok || up == i {
			return i
		}
		i = up
	}
}

// join merges the groups of two entries; the lower index leads.
func (g groups) join(a, b int) {
	a, b = g.find(a), g.find(b)
	g.leader[a], g.leader[b] = min(a, b), min(a, b)
}

// list returns the groups in the order of their first members.
func (g groups) list() [][]int {
	members := make(map[int][]int)
	for _, i := range slices.Sorted(maps.Keys(g.leader)) {
		lead := g.find(i)
		members[lead] = append(members[lead], i)
	}
	var out [][]int
	for _, lead := range slices.Sorted(maps.Keys(members)) {
		slices.Sort(members[lead])
		out = append(out, members[lead])
	}
	return out
}
