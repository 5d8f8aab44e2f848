package report

import (
	"fmt"
	"strings"

	"gonogo/analysis/message"
	"gonogo/analysis/pilot"
	"gonogo/report/block"
	"gonogo/report/chart"
)

// pilotLine is the verdict of the pilot with its claim and reason, for the brief.
func (p *RunPage) pilotLine() block.Note {
	v := p.pilot.Verdict
	return block.Note{
		Lead: p.Words.Pilot.Lead, Texts: []string{p.pilotSaid(v, p.pilot.NextLook)}, Tone: verdictTone(v.Answer),
	}
}

// pilotSaid is a verdict with its claim and reason: "GO at step 20: go on — eval has risen by +0.3".
func (p *RunPage) pilotSaid(v pilot.Verdict, next *int) string {
	w := p.Words.Pilot
	claim := visible(v.Claim)
	switch {
	case v.Claim == pilot.ClaimLook && next != nil:
		claim = fmt.Sprintf(w.AgainAt, message.Whole(*next))
	case v.Claim == pilot.ClaimLook:
		claim = w.Again
	case v.Claim == pilot.ClaimGoOn:
		claim = w.GoOn
	case v.Claim == pilot.ClaimStop:
		claim = w.Stop
	case v.Claim == pilot.ClaimUndecided:
		claim = w.Undecided
	}
	said := fmt.Sprintf(w.SaidEarly, v.Answer, claim)
	if v.Step > 0 {
		said = fmt.Sprintf(w.Said, v.Answer, message.Whole(v.Step), claim)
	}
	return fmt.Sprintf(w.Because, said, p.Words.say(v.Reason)) + p.Words.Signs.Stop
}

// pilotBlocks show what the first steps of the training say; nothing without a pilot.
func (p *RunPage) pilotBlocks() []block.Block {
	r := p.pilot
	if r == nil {
		return nil
	}
	w := p.Words.Pilot
	line := p.pilotLine()
	line.Lead = ""
	list := []block.Block{line}
	list = append(list, p.figures(isPilot)...)
	list = append(list, filled(p.looksGrid())...)
	if notes := p.Words.notes(r.Verdict.NotChecked); len(notes) > 0 {
		list = append(list, block.Note{Lead: w.NotChecked, Texts: notes, Points: true})
	}
	list = append(list, factBlock(p.pilotFacts())...)
	list = append(list, filled(p.holesGrid(), p.curvesGrid())...)
	if notes := p.Words.notes(r.Notes); len(notes) > 0 {
		list = append(list, block.Note{Texts: notes, Points: true, Muted: true})
	}
	return list
}

// looksGrid has a row for each planned look; those that the log has not reached have no numbers.
func (p *RunPage) looksGrid() Grid {
	r, w := p.pilot, p.Words.Pilot
	g := Grid{
		Head: w.Head, Spare: []int{2},
		Kinds: []block.Kind{block.Number, block.Number, block.Number, block.Number, block.Number, block.State},
	}
	for i, step := range r.LookSteps {
		if i >= len(r.Looks) {
			g.Rows = append(g.Rows, []string{
				message.Whole(step), "≥ " + message.Whole(r.Planned[i].Rollouts), "–", "–", "–", w.Planned,
			})
			g.Tones = append(g.Tones, block.Skipped)
			continue
		}
		k := &r.Looks[i]
		reward, eval := difference(k.Reward), w.NotSampled
		if !k.Reward.Withheld.IsEmpty() {
			reward = w.Withheld
			g.Notes = append(g.Notes, fmt.Sprintf(w.WhyWithheld, message.Whole(step), p.Words.say(k.Reward.Withheld))+
				p.Words.Signs.Stop)
		}
		if k.Eval != nil {
			eval = difference(*k.Eval)
			if k.Eval.Step != k.Step {
				eval = fmt.Sprintf(w.AtStep, eval, message.Whole(k.Eval.Step))
			}
		}
		g.Rows = append(g.Rows, []string{
			message.Whole(step), message.Whole(k.Rollouts), message.Whole(k.Groups), reward, eval,
			string(k.Verdict.Answer),
		})
		g.Tones = append(g.Tones, verdictTone(k.Verdict.Answer))
	}
	return g
}

// isPilot reports whether a picture is that of the pilot, which its section shows.
func isPilot(f chart.Figure) bool { return f.Name == "pilot" }

func difference(d pilot.Difference) string { return message.Difference(d.Value, d.Low, d.High) }

