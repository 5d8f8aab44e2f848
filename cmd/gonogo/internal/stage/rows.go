package stage

import (
	"gonogo/analysis"
	"gonogo/analysis/judge"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/sampler/rollout"
)

// compareRows judges the rows of all data files, whole: copies, conflicts and
// shift between them.
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
