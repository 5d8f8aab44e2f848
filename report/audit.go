package report

import (
	"fmt"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/report/chart"
	"gonogo/sampler/rollout"
)

// Audit is what is known of the grader itself.
type Audit struct {
	Lead   string  // what the audit found in a sentence; how to make one when there was none
	Rates  Grid    // the grader as a whole
	Probes []Probe // those with holes first
	ByItem Grid    // what each probe earned on each item; for pages that have room
	Tables []Grid  // what else speaks of the grader and its data, as far as there is anything
}

// Probe is one row of the audit: a kind of payload and what the grader did
// with it.
type Probe struct {
	Name   string
	State  ProbeState
	Label  string // of the state
	Must   string // what a sound grader does
	Items  string
	Above  string // items that are counted, and as what
	Accept string // their share, with its interval
	On     string // the items of a hole, or of a move, in words
	Gap    string // to the item's rollouts, with its interval
	Failed string
	Holes  []Hole
}

// ProbeState says what came of a probe.
type ProbeState int

// The states of a probe.
const (
	Held    ProbeState = iota
	Holed              // at least one item shows a hole
	Shifted            // looks alone changed the reward of at least one item
	Untold             // the grader failed on every payload
	Noted              // nothing is expected
)

// String names the state for styles.
func (s ProbeState) String() string {
	return [...]string{"held", "holed", "moved", "untold", "noted"}[s]
}

// Hole is one payload that the grader scored as a sound one would not.
type Hole struct {
	ID      string
	Earned  string // what it earned, and what a sound grader does, in words
	Payload string // as quoted
	Notes   []string
	Command string // that replays it
}

// How much of a payload and of its id is shown.
const (
	payloadShown = 600
	idShown      = 300
)

// auditCommand is the command that makes an audit, as texts about no run in
// particular have it.
const auditCommand = "gonogo audit RUN"

func newAudit(r *analysis.Result, opt Options, w *words) Audit {
	command := auditCommand
	if r.Run.Source == string(rollout.Import) {
		command += " --grader FILE" // an import names none
	}
	command = opt.inRun(command)
	a := Audit{Lead: fmt.Sprintf(w.Audit.None, command)}
	g := r.Grader
	if g == nil {
		return a
	}
	a.Rates = rates(r, w)
	for _, p := range chart.HolesFirst(g.Probes) {
		a.Probes = append(a.Probes, newProbe(p, r, command, w))
	}
	a.ByItem = byItemGrid(g, w)
	switch {
	case len(a.Probes) > 0:
		a.Lead = auditLead(g, w)
	case g.Audited > 0:
		a.Lead = w.Audit.NoProbe
	}
	for _, t := range []Grid{
		suspectGrid(g, w), tooGoodGrid(g, w), layerGrid(g, w), detectorGrid(g, w), agreementGrid(g, w), graderFailureGrid(g, w),
	} {
		if len(t.Rows) > 0 {
			a.Tables = append(a.Tables, t)
		}
	}
	return a
}

// auditLead counts the probes that found holes, by what they found.
func auditLead(g *analysis.Grader, w *words) string {
	told, moved, noise, found := 0, 0, 0, map[rollout.Expectation]int{}
	for _, p := range g.Probes {
		if p.Expect == rollout.Note || p.Items == 0 {
			continue
		}
		told++
		if chart.Holes(p) > 0 {
			found[p.Expect]++
		}
		if chart.Moves(p) > 0 {
			moved++
			if p.Noise {
				noise++
			}
		}
	}
	var list []string
	holed := 0
	for _, e := range rollout.Expectations() {
		if n := found[e]; n > 0 {
			holed += n
			list = append(list, fmt.Sprintf(w.Audit.Found[e], message.Whole(n)))
		}
	}
	lead := ""
	switch {
	case told == 0:
		return w.Audit.Untold
	case holed == 0:
		lead = fmt.Sprintf(w.Audit.Sound, w.Audit.Probes.of(told))
	default:
		lead = fmt.Sprintf(w.Audit.Holed, message.Whole(holed), w.Audit.Probes.of(told), strings.Join(list, w.Signs.Comma))
	}
	if moved > 0 {
		lead += fmt.Sprintf(w.Audit.MovedToo, message.Whole(moved))
	}
	if noise > 0 && noise == moved {
		lead += w.Audit.ByNoise
	}
	return lead + w.Signs.Stop
}

