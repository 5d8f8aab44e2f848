package report

import (
	"fmt"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

// rateTable collects rows of numbers about the grader: name, value with its interval, what it was
// measured on, and its meaning.
type rateTable struct {
	Grid
	words *words
}

// add adds a row, unless neither a value nor a reason for its absence is known.
func (t *rateTable) add(name, unit string, e *stat.Estimate, counted func(stat.Estimate) string, doc string) {
	if e == nil || !e.Known() && len(e.Warnings) == 0 {
		return
	}
	value := message.IntervalIn(unit, e.Value, e.Low, e.High)
	if !e.Known() {
		value = t.words.NotKnown
	}
	n := ""
	if e.N > 0 {
		n = counted(*e)
	}
	for _, warning := range e.Warnings {
		doc += t.words.Signs.Semicolon + t.words.say(warning)
	}
	t.row(name, value, n, doc)
}

func (t *rateTable) row(cells ...string) { t.Rows = append(t.Rows, cells) }

// rates are the numbers about the grader as a whole.
func rates(r *analysis.Result, w *words) Grid {
	g, a := r.Grader, w.Audit
	t := rateTable{Grid{Words: true, Rates: true, Head: a.RateHead}, w}
	in := func(thing string) func(stat.Estimate) string {
		return func(e stat.Estimate) string {
			return fmt.Sprintf(w.Measured, w.Lang.Count(e.Items, "item"), w.Lang.Count(e.N, thing))
		}
	}
	payloads, rollouts, grades := in("payload"), in("rollout"), in("output")
	t.add(a.FalseAccept, message.UnitShare, g.FalseAccept, payloads, a.FalseAcceptDoc)
	t.add(a.FalseReject, message.UnitShare, g.FalseReject, payloads, a.FalseRejectDoc)
	t.add(a.Youden, "", g.Youden, payloads, a.YoudenDoc)
	t.add(a.Brittle, message.UnitShare, g.Brittle, payloads, a.BrittleDoc)
	for _, split := range shownSplits(r) {
		if share := r.Splits[split].Variance.GraderShare; share.Known() || share.N > 0 {
			t.add(fmt.Sprintf(a.Noise, split), message.UnitShare, &share, grades, a.NoiseDoc)
		}
	}
	if g.NoiseVar.Known() {
		t.add(a.NoiseVar, "", &g.NoiseVar, grades, a.NoiseVarDoc)
	}
	t.add(a.Flip, message.UnitShare, g.FlipRate, grades, a.FlipDoc)
	t.add(a.Moved, message.UnitShare, g.Moved, grades, a.MovedDoc)
	if l := g.Length; l != nil {
		doc, p := a.LengthDoc, ""
		if l.P != nil {
			p = fmt.Sprintf(a.LengthP, message.P(*l.P))
		}
		if l.Pooled.Known() {
			doc += fmt.Sprintf(a.LengthPooled, estimate(l.Pooled))
		}
		t.add(a.Length, "", &l.Within, func(e stat.Estimate) string { return rollouts(e) + p }, doc)
		slope := a.SlopeDoc
		if l.Ratio != nil {
			slope += fmt.Sprintf(a.SlopeRatio, message.Digits(*l.Ratio))
		}
		t.add(a.Slope, "", &l.Slope, rollouts, slope)
	}
	if f := g.Form; f != nil && f.Template != "" {
		t.row(a.Form, quote(f.Template, 120), fmt.Sprintf(a.FormHave, message.Whole(f.TopWith), message.Whole(f.Top),
			message.Whole(f.Without), message.Whole(f.Least)), a.FormDoc)
	}
	if res := g.Resolution; res != nil {
		t.resolution(*res)
	}
	if g.Clipped > 0 {
		t.row(a.Clipped, message.Whole(g.Clipped), "", a.ClippedDoc)
	}
	if g.Guessable != nil {
		text := quote(g.GuessableAnswer, 120)
		t.add(a.Guessable, "", g.Guessable, func(e stat.Estimate) string { return w.named(payloads(e), text) },
			a.GuessableDoc)
	}
	t.add(a.ToolCallAlone, "", g.ToolCallAlone, payloads, a.ToolCallAloneDoc)
	for _, p := range g.Probes {
		if p.Slow > 0 {
			t.row(a.Slow, fmt.Sprintf(w.Use.Seconds, message.DigitsOf(p.SlowSeconds)),
				fmt.Sprintf(a.SlowOn, id(p.Probe), w.Lang.Count(p.Slow, "item"), message.DigitsOf(p.TypicalSeconds)), a.SlowDoc)
		}
	}
	return t.Grid
}

var entropy = message.New("report.audit.entropy", "{bits|bit}")

// resolution describes how finely the grader distinguishes outputs.
func (t *rateTable) resolution(res analysis.Resolution) {
	a := t.words.Audit
	counted := []string{t.words.Lang.Count(res.N, "rollout")}
	if res.EntropyBits != nil {
		counted = append(counted, entropy.With(message.Args{"bits": message.Number(*res.EntropyBits)}).In(t.words.Lang))
	}
	if res.ShareLow != nil && res.ShareHigh != nil {
		counted = append(counted, fmt.Sprintf(a.Ends, message.Percent(*res.ShareLow), message.Percent(*res.ShareHigh)))
	}
	t.row(a.Distinct, message.Whole(res.Distinct), strings.Join(counted, t.words.Signs.Semicolon), a.DistinctDoc)
}

// agreementGrid describes how the grader agrees with people.
func agreementGrid(g *analysis.Grader, w *words) Grid {
	t := rateTable{Grid{Words: true, Rates: true, Title: w.Audit.Agreement, Head: w.Audit.RateHead}, w}
	if g.Agreement == nil {
		return t.Grid
	}
	p, a := g.Agreement, w.Audit
	outputs := func(e stat.Estimate) string { return w.Lang.Count(e.N, "output") }
	t.add(a.Spearman, "", &p.Spearman, outputs, a.SpearmanDoc)
	t.add(a.BaseRate, message.UnitShare, p.BaseRate, outputs, a.BaseRateDoc)
	t.add(a.Kappa, "", p.Kappa, outputs, a.KappaDoc)
	if e := p.Errors; e != nil {
		t.add(a.WrongAccepted, message.UnitShare, &e.WrongAccepted, outputs, a.WrongAcceptedDoc)
		t.add(a.RightRejected, message.UnitShare, &e.RightRejected, outputs, a.RightRejectedDoc)
		t.add(a.FalseAccept, message.UnitShare, &e.FalseAccept, outputs, a.LabelAcceptDoc)
		t.add(a.FalseReject, message.UnitShare, &e.FalseReject, outputs, a.LabelRejectDoc)
		t.add(a.AcceptedShare, message.UnitShare, &e.Accepted, outputs, a.AcceptedShareDoc)
		t.add(a.Corrected, message.UnitShare, &e.Right, outputs, a.CorrectedDoc)
	}
	t.add(a.Alpha, "", p.Alpha, outputs, a.AlphaDoc)
	t.add(a.Ceiling, "", p.Ceiling, outputs, a.CeilingDoc)
	t.Notes = append(t.Notes, fmt.Sprintf(a.Labels, w.Lang.Count(p.Labels, "label"), w.Lang.Count(p.Raters, "rater"),
		w.Lang.Count(p.Outputs, "output")))
	if len(p.Items) > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf(a.Differ, few(ids(p.Items), 10, w)))
	}
	return t.Grid
}
