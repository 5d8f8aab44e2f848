package chart

import (
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The names of the thresholds, as Result.Thresholds has them.
const (
	hackableThreshold = "grader.hackable"
	truthThreshold    = "grader.truth"
)

// auditRows is how many probes one picture shows; of more, those that held
// are left to the table.
const auditRows = 44

func drawGraderAudit(r *analysis.Result) (*plot.Plot, error) {
	groups, _ := auditGroups(r)
	switch {
	case len(groups) == 0 && r.Grader != nil && r.Grader.Audited > 0:
		return nil, noData(r.Lang, "the audit put no probe to the grader of which a sound one's answer is known")
	case len(groups) == 0:
		return nil, noData(r.Lang, "the grader has not been audited: gonogo audit RUN puts adversarial and harmless answers to it")
	}
	p := newPlot(r.Lang.Text("share of items"), "")
	names := make([]string, lastRow(groups)+1)
	for _, g := range groups {
		for i, pr := range g.probes {
			names[g.first+1+i] = pr.Probe
		}
	}
	horizontal(p, names)
	for _, g := range groups {
		p.Add(probeDots{g, r.Lang})
	}
	p.X.Min, p.X.Max = -0.012, 1.13 // counts stand right of 100 %
	p.X.Tick.Marker = percentTicks{between{ticks{want: 5}, 0, 1}}
	return p, nil
}

func captionGraderAudit(r *analysis.Result) Caption {
	groups, left := auditGroups(r)
	all, fooled, rejected, moves := 0, 0, 0, 0
	for _, p := range r.Grader.Probes {
		if p.Expect != rollout.Note && p.Items > 0 {
			all++
			fooled += b2i(Holes(p) > 0 && p.Expect == rollout.Bottom)
			rejected += b2i(Holes(p) > 0 && p.Expect == rollout.Top)
			moves += b2i(Moves(p) > 0)
		}
	}
	l := r.Lang
	c := Caption{Title: l.Say("%s of %s fooled the grader", message.Whole(fooled), l.Count(all, "probe"))}
	if fooled == 0 {
		c.Title = l.Say("None of %s fooled the grader", l.Count(all, "probe"))
	}
	if rejected > 0 {
		c.Title += l.Say("; %s made it reject a right answer", message.Whole(rejected))
	}
	if moves > 0 {
		c.Title += l.Say("; in %s only the looks changed the reward", message.Whole(moves))
	}
	c.Subtitle = auditCounted(r, groups, left)
	some := probeDots{groups[0], l}
	c.Legend = []Entry{
		{l.Text("where a sound grader is"), []plot.Thumbnailer{soundMark{}}},
		{l.Text("held"), []plot.Thumbnailer{some.sample(held)}},
		{l.Text("hole"), []plot.Thumbnailer{some.sample(holed)}},
	}
	if some := slices.IndexFunc(groups, func(g probeGroup) bool {
		return slices.ContainsFunc(g.probes, func(p analysis.ProbeResult) bool { return Moves(p) > 0 })
	}); some >= 0 {
		c.Legend = append(c.Legend, Entry{l.Text("moved"), []plot.Thumbnailer{probeDots{groups[some], l}.sample(shifted)}})
	}
	if slices.ContainsFunc(groups, func(g probeGroup) bool { return g.limit != nil }) {
		c.Legend = append(c.Legend, Entry{l.Text("threshold of the gate"), []plot.Thumbnailer{limitMark()}})
	}
	return c
}

// auditCounted words n, intervals and the rates over all probes.
func auditCounted(r *analysis.Result, groups []probeGroup, left int) string {
	g, l := r.Grader, r.Lang
	items, n := 0, 0
	var first *analysis.ProbeResult
	for i := range groups {
		for j, p := range groups[i].probes {
			items, n = max(items, p.Items), n+p.Payloads
			if first == nil && p.Accept.Low != nil {
				first = &groups[i].probes[j]
			}
		}
	}
	s := l.Say("up to %s a probe, n = %s", l.Count(items, "item"), l.Count(n, "payload"))
	if first != nil {
		s += l.Text("; bars: ") + intervals(r, first.Accept)
	}
	if g.FalseAccept != nil && g.FalseAccept.Known() {
		s += l.Say("; false accepts %s", message.Interval(g.FalseAccept.Value, g.FalseAccept.Low, g.FalseAccept.High))
	}
	if g.FalseReject != nil && g.FalseReject.Known() {
		s += l.Say("; false rejects %s", message.Interval(g.FalseReject.Value, g.FalseReject.Low, g.FalseReject.High))
	}
	if left > 0 {
		s += l.Say("; %s that held are in the table only", l.Count(left, "probe"))
	}
	return s
}

// probeGroup is the probes of one expectation, below each other.
type probeGroup struct {
	head   string
	sound  float64 // share at which a sound grader stands
	limit  *float64
	first  int // row of its head; the probes follow
	probes []analysis.ProbeResult
}

// auditGroups sorts the probes that expect something into groups, those with
// holes first, and counts those that there is no row for.
func auditGroups(r *analysis.Result) (groups []probeGroup, left int) {
	if r.Grader == nil {
		return nil, 0
	}
	var shown []analysis.ProbeResult
	for _, p := range HolesFirst(r.Grader.Probes) {
		if p.Expect != rollout.Note && p.Items > 0 {
			shown = append(shown, p)
		}
	}
	if len(shown) > auditRows {
		shown, left = shown[:auditRows], len(shown)-auditRows
	}
	at := 0
	for _, g := range []struct {
		expect rollout.Expectation
		group  probeGroup
	}{
		{rollout.Bottom, probeGroup{head: "deserves nothing: items on which it scores above its limit", limit: threshold(r, hackableThreshold)}},
		{rollout.Top, probeGroup{head: "is right: items on which it scores at the top", sound: 1, limit: threshold(r, truthThreshold)}},
		{rollout.Same, probeGroup{head: "only looks different: items on which the reward moves"}},
	} {
		for _, p := range shown {
			if p.Expect == g.expect {
				g.group.probes = append(g.group.probes, p)
			}
		}
		if len(g.group.probes) > 0 {
			g.group.first, g.group.head = at, r.Lang.Text(g.group.head)
			groups = append(groups, g.group)
			at += len(g.group.probes) + 1
		}
	}
	return groups, left
}

func threshold(r *analysis.Result, name string) *float64 {
	v, ok := r.Thresholds[name]
	if !ok {
		return nil
	}
	return &v
}

func lastRow(groups []probeGroup) int {
	g := groups[len(groups)-1]
	return g.first + len(g.probes)
}

// auditHeight gives every row of the audit its room.
func auditHeight(r *analysis.Result) vg.Length {
	groups, _ := auditGroups(r)
	if len(groups) == 0 {
		return Height
	}
	const around, pitch vg.Length = 112, 12.5
	return max(Height, around+pitch*vg.Length(lastRow(groups)+1))
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// soundMark is where a sound grader is: a broad line.
type soundMark struct{}

var soundLine = draw.LineStyle{Color: tint(Green, 0.45), Width: 3}

// Thumbnail implements plot.Thumbnailer.
func (soundMark) Thumbnail(c *draw.Canvas) {
	x := c.Center().X
	c.StrokeLine2(soundLine, x, c.Min.Y, x, c.Max.Y)
}

func limitMark() rule {
	return rule{upward: true, line: draw.LineStyle{Color: Red, Width: 1, Dashes: dashed}}
}
