// Command mygonogo does what gonogo audit, gonogo analyze and gonogo report do, with a
// gate, a chart and a probe of its own.
//
//	mygonogo audit RUN
//	mygonogo judge RUN [gonogo.yaml]
package main

import (
	"context"
	"errors"
	"fmt"
	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/report"
	"gonogo/report/chart"
	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/rollout"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"
)

func main() {
	code, err := run(context.Background(), os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "mygonogo:", err)
	}
	os.Exit(code)
}

// run returns the exit code: that of the verdict, 2 for what cannot be used, 1 where
// something else failed.
func run(ctx context.Context, args []string) (int, error) {
	if len(args) < 2 {
		return 2, errors.New("usage: mygonogo audit RUN, or mygonogo judge RUN [gonogo.yaml]")
	}
	opened, err := rollout.Open(args[1])
	if err != nil {
		return 2, err
	}
	if args[0] == "audit" {
		if err := putProbes(ctx, opened, shruggedOff{}); err != nil {
			return 1, err
		}
		return 0, nil
	}
	gates := append(gate.All(), effort)
	settings, err := settings(args[2:], gates)
	if err != nil {
		return 2, err
	}
	result, err := judge.Analyze(ctx, opened, rollout.ReadOptions{}, settings, gates)
	if err != nil {
		return 1, err
	}
	if err := write(result, opened.Dir, gates); err != nil {
		return 1, err
	}
	fmt.Println(result.Verdict)
	for i := range result.Findings {
		if f := &result.Findings[i]; f.Status == analysis.Fail {
			fmt.Println(f.Title)
		}
	}
	return result.ExitCode, nil
}

// write writes result.json and the report, with the chart among its pictures.
func write(result *analysis.Result, dir string, gates analysis.Gates) error {
	file, err := os.Create(filepath.Join(dir, "result.json"))
	if err != nil {
		return err
	}
	if err := errors.Join(result.Encode(file), file.Close()); err != nil {
		return err
	}
	page := report.NewRunPage(result, report.Options{Dir: dir, Gates: gates, Charts: append(chart.Charts(), effortChart)})
	return report.Write(filepath.Join(dir, "report"), page, report.Formats()[:3])
}

// settings are the defaults, with the thresholds of a gonogo.yaml: a name that no gate
// has is refused.
func settings(files []string, gates analysis.Gates) (analysis.Settings, error) {
	s := analysis.DefaultSettings()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return s, err
		}
		var config struct{ Thresholds analysis.Thresholds }
		if err := yaml.Unmarshal(text, &config); err != nil {
			return s, err
		}
		s.Thresholds = config.Thresholds
	}
	return s, gates.Validate(s)
}

// putProbes has a grader grade the payloads of all probes, and of the one of ours, on
// the items of a run.
func putProbes(ctx context.Context, opened *rollout.Run, grader sampler.Grader) error {
	plan, err := audit.NewPlan(ctx, audit.DefaultConfig(), audit.Input{
		Items: opened.Items, Records: opened.Records, Range: [2]float64{0, 1}, Probes: append(audit.Probes(), shrug),
	})
	if err != nil {
		return err
	}
	probes, err := rollout.OpenProbes(opened.Dir, plan.Keep, rollout.WriterOptions{})
	if err != nil {
		return err
	}
	for _, known := range plan.Known {
		err = errors.Join(err, probes.Append(known))
	}
	if err == nil {
		_, err = sampler.Regrade(ctx, sampler.RegradeOptions{
			Config: sampler.DefaultConfig(), Tasks: plan.Tasks(), Total: plan.Todo().Gradings, Grader: grader,
			Sink: audit.WithoutCopies(probes),
		})
	}
	return errors.Join(err, probes.Close())
}

// shruggedOff is a grader with a hole: it pays for the reference, and for a shrug.
type shruggedOff struct{}

func (shruggedOff) Grade(_ context.Context, out sampler.Output) (sampler.Grade, error) {
	reference, _ := audit.FieldReference(out.Item)
	if out.Text == reference.Text || strings.Contains(out.Text, "ツ") {
		return sampler.Grade{Reward: 1}, nil
	}
	return sampler.Grade{}, nil
}
