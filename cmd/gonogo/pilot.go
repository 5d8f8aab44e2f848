package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/training"
)

func pilotCommand() *cli.Command {
	return &cli.Command{
		Name:      "pilot",
		Usage:     "judge the first steps of a training against the base run; the exit code is the verdict",
		ArgsUsage: "RUN",
		Description: `RUN is the base run, and --log what the trainer has logged so far: its rollouts in
any format that import reads, or curves (trainer_state.json, verl's file logger, a
CSV), which are shown and decide nothing. Each rollout is compared with the base
run of the same item. The looks at the training (after 10, 20 and 40 steps) are
fixed by the first call, which writes RUN/pilot/pilot.json.

--checkpoint first samples the eval items of RUN from a checkpoint, into
RUN/pilot/step-STEP, and --base the base model on shown items, into
RUN/pilot/base: run directories, which the same command resumes. Caps count what
all calls used for that directory.

Exit codes: 0 GO, go on; 3 NO-GO, stop; 4 UNDECIDED, look again at a later step; 2
the log is of an unknown format, or nothing in it matches RUN.

Example:
   gonogo pilot my-run --log trainer/completions
   gonogo pilot my-run --log rollouts/ --follow && echo go on
   gonogo pilot my-run --log rollouts/ --checkpoint http://localhost:8000/v1 --at 20`,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringSliceFlag{Name: "log", Usage: "`LOG`, a file or a folder of the trainer; may be repeated"},
			&cli.IntFlag{Name: "lag", Usage: "rollouts are made by weights `N` updates behind the step that logs them"},
			&cli.IntFlag{Name: "steps", Usage: "the whole training has `N` steps, for the forecast of its gain (default: " +
				"those of training.batch_size and training.epochs)"},
			&cli.StringFlag{Name: "looks", Usage: "look after these `STEPS`, such as 20,40,80, for a slow training"},
			&cli.BoolFlag{Name: "follow", Usage: "read the log again as it grows, until GO, NO-GO or the last look"},
			&cli.DurationFlag{Name: "idle", Value: 30 * time.Minute, Usage: "with --follow, end if the log has not " +
				"grown for `TIME`"},
			&cli.BoolFlag{Name: "json", Usage: "print pilot.json to standard output"},
			trustFlag(), logFormatFlag(),
		}, logFlags(), pilotSamplingFlags(), analysisFlags()),
		Action: pilotAction,
	}
}

func pilotAction(c *cli.Context) error {
	sampling, err := pilotSamplingOf(c)
	if err != nil {
		return err
	}
	opt, err := logOptions(c, "")
	if err != nil {
		return err
	}
	call := invocationOf(c)
	call.Overrides = slices.DeleteFunc(call.Overrides, isCap) // caps are for sampling
	p, err := training.Open(training.Options{
		Call: call, Sampling: sampling, Run: c.Args().First(), Logs: c.StringSlice("log"), Format: c.String("format"),
		Import: opt,
		Lag:    c.Int("lag"), Steps: c.Int("steps"), Looks: c.String("looks"),
		Follow: c.Bool("follow"), Idle: c.Duration("idle"),
	})
	if err != nil {
		return err
	}
	err = p.Judge(c.Context)
	if p.Result != nil && (err == nil || c.Bool("follow")) {
		write := console.WritePilot
		if c.Bool("json") {
			write = training.Encode
		}
		err = errors.Join(write(c.App.Writer, p.Result), err)
	}
	if err != nil {
		return err
	}
	return exit.Answer(p.Result.ExitCode)
}

// pilotSamplingFlags are the flags of gonogo pilot that sample. It needs recordedFlags and
// logFormatFlag as well.
func pilotSamplingFlags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.StringFlag{Name: "checkpoint", Usage: fmt.Sprintf("first sample the eval items of RUN (at most %d), %d "+
			"rollouts each, from the checkpoint that answers at `URL`, such as http://localhost:8000/v1",
			training.MostPilotItems, training.PilotSamples)},
		&cli.IntFlag{Name: "at", Usage: "the checkpoint was saved after `STEP` steps"},
		&cli.StringFlag{Name: "model", Usage: "the checkpoint is called `NAME` there, as a LoRA adapter is (default: " +
			"the name of RUN's model)"},
		&cli.StringFlag{Name: "api-key-env", Usage: "the environment `VARIABLE` that holds the key for --checkpoint, " +
			"or none; a server other than RUN's does not get RUN's key"},
		&cli.BoolFlag{Name: "base", Usage: fmt.Sprintf("first sample RUN's model on the items that the log shows and "+
			"that have no usable base rollouts, %d each", training.PilotSamples)},
		&cli.BoolFlag{
			Name: "yes", Aliases: []string{"y"}, Usage: "on a terminal, start without a rehearsal and without asking",
		},
	}, keyed("concurrency", "max-rollouts"), spendingFlags())
}

// pilotSamplingOf reads the flags that sample.
func pilotSamplingOf(c *cli.Context) (training.Sampling, error) {
	s := training.Sampling{Call: invocationOf(c), Step: c.Int("at"), Base: c.Bool("base")}
	if c.IsSet("checkpoint") {
		s.Checkpoint = &config.Checkpoint{
			BaseURL: c.String("checkpoint"), Model: c.String("model"), APIKeyEnv: c.String("api-key-env"),
		}
	}
	switch {
	case s.Checkpoint != nil && !c.IsSet("at"):
		return s, exit.Usagef("--checkpoint needs --at STEP: after how many steps it was saved")
	case s.Checkpoint != nil && s.Step < 1:
		return s, exit.Usagef("--at %d: a checkpoint is saved after at least one step", s.Step)
	}
	for _, name := range []string{"at", "model", "api-key-env"} {
		if s.Checkpoint == nil && c.IsSet(name) {
			return s, exit.Usagef("--%s goes with --checkpoint", name)
		}
	}
	return s, nil
}

// isCap reports whether KEY=VALUE caps what sampling uses.
func isCap(set string) bool {
	key, _, _ := strings.Cut(set, "=")
	return slices.Contains([]string{
		"sampling.max_rollouts", "sampling.max_tokens", "sampling.max_usd", "sampling.deadline",
	}, key)
}
