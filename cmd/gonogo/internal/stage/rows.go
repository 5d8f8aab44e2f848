package stage

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/judge"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/sampler/rollout"
	"gonogo/sampler/tryout"
)

// compareRows judges all rows of the data files: copies, conflicts and shift.
func compareRows(p *project.Project) (*analysis.Shift, []analysis.Finding) {
	var items []rollout.Item
	for _, f := range p.Inputs.Files {
		items = append(items, f.Items...)
	}
	s := p.Config.Settings()
	s.Reference = func(it *rollout.Item) string {
		ref, _ := p.Audit.Reference(it)
		return ref.Text
	}
	return judge.CheckItems(items, s)
}

// readyRows stops a run whose rows alone make it a NO-GO, as check would report: no rollout can
// change that. It does not stop a run that already holds a grade, nor a nightly run, which compares
// the model with former nights on the same rows.
func readyRows(ctx context.Context, p *project.Project, c *project.Invocation, dir string) error {
	if c.Sampling.DespiteProblems || c.Command == "nightly" || tryout.AlreadyGraded(ctx, dir) {
		return nil
	}
	_, findings := compareRows(p)
	failed := analysis.Blockers(findings, analysis.Fail)
	if len(failed) == 0 {
		return nil
	}
	console.WriteFindings(c.Err, slices.DeleteFunc(findings, func(f analysis.Finding) bool {
		return f.Severity != analysis.Blocking || f.Status != analysis.Fail
	}))
	return &exit.Error{Code: exit.NoGo, Err: fmt.Errorf("the rows fail %s: see above; nothing was sampled; correct "+
		"the data files, or sample --despite-problems", strings.Join(failed, ", "))}
}
