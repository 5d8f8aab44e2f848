package judge_test

import (
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
)

// Of 200 items m vary, half of their rollouts right, in groups of all 8 rollouts: the share is m/200, and the upper
// ends are those of Clopper and Pearson (scipy.stats.beta.ppf(0.975, m+1, 200-m)): 0.0183, 0.0357, 0.0642, 0.0887.
func TestInformativeGroupsOfTheWholeTraining(t *testing.T) {
	for _, c := range []struct {
		what          string
		vary          int
		batch, epochs int
		verdict       analysis.Verdict
		claim         string
		says          string
	}{
		{"none in 800 assumed groups: at most 14.6", 0, 0, 0, analysis.NoGo, analysis.NothingToLearn, "in a training of 100 steps and 800 groups (assumed"},
		{"1 % of 800: 8, and up to 28.6", 2, 0, 0, analysis.Undecided, "", "8 informative groups"},
		{"1 % of the 400 planned: at most 14.3", 2, 8, 2, analysis.NoGo, analysis.NothingToLearn, "the whole training (50 steps, 400 groups)"},
		{"3 % of 800: 24, between 0 and 10 %, does not block", 6, 0, 0, analysis.Go, analysis.Start, "24 informative groups"},
		{"3 % of 400: 12, and up to 25.7", 6, 16, 2, analysis.Undecided, "", "12 informative groups"},
		{"a long training of few: 4.5 % of 2,000", 9, 8, 10, analysis.Go, analysis.Start, "90 informative groups"},
	} {
		t.Run(c.what, func(t *testing.T) {
			s := analysis.DefaultSettings()
			s.BatchSize, s.Epochs = c.batch, c.epochs
			r := analyze(t, s, rows(200, 8, func(i, j int) float64 {
				if i < c.vary {
					return float64(j % 2)
				}
				return float64(i % 2)
			}))
			if r.Verdict != c.verdict || r.Claim != c.claim {
				t.Errorf("%s, claiming %q by %s; want %s, %q", r.Verdict, r.Claim, stringOr(r.Reason, ""), c.verdict, c.claim)
			}
			i := slices.IndexFunc(r.Findings, func(f analysis.Finding) bool {
				return f.Gate == "signal.informative" && f.Severity == analysis.Blocking
			})
			f := &r.Findings[i]
			if !strings.Contains(f.Title.String(), c.says) {
				t.Errorf("the title is %q, without %q", f.Title.String(), c.says)
			}
			if f.Status == analysis.Unknown && (f.Needs == nil || f.Needs.Items <= 200) {
				t.Errorf("open, and %+v would settle it", f.Needs)
			}
		})
	}
}

// A NO-GO about trust asks for a repair, and nothing is claimed about training where there is no train split.
func TestClaims(t *testing.T) {
	lost := rows(60, 8, func(_, j int) float64 { return float64(j % 2) })
	for i := range lost {
		if i%3 == 0 {
			head, _, _ := strings.Cut(lost[i], `,"reward"`)
			lost[i] = head + `,"outcome":"tool","error":"status 503"}`
		}
	}
	if r := analyze(t, analysis.DefaultSettings(), lost); r.Verdict != analysis.NoGo || r.Claim != analysis.Repair {
		t.Errorf("a third of rollouts lost: %s, claiming %q by %s", r.Verdict, r.Claim, stringOr(r.Reason, ""))
	}
	for i := range lost {
		lost[i] = strings.Replace(lost[i], `{"item"`, `{"split":"eval","item"`, 1)
	}
	if r := analyze(t, analysis.DefaultSettings(), lost); r.Verdict != analysis.NoGo || r.Claim != "" {
		t.Errorf("of eval alone: %s, claiming %q", r.Verdict, r.Claim)
	}
}
