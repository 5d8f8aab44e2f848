package console

import (
	"fmt"
	"io"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/pilot"
	"gonogo/report/plain"
)

// WritePilot writes what the first steps of a training say: the verdict, a line for each look, and what
// qualifies them.
func WritePilot(w io.Writer, r *pilot.Result) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n  %s.\n\n", PilotHeadline(r), sentence(r.Verdict.Reason))
	for i := range r.Looks {
		writeLook(&b, &r.Looks[i])
	}
	if len(r.Looks) == 0 {
		fmt.Fprintf(&b, "looks        %s\n", plannedLooks(r))
	}
	if f := r.Forecast; f != nil {
		fmt.Fprintf(&b, "forecast     %s on eval by the end of the training (80 %% interval), from %s of %s\n",
			message.Difference(&f.Gain, &f.Low, &f.High), Count(f.Trainings, "recorded training"), Count(f.Kinds, "kind"))
	}
	m := r.Matching
	if m.Groups > 0 {
		fmt.Fprintf(&b, "matched      %d of %s, %s%s\n", m.Matched, Count(m.Groups, "group"),
			Count(m.Items, "item"), strangers(m))
		fmt.Fprintf(&b, "zero check   %s\n", zeroLine(r.Zero))
		fmt.Fprintf(&b, "same reward  %s\n", paidLine(r.Paid))
	}
	for i := range r.Holes {
		if h := &r.Holes[i]; h.Top > 0 {
			fmt.Fprintf(&b, "answers      %s: %s of the %d best paid, %s in the base run%s\n", h.Kind,
				message.Percent(h.Top), h.N, message.Percent(h.Base), probed(h.Paid))
		}
	}
	for _, c := range r.Curves {
		fmt.Fprintf(&b, "curve        %s: %s at step %d, %s at step %d; not paired\n", plain.First(Visible(c.Name), 60),
			message.Digits(c.Values[0]), c.Steps[0], message.Digits(c.Values[len(c.Values)-1]), c.Steps[len(c.Steps)-1])
	}
	for _, what := range r.Verdict.NotChecked {
		fmt.Fprintf(&b, "not checked  %s\n", Visible(what.String()))
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "note         %s\n", Visible(note.String()))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// PilotHeadline returns the verdict with its claim.
func PilotHeadline(r *pilot.Result) string {
	v := r.Verdict
	switch {
	case v.Answer == analysis.Go:
		return "GO: go on"
	case v.Answer == analysis.NoGo:
		return "NO-GO: stop"
	case r.NextLook != nil:
		return fmt.Sprintf("UNDECIDED: look again at step %d", *r.NextLook)
	}
	return "UNDECIDED: no further look is planned"
}

func sentence(t message.Text) string { return Capitalized(Visible(t.String())) }

func plannedLooks(r *pilot.Result) string {
	var list []string
	for _, p := range r.Planned {
		list = append(list, fmt.Sprintf("%d steps and %s", p.Step, message.Whole(p.Rollouts)))
	}
	return "planned after " + strings.Join(list, ", ") + " rollouts"
}

func writeLook(b *strings.Builder, l *pilot.Look) {
	fmt.Fprintf(b, "%-12s %s: d %s", fmt.Sprintf("step %d", l.Step), l.Verdict.Answer, differenceLine(&l.Reward))
	if l.Eval != nil {
		fmt.Fprintf(b, "; e %s", differenceLine(l.Eval))
	}
	b.WriteByte('\n')
	var parts []string
	add := func(what string, x *float64) {
		if x != nil {
			parts = append(parts, what)
		}
	}
	w := l.Window
	add(fmt.Sprintf("informative groups %s (base run %s)", percent(w.Informative),
		percent(w.BaseInformative)), w.Informative)
	add("cut off "+percent(w.Cut), w.Cut)
	add("tokens "+message.DigitsOf(w.Tokens), w.Tokens)
	add("calls "+message.DigitsOf(w.Calls), w.Calls)
	add("failed calls "+percent(w.FailedCalls), w.FailedCalls)
	add("e - d "+message.Difference(w.Transfer, nil, nil), w.Transfer)
	if len(parts) > 0 {
		fmt.Fprintf(b, "%12s %s\n", "", strings.Join(parts, ", "))
	}
}

func percent(x *float64) string {
	if x == nil {
		return "unknown"
	}
	return message.Percent(*x)
}

func differenceLine(d *pilot.Difference) string {
	switch {
	case !d.Withheld.IsEmpty():
		return "withheld: " + Visible(d.Withheld.String())
	case d.Value == nil:
		return "unknown"
	}
	return fmt.Sprintf("%s, %s", message.Difference(d.Value, d.Low, d.High), Count(d.Items, "item"))
}

func zeroLine(z *pilot.Zero) string {
	if z == nil {
		return "not checked"
	}
	holds := "holds"
	if !z.Holds {
		holds = "fails"
	}
	return fmt.Sprintf("%s: %s over the first %s, up to %s counts as none", holds,
		message.Difference(z.Value, z.Low, z.High), Count(z.N, "rollout"), message.Digits(z.Allowed))
}

func paidLine(a *pilot.Agreement) string {
	switch {
	case a == nil:
		return "not checked"
	case a.Regraded:
		return fmt.Sprintf("no: %d of %d logged rewards agree; all were graded again by the base run's grader",
			a.Agree, a.Checked)
	}
	return fmt.Sprintf("%d of %d logged rewards agree with the base run's grader", a.Agree, a.Checked)
}

func strangers(m pilot.Matching) string {
	if m.Unmatched+m.Several == 0 {
		return ""
	}
	names := make([]string, len(m.Named))
	for i, name := range m.Named {
		names[i] = plain.First(Visible(name), 60)
	}
	return fmt.Sprintf("; %d match none and %d several, such as %s", m.Unmatched, m.Several, strings.Join(names, ", "))
}

func probed(paid *bool) string {
	switch {
	case paid == nil:
		return "; no audit tried it"
	case *paid:
		return "; the grader pays the audit's probe of it"
	}
	return "; the grader does not pay the audit's probe of it"
}
