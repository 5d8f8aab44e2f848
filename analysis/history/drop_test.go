package history

import (
	"slices"
	"strings"
	"testing"
)

func TestFallen(t *testing.T) {
	for _, c := range []struct {
		what    string
		rewards []float64
		margin  float64
		fallen  string // the night of the fall; "" where there is none
	}{
		{"down", append(steady(8, 0.7), steady(8, 0.5)...), 0.05, "n08"},
		{"down by less than matters", append(steady(8, 0.7), steady(8, 0.5)...), 0.3, ""},
		{"down, and later a small part of the way up", slices.Concat(steady(8, 0.7), steady(8, 0.5), steady(8, 0.56)), 0.05, "n08"},
		{"down, and later all the way up", slices.Concat(steady(8, 0.7), steady(8, 0.5), steady(8, 0.7)), 0.05, ""},
		{"up, and a part of the way down", slices.Concat(steady(8, 0.4), steady(8, 0.7), steady(8, 0.6)), 0.05, "n16"},
		{"down twice, by less than matters each time", slices.Concat(steady(8, 0.7), steady(8, 0.6), steady(8, 0.5)), 0.15, "n08"},
	} {
		h := Analyze(past(c.rewards...), DefaultOptions())
		got := ""
		if fell := h.TrendDrop(len(h.Nights)-1, c.margin); fell != nil {
			got = h.Nights[fell.Night].Name
			if now := c.rewards[len(c.rewards)-1]; fell.After < now-0.02 || fell.After > now+0.02 || *fell.High >= -c.margin {
				t.Errorf("%s: fell from %g to %g, at most %g; the reward is %g", c.what, fell.Before, fell.After, *fell.High, now)
			}
		}
		if got != c.fallen {
			t.Errorf("%s: fell on night %q, want %q; changes %+v", c.what, got, c.fallen, h.Changes)
		}
	}
}

// If the night of the fall is not known to the night, a base inside its
// interval may be from before it.
func TestABaseWithinTheIntervalOfAFallDecides(t *testing.T) {
	h := Analyze(past(append(steady(10, 0.6), steady(10, 0.575)...)...), DefaultOptions())
	if len(h.Changes) != 1 || h.Changes[0].Last-h.Changes[0].First < 2 {
		t.Fatalf("changes %+v, want one whose night is not known", h.Changes)
	}
	c := h.Changes[0]
	for base, want := range map[int]bool{c.First - 1: false, c.First: false, c.Last - 1: false, c.Last: true, len(h.Nights) - 1: true} {
		if got := h.TrendDrop(base, 0) != nil; got != want {
			t.Errorf("base %d of a fall within %d and %d: fallen %v, want %v", base, c.First, c.Last, got, want)
		}
	}
}

// One night of which little or nothing was measured leaves the trend as it was.
func TestANewestNightThatIsNoneLeavesTheTrend(t *testing.T) {
	for _, c := range []struct {
		what string
		last func(*Night)
		note string
	}{
		{"nothing measured", func(n *Night) { n.Split, n.Values, n.Items = "", nil, nil }, "no rollout had a reward in 1 of 14 nights"},
		{"nine of twenty items", func(n *Night) { n.Items = n.Items[:9] }, "the items or the reward range differ from night n12 in 1 of 14 nights"},
	} {
		nights := past(append(steady(8, 0.6), steady(6, 0.5)...)...)
		last := &nights[13]
		last.Good = false
		c.last(last)
		h := Analyze(nights, DefaultOptions())
		if len(h.Changes) != 1 || h.Nights[13].InTrend || !h.Nights[12].InTrend {
			t.Errorf("%s: changes %+v, nights %+v", c.what, h.Changes, h.Nights)
		}
		if len(h.Notes) != 1 || !strings.Contains(h.Notes[0].String(), c.note) {
			t.Errorf("%s: notes %q, want %q", c.what, h.Notes, c.note)
		}
		if h.TrendDrop(12, 0) != nil {
			t.Errorf("%s: a night that the trend does not hold has fallen", c.what)
		}
		for i := range nights {
			nights[i].Good = false
		}
		if h := Analyze(nights, DefaultOptions()); nights[13].Split == "" && !h.Nights[12].InTrend {
			t.Errorf("%s, and no night is good: the newest measured one has no trend", c.what)
		}
	}
}
