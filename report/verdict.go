package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/pilot"
	"gonogo/report/block"
	"gonogo/report/chart"
	"gonogo/sampler/rollout"
)

// sentence returns the reason for the verdict, and the next action: the remedy of the deciding
// finding.
func (p *RunPage) sentence() (reason, next string) {
	r, w := p.Result, p.Words
	reason, next = p.decision()
	reason += p.graderToo()
	if !r.Note.IsEmpty() {
		reason = fmt.Sprintf(w.Noted, strings.TrimSuffix(reason, w.Signs.Stop), w.say(r.Note)) + w.Signs.Stop
	}
	if by := r.Run.JudgedBy; by != "" && by != p.Version {
		reason += w.Signs.Space + fmt.Sprintf(w.JudgedBy, visible(by))
	}
	return reason + changed(r, w), next
}

// scope describes in a few words what the verdict is based on if that is not everything; else "".
func (p *RunPage) scope() string {
	passed, all := p.Result.Coverage()
	switch f := p.decider(); {
	case p.Verdict == analysis.Go && len(passed) < len(all):
		return fmt.Sprintf(p.Words.OnGates, message.Whole(len(passed)), p.Words.Lang.Count(len(all), "gate"))
	case p.Verdict == analysis.NoGo && f != nil && f.Gate == "infra.failures":
		return p.Words.RunFailed
	}
	return ""
}

func (p *RunPage) decision() (reason, next string) {
	r, w := p.Result, p.Words
	meaning := w.Meaning[r.Verdict]
	if r.Verdict == analysis.Go {
		return p.goSentence(), p.lookAgain()
	}
	if missing := r.Missing(); r.Reason != nil && len(missing) > 0 && missing[0].Gate == *r.Reason {
		return p.uncovered(missing[0]), ""
	}
	f := p.decider()
	if f == nil {
		return fmt.Sprintf(w.NoneJudged, meaning), ""
	}
	if means := w.Means[f.Gate]; r.Verdict == analysis.NoGo {
		switch claim := w.Claims[r.Claim]; {
		case claim == "":
			meaning = cmp.Or(means, meaning)
		case means == "":
			meaning = claim
		default:
			meaning = w.named(claim, w.Lower(means))
		}
	}
	want := w.say(f.Want)
	if want != "" {
		want = fmt.Sprintf(w.Wanted, want)
	}
	return fmt.Sprintf(w.Because, meaning, w.Lower(unended(p.title(*f))), want), p.say(f.Remedy)
}

// graderToo names the grader's failed gates if the verdict has another reason, and the right
// answers that a gameable grader rejects: readers have to know on every picture that a grader pays
// for the wrong thing.
func (p *RunPage) graderToo() string {
	var gates []string
	for _, f := range p.found {
		if f.tone() == block.Fail && strings.HasPrefix(f.Gate, "grader.") && !decides(p.Result, f) {
			gates = append(gates, p.gateLabel(f.Gate))
		}
	}
	s := ""
	if len(gates) > 0 {
		s = p.Words.Signs.Space + fmt.Sprintf(p.Words.GraderToo, p.Words.list(slices.Compact(gates)))
	}
	if f := p.decider(); f == nil || f.Gate != "grader.hackable" {
		return s
	}
	for _, one := range chart.ProbesByUrgency(p.Result.Grader.Probes) {
		if one.Expect == rollout.Top && chart.CountHoles(one) > 0 {
			return s + p.Words.Signs.Space + fmt.Sprintf(p.Words.Rejects, id(one.Probe),
				message.Whole(chart.CountHoles(one)), p.Words.Lang.Count(one.Items, "item"))
		}
	}
	return s
}

// decides reports whether f is the finding that the verdict names as its reason.
func decides(r *analysis.Result, f finding) bool {
	if r.Reason == nil || f.Gate != *r.Reason {
		return false
	}
	if r.Verdict == analysis.NoGo {
		return f.tone() == block.Fail
	}
	return f.tone() == block.Unknown
}

