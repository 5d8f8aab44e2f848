package report

import (
	"fmt"
	"maps"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/report/block"
)

// burstBlocks show how tools and grader handled a training step's load.
func burstBlocks(b *analysis.Burst, w *words) []block.Block {
	if b == nil {
		return nil
	}
	return tabled(burstLead(b, w), filled(burstGrid(b, w), checksGrid(b, w), loadGrid(b, w), wrongGrid(b, w)),
		w.notes(b.Notes))
}

func burstLead(b *analysis.Burst, w *words) string {
	step := fmt.Sprintf(w.Burst.Named, w.Lang.Count(b.Rollouts, "rollout"))
	if b.BatchSize != nil {
		step = fmt.Sprintf(w.Burst.Step, w.Lang.Count(*b.BatchSize, "item"), w.Lang.Count(b.GroupSize, "rollout"))
	}
	if slices.ContainsFunc(b.Endpoints, func(e analysis.BurstEndpoint) bool { return e.Name == "agent" }) {
		return fmt.Sprintf(w.Burst.AgentLead, step, b.Split, w.Burst.Bursts.of(b.Bursts))
	}
	gaps := w.Burst.NoGaps
	if b.Gaps {
		gaps = w.Burst.Gaps
	}
	return fmt.Sprintf(w.Burst.Lead, step, b.Split, w.Burst.Bursts.of(b.Bursts), gaps)
}

// burstGrid has a row for every endpoint in the bursts.
func burstGrid(b *analysis.Burst, w *words) Grid {
	g := Grid{Title: fmt.Sprintf(w.Burst.At, w.Lang.Count(b.Rollouts, "rollout")), Head: w.Burst.Head}
	for _, e := range b.Endpoints {
		doubles := w.Burst.Never
		switch {
		case e.Doubles.Base == nil:
			doubles = "–"
		case e.Doubles.At != nil:
			doubles = doublesAt(e.Doubles)
		}
		g.Rows = append(g.Rows, []string{
			id(e.Name), message.Whole(e.Requests), message.DigitsOf(e.P50.Value),
			message.Interval(e.P95.Value, e.P95.Low, e.P95.High), message.DigitsOf(e.P99.Value),
			message.DigitsOf(e.Max),
			message.Whole(e.Failed), message.Whole(e.Refused), doubles,
		})
	}
	g.Notes = []string{w.Burst.Doubling}
	return g
}

// doublesAt formats the number of rollouts at which a latency doubles, with the waves that are
// certainly below and above it.
func doublesAt(d analysis.Doubling) string {
	text := message.Digits(*d.At)
	if d.Low != nil && d.High != nil {
		text += fmt.Sprintf(" [%s, %s]", message.Whole(*d.Low), message.Whole(*d.High))
	}
	return text
}

// checksGrid lists what was checked in addition to the time.
func checksGrid(b *analysis.Burst, w *words) Grid {
	v := w.Burst
	g := Grid{Title: v.Checks, Words: true, Rates: true, Head: v.CheckHead}
	first := v.NoFailure
	if f := b.FirstFailure; f != nil {
		first = fmt.Sprintf(v.FirstFailure, message.Digits(f.After), id(f.Endpoint), id(f.Kind))
	}
	g.Rows = [][]string{
		{v.Lost, percent(b.Lost), w.Lang.Count(b.Lost.N, "rollout"), v.LostDoc},
		{v.First, first, "", v.FirstDoc},
		{
			v.Wire, fmt.Sprintf(w.OutOf, message.Whole(b.Wire.Departing), message.Whole(b.Wire.Answers)),
			departures(b, w), v.WireDoc,
		},
		{
			v.Crosstalk, fmt.Sprintf(w.OutOf, message.Whole(b.Crosstalk.Leaks), message.Whole(b.Crosstalk.Answers)), "",
			v.CrosstalkDoc,
		},
	}
	if b.Repeats.Known() {
		g.Rows = append(g.Rows,
			[]string{v.Repeats, percent(b.Repeats), w.Lang.Count(b.Repeats.N, "different request"), v.RepeatsDoc})
	}
	return g
}

func departures(b *analysis.Burst, w *words) string {
	var list []string
	for _, what := range slices.Sorted(maps.Keys(b.Wire.By)) {
		list = append(list, id(what)+" "+message.Whole(b.Wire.By[what]))
	}
	return w.list(list)
}

// loadGrid is the 95th percentile of each endpoint, by number of simultaneous rollouts.
func loadGrid(b *analysis.Burst, w *words) Grid {
	g := Grid{Title: w.Burst.ByLoad, Head: []string{w.Burst.AtOnce, w.RolloutsOf}}
	sizes := map[int][]string{}
	made := map[int]int{}
	for _, e := range b.Endpoints {
		for _, p := range e.Load {
			made[p.Size] = p.Rollouts
		}
	}
	for _, size := range slices.Sorted(maps.Keys(made)) {
		sizes[size] = []string{message.Whole(size), message.Whole(made[size])}
	}
	for _, e := range b.Endpoints {
		g.Head = append(g.Head, id(e.Name))
		cells := map[int]string{}
		for _, p := range e.Load {
			cells[p.Size] = message.DigitsOf(p.P95.Value)
			if p.Failed > 0 {
				cells[p.Size] += fmt.Sprintf(w.Burst.FailedToo, message.Whole(p.Failed))
			}
		}
		for size := range sizes {
			cell := cells[size]
			if cell == "" {
				cell = "–"
			}
			sizes[size] = append(sizes[size], cell)
		}
	}
	for _, size := range slices.Sorted(maps.Keys(sizes)) {
		g.Rows = append(g.Rows, sizes[size])
	}
	return g
}

// wrongGrid lists the failures of the bursts, by endpoint and kind.
func wrongGrid(b *analysis.Burst, w *words) Grid {
	g := Grid{Title: w.Burst.Wrong, Words: true, Head: w.Burst.WrongHead}
	for _, e := range b.Endpoints {
		for _, err := range e.Errors {
			g.Rows = append(g.Rows, []string{
				id(e.Name), id(err.Kind), message.Whole(err.Count),
				message.Percent(err.Share), prose(err.Example),
			})
		}
	}
	return g
}
