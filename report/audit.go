package report

import (
	"fmt"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/report/block"
	"gonogo/report/chart"
	"gonogo/sampler/rollout"
)

// probeState is the result of a probe.
type probeState int

// The states of a probe.
const (
	probePassed     probeState = iota
	probeFoundHoles            // at least one item shows a hole
	probeShifted               // looks alone changed the reward of at least one item
	probeUnknown               // the grader failed on every payload
	probeNoted                 // nothing is expected
	probeRejected              // at least one right answer is rejected
)

// stateOf returns the result of a probe.
func stateOf(p analysis.ProbeResult) probeState {
	switch {
	case p.Expect == rollout.Note:
		return probeNoted
	case p.Items == 0:
		return probeUnknown
	case chart.CountHoles(p) > 0 && p.Expect == rollout.Top:
		return probeRejected
	case chart.CountHoles(p) > 0:
		return probeFoundHoles
	case chart.CountMoves(p) > 0:
		return probeShifted
	}
	return probePassed
}

// tone returns the colour of a probe's result.
func (s probeState) tone() block.Tone {
	return map[probeState]block.Tone{
		probePassed: block.Pass, probeFoundHoles: block.Fail, probeRejected: block.Fail,
		probeShifted: block.Caution, probeUnknown: block.Unknown, probeNoted: block.Skipped,
	}[s]
}

// The maximum lengths at which a payload and its id are shown.
const (
	payloadShown = 600
	idShown      = 300
)

// auditBlocks describe the audit of the grader: its results, or how to run one; rates, every probe,
// the payloads that found holes with the command that replays each, and other evidence.
func auditBlocks(r *analysis.Result, opt Options, w *words) []block.Block {
	command, g := auditCommand(r, opt), r.Grader
	lead := fmt.Sprintf(w.Audit.None, message.Shell(command...))
	if g == nil {
		return []block.Block{block.Note{Texts: []string{lead}}}
	}
	probes := chart.ProbesByUrgency(g.Probes)
	switch {
	case len(probes) > 0:
		lead = auditLead(g, w)
	case g.Audited > 0:
		lead = w.Audit.NoProbe
	}
	return slices.Concat(
		[]block.Block{block.Note{Texts: []string{lead}}},
		filled(rates(r, w), probeGrid(probes, r, w)),
		payloads(probes, []probeState{probeFoundHoles, probeRejected}, w.Audit.HolesTitle, command, w),
		payloads(probes, []probeState{probeShifted}, w.Audit.MovesTitle, command, w),
		filled(suspectGrid(g, w), tooGoodGrid(g, w), layerGrid(g, w), detectorGrid(g, w), agreementGrid(g, w),
			graderFailureGrid(g, w)),
		folds(w.Audit.ByItem, filled(byItemGrid(probes, w))),
	)
}

// auditCommand returns the command that audits the grader of a run.
func auditCommand(r *analysis.Result, opt Options) []string {
	command := analysis.Commands["audit"].Command
	if r.Run.Source == string(rollout.Import) {
		command = analysis.Commands["audit_with"].Command // an import has no grader of its own
		if opt.Config != "" {
			command = message.Command("gonogo", "audit", message.Run, "-c", opt.Config).Command
		}
	}
	return opt.place().At(command)
}

// filled returns the tables that have rows.
func filled(list ...Grid) (blocks []block.Block) {
	for _, g := range list {
		if len(g.Rows) > 0 {
			blocks = append(blocks, g)
		}
	}
	return blocks
}

// folds puts blocks behind a fold; it returns nothing without blocks.
func folds(summary string, blocks []block.Block) []block.Block {
	if len(blocks) == 0 {
		return nil
	}
	return []block.Block{block.Fold{Summary: summary, Blocks: blocks}}
}

