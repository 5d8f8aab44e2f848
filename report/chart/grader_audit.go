package chart

import (
	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// The names of the thresholds, as Result.Thresholds has them.
const (
	hackableThreshold = "grader.hackable"
	truthThreshold    = "grader.truth"
)

// auditRows is how many probes one picture shows; of more, those that held
// are left to the table.
const auditRows = 44

// What came of a probe.
var (
	probeHeld  = seen{ringLook, "held"}
	probeHole  = seen{badLook, "hole"}
	probeMoved = seen{discLook, "moved"}
)

// drawGraderAudit shows the probes that expect something in groups, those with
// holes first.
func drawGraderAudit(r *analysis.Result) (Figure, error) {
	g, l := r.Grader, r.Lang
	if g == nil {
		return noData(l, "the grader has not been audited: gonogo audit RUN puts adversarial and harmless answers to it")
	}
	var shown []analysis.ProbeResult
	for _, p := range HolesFirst(g.Probes) {
		if p.Expect != rollout.Note && p.Items > 0 {
			shown = append(shown, p)
		}
	}
	var d dotRows
	var bars *analysis.ProbeResult
	limited, items, payloads, left := false, 0, 0, max(0, len(shown)-auditRows)
	for _, group := range []struct {
		expect     rollout.Expectation
		head, must string
		sound      float64 // share at which a sound grader is
		limit      string
	}{
		{rollout.Bottom, "deserves nothing: items on which it scores above its limit", "deserves nothing", 0, hackableThreshold},
		{rollout.Top, "is right: items on which it scores at the top", "is right", 1, truthThreshold},
		{rollout.Same, "only looks different: items on which the reward moves", "only looks different", 0, ""},
	} {
		first := len(d.list)
		for i, p := range shown {
			if p.Expect != group.expect {
				continue
			}
			if len(d.list) == first {
				d.list = append(d.list, dotRow{name: l.Text(group.head), head: true, hidden: i >= auditRows})
			}
			is := whatCame(p)
			v := dotRow{name: p.Probe, look: is.look, strong: is == probeHole, hidden: i >= auditRows, text: l.Say("%s of %s", message.Whole(p.Above), message.Whole(p.Items))}
			v.value = float64(p.Above) / float64(p.Items)
			v.low, v.high = v.value, v.value
			v.place(p.Accept)
			v.cells = []string{p.Probe, l.Text(group.must), l.Text(is.words), message.Interval(&v.value, p.Accept.Low, p.Accept.High), v.text}
			d.list = append(d.list, v)
			if v.hidden {
				continue
			}
			items, payloads = max(items, p.Items), payloads+p.Payloads
			if bars == nil && p.Accept.Low != nil {
				bars = &shown[i]
			}
		}
		if last := len(d.list) - 1; last > first {
			d.lines = append(d.lines, rowLine{group.sound, first + 1, last, soundLine})
			if limit := threshold(r, group.limit); limit != nil && *limit >= 0 && *limit <= 1 {
				limited = true
				d.lines = append(d.lines, rowLine{*limit, first + 1, last, limitLine})
			}
		}
	}
	switch {
	case len(d.list) == 0 && g.Audited > 0:
		return noData(l, "the audit put no probe to the grader of which a sound one's answer is known")
	case len(d.list) == 0:
		return noData(l, "the grader has not been audited: gonogo audit RUN puts adversarial and harmless answers to it")
	}
	f := d.figure(l.Text("share of items"), -0.012, 1.005, 0.13, 12.5)
	f.Height = max(Height, f.Height)
	f.Plot.X.Tick.Marker = percentTicks{f.Plot.X.Tick.Marker}
	f.Table.Head = heads(l, "probe", "the answer", "result", "share of items", "counted")
	f.Title = auditTitle(l, shown)
	f.Subtitle = l.Say("up to %s a probe, n = %s", l.Count(items, "item"), l.Count(payloads, "payload"))
	if bars != nil {
		f.Subtitle += l.Text("; bars: ") + intervals(r, bars.Accept)
	}
	if g.FalseAccept != nil && g.FalseAccept.Known() {
		f.Subtitle += l.Say("; false accepts %s", message.Interval(g.FalseAccept.Value, g.FalseAccept.Low, g.FalseAccept.High))
	}
	if g.FalseReject != nil && g.FalseReject.Known() {
		f.Subtitle += l.Say("; false rejects %s", message.Interval(g.FalseReject.Value, g.FalseReject.Low, g.FalseReject.High))
	}
	if left > 0 {
		f.Subtitle += l.Say("; %s that held are in the table only", l.Count(left, "probe"))
	}
	f.Legend = append([]Entry{{l.Text("where a sound grader is"), upright(soundLine)}}, d.legend(l, probeHeld, probeHole, probeMoved)...)
	if limited {
		f.Legend = append(f.Legend, Entry{l.Text("threshold of the gate"), upright(limitLine)})
	}
	return f, nil
}

func whatCame(p analysis.ProbeResult) seen {
	switch {
	case Holes(p) > 0:
		return probeHole
	case Moves(p) > 0:
		return probeMoved
	}
	return probeHeld
}

func auditTitle(l message.Language, probes []analysis.ProbeResult) string {
	fooled, rejected, moves := 0, 0, 0
	for _, p := range probes {
		fooled += b2i(Holes(p) > 0 && p.Expect == rollout.Bottom)
		rejected += b2i(Holes(p) > 0 && p.Expect == rollout.Top)
		moves += b2i(Moves(p) > 0)
	}
	all := l.Count(len(probes), "probe")
	title := l.Say("%s of %s fooled the grader", message.Whole(fooled), all)
	if fooled == 0 {
		title = l.Say("None of %s fooled the grader", all)
	}
	if rejected > 0 {
		title += l.Say("; %s made it reject a right answer", message.Whole(rejected))
	}
	if moves > 0 {
		title += l.Say("; in %s only the looks changed the reward", message.Whole(moves))
	}
	return title
}

func threshold(r *analysis.Result, name string) *float64 {
	v, ok := r.Thresholds[name]
	if !ok {
		return nil
	}
	return &v
}
