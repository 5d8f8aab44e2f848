package analysis

import (
	"cmp"
	"slices"

	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// folded makes one finding of those of a gate's parts for each severity and split:
// the worst answer decides, of equally bad ones the first, for parts are listed by
// their gravity; the others' facts follow in that order. What
// parts had nothing to judge of the whole run is with the first finding that judged
// something.
func (g *Gate) folded(all []Finding) []Finding {
	type place struct {
		severity Severity
		split    rollout.Split
	}
	var order []place
	at := make(map[place][]Finding)
	judged := make(map[Severity]bool)
	for _, f := range all {
		p := place{f.Severity, f.Split}
		if at[p] == nil {
			order = append(order, p)
		}
		at[p] = append(at[p], f)
		judged[f.Severity] = judged[f.Severity] || f.Status != Skipped
	}
	nothing := make(map[Severity][]Fact) // what parts had nothing to judge
	var out []Finding
	for _, p := range order {
		list := at[p]
		lead := 0
		for i := range list {
			if rank(list[i].Status) < rank(list[lead].Status) {
				lead = i
			}
		}
		f := list[lead]
		if f.Status == Skipped && p.split == "" && judged[p.severity] && len(order) > 1 {
			for i := range list {
				nothing[p.severity] = append(nothing[p.severity], list[i].Fact)
			}
			continue
		}
		if f.Status == Pass && passed(list) > 1 { // none of them decides
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
	for severity, facts := range nothing {
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

// leaveOut names what had nothing to judge where a finding says that all parts pass: no
// one should read more into it.
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

// rank orders answers, the worst first.
func rank(s Status) int { return slices.Index([]Status{Fail, Unknown, Pass, Skipped}, s) }
