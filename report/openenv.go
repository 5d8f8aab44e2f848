package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// openEnvReport is OpenEnv's validation report, version 1, as of openenv 0.10.0
// (openenv/validation/report.py). It refuses other keys.
type openEnvReport struct {
	Version       string          `json:"report_schema_version"`
	Target        string          `json:"target"`
	SourceDigest  string          `json:"source_digest"`
	Signature     string          `json:"signature"`
	Manifest      *struct{}       `json:"manifest"` // always null: a run is not a package
	PolicyVersion string          `json:"policy_version"`
	Lane          string          `json:"lane"`
	LevelsRun     []int           `json:"levels_run"`
	Results       []openEnvResult `json:"results"`
	Verdict       string          `json:"verdict"`
}

// openEnvResult is the outcome of one check.
type openEnvResult struct {
	CheckID     string          `json:"check_id"`
	Status      string          `json:"status"` // pass, fail or skip; error would mean that the check crashed
	Measured    openEnvMeasured `json:"measured"`
	Evidence    []string        `json:"evidence"`
	Remediation *string         `json:"remediation"`
	DurationS   float64         `json:"duration_s"` // 0: the numbers are those of the run's result
}

// openEnvMeasured is the number behind a result, with the gate that judged it. The schema leaves its
// keys to the check.
type openEnvMeasured struct {
	Gate       string        `json:"gate"`
	Split      rollout.Split `json:"split,omitempty"`
	Severity   string        `json:"severity,omitempty"` // of the gate: blocking or advisory
	Value      *float64      `json:"value"`
	Low        *float64      `json:"low"`
	High       *float64      `json:"high"`
	Confidence float64       `json:"confidence"`
	Threshold  *float64      `json:"threshold"`
	Unit       string        `json:"unit,omitempty"`
	N          int           `json:"n"` // what was measured: rollouts, grades or outputs
}

// openEnvCheck is a statistical check that OpenEnv reserves, with the gate that answers it.
type openEnvCheck struct {
	id, fact string
	fails    bool // the policy v1 fails a package for it; otherwise it warns or advises
	n        func(r *analysis.Result, s *analysis.SplitResult) int
}

// openEnvChecks lists the checks of level 4 in the order of the policy v1.
func openEnvChecks() []openEnvCheck {
	return []openEnvCheck{
		{"statistical.reward_reachability", "baseline.reachable", true, func(r *analysis.Result, s *analysis.SplitResult) int {
			best, _ := s.BestAt(r.GroupSize)
			return best.N
		}},
		{
			"statistical.difficulty_separation", "exploration.lift", true,
			func(_ *analysis.Result, s *analysis.SplitResult) int { return s.Lift.N },
		},
		{
			"statistical.headroom", "baseline.headroom", false,
			func(_ *analysis.Result, s *analysis.SplitResult) int { return s.Reward.N },
		},
		{
			"statistical.variance_bound", "grader.noise", true,
			func(_ *analysis.Result, s *analysis.SplitResult) int { return s.Variance.GraderShare.N },
		},
		{"statistical.training_signal", "signal.informative", false, func(r *analysis.Result, s *analysis.SplitResult) int {
			if signal, _ := s.SignalAt(r.GroupSize); signal != nil {
				return signal.N
			}
			return 0
		}},
		{"statistical.adversarial_floor", "grader.hackable", true, func(r *analysis.Result, _ *analysis.SplitResult) int {
			if r.Grader == nil || r.Grader.FalseAccept == nil {
				return 0
			}
			return r.Grader.FalseAccept.N
		}},
		{"statistical.gameability_gap", "grader.agreement", false, func(r *analysis.Result, _ *analysis.SplitResult) int {
			if r.Grader == nil || r.Grader.Agreement == nil {
				return 0
			}
			return r.Grader.Agreement.Outputs
		}},
	}
}

// writeOpenEnv writes the seven statistical checks of OpenEnv's validation report. A check without a
// measurement, and one whose interval includes the threshold, is a skip with its reason: never a pass.
func writeOpenEnv(w io.Writer, p *RunPage) error {
	r := p.Result
	out := openEnvReport{
		Version: "1", Target: cmp.Or(p.Name, "run"), Signature: "openenv.yaml", PolicyVersion: "v1", Lane: "hub",
		LevelsRun: []int{4}, Verdict: "pass",
	}
	for _, data := range r.Run.Data {
		if data.SHA256 != "" {
			out.SourceDigest = "sha256:" + visible(data.SHA256)
			break
		}
	}
	facts := analysis.ByFact(r.Findings)
	for _, check := range openEnvChecks() {
		result := check.result(r, facts)
		out.Results = append(out.Results, result)
		switch {
		case result.Status == "fail" && check.fails:
			out.Verdict = "fail"
		case result.Status != "pass" && out.Verdict == "pass":
			out.Verdict = "warn"
		}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(out); err != nil {
		return fmt.Errorf("write openenv.json: %w", err)
	}
	return nil
}

// result returns the outcome of the check on the split that is trained on, or on the run.
func (c openEnvCheck) result(r *analysis.Result, facts []analysis.Finding) openEnvResult {
	out := openEnvResult{
		CheckID: c.id, Status: "skip", Evidence: []string{},
		Measured: openEnvMeasured{Gate: c.fact, Confidence: r.Confidence},
	}
	split, _ := analysis.TrainingSplit(r)
	mine := slices.DeleteFunc(slices.Clone(facts), func(f analysis.Finding) bool {
		return f.Gate != c.fact || f.Split != "" && f.Split != split
	})
	if len(mine) == 0 {
		out.Evidence = append(out.Evidence, "not measured: the run was not judged by "+c.fact)
		return out
	}
	lead := mine[0]
	if i := slices.IndexFunc(mine, func(f analysis.Finding) bool { return f.Severity == analysis.Blocking }); i >= 0 {
		lead = mine[i]
	}
	english := func(text message.Text) string { return visible(text.In(message.Language{})) }
	out.Evidence = append(out.Evidence, english(lead.Title))
	m := &out.Measured
	m.Split, m.Severity, m.Value, m.Low, m.High, m.Threshold, m.Unit = lead.Split, string(lead.Severity), lead.Value,
		lead.Low, lead.High, lead.Threshold, lead.Unit
	if s := r.Splits[split]; s != nil {
		m.N = c.n(r, s)
	}
	switch lead.Status {
	case analysis.Pass:
		out.Status = "pass"
	case analysis.Fail:
		out.Status = "fail"
	case analysis.Unknown:
		out.Evidence = append(out.Evidence, "not decided: the threshold is inside the interval")
	}
	for _, f := range mine {
		if f.Severity != lead.Severity && f.Status == analysis.Fail && lead.Status == analysis.Pass {
			out.Evidence = append(out.Evidence, "caution: "+english(f.Title))
		}
	}
	if text := english(lead.Remedy); text != "" && out.Status != "pass" {
		out.Remediation = &text
	}
	return out
}
