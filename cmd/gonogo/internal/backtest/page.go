package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/stat"
)

// part is a text between two marks of docs/backtest.md.
type part struct{ name, text string }

func partsOf(all []*training) []part {
	return []part{{"verdicts", verdictTable(all)}, {"gates", gateTable(all)}, {"measures", measureTable(all)}, {"errors", errorTable(all)}, {"trainings", trainingTable(all)}}
}

func verdictTable(all []*training) string {
	var b strings.Builder
	whole := tallyOf(all, func(*training) bool { return true })
	fmt.Fprintf(&b, "%d trainings: %d gained, %d did not, %d lost.\n\n", len(all), whole[gained], whole[nothing], whole[lost])
	b.WriteString("| verdict | trainings | gained | nothing | lost | share that gained | median gain |\n|---|---|---|---|---|---|---|\n")
	for _, v := range slices.Backward(verdicts) {
		c := ofVerdict(all, v)
		var gains []float64
		for _, t := range all {
			if t.result.Verdict == v {
				gains = append(gains, t.Outcome.Gain)
			}
		}
		share, median := "", ""
		if len(gains) > 0 {
			e := stat.Share(c[gained], c.sum(), confidence)
			share, median = fmt.Sprintf("%.0f %% (%.0f to %.0f %%)", 100**e.Value, 100**e.Low, 100**e.High), fmt.Sprintf("%+.3f", stat.Quantile(gains, 0.5))
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %s | %s |\n", v, c.sum(), c[gained], c[nothing], c[lost], share, median)
	}
	b.WriteString("\nThe interval of a share is that of Clopper and Pearson (95 %).\n\n| order of the trainings | AUC against gained | n |\n|---|---|---|\n")
	for _, o := range []struct {
		name  string
		score func(*training) float64
	}{
		{"NO-GO < UNDECIDED < GO, ties by the share of groups that teach", (*training).rank},
		{"the verdict alone, ties counted half", func(t *training) float64 { return float64(slices.Index(verdicts, t.result.Verdict)) }},
		{"the share of groups that teach alone", func(t *training) float64 { return *t.signal() }},
	} {
		auc, ok := orderAUC(all, o.score)
		if !ok {
			continue // all gained, or none
		}
		fmt.Fprintf(&b, "| %s | %s | %d |\n", o.name, auc, len(all))
	}
	fmt.Fprintf(&b, "\nIntervals of an AUC are percentiles of %d bootstrap draws of trainings (seed %d).\n", draws, seed)
	return b.String()
}

func (i interval) String() string { return fmt.Sprintf("%.2f (%.2f to %.2f)", i.value, i.low, i.high) }

func gateTable(all []*training) string {
	var b strings.Builder
	b.WriteString("| blocking gate | fails | of them gained | alone stops | of them gained | right alone | open | of them gained | alone holds open | of them gained |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, g := range blockedBy(all) {
		fmt.Fprintf(&b, "| `%s` |", g.gate)
		for _, c := range []tally{g.failed, g.stoppedAlone} {
			fmt.Fprintf(&b, " %d | %d |", c.sum(), c[gained])
		}
		fmt.Fprintf(&b, " %d |", g.stoppedAlone.sum()-g.stoppedAlone[gained])
		for _, c := range []tally{g.open, g.heldAlone} {
			fmt.Fprintf(&b, " %d | %d |", c.sum(), c[gained])
		}
		b.WriteString("\n")
	}
	return b.String()
}

func measureTable(all []*training) string {
	var b strings.Builder
	b.WriteString("| measure | split | n | AUC against gained | rank correlation with the gain |\n|---|---|---|---|---|\n")
	for _, m := range measures(all) {
		fmt.Fprintf(&b, "| `%s` | %s | %d | %s | %s |\n", m.fact, m.split, m.n, m.auc, interval{*m.rho.Value, stat.Or(m.rho.Low, -1), stat.Or(m.rho.High, 1)})
	}
	return b.String()
}

// errorTable lists where the verdict did not come true.
func errorTable(all []*training) string {
	var b strings.Builder
	b.WriteString("| setting | fault | verdict | stopped by | gain |\n|---|---|---|---|---|\n")
	for _, v := range []analysis.Verdict{analysis.NoGo, analysis.Go} {
		for _, t := range all {
			if t.result.Verdict == v && (t.outcome() == gained) != (v == analysis.Go) {
				fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", t.Setting.Name, fault(t), v, decided(t), gainOf(t))
			}
		}
	}
	return b.String()
}

func trainingTable(all []*training) string {
	var b strings.Builder
	b.WriteString("| setting | fault | verdict | by | groups that teach | before | gain | as graded | outcome |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, t := range inOrder(all) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %.2f | %.3f | %s | %+.3f | %s |\n",
			t.Setting.Name, fault(t), t.result.Verdict, decided(t), *t.signal(), t.Outcome.Before, gainOf(t), t.gradedGain(), t.outcome())
	}
	return b.String()
}

// inOrder is the trainings by rank, the most promising first.
func inOrder(all []*training) []*training {
	out := slices.Clone(all)
	slices.SortStableFunc(out, func(a, b *training) int { return cmp.Compare(b.rank(), a.rank()) })
	return out
}

func gainOf(t *training) string {
	return fmt.Sprintf("%+.3f (%+.3f to %+.3f)", t.Outcome.Gain, t.Outcome.Low, t.Outcome.High)
}

// fault is what the design did to the setting, in a few words.
func fault(t *training) string {
	s := t.Setting
	switch {
	case s.Hole != "":
		return fmt.Sprintf("hole: %s pays %g", s.Hole, s.Pay)
	case s.Fault == "noise":
		return fmt.Sprintf("noise %g", s.Noise)
	case s.Fault == "copies":
		return fmt.Sprintf("copies: %d", s.Copies)
	case s.Grading == "partial":
		return s.Fault + ", partial credit"
	}
	return s.Fault
}

// decided are the gates that made the verdict.
func decided(t *training) string {
	list := t.blockers(analysis.Fail)
	if list == nil {
		list = t.blockers(analysis.Unknown)
	}
	if t.result.Verdict == analysis.Go {
		list = nil
	}
	for i, g := range list {
		list[i] = "`" + g + "`"
	}
	return strings.Join(list, ", ")
}
