package history

import (
	"maps"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
)

// madeMarks are what each night was made with otherwise than the night before.
// A night that does not say what it was made with contradicts nobody.
func madeMarks(nights []Night) []MadeMark {
	out := []MadeMark{}
	for i := 1; i < len(nights); i++ {
		before, now := nights[i-1].Made, nights[i].Made
		if len(before) == 0 || len(now) == 0 {
			continue
		}
		both := maps.Clone(before)
		maps.Copy(both, now)
		for _, key := range slices.Sorted(maps.Keys(both)) {
			if before[key] != now[key] {
				out = append(out, MadeMark{Night: i, Kind: analysis.MadeKind(key), Key: key, Before: before[key], After: now[key]})
			}
		}
	}
	return out
}

// explain says of each change what was made otherwise within its interval, and
// which other series changed there too.
func (h *History) explain() {
	for i := range h.Changes {
		c := &h.Changes[i]
		for _, m := range h.Made {
			if m.Night >= c.First && m.Night <= c.Last {
				c.Made = append(c.Made, m)
			}
		}
		for _, other := range h.Changes {
			if other.Series != c.Series && other.First <= c.Last && other.Last >= c.First && !slices.Contains(c.With, other.Series) {
				c.With = append(c.With, other.Series)
			}
		}
	}
}

// notes are what a reader must know before the numbers, said in l.
func (h *History) notes(l message.Language) []string {
	out, n, empty, trend := []string{}, len(h.Nights), 0, 0
	for _, m := range h.Nights {
		if m.Split == "" {
			empty++
		}
		if m.InTrend {
			trend++
		}
	}
	if empty > 0 {
		out = append(out, l.Say("%d of %d nights hold no rollout with a reward: they have no place in the trend", empty, n))
	}
	if other := n - empty - trend; other > 0 {
		than := l.Text("the newest")
		if h.ref < n-1 {
			than = l.Say("night %s", h.Nights[h.ref].Name)
		}
		out = append(out, l.Say("%d of %d nights have other items or another reward range than %s: they are shown, and no trend goes through them", other, n, than))
	}
	for i := 1; i < len(h.Nights); i++ {
		if h.Nights[i].Time.Before(h.Nights[i-1].Time) {
			out = append(out, l.Say("night %s is dated before the night kept ahead of it: the clock went backwards; nights count in the order in which they were kept", h.Nights[i].Name))
		}
	}
	switch {
	case trend == 1:
		out = append(out, l.Say("a search for changes needs %d nights that can be compared, and there is 1", fewest))
	case trend < fewest:
		out = append(out, l.Say("a search for changes needs %d nights that can be compared, and there are %d", fewest, trend))
	}
	if h.torn != "" {
		out = append(out, l.Say("the last line of %s was broken off and is left out", h.torn))
	}
	return out
}

// Torn notes that the last line of a file of nights was left out, as Read found.
func (h *History) Torn(file string) {
	h.torn = file
	h.Notes = h.notes(h.Lang)
}

// untested says in l why a series was not searched for a change.
func untested(n int, l message.Language) string {
	if n < fewest {
		return l.Say("too few nights: %d of %d", n, fewest)
	}
	return l.Text("the same every night")
}

// In returns a copy of the history that is said in l, from its numbers. What a
// night kept of its answer stays English: see Mark.Sentence.
func (h *History) In(l message.Language) *History {
	out := *h
	out.Lang, out.Notes, out.Series = l, h.notes(l), slices.Clone(h.Series)
	for i := range out.Series {
		s := &out.Series[i]
		if s.Why != "" {
			seq, _ := s.sequence()
			s.Why = untested(len(seq.y), l)
		}
	}
	return &out
}