// pilotFacts are what the verdict rests on, and what the newest look measured in addition.
func (p *RunPage) pilotFacts() []Fact {
	r, w := p.pilot, p.Words.Pilot
	facts := []Fact{{Name: w.Matching, Value: p.matched()}}
	if r.Matching.Groups == 0 {
		facts = nil
	}
	add := func(name, form string, args ...any) {
		facts = append(facts, Fact{Name: name, Value: fmt.Sprintf(form, args...)})
	}
	if z := r.Zero; z != nil {
		form := w.ZeroFails
		if z.Holds {
			form = w.ZeroHolds
		}
		add(w.Zero, form, message.Difference(z.Value, z.Low, z.High), message.Digits(z.Allowed))
	}
	if a := r.Paid; a != nil {
		text := fmt.Sprintf(w.PaidIs, message.Whole(a.Agree), p.Words.Lang.Count(a.Checked, "logged answer"))
		if a.Regraded {
			text += p.Words.Signs.Semicolon + w.Regraded
		}
		add(w.Paid, "%s", text)
	}
	if r.Groups.Expected > 0 || r.Groups.Equal > 0 {
		add(w.Equal, w.EqualIs, message.Fixed(r.Groups.Equal, 1), message.Fixed(r.Groups.Expected, 1))
	}
	if k := r.Newest(); k != nil {
		facts = append(facts, p.windowFacts(k.Window)...)
	}
	if f := r.Forecast; f != nil {
		add(w.Forecast, w.ForecastIs, message.Signed(f.Gain), message.Signed(f.Low), message.Signed(f.High),
			p.Words.Lang.Count(f.Trainings, "recorded training"), p.Words.Lang.Count(f.Kinds, "kind"))
	}
	for _, in := range r.Inputs {
		add(w.Log, w.LogIs, visible(in.Name), first(visible(in.SHA256), 12))
	}
	return facts
}

// matched counts the groups of the log that match an item of the base run, and names two that do not.
func (p *RunPage) matched() string {
	m, w := p.pilot.Matching, p.Words.Pilot
	groups, items := p.Words.Lang.Count(m.Groups, "group"), p.Words.Lang.Count(m.Items, "item")
	texts := []string{fmt.Sprintf(w.Matched, message.Whole(m.Matched), groups, items)}
	if m.Unmatched > 0 {
		texts = append(texts, fmt.Sprintf(w.Unmatched, message.Whole(m.Unmatched)))
	}
	if m.Several > 0 {
		texts = append(texts, fmt.Sprintf(w.Several, message.Whole(m.Several)))
	}
	if len(m.Named) > 0 {
		var names []string
		for _, name := range m.Named {
			names = append(names, quote(name, 60))
		}
		texts = append(texts, fmt.Sprintf(w.Named, p.Words.list(names)))
	}
	return strings.Join(texts, p.Words.Signs.Semicolon)
}

// windowFacts say what the rollouts of the last ten steps were like. They decide nothing.
func (p *RunPage) windowFacts(win pilot.Window) []Fact {
	w := p.Words.Pilot
	shown := func(x *float64, format func(float64) string) string {
		if x == nil {
			return ""
		}
		return format(*x)
	}
	informative, transfer := "", ""
	if win.Informative != nil {
		informative = fmt.Sprintf(w.NowBase, message.Percent(*win.Informative),
			message.DigitsIn(message.UnitShare, win.BaseInformative))
	}
	if win.Transfer != nil {
		transfer = fmt.Sprintf(w.TransferIs, message.Signed(*win.Transfer))
	}
	return filledFacts(
		Fact{Name: w.Informative, Value: informative},
		Fact{Name: w.Tokens, Value: shown(win.Tokens, message.Digits)},
		Fact{Name: w.Cut, Value: shown(win.Cut, message.Percent)},
		Fact{Name: w.Calls, Value: shown(win.Calls, message.Digits)},
		Fact{Name: w.FailedCalls, Value: shown(win.FailedCalls, message.Percent)},
		Fact{Name: w.Transfer, Value: transfer},
	)
}

// holesGrid lists the kinds of answers that the grader may pay although they answer nothing.
func (p *RunPage) holesGrid() Grid {
	w := p.Words.Pilot
	g := Grid{
		Title: w.Holes, Head: w.HoleHead, Notes: w.HoleNotes,
		Kinds: []block.Kind{block.Text, block.Number, block.Number, block.Number, block.Text},
	}
	for _, h := range p.pilot.Holes {
		paid := w.NotTried
		if h.Paid != nil {
			paid = w.NotPaying
			if *h.Paid {
				paid = w.Paying
			}
		}
		g.Rows = append(g.Rows, []string{
			visible(h.Kind), message.Percent(h.Base), message.Percent(h.Top), message.Whole(h.N), paid,
		})
	}
	return g
}

// curvesGrid lists the curves that the trainer logged.
func (p *RunPage) curvesGrid() Grid {
	w := p.Words.Pilot
	g := Grid{Title: w.Curves, Head: w.CurveHead, Notes: w.CurveNotes}
	for _, c := range p.pilot.Curves {
		if n := len(c.Values); n > 0 {
			g.Rows = append(g.Rows, []string{
				id(c.Name), message.Whole(n), message.Digits(c.Values[0]), message.Digits(c.Values[n-1]),
			})
		}
	}
	return g
}