// auditLead counts the probes that found holes, by expectation.
func auditLead(g *analysis.Grader, w *words) string {
	judged, moved, noise, found := 0, 0, 0, map[rollout.Expectation]int{}
	for _, p := range g.Probes {
		if p.Expect == rollout.Note || p.Items == 0 {
			continue
		}
		judged++
		if chart.CountHoles(p) > 0 {
			found[p.Expect]++
		}
		if chart.CountMoves(p) > 0 {
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
	case judged == 0:
		return w.Audit.Untold
	case holed == 0:
		lead = fmt.Sprintf(w.Audit.Sound, w.Lang.Count(judged, "probe"))
	default:
		lead = fmt.Sprintf(w.Audit.Holed, message.Whole(holed), w.Lang.Count(judged, "probe"),
			strings.Join(list, w.Signs.Comma))
	}
	if moved > 0 {
		lead += fmt.Sprintf(w.Audit.MovedToo, message.Whole(moved))
	}
	if noise > 0 && noise == moved {
		lead += w.Audit.ByNoise
	}
	return lead + w.Signs.Stop
}

// probeGrid has a row for each probe.
func probeGrid(probes []analysis.ProbeResult, r *analysis.Result, w *words) Grid {
	g := Grid{Head: w.Audit.ProbeHead, Kinds: []block.Kind{
		block.Code, block.State, block.Text, block.Number,
		block.Text, block.Number, block.Number, block.Number,
	}, Spare: []int{2, 6, 5, 3}}
	for _, p := range probes {
		state := stateOf(p)
		g.Rows = append(g.Rows, []string{
			id(p.Probe), w.Audit.States[state], must(p, w), message.Whole(p.Items), counted(p, w),
			percent(p.Accept), gap(p.Gap, r, w), message.Whole(p.Failed),
		})
		g.Tones = append(g.Tones, state.tone())
	}
	return g
}

// payloads returns the payloads of the probes in a state: the worst of each is visible, the others
// are behind a fold.
func payloads(probes []analysis.ProbeResult, states []probeState, title string, command []string,
	w *words,
) []block.Block {
	var list []block.Block
	for _, p := range probes {
		if len(p.Holes) == 0 || !slices.Contains(states, stateOf(p)) {
			continue
		}
		if list == nil {
			list = append(list, block.Heading(title))
		}
		var all []block.Block
		for i, h := range p.Holes {
			b := payload(h, p, command, w)
			if i == 0 {
				b.Name = w.named(id(p.Probe), on(p, w))
			}
			all = append(all, b)
		}
		list = append(append(list, all[0]), folds(fmt.Sprintf(w.MoreLines, message.Whole(len(all)-1)), all[1:])...)
	}
	return list
}

// must describes what a sound grader does with a probe's payloads.
func must(p analysis.ProbeResult, w *words) string {
	form := w.Audit.Must[p.Expect]
	switch {
	case p.Compared:
		return w.Audit.MustCompared[p.Expect]
	case p.Limit == nil:
		return w.Audit.MustLoose[p.Expect]
	case !strings.Contains(form, "%s"):
		return form
	}
	return fmt.Sprintf(form, message.Digits(*p.Limit))
}

// payload describes a text that the grader scored as a sound grader would not.
func payload(h analysis.Hole, p analysis.ProbeResult, command []string, w *words) block.Payload {
	out := block.Payload{
		Tone: stateOf(p).tone(), ID: id(h.ID), Earned: fmt.Sprintf(w.Audit.Earned, message.Digits(h.Reward),
			must(p, w)), Command: w.Audit.LongID,
	}
	if len(h.ID) <= idShown {
		out.Command = message.Shell(append(slices.Clone(command), "--replay", h.ID)...)
	}
	if h.Base != nil {
		out.Earned = fmt.Sprintf(w.Audit.EarnedInstead, message.Digits(h.Reward), message.Digits(*h.Base))
	}
	head, after, shortened := excerpt(h.Payload)
	text, whole := quoted(head, payloadShown)
	out.Text = text
	if after {
		out.Text = "…" + out.Text
	}
	if shortened || !whole {
		out.Text += "…"
	}
	if after || shortened || !whole {
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

// excerpt removes the ellipses of a payload that was cut, at its start and at its end.
func excerpt(s string) (text string, after, cut bool) {
	const kept = 290 // bytes: slightly less than what analysis keeps of a long payload
	if text = s; len(s) > kept {
		text, after = strings.CutPrefix(text, "…")
		text, cut = strings.CutSuffix(text, "…")
	}
	return text, after, cut
}

// estimate formats a value with its interval; "" without a value.
func estimate(e stat.Estimate) string { return message.Interval(e.Value, e.Low, e.High) }

// percent formats a share in percent with its interval.
func percent(e stat.Estimate) string {
	return message.IntervalIn(message.UnitShare, e.Value, e.Low, e.High)
}

// counted gives the number of items that a probe's share refers to.
func counted(p analysis.ProbeResult, w *words) string {
	form, ok := w.Audit.Counted[p.Expect]
	if !ok || p.Items == 0 {
		return ""
	}
	return fmt.Sprintf(form, message.Whole(p.Above))
}

// on describes the items of a hole or of a move, and its direction.
func on(p analysis.ProbeResult, w *words) string {
	n := chart.CountHoles(p) + chart.CountMoves(p)
	s := w.Audit.OnOne
	if p.Items != 1 {
		s = fmt.Sprintf(w.Audit.On, message.Whole(n), w.Lang.Count(p.Items, "item"))
	}
	if chart.CountMoves(p) > 0 && p.Up+p.Down > 0 {
		s += fmt.Sprintf(w.Audit.Ways, message.Whole(p.Up), message.Whole(p.Down))
		if p.Noise {
			s += w.Audit.ByNoise
		}
	}
	return s
}

// gap formats a probe's gap. A gap whose interval covers the whole possible range is not known.
func gap(e stat.Estimate, r *analysis.Result, w *words) string {
	width := r.RewardRange[1] - r.RewardRange[0]
	if e.Known() && (e.Items < 2 || e.Low != nil && e.High != nil && *e.Low <= -width && *e.High >= width) {
		return w.NotKnown
	}
	return estimate(e)
}
