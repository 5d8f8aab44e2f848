package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/output"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/report/recipe"
	"gonogo/sampler/input/dataset"
	"gonogo/sampler/input/spelling"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

func planCommand() *cli.Command {
	trainers := ui.Names(recipe.Trainers(),
		func(t recipe.Trainer) string { return fmt.Sprintf("   %-10s %s", t.Name, t.Doc) })
	return &cli.Command{
		Name:      "plan",
		Usage:     "write the trainer's configuration that the measurements of a run support",
		ArgsUsage: "RUN",
		Description: `Writes group size, batch, steps, limits of tokens and tool calls, evaluations and
what to do about items that teach nothing, each with the measurement behind it as a
comment. Configured numbers (training.batch_size, training.epochs,
training.eval_interval, training.eval_samples) are kept. Settings that no
measurement supports, such as the learning rate, are left to the trainer.

With --pilot it writes only the first steps, up to the last look of gonogo pilot: with
the log that it reads, a checkpoint for each look, all groups, no shuffling, and next to
FILE the training file with the run's items first.

Trainers:
` + strings.Join(trainers, "\n") + `

Example:
   gonogo plan my-run --for trl -o grpo.yaml
   gonogo plan my-run --for trl --pilot -o first.yaml
   gonogo plan my-run --for verl --set training.batch_size=64`,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "for", Usage: "`TRAINER`: " + strings.Join(trainerNames(), ", ")},
			&cli.StringFlag{
				Name: "output", Aliases: []string{"o"},
				Usage: "write to `FILE` instead of standard output; - is standard output, too",
			},
			&cli.BoolFlag{Name: "force", Usage: "overwrite the files"},
			&cli.BoolFlag{Name: "pilot", Usage: "write only the first steps, with the log that gonogo pilot reads"},
			&cli.StringFlag{
				Name:  "train",
				Usage: "with --pilot, the training file is `FILE` (default: the configuration's)",
			},
		}, analysisFlags()),
		Action: planAction,
	}
}

func trainerNames() []string {
	return ui.Names(recipe.Trainers(), func(t recipe.Trainer) string { return t.Name })
}

func planAction(c *cli.Context) error {
	i := slices.Index(trainerNames(), c.String("for"))
	switch {
	case c.String("for") == "":
		return exit.Usagef("name the trainer with --for: %s", strings.Join(trainerNames(), ", "))
	case i < 0:
		return exit.Usagef("no configuration is known for %q%s", c.String("for"),
			spelling.Choices(c.String("for"), trainerNames()))
	}
	out := c.String("output")
	if out == output.StandardOutput {
		out = ""
	}
	if c.IsSet("train") && !c.Bool("pilot") {
		return exit.Usagef("--train orders the rows of the first steps: add --pilot")
	}
	if out != "" && !c.Bool("force") {
		files := []string{out}
		if c.Bool("pilot") {
			files = append(files, recipe.PilotTrain(out))
		}
		if err := refuseExisting("choose another name with -o, or overwrite it with --force", files...); err != nil {
			return err
		}
	}
	dir := output.RunOfResult(c.Args().First())
	result, err := output.ResultFor(c.Context, invocationOf(c), dir)
	if err != nil {
		return err
	}
	given, rows, err := planGiven(c, dir, out)
	if err != nil {
		return err
	}
	text, err := recipe.Trainers()[i].Write(result, given)
	if err != nil {
		return exit.Usagef("%s: %v", dir, err)
	}
	if out == "" {
		_, err := c.App.Writer.Write(text)
		return err
	}
	if rows != nil {
		if err := disk.WriteFile(given.Pilot.Train, rows); err != nil {
			return err
		}
	}
	return disk.WriteFile(out, text)
}

// planGiven returns the configured settings of training, and the length of the prompts; for the
// first steps also the rows of their training file.
func planGiven(c *cli.Context, dir, out string) (recipe.Given, []byte, error) {
	cfg, _, err := output.RunConfig(invocationOf(c), dir)
	if err != nil {
		return recipe.Given{}, nil, err
	}
	t := cfg.Training
	given := recipe.Given{
		Run: c.Args().First(), Model: cfg.Model.Name, BatchSize: t.BatchSize, Epochs: t.Epochs,
		EvalEvery: t.EvalInterval, EvalSamples: t.EvalSamples,
		Sampling: &rollout.Sampling{Sent: cfg.Model.Config().Sent()}, Normalize: cfg.Trainer.Normalize, Job: cfg.Body,
	}
	if c.IsSet("group-size") {
		given.GroupSize = t.GroupSize
	}
	if opened, err := rollout.OpenManifest(dir); err == nil && opened.Manifest != nil &&
		opened.Manifest.Sampling != nil {
		given.Sampling = opened.Manifest.Sampling
	}
	run, err := rollout.Open(dir)
	if err != nil { // there is only the result
		run = &rollout.Run{}
	}
	for i := range run.Items {
		if it := &run.Items[i]; it.Split == rollout.Train {
			given.PromptBytes = max(given.PromptBytes, dataset.PromptBytes(it))
		}
	}
	if !c.Bool("pilot") {
		return given, nil, nil
	}
	var rows []byte
	given.Pilot, rows, err = planPilot(c, run, cfg, out)
	return given, rows, err
}
