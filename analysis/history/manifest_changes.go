package history

import (
	"maps"
	"slices"

	"gonogo/analysis/compare"
	"gonogo/analysis/message"
)

// settingChanges lists the settings in which a night differs from the night before. A night whose
// settings are unknown differs from none.
func settingChanges(nights []Night) []SettingChange {
	out := []SettingChange{}
	for i := 1; i < len(nights); i++ {
		before, now := nights[i-1].Made, nights[i].Made
		if len(before) == 0 || len(now) == 0 {
			continue
		}
		both := maps.Clone(before)
		maps.Copy(both, now)
		for _, key := range slices.Sorted(maps.Keys(both)) {
			if before[key] != now[key] {
				out = append(out, SettingChange{
					Night: i, Kind: compare.SettingKind(key), Key: key,
					Before: before[key], After: now[key],
				})
			}
		}
	}
	return out
}

// explain adds to each change the settings that changed within its interval, and the other
// series that changed there too.
func (h *History) explain() {
	for i := range h.Changes {
		c := &h.Changes[i]
		for _, m := range h.Made {
			if m.Night >= c.First && m.Night <= c.Last {
				c.Made = append(c.Made, m)
			}
		}
		for _, other := range h.Changes {
			if other.Series != c.Series && other.First <= c.Last && other.Last >= c.First &&
				!slices.Contains(c.With, other.Series) {
				c.With = append(c.With, other.Series)
			}
		}
	}
}

// notes returns what a reader must know before the numbers. ref is the night with which those
// of the trend can be compared.
func (h *History) notes(ref int) []message.Text {
	out, n, empty, trend := []message.Text{}, len(h.Nights), 0, 0
	for _, m := range h.Nights {
		if m.Split == "" {
			empty++
		}
		if m.InTrend {
			trend++
		}
	}
	if empty > 0 {
		out = append(out,
			emptyNights.With(message.Args{"empty": message.Int(empty), "nights": message.Count(n, "night")}))
	}
	if other := n - empty - trend; other > 0 {
		than := theNewest.Text()
		if ref < n-1 {
			than = thatNight.With(message.Args{"night": message.Name(h.Nights[ref].Name)})
		}
		out = append(out,
			otherNights.With(message.Args{
				"other": message.Int(other), "nights": message.Count(n, "night"),
				"reference": message.Nested(than),
			}))
	}
	for i := 1; i < len(h.Nights); i++ {
		if h.Nights[i].Time.Before(h.Nights[i-1].Time) {
			out = append(out, clockBack.With(message.Args{"night": message.Name(h.Nights[i].Name)}))
		}
	}
	fewer := fewComparable
	if trend == 1 {
		fewer = oneComparable
	}
	if trend < fewest {
		out = append(out, fewer.With(message.Args{"needed": message.Int(fewest), "nights": message.Int(trend)}))
	}
	return out
}

// NoteTornLine adds a note that the last line of file was incomplete and was left out.
func (h *History) NoteTornLine(file string) {
	h.Notes = append(h.Notes, tornLine.With(message.Args{"file": message.Name(file)}))
}

// untested returns why a series was not searched for a change.
func untested(n int) message.Text {
	if n < fewest {
		return fewNights.With(message.Args{"nights": message.Int(n), "needed": message.Int(fewest)})
	}
	return everyNight.Text()
}

var (
	emptyNights = message.New("history.empty_nights",
		"no rollout had a reward in {empty} of {nights}: not part of the trend")
	otherNights = message.New("history.other_nights", "the items or the reward range differ from {reference} in "+
		"{other} of {nights}: shown, but not part of the trend")
	theNewest = message.New("history.the_newest", "the newest")
	thatNight = message.New("history.night", "night {night}")
	clockBack = message.New("history.clock_back", "night {night} is dated before the night recorded before it: "+
		"the clock went backwards; nights count in the order in which they were recorded")
	oneComparable = message.New("history.one_comparable",
		"a search for changes needs {needed|night} that can be compared, but there is only 1")
	fewComparable = message.New("history.few_comparable",
		"a search for changes needs {needed|night} that can be compared, but there are only {nights}")
	tornLine   = message.New("history.torn_line", "the last line of {file} was incomplete and is left out")
	fewNights  = message.New("history.few_nights", "too few nights: {nights} of {needed}")
	everyNight = message.New("history.every_night", "the same every night")
)
