package analysis

import (
	"slices"
	"strings"
)

// noTrainingVerdict stands under a verdict that no train gate took part in.
const noTrainingVerdict = "no verdict on training"

// Judge asks every gate and folds the findings into the verdict.
func Judge(r *Result, t Thresholds, gates []Gate) {
	r.Findings = []Finding{}
	for _, g := range gates {
		r.Findings = append(r.Findings, g.Check(r, t)...)
	}
	fold(r)
}

// fold makes the verdict: any blocking fail is NO-GO; else any blocking
// unknown, or no blocking gate evaluated, is UNDECIDED; else a required gate that
// judged nothing is UNDECIDED, too; else GO. Other skipped findings never block.
// The reason is the first failing, else unknown, else missing blocking gate.
func fold(r *Result) {
	r.Verdict, r.Reason, r.Cautions, r.Note = Go, nil, []string{}, ""
	r.cover()
	var failed, unknown *string
	evaluated := false
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity == Advisory {
			if f.Status == Fail && !slices.Contains(r.Cautions, f.Gate) {
				r.Cautions = append(r.Cautions, f.Gate)
			}
			continue
		}
		switch f.Status {
		case Fail:
			failed = first(failed, f.Gate)
		case Unknown:
			unknown = first(unknown, f.Gate)
		}
		evaluated = evaluated || f.Status != Skipped
	}
	switch {
	case failed != nil:
		r.Verdict, r.Reason = NoGo, failed
	case unknown != nil || !evaluated:
		r.Verdict, r.Reason = Undecided, unknown
	default:
		if missing := r.Missing(); len(missing) > 0 {
			r.Verdict, r.Reason = Undecided, &missing[0].Gate
		}
	}
	r.Note = note(r)
	r.ExitCode = r.Verdict.ExitCode()
}

func first(have *string, gate string) *string {
	if have != nil {
		return have
	}
	return &gate
}

// note says what the verdict does not cover.
func note(r *Result) string {
	var parts []string
	if _, ok := trainingSplit(r); !ok {
		parts = append(parts, r.Lang.Text(noTrainingVerdict))
	}
	left, unseen := r.notRun()
	if text := r.Looks.note(r.Lang, r.Confidence); text != "" {
		parts = append(parts, text)
	}
	if left > 0 {
		text := r.Lang.Say("%s not made yet", r.Lang.Count(left, "planned rollout"))
		if unseen > 0 {
			text += r.Lang.Say(", and of %s none", r.Lang.Count(unseen, "item"))
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, r.Lang.Text("; "))
}
