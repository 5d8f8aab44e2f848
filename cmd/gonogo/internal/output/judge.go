package output

import (
	"context"
	"strings"

	"gonogo/analysis"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/sampler/rollout"
)

// Judged analyses what a run holds, and says which reports are wanted of it.
func Judged(ctx context.Context, c *project.Call, p *project.Project, dir string) (*rollout.Run, *analysis.Result, Delivery, error) {
	opened, err := rollout.Open(dir)
	if err != nil {
		return nil, nil, Delivery{}, err
	}
	result, err := Analyze(ctx, c, opened, p.Config.JudgeSettings(opened.Manifest))
	if err != nil {
		return nil, nil, Delivery{}, err
	}
	formats, err := PickFormats(strings.Join(p.Config.Report.Formats, ","))
	return opened, result, Delivery{Formats: formats, Out: ReportDir(dir), Look: p.Config.Report, config: c.Config}, err
}
