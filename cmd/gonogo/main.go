// Command gonogo tells a team, before it pays for reinforcement fine-tuning of
// an agent, whether that training can work.
//
// In: a job, data files and endpoints, or rollouts made elsewhere. Out: a run
// directory with the rollouts, the analysis and a report, and an exit code.
// This package is thin: flags, gonogo.yaml, wiring, progress, signals.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/output"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/input/spelling"
)

func main() {
	// The standard library's log, as used by net/http, contains bodies of answers, which gonogo has
	// not masked.
	log.SetOutput(io.Discard)
	os.Exit(run(context.Background(), os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// commands lists the commands, in the order of help.
func commands() []*cli.Command {
	return []*cli.Command{
		demoCommand(),
		initCommand(),
		checkCommand(),
		runCommand(),
		sampleCommand(),
		gradeCommand(),
		auditCommand(),
		burstCommand(),
		analyzeCommand(),
		reportCommand(),
		compareCommand(),
		nightlyCommand(),
		historyCommand(),
		viewCommand(),
		curateCommand(),
		planCommand(),
		pilotCommand(),
		workerCommand(),
		statusCommand(),
		importCommand(),
		exportCommand(),
		mcpCommand(),
		skillCommand(),
		helpCommand(),
		versionCommand(),
	}
}

const description = `gonogo runs your base model several times per data point against your own
tools and grader, measures what reinforcement learning will need, and answers
GO, NO-GO or UNDECIDED, with the numbers, the pictures and what to fix first.

Exit codes: 0 GO, GO so far or done, 1 the tool failed, 2 usage or configuration,
3 NO-GO or regressed, 4 UNDECIDED or cannot tell, 5 stopped by budget, 130
interrupted. "GO so far": what was checked passed; require lists what must be checked.

Begin with:  gonogo demo
Then:        gonogo init --train train.jsonl --eval eval.jsonl --job rft_job.json
             gonogo run -c gonogo.yaml -o my-run
Or:          gonogo init --template NAME, an example close to your task
More:        gonogo help words, gates, config, graders, probes, failures,
             formats, charts, worlds`

// helpFlag is --help without the library's state, so that all calls of run can share it.
type helpFlag struct{ *cli.BoolFlag }

func (f helpFlag) Apply(set *flag.FlagSet) error {
	for _, name := range f.Names() {
		set.Bool(name, false, f.Usage)
	}
	return nil
}

func init() {
	cli.HelpFlag = helpFlag{&cli.BoolFlag{
		Name: "help", Aliases: []string{"h"}, Usage: "show help",
		DisableDefaultText: true,
	}}
}

// run is main without the process: it returns the exit code. It may be called concurrently.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	app := &cli.App{
		Name:            "gonogo",
		Usage:           "should this training run start?",
		Description:     description,
		Version:         project.Version(),
		HideVersion:     true,
		HideHelpCommand: true,
		// --set takes values with commas in them.
		DisableSliceFlagSeparator: true,

		Metadata: map[string]any{"line": message.Shell(append([]string{"gonogo"},
			args[min(1, len(args)):]...)...)},
		Commands:       commands(),
		Flags:          []cli.Flag{cli.HelpFlag}, // the library omits it if a command is called help
		Reader:         stdin,
		Writer:         stdout,
		ErrWriter:      stderr,
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   onUsageError,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return exit.Usagef("there is no command %q%s; gonogo --help lists them", c.Args().First(),
					spelling.DidYouMean(c.Args().First(), commandNames()))
			}
			return cli.ShowAppHelp(c)
		},
	}
	for _, cmd := range app.Commands {
		cmd.OnUsageError = onUsageError
		cmd.HideHelpCommand = true
		cmd.Before = func(c *cli.Context) error { return cmp.Or(checkArguments(c), checkOutput(c), applyLogFormat(c)) }
	}
	err := app.RunContext(ctx, flagsFirst(app, args))
	code := ui.ExitCode(app.ErrWriter, err)
	if e, ok := app.ErrWriter.(*console.Events); ok {
		e.Flush()
	}
	return code
}

// checkOutput refuses --output - in commands that do not print their output: they would write to a
// file or directory of the name -.
func checkOutput(c *cli.Context) error {
	switch c.Command.Name {
	case "init", "plan", "report": // print it
		return nil
	case "compare", "history": // say what prints it
		return nil
	}
	if c.String("output") != output.StandardOutput {
		return nil
	}
	return exit.Usagef("gonogo %s --output - would write to a file or directory called -: name one", c.Command.Name)
}

// onUsageError rewords the flag library's errors.
func onUsageError(c *cli.Context, err error, _ bool) error {
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: ")
	if !unknown {
		return exit.Usagef("%v", err)
	}
	var names []string
	if c.Command != nil {
		for _, f := range c.Command.Flags {
			for _, name := range f.Names() {
				if len(name) > 1 { // a single letter resembles any other
					names = append(names, "--"+name)
				}
			}
		}
	}
	bare := strings.TrimLeft(name, "-")
	if len(bare) > 1 { // the library takes one dash or two, and names one
		name = "--" + bare
	}
	like, place := spelling.DidYouMean("--"+bare, names), ""
	if c.Command.HelpName == c.App.HelpName { // before any command
		if place = "flags come after the command, and "; slices.Contains(commandNames(), bare) {
			like = fmt.Sprintf(", but a command: gonogo %s", bare)
		}
	}
	return exit.Usagef("there is no flag %s%s; %s%s --help lists them", name, like, place, c.Command.HelpName)
}

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version",
		Action: func(c *cli.Context) error {
			_, err := fmt.Fprintf(c.App.Writer, "gonogo %s\n", project.Version())
			return err
		},
	}
}
