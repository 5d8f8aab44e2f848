package history

import (
	"fmt"
	"maps"
	"slices"

	"gonogo/analysis"
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

// notes are what a reader must know before the numbers. trend is how many nights
// can be compared with night ref.
func (h *History) notes(trend, ref int) {
	n, empty := len(h.Nights), 0
	for _, m := range h.Nights {
		if m.Split == "" {
			empty++
		}
	}
	if empty > 0 {
		h.Notes = append(h.Notes, fmt.Sprintf("%d of %d nights hold no rollout with a reward: they have no place in the trend", empty, n))
	}
	if other := n - empty - trend; other > 0 {
		than := "the newest"
		if ref < n-1 {
			than = "night " + h.Nights[ref].Name
		}
		h.Notes = append(h.Notes, fmt.Sprintf("%d of %d nights have other items or another reward range than %s: they are shown, and no trend goes through them", other, n, than))
	}
	for i := 1; i < len(h.Nights); i++ {
		if h.Nights[i].Time.Before(h.Nights[i-1].Time) {
			h.Notes = append(h.Notes, fmt.Sprintf("night %s is dated before the night kept ahead of it: the clock went backwards; nights count in the order in which they were kept", h.Nights[i].Name))
		}
	}
	if trend < fewest {
		h.Notes = append(h.Notes, fmt.Sprintf("a search for changes needs %d nights that can be compared, and there %s", fewest, areNights(trend)))
	}
}

func areNights(n int) string {
	if n == 1 {
		return "is 1"
	}
	return fmt.Sprintf("are %d", n)
}

// untested says why a series was not searched for a change.
func untested(n int) string {
	if n < fewest {
		return fmt.Sprintf("too few nights: %d of %d", n, fewest)
	}
	return "the same every night"
}
