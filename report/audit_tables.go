package report

import (
	"fmt"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// itemsInCell is the maximum number of items named in one row of an audit table.
const itemsInCell = 5

// byItemGrid has a row for each item and a column for each probe, with the reward of the payload
// that counts most against the grader. A dash means that the probe does not apply, a cross that the
// grader failed on the payload.
func byItemGrid(probes []analysis.ProbeResult, w *words) Grid {
	t := Grid{Upright: true, Head: []string{w.Audit.ByItemHead}, Notes: []string{w.Audit.ByItemDoc}}
	type key struct {
		split rollout.Split
		item  string
	}
	row := map[key]int{}
	for column, p := range probes {
		t.Head = append(t.Head, id(p.Probe))
		for _, reward := range p.Rewards {
			k := key{reward.Split, reward.Item}
			i, there := row[k]
			if !there {
				i = len(t.Rows)
				row[k] = i
				cells := append([]string{id(reward.Item)}, slices.Repeat([]string{"–"}, len(probes))...)
				t.Rows = append(t.Rows, cells)
			}
			t.Rows[i][column+1] = "×"
			if reward.Reward != nil {
				t.Rows[i][column+1] = message.Digits(*reward.Reward)
			}
		}
	}
	return t
}

// suspectGrid lists the items on which most rollouts agree on an answer other than the reference.
func suspectGrid(g *analysis.Grader, w *words) Grid {
	t := Grid{Words: true, Title: w.Audit.Suspect, Head: w.Audit.SuspectHead, Notes: []string{w.Audit.SuspectDoc}}
	for _, s := range g.SuspectReferences {
		answer, reference := w.Audit.NoAnswer, ""
		if s.Answer != "" {
			answer = quote(s.Answer, 160)
		}
		if s.ReferenceReward != nil {
			reference = fmt.Sprintf(w.Audit.Earns, quote(s.Reference, 80), message.Digits(*s.ReferenceReward))
		}
		t.Rows = append(t.Rows, []string{
			id(s.Item), visible(string(s.Split)), answer, message.Percent(s.Share),
			message.DigitsOf(s.Reward), reference,
		})
	}
	return t
}

// tooGoodGrid lists suspicious patterns that are worth reading.
func tooGoodGrid(g *analysis.Grader, w *words) Grid {
	t := Grid{Words: true, Title: w.Audit.TooGood, Head: w.Audit.TooGoodHead, Notes: []string{w.Audit.TooGoodDoc}}
	for _, p := range g.TooGood {
		what := clip(w.say(p.Note), 300)
		if what == "" {
			what = id(p.Pattern)
		}
		t.Rows = append(t.Rows, []string{visible(string(p.Split)), what, few(ids(p.Items), itemsInCell, w)})
	}
	return t
}

// layerGrid shows the layers of a reward that is made of parts.
func layerGrid(g *analysis.Grader, w *words) Grid {
	a := w.Audit
	t := Grid{Words: true, Title: a.Layers, Head: a.LayerHead}
	l := g.Layers
	if l == nil {
		return t
	}
	for _, p := range l.Parts {
		role := ""
		switch {
		case p.Name == l.Core && p.Gate:
			role = a.CoreGate
		case p.Name == l.Core:
			role = a.Core
		case p.Gate:
			role = a.Gate
		}
		share := "–"
		if p.Share != nil {
			share = message.Percent(*p.Share)
		}
		t.Rows = append(t.Rows, []string{id(p.Name), role, estimate(p.Mean), share})
	}
	t.Notes = layerNotes(l, w)
	return t
}

// layerNotes describe what the layers do together, and what remains if the core is zero.
func layerNotes(l *analysis.Layers, w *words) []string {
	a := w.Audit
	var notes []string
	if l.Formula != "" {
		notes = append(notes, fmt.Sprintf(a.Formula, quote(l.Formula, 400)))
	}
	if l.Rest != nil && *l.Rest >= 0.005 {
		notes = append(notes, fmt.Sprintf(a.Rest, message.Percent(*l.Rest)))
	}
	if l.Core == "" || l.ZeroN == 0 {
		return notes
	}
	s := fmt.Sprintf(a.Zero, id(l.Core), w.Lang.Count(l.ZeroN, "rollout"))
	if l.AtZero.Known() {
		s += fmt.Sprintf(a.AtZero, estimate(l.AtZero))
	}
	if l.Bought.Known() {
		s += fmt.Sprintf(a.Bought, percent(l.Bought))
	}
	notes = append(notes, s+w.Signs.Stop)
	if len(l.Moving) > 0 {
		notes = append(notes, fmt.Sprintf(a.Moving, w.list(ids(l.Moving))))
	}
	if len(l.Items) > 0 {
		notes = append(notes, fmt.Sprintf(a.ZeroItems, few(ids(l.Items), 10, w)))
	}
	return notes
}

// detectorGrid lists what the detectors marked.
func detectorGrid(g *analysis.Grader, w *words) Grid {
	t := Grid{Words: true, Title: w.Audit.Detectors, Head: w.Audit.DetectorHead}
	for _, d := range g.Detectors {
		marked := fmt.Sprintf(w.OutOf, message.Whole(d.Marked), message.Whole(d.Rollouts))
		zeroed := w.Audit.NotZeroed
		if d.Zeroed {
			zeroed = w.Audit.Zeroed
		}
		t.Rows = append(t.Rows, []string{
			id(d.Detector), marked, percent(d.Share), estimate(d.Mean), zeroed,
			message.Whole(d.Failed), few(ids(d.Items), itemsInCell, w),
		})
	}
	return t
}

// graderFailureGrid counts the gradings that gave no number, by kind.
func graderFailureGrid(g *analysis.Grader, w *words) Grid {
	t := Grid{Words: true, Title: w.Audit.Failures, Head: w.Audit.FailureHead, Notes: []string{w.Audit.FailuresDoc}}
	for _, f := range g.Failures {
		t.Rows = append(t.Rows, []string{
			id(f.Kind), message.Whole(f.Count), clip(prose(f.Example), 300),
			few(ids(f.Items), itemsInCell, w),
		})
	}
	return t
}
