package main

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"gonogo/analysis/compare"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/output"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/stage"
	"gonogo/report"
	"gonogo/sampler/rollout"
)

func gradeCommand() *cli.Command {
	return &cli.Command{
		Name:      "grade",
		Usage:     "grade the recorded rollouts of a run again, without sampling",
		ArgsUsage: "RUN",
		Description: `Grades every recorded output of RUN again and writes the rollouts with their new
rewards to a new run directory; RUN does not change. The former grades stay in
each record under "earlier". The grader is that of the configuration's job, or the
one in --grader: a grader or a job, JSON or YAML, or a Python file of reward
functions. Settings come from -c, else from gonogo.yaml, else from the configuration
that RUN was made with. That one is used only with --trust-run: what it would run
and send is listed first. Ctrl-C lets the gradings in flight finish; run it again to
resume. Rollouts without an output are copied as they are.

With --compare the report of both graders follows, in compared/ of the new
directory: the mean by each, how far they agree, the items on which they differ
most, and the verdict that each leads to.

Examples:
   gonogo grade my-run --grader stricter.json -o my-run-stricter
   gonogo analyze my-run-stricter
   gonogo grade my-run --grader stricter.json -o my-run-stricter --compare`,
		Flags: append(append(graderFlags(), keyed("max-rollouts")...),
			&cli.StringFlag{
				Name: "output", Aliases: []string{"o"},
				Usage: "the new run directory (default RUN-graded)",
			},
			&cli.IntFlag{
				Name: "times", Value: 1,
				Usage: "grade each output `R` times: the differences are the grader's noise",
			},
			&cli.BoolFlag{
				Name:  "compare",
				Usage: "then compare the two graders in one report, in compared/ of the new directory",
			},
			&cli.StringFlag{
				Name: "on-conflict",
				Usage: "if lines for the same rollout differ, take the `first|last`; without this flag they are an " +
					"error",
			},
		),
		Action: func(c *cli.Context) error {
			dir := c.Args().First()
			if c.Int("times") < 1 {
				return exit.Usagef("--times %d: an output is graded once at least", c.Int("times"))
			}
			old, err := rollout.Open(dir)
			if err != nil {
				return exit.AsUsage(err)
			}
			p, err := project.ForGrading(c.Context, invocationOf(c), old, false)
			if err != nil {
				return err
			}
			defer p.Close()
			graded := cmp.Or(c.String("output"), filepath.Clean(dir)+"-graded")
			err = stage.GradeAgain(c.Context, p, invocationOf(c), old, graded, c.Int("times"))
			if err != nil || !c.Bool("compare") {
				return err
			}
			return compareGraders(c, old, dir, graded)
		},
	}
}

// compareGraders prints and writes how the grades of a run differ from those of another grader in
// graded.
func compareGraders(c *cli.Context, old *rollout.Run, dir, graded string) error {
	again, err := rollout.Open(graded)
	if err != nil {
		return err
	}
	settings, err := project.SettingsFor(invocationOf(c), again.Manifest)
	if err != nil {
		return err
	}
	comparison, err := compare.Runs(c.Context, old, again,
		rollout.ReadOptions{OnConflict: rollout.Conflict(c.String("on-conflict"))}, settings)
	if err != nil {
		return err
	}
	before, err := output.PresentResult(c.Context, invocationOf(c), dir)
	if err != nil {
		return err
	}
	after, err := output.AnalyzeRun(c.Context, invocationOf(c), graded)
	if err != nil {
		return err
	}
	comparison.AddVerdicts(before, after)
	out := filepath.Join(graded, "compared")
	page, err := comparisonPage(c, comparison, dir, graded, out)
	if err != nil {
		return err
	}
	if err := report.WriteText(c.App.Writer, page); err != nil {
		return err
	}
	return writePage(c, out, page, report.ComparisonFormats())
}

// graderFlags are the flags of commands that grade recorded outputs.
func graderFlags() []cli.Flag {
	return append(slices.Concat(recordedFlags(), keyed("concurrency"), spendingFlags()),
		&cli.StringFlag{
			Name: "grader",
			Usage: "grade with the grader in `FILE`: a grader or a job, JSON or YAML, or a Python file of reward functions " +
				"(FILE.py:NAME,NAME for some of them)",
		},
		logFormatFlag(),
	)
}