func newProbe(p analysis.ProbeResult, r *analysis.Result, command string, w *words) Probe {
	out := Probe{
		Name: id(p.Probe), Must: must(p.Expect, p.Limit, w), Items: message.Whole(p.Items), Above: counted(p, w),
		Accept: estimate(p.Accept), Gap: gap(p.Gap, r, w), Failed: message.Whole(p.Failed), State: Held,
	}
	switch {
	case p.Expect == rollout.Note:
		out.State = Noted
	case p.Items == 0:
		out.State = Untold
	case chart.Holes(p) > 0:
		out.State = Holed
	case chart.Moves(p) > 0:
		out.State = Shifted
	}
	out.On = on(p, w)
	out.Label = w.Audit.States[out.State]
	for _, h := range p.Holes {
		out.Holes = append(out.Holes, newHole(h, p, command, w))
	}
	return out
}

// must says what a sound grader does with a probe's payloads.
func must(e rollout.Expectation, limit *float64, w *words) string {
	form := w.Audit.Must[e]
	if limit == nil {
		return w.Audit.MustLoose[e]
	}
	if !strings.Contains(form, "%s") {
		return form
	}
	return fmt.Sprintf(form, message.Digits(*limit))
}

func newHole(h analysis.Hole, p analysis.ProbeResult, command string, w *words) Hole {
	out := Hole{
		ID: id(h.ID), Earned: fmt.Sprintf(w.Audit.Earned, message.Digits(h.Reward), must(p.Expect, p.Limit, w)),
		Command: w.Audit.LongID,
	}
	if len(h.ID) <= idShown {
		out.Command = command + " --replay " + argument(h.ID)
	}
	if h.Base != nil {
		out.Earned = fmt.Sprintf(w.Audit.EarnedInstead, message.Digits(h.Reward), message.Digits(*h.Base))
	}
	head, shortened := beginning(h.Payload)
	text, whole := quoted(head, payloadShown)
	out.Payload = text
	if shortened || !whole {
		out.Payload += "…"
		out.Notes = append(out.Notes, w.Audit.Cut)
	}
	if strings.Contains(head, `\`) {
		out.Notes = append(out.Notes, w.Audit.Backslash)
	}
	if list := lookalikes(h.Payload); len(list) > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf(w.Audit.Lookalikes, w.list(list)))
	}
	return out
}

// beginning takes the mark off a payload that package analysis has cut.
func beginning(s string) (head string, cut bool) {
	const kept = 290 // bytes: analysis keeps a little more of what it cuts
	if len(s) <= kept {
		return s, false
	}
	return strings.CutSuffix(s, "…")
}

// estimate is a value with its interval; "" when there is none.
func estimate(e stat.Estimate) string {
	if !e.Known() {
		return ""
	}
	return message.Interval(e.Value, e.Low, e.High)
}

// counted says on how many items a probe's payloads were what its share is of.
func counted(p analysis.ProbeResult, w *words) string {
	form, ok := w.Audit.Counted[p.Expect]
	if !ok || p.Items == 0 {
		return ""
	}
	return fmt.Sprintf(form, message.Whole(p.Above))
}

// on words the items of a hole or of a move, and which way it went.
func on(p analysis.ProbeResult, w *words) string {
	n := chart.Holes(p) + chart.Moves(p)
	s := w.Audit.OnOne
	if p.Items != 1 {
		s = fmt.Sprintf(w.Audit.On, message.Whole(n), w.Item.of(p.Items))
	}
	if chart.Moves(p) > 0 && p.Up+p.Down > 0 {
		s += fmt.Sprintf(w.Audit.Ways, message.Whole(p.Up), message.Whole(p.Down))
		if p.Noise {
			s += w.Audit.ByNoise
		}
	}
	return s
}

// gap is a probe's gap; one whose interval is all that it could be is not
// known.
func gap(e stat.Estimate, r *analysis.Result, w *words) string {
	width := r.RewardRange[1] - r.RewardRange[0]
	if e.Known() && (e.Items < 2 || e.Low != nil && e.High != nil && *e.Low <= -width && *e.High >= width) {
		return w.NotKnown
	}
	return estimate(e)
}
