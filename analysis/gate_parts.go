package analysis

import (
	"cmp"
	"slices"

	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// folded merges the findings of a gate's parts into one for each severity and split. The worst
// answer decides; of equally bad ones the first does, since parts are listed by severity of the
// problem. The facts of the others follow in the same order. Facts of parts that had nothing to
// judge in the whole run are added to the first finding that judged something.
func (g *Gate) folded(all []Finding) []Finding {
	type place struct {
		severity Severity
		split    rollout.Split
	}
	var order []place
	byPlace := make(map[place][]Finding)
	judged := make(map[Severity]bool)
	for _, f := range all {
		p := place{f.Severity, f.Split}
		if byPlace[p] == nil {
			order = append(order, p)
		}
		byPlace[p] = append(byPlace[p], f)
		judged[f.Severity] = judged[f.Severity] || f.Status != Skipped
	}
	skipped := make(map[Severity][]Fact) // parts that had nothing to judge
	var out []Finding
	for _, p := range order {
		list := byPlace[p]
		lead := 0
		for i := range list {
			if rank(list[i].Status) < rank(list[lead].Status) {
				lead = i
			}
		}
		f := list[lead]
		if f.Status == Skipped && p.split == "" && judged[p.severity] && len(order) > 1 {
			for i := range list {
				skipped[p.severity] = append(skipped[p.severity], list[i].Fact)
			}
			continue
		}
		if f.Status == Pass && passed(list) > 1 { // no single part decides
			f.Fact = Fact{ID: g.Name, Status: Pass, Title: g.say("parts", g.Words.Pass, nil), Items: []string{}}
			lead = -1
		}
		for i := range list {
			if i != lead {
				f.Others = append(f.Others, list[i].Fact)
			}
		}
		out = append(out, f)
	}
	for severity, facts := range skipped {
		i := slices.IndexFunc(out, func(f Finding) bool { return f.Severity == severity })
		out[i].Others = append(out[i].Others, facts...)
	}
	for i := range out {
		out[i].leaveOut(g)
	}
	slices.SortStableFunc(out, func(a, b Finding) int {
		return cmp.Compare(slices.Index(rollout.Splits(), a.Split), slices.Index(rollout.Splits(), b.Split))
	})
	return out
}

func passed(list []Finding) (n int) {
	for i := range list {
		if list[i].Status == Pass {
			n++
		}
	}
	return n
}

// leaveOut adds the parts that had nothing to judge to the title of a finding that says that all
// parts pass, so that the title does not claim too much.
func (f *Finding) leaveOut(g *Gate) {
	if f.ID != g.Name {
		return
	}
	var skipped []string
	for _, x := range f.Others {
		if x.Status == Skipped && !x.IsMoot() {
			skipped = append(skipped, x.ID)
		}
	}
	if len(skipped) > 0 {
		f.Title = message.Clauses(f.Title, partsSkipped.With(message.Args{"facts": message.Names(skipped)}))
	}
}

var partsSkipped = message.New("gate.parts.skipped", "not checked: {facts}")

// WithParts returns a copy of the gate with only some of its parts.
func (g *Gate) WithParts(parts ...*Gate) *Gate {
	some := *g
	some.Parts = parts
	return &some
}

// rank orders statuses, the worst first.
func rank(s Status) int { return slices.Index([]Status{Fail, Unknown, Pass, Skipped}, s) }