// uncovered names the required gate that judged nothing, the reason, and the coverage.
func (p *RunPage) uncovered(u analysis.Unjudged) string {
	w := p.Words
	reason := fmt.Sprintf(w.NotChecked, w.Meaning[p.Verdict], p.gateLabel(u.Gate), p.whyMissing(u))
	return reason + w.Signs.Semicolon + p.coverage() + w.Signs.Stop
}

// whyMissing says why a gate judged nothing.
func (p *RunPage) whyMissing(u analysis.Unjudged) string {
	w := p.Words
	if i := slices.IndexFunc(p.found, func(f finding) bool {
		return f.tone() == block.Skipped &&
			f.Gate == u.Gate
	}); i >= 0 {
		return w.Lower(unended(p.title(p.found[i])))
	}
	return w.say(u.Why)
}

// changed names the thresholds that are not at their default, so that a verdict never hides them.
func changed(r *analysis.Result, w *words) string {
	const most = 4
	var list []string
	for i, t := range r.Changed {
		if i == most {
			list = append(list, fmt.Sprintf(w.ChangedMore, message.Whole(len(r.Changed)-most)))
			break
		}
		list = append(list,
			fmt.Sprintf(w.ChangedTo, visible(t.Name), message.Digits(t.Value), message.Digits(t.Default)))
	}
	if len(list) == 0 {
		return ""
	}
	return w.Signs.Space + fmt.Sprintf(w.Changed, w.list(list))
}

// lookAgain is what follows a GO on training: its first steps are compared with the run, unless that
// has begun.
func (p *RunPage) lookAgain() string {
	if p.Result.Claim != analysis.Start || p.pilot != nil {
		return ""
	}
	return p.say(firstSteps.With(analysis.Commands))
}

// afterPilot is what follows the last look at the training's first steps; "" where the base run is no GO
// or nothing follows.
func (p *RunPage) afterPilot() string {
	if p.pilot == nil || p.Verdict != analysis.Go {
		return ""
	}
	v := p.pilot.Verdict
	switch {
	case v.Answer == analysis.NoGo:
		return p.say(stopTraining.Text())
	case slices.ContainsFunc(p.pilot.Looks, func(l pilot.Look) bool { return l.Step == v.Step && l.Eval == nil }):
		args := maps.Clone(analysis.Commands)
		args["step"] = message.Int(v.Step)
		return p.say(sampleEval.With(args))
	}
	return ""
}

var (
	firstSteps = message.New("report.first_steps",
		"Start the training, and compare its first steps with this run: {pilot}.")
	stopTraining = message.New("report.stop_training",
		"Stop the training; the section on its first steps says what to look at.")
	sampleEval = message.New("report.sample_eval",
		"Sample eval from the checkpoint of step {step}: {pilot} --checkpoint URL --at {step}.")
)

// goSentence names the claim, what passed, what to read first, and which advisory gates are
// undecided.
func (p *RunPage) goSentence() string {
	r, w := p.Result, p.Words
	passed, all := r.Coverage()
	meaning := cmp.Or(w.Claims[r.Claim], w.Meaning[analysis.Go])
	s := fmt.Sprintf(w.AllPassed, meaning, w.Gates.of(len(passed)))
	if len(passed) < len(all) {
		s = w.named(meaning, p.coverage())
	}
	var cautions, unsettled []string
	for _, f := range p.found {
		if f.unsettled() {
			unsettled = append(unsettled, p.gateLabel(f.Gate))
		}
		if f.tone() == block.Caution && slices.Contains(r.Cautions, f.Gate) {
			switch {
			case len(r.Cautions) > 1:
				cautions = append(cautions, p.gateLabel(f.Gate))
			case len(cautions) == 0: // of the first split, which the headlines describe
				cautions = append(cautions, w.Lower(unended(p.title(f))))
			}
		}
	}
	if cautions = slices.Compact(cautions); len(cautions) > 0 {
		s += w.Signs.Stop + w.Signs.Space + w.named(w.Cautions.of(len(cautions)), w.list(cautions))
	}
	if unsettled = slices.Compact(unsettled); len(unsettled) > 0 {
		s += w.Signs.Stop + w.Signs.Space + w.named(w.Unsettled.of(len(unsettled)), w.list(unsettled))
	}
	return s + w.Signs.Stop
}
