package viewer

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gonogo/sampler/rollout"
)

// filter says which rollouts are wanted, and so which items: those with at least one wanted
// rollout. It is part of the page's address.
type filter struct {
	split, family, category, outcome, tool, mark string
	item                                         string // a substring of its id
	low, high                                    float64
	scored                                       bool // only rollouts with a score
}

// Values of the mark filter that are not marks themselves.
const (
	anyMark = "any"
	noMark  = "none"
)

// filterOf reads a filter. A parameter that is missing does not filter.
func filterOf(q url.Values) (filter, error) {
	f := filter{
		split: q.Get("split"), family: q.Get("family"), category: q.Get("category"), outcome: q.Get("outcome"),
		tool: q.Get("tool"), mark: q.Get("mark"), item: strings.ToLower(q.Get("find")), low: math.Inf(-1),
		high: math.Inf(1),
	}
	if f.split != "" && !slices.Contains(rollout.Splits(), rollout.Split(f.split)) {
		return f, fmt.Errorf("unknown split %q", f.split)
	}
	if f.outcome != "" && !slices.Contains(rollout.Outcomes(), rollout.Outcome(f.outcome)) {
		return f, fmt.Errorf("unknown outcome %q", f.outcome)
	}
	if f.mark != "" && !slices.Contains(append(rollout.Marks(), anyMark, noMark), f.mark) {
		return f, fmt.Errorf("unknown mark %q", f.mark)
	}
	for key, bound := range map[string]*float64{"low": &f.low, "high": &f.high} {
		text := q.Get(key)
		if text == "" {
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return f, fmt.Errorf("%s must be a number, not %q", key, text)
		}
		*bound, f.scored = v, true
	}
	return f, nil
}

// wantsItem reports whether the filter can match rollouts of an item, by its split and id.
func (f *filter) wantsItem(n *names, split rollout.Split, shown string) bool {
	return (f.split == "" || string(split) == f.split) &&
		(f.item == "" || strings.Contains(strings.ToLower(n.display("item", shown)), f.item))
}

// wants reports whether a rollout of such an item matches. The caller holds the lock of its index.
func (f *filter) wants(s *side, e *entry, marks []rollout.Label) bool {
	if f.outcome != "" && string(e.outcome()) != f.outcome ||
		f.family != "" && s.names.display("family", s.index.names.Labels[e.Family]) != f.family ||
		f.category != "" && s.names.display("category", s.index.names.Labels[e.Category]) != f.category {
		return false
	}
	if f.scored {
		if score, ok := s.score(e); !ok || score < f.low || score > f.high {
			return false
		}
	}
	if f.tool != "" &&
		!slices.ContainsFunc(s.index.names.sequence(e),
			func(tool string) bool { return s.names.display("tool", tool) == f.tool }) {
		return false
	}
	switch f.mark {
	case "":
		return true
	case noMark:
		return len(marks) == 0
	case anyMark:
		return len(marks) > 0
	}
	return slices.ContainsFunc(marks, func(l rollout.Label) bool { return l.Mark == f.mark })
}
