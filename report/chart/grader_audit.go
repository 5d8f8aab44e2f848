package chart

import (
	"cmp"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// The names of the thresholds in Result.Thresholds.
const (
	hackableThreshold = "grader.hackable"
	truthThreshold    = "grader.truth"
)

// auditRows is how many probes one picture shows: every one with a finding, then as many that held
// as there is room for. The table has the others.
const auditRows = 9

// The results of a probe.
var (
	probeHeld = seen{ringLook, message.New("chart.held", "held")}
	probeHole = seen{badLook, message.New("chart.hole", "hole")}
	// of a right answer
	probeRejected = seen{badLook, message.New("chart.rejected", "rejected")}
	probeMoved    = seen{discLook, message.New("chart.moved", "moved")}

	badProbe = message.New("chart.bad_probe", "hole or rejection") // in the legend, which has one entry a look
)

// drawGraderAudit shows the probes that have an expectation, grouped by it, those with holes first.
func drawGraderAudit(r *analysis.Result) (Figure, error) {
	g, l := cmp.Or(r.Grader, &analysis.Grader{}), r.Lang
	var shown []analysis.ProbeResult
	for _, p := range ProbesByUrgency(g.Probes) {
		if p.Expect != rollout.Note && p.Items > 0 {
			shown = append(shown, p)
		}
	}
	var d dotRows
	var bars *analysis.ProbeResult
	most := auditRows
	for i, p := range shown {
		if whatCame(p) != probeHeld {
			most = max(most, i+1)
		}
	}
	limited, items, payloads, hidden := false, 0, 0, max(0, len(shown)-most)
	for _, group := range []struct {
		expect     rollout.Expectation
		head, must string
		sound      float64 // share of items with a sound grader
		limit      string
	}{
		{
			rollout.Bottom, l.Text("chart.audit.bottom", "deserves nothing: items on which it scores above its limit"),
			l.Text("chart.audit.bottom_short", "deserves nothing"), 0, hackableThreshold,
		},
		{
			rollout.Top, l.Text("chart.audit.top", "is right: items on which it scores at the top"),
			l.Text("chart.audit.top_short", "is right"), 1, truthThreshold,
		},
		{
			rollout.Same, l.Text("chart.audit.same", "only looks different: items on which the reward moves"),
			l.Text("chart.audit.same_short", "only looks different"), 0, "",
		},
	} {
		first := len(d.list)
		for i, p := range shown {
			if p.Expect != group.expect {
				continue
			}
			if len(d.list) == first {
				d.list = append(d.list, dotRow{name: group.head, head: true, hidden: i >= most})
			}
			is := whatCame(p)
			v := dotRow{
				name: p.Probe, look: is.look, strong: is == probeHole || is == probeRejected, hidden: i >= most,
				text: l.Say("chart.of", "%s of %s", message.Whole(p.Above), message.Whole(p.Items)),
			}
			v.value = float64(p.Above) / float64(p.Items)
			v.low, v.high = v.value, v.value
			v.place(p.Accept)
			v.cells = []string{
				p.Probe, group.must, is.words.In(l),
				message.Interval(&v.value, p.Accept.Low, p.Accept.High), v.text,
			}
			d.list = append(d.list, v)
			items, payloads = max(items, p.Items), payloads+p.Payloads
			if bars == nil && !v.hidden && p.Accept.Low != nil {
				bars = &shown[i]
			}
		}
		last := len(d.list) - 1
		for last > first && d.list[last].hidden {
			last--
		}
		if last > first {
			d.lines = append(d.lines, rowLine{group.sound, first + 1, last, soundLine})
			if limit := threshold(r, group.limit); limit != nil && *limit >= 0 && *limit <= 1 {
				limited = true
				d.lines = append(d.lines, rowLine{*limit, first + 1, last, limitLine})
			}
		}
	}
	switch {
	case len(d.list) == 0 && g.Audited > 0:
		return noData(l, "chart.audit.unknown", "the audit sent no probe for which a sound grader's answer is known")
	case len(d.list) == 0:
		return noData(l, "chart.audit.none",
			"the grader has not been audited: gonogo audit RUN sends it adversarial and harmless answers")
	}
	axis := l.Text("chart.audit.axis", "share of items, by probe")
	if hidden > 0 {
		axis = l.Say("chart.audit.axis_held", "share of items, by probe; %s more held",
			message.Whole(hidden))
	}
	f := d.figure(axis, -0.012, 1.005, 0.19, 12.5)
	f.Height = max(Height, f.Height)
	f.Plot.X.Tick.Marker = percentTicks(f.Plot.X.Tick.Marker)
	f.Table.Head = heads(l, "chart.head.probe", "probe", "chart.head.the_answer", "the answer", "chart.head.result",
		"result", "chart.head.share_of_items", "share of items", "chart.head.counted", "counted")
	f.Title = auditTitle(l, shown)
	f.Subtitle = l.Say("chart.audit.about", "up to %s a probe, n = %s", l.Count(items, "item"),
		l.Count(payloads, "payload"))
	if bars != nil {
		f.Subtitle += l.Text("chart.audit.bars", "; bars: ") + intervals(r, bars.Accept)
	}
	if g.FalseAccept != nil && g.FalseAccept.Known() {
		f.Subtitle += l.Say("chart.audit.accepts", "; false accepts %s",
			message.Interval(g.FalseAccept.Value, g.FalseAccept.Low, g.FalseAccept.High))
	}
	if g.FalseReject != nil && g.FalseReject.Known() {
		f.Subtitle += l.Say("chart.audit.rejects", "; false rejects %s",
			message.Interval(g.FalseReject.Value, g.FalseReject.Low, g.FalseReject.High))
	}
	if hidden > 0 {
		f.Subtitle += l.Say("chart.audit.table", "; %s that held are in the table only", l.Count(hidden, "probe"))
	}
	f.Legend = append([]Entry{{l.Text("chart.audit.sound", "where a sound grader is"), upright(soundLine)}},
		d.legend(l, probeHeld, seen{badLook, badProbe}, probeMoved)...)
	if limited {
		f.Legend = append(f.Legend, Entry{l.Text("chart.audit.threshold", "threshold of the gate"), upright(limitLine)})
	}
	return f, nil
}

func whatCame(p analysis.ProbeResult) seen {
	switch {
	case CountHoles(p) > 0 && p.Expect == rollout.Top:
		return probeRejected
	case CountHoles(p) > 0:
		return probeHole
	case CountMoves(p) > 0:
		return probeMoved
	}
	return probeHeld
}

func auditTitle(l message.Language, probes []analysis.ProbeResult) string {
	fooled, rejected, moves := 0, 0, 0
	for _, p := range probes {
		fooled += b2i(CountHoles(p) > 0 && p.Expect == rollout.Bottom)
		rejected += b2i(CountHoles(p) > 0 && p.Expect == rollout.Top)
		moves += b2i(CountMoves(p) > 0)
	}
	all := l.Count(len(probes), "probe")
	title := l.Say("chart.audit.fooled", "%s of %s fooled the grader", message.Whole(fooled), all)
	if fooled == 0 {
		title = l.Say("chart.audit.unfooled", "None of %s fooled the grader", all)
	}
	if rejected > 0 {
		title += l.Say("chart.audit.rejected", "; %s made it reject a right answer", message.Whole(rejected))
	}
	if moves > 0 {
		title += l.Say("chart.audit.moved", "; in %s formatting alone changed the reward", message.Whole(moves))
	}
	return title
}

func threshold(r *analysis.Result, name string) *float64 {
	v, ok := r.Thresholds.ByName()[name]
	if !ok {
		return nil
	}
	return &v
}

// CountHoles counts the items on which the grader scored the payloads of a probe unlike a sound
// grader. A probe without an expectation has no holes, and neither has a reward that changes with
// presentation alone: see CountMoves.
func CountHoles(p analysis.ProbeResult) int {
	switch p.Expect {
	case rollout.Bottom:
		return p.Above
	case rollout.Top:
		return p.Items - p.Above
	}
	return 0
}

// CountMoves counts the items on which the reward changed with presentation alone.
func CountMoves(p analysis.ProbeResult) int {
	if p.Expect == rollout.Same {
		return p.Above
	}
	return 0
}

// ProbesByUrgency returns the probes, the most urgent first: those with holes, those whose reward
// changed with presentation, those that passed, those without a result, those without an
// expectation. Among those with holes, a rewarded wrong answer comes before an unrewarded right
// one, then the larger share of items.
func ProbesByUrgency(probes []analysis.ProbeResult) []analysis.ProbeResult {
	rank := func(p analysis.ProbeResult) int {
		switch {
		case p.Expect == rollout.Note:
			return 4
		case p.Items == 0:
			return 3
		case CountHoles(p) > 0:
			return 0
		case CountMoves(p) > 0:
			return 1
		}
		return 2
	}
	share := func(p analysis.ProbeResult) float64 {
		return float64(CountHoles(p)+CountMoves(p)) / float64(max(1, p.Items))
	}
	expectations := rollout.Expectations()
	list := slices.Clone(probes)
	slices.SortStableFunc(list, func(a, b analysis.ProbeResult) int {
		return cmp.Or(
			cmp.Compare(rank(a), rank(b)),
			cmp.Compare(slices.Index(expectations, a.Expect), slices.Index(expectations, b.Expect)),
			cmp.Compare(share(b), share(a)),
			cmp.Compare(CountHoles(b)+CountMoves(b), CountHoles(a)+CountMoves(a)),
		)
	})
	return list
}
