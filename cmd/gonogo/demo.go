package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"gonogo/analysis/archive"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/stage"
	"gonogo/fixtures"
	"gonogo/sampler/rollout"
)

func demoCommand() *cli.Command {
	return &cli.Command{
		Name:  "demo",
		Usage: "run everything once on a small built-in world, offline",
		Description: `Serves a small world on this machine (questions with known answers, tools, a
grader) and does a complete run on it, through the same code as with a real model.
The policy is scripted, not a model. The exit code is the verdict.

` + console.WorldNames() + `

gonogo help worlds describes each one, with its verdict.

With --policy the policy after training plays, also scripted, and the run is
compared with demo-WORLD: the exit code is that of gonogo compare.

Examples:
   gonogo demo --world finance-qa
   gonogo demo --world finance-qa --policy step-10`,
		Flags: append(keyed("concurrency", "samples", "group-size", "max-rollouts"),
			&cli.StringFlag{Name: "world", Value: "healthy", Usage: "the `NAME` of the world"},
			&cli.StringFlag{
				Name:  "policy",
				Usage: "sample the world's policy `POLICY` and compare the run with demo-WORLD",
			},
			&cli.StringFlag{Name: "seed", Value: "1", Usage: "the random seed `N`"},
			&cli.StringFlag{
				Name: "output", Aliases: []string{"o"},
				Usage: "the run directory `RUN` (default demo-WORLD or demo-WORLD-POLICY)",
			},
			logFormatFlag(),
			&cli.StringSliceFlag{Name: "set", Usage: "`KEY=VALUE` sets a key of the configuration; may be repeated"},
			&cli.BoolFlag{
				Name: "despite-problems", Value: true,
				Usage: "sample although the data files break the platform's rules",
			},
			&cli.BoolFlag{Name: "no-audit", Usage: "skip the audit of the grader"},
			langFlag(), allFlag(),
			&cli.BoolFlag{Name: "json", Usage: "print result.json to standard output"},
		),
		Action: func(c *cli.Context) error {
			world, err := project.World(c.String("world"))
			if err != nil {
				return exit.AsUsage(err)
			}
			return playWorld(c, world)
		},
	}
}

// playWorld runs a world; with another policy it also compares the two runs.
func playWorld(c *cli.Context, world fixtures.World) error {
	base := "demo-" + world.Name
	dir := cmp.Or(c.String("output"), base)
	if !c.IsSet("policy") {
		return demo(c, world, dir)
	}
	played, err := world.Policy(c.String("policy"))
	if err != nil {
		return exit.AsUsage(err)
	}
	dir = cmp.Or(c.String("output"), base+"-"+played.Short())
	switch _, err := os.Stat(filepath.Join(base, archive.ResultFile)); {
	case c.Bool("json"):
		return exit.Usagef("--json prints one result, and --policy makes a result and a comparison: leave one of " +
			"them out")
	case err != nil:
		return exit.Usagef("there is no run %s to compare with: gonogo demo --world %s makes it", base, world.Name)
	}
	if err := demo(c, world, dir, "model.name="+played.Name); err != nil {
		if e, ok := errors.AsType[*exit.Error](err); !ok || e.Code != exit.NoGo && e.Code != exit.Undecided {
			return err
		}
	}
	compare := []string{c.App.Name, "compare", "--output", filepath.Join(dir, "comparison")}
	if lang := c.String("lang"); lang != "" {
		compare = append(compare, "--lang", lang)
	}
	return c.App.RunContext(c.Context, append(compare, base, dir))
}

// demo runs a world into a directory. Its own settings precede those of the command.
func demo(c *cli.Context, world fixtures.World, dir string, settings ...string) (err error) {
	if program := world.Missing(); program != "" {
		return exit.Usagef("the world %q needs %s, which is not on PATH: install it, or choose another world",
			world.Name, program)
	}
	// The world's files are in a temporary directory, because the run directory must be empty when
	// it is created.
	inputs, err := os.MkdirTemp("", "gonogo-world-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(inputs)) }()
	if err := world.Write(inputs); err != nil {
		return err
	}
	server, err := world.Serve(fixtures.ServeOptions{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()

	served := "sampling.address_map." + fixtures.Origin + "=" + server.URL()
	set := append(append(settings, overrides(c)...), "seed="+c.String("seed"), served)
	cfg, err := config.Load(filepath.Join(inputs, "gonogo.yaml"), os.LookupEnv, set...)
	if err != nil {
		return exit.AsUsage(err)
	}
	p, err := project.New(c.Context, cfg)
	if err != nil {
		return err
	}
	defer p.Close()
	fmt.Fprintf(c.App.ErrWriter, "World %q: %s\nThe policy is scripted, not a model.\n", world.Name, world.Doc)
	var step func() error
	if world.Burst {
		step = func() error { return rehearseStep(c.Context, invocationOf(c), dir, served) }
	}
	err = runProject(c.Context, invocationOf(c), p, dir, step)
	return errors.Join(err, keepInputs(world, dir))
}

// rehearseStep plays a training step against a world's own endpoints, which needs no confirmation.
func rehearseStep(ctx context.Context, c *project.Invocation, dir, served string) error {
	run, err := rollout.Open(dir)
	if err != nil {
		return err
	}
	cfg, err := config.Inherited(run, served)
	if err != nil {
		return err
	}
	p, err := stage.WireBurst(ctx, c, run, cfg)
	if err != nil {
		return err
	}
	defer p.Close()
	plan, how, err := stage.PlanBurst(ctx, p, run)
	if err == nil {
		err = stage.ReadyToBurst(ctx, p, c)
	}
	if err != nil {
		return err
	}
	return stage.Burst(ctx, p, c, run, plan, how)
}

// keepInputs writes the world's files into the run directory, as an example of a configuration with
// its job and data.
func keepInputs(world fixtures.World, dir string) error {
	if _, err := os.Stat(filepath.Join(dir, rollout.ManifestFile)); err != nil {
		return nil // the run was not created
	}
	return world.Write(filepath.Join(dir, "world"))
}
