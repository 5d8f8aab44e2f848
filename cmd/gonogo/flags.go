package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/report"
)

// invocationOf reads the flags of a command; flags that it does not have are unset.
func invocationOf(c *cli.Context) *project.Invocation {
	return &project.Invocation{
		In: c.App.Reader, Out: c.App.Writer, Err: c.App.ErrWriter,
		Command: c.Command.Name, Line: c.App.Metadata["line"].(string), Config: c.String("config"),
		Set: c.StringSlice("set"), Grader: c.String("grader"), Overrides: overrides(c), Typed: typedFlags(c),
		JSON: c.Bool("json"), Yes: c.Bool("yes"), TrustRun: c.Bool("trust-run"), OnConflict: c.String("on-conflict"),
		Sampling: project.SamplingFlags{
			Rehearse: c.Bool("rehearse"), DespiteProblems: c.Bool("despite-problems"), NoAudit: c.Bool("no-audit"),
			ItemsUndecided: c.Bool("items-undecided"),
			Until:          c.String("until"), MaxSamples: c.String("max-samples"), Samples: c.String("samples"),
			Variant: c.StringSlice("variant"),
		},
		Report: project.ReportFlags{
			Format: c.String("format"), Output: c.String("output"), FontSet: c.IsSet("font"), All: c.Bool("all"),
			FullPDF: c.String("pdf") == "full",
			Judging: slices.ContainsFunc(analysisFlags(), func(f cli.Flag) bool { return c.IsSet(f.Names()[0]) }),
		},
	}
}

// overrides returns --set and the flags that set one key, as KEY=VALUE.
func overrides(c *cli.Context) []string {
	var out []string
	for _, pair := range c.StringSlice("set") {
		name, value, ok := strings.Cut(pair, "=")
		if ok {
			pair = config.SettingKey(strings.TrimSpace(name)) + "=" + value
		}
		out = append(out, pair)
	}
	for _, flag := range typedFlags(c) {
		out = append(out, flag.Key+"="+flag.Value)
	}
	if c.Bool("gaps") {
		out = append(out, "burst.gaps=true")
	}
	if c.String("until") != "" && c.IsSet("max-samples") {
		out = append(out, "sampling.samples="+c.String("max-samples"))
	}
	return out
}

// keyFlag is a flag that sets one key of the configuration.
type keyFlag struct{ name, key, usage string }

var keyFlags = []keyFlag{
	{"samples", "sampling.samples", "`N` rollouts per item"},
	{"concurrency", "sampling.concurrency", "at most `N` rollouts or gradings, and requests to each endpoint, in " +
		"flight; by default each endpoint's limit is measured"},
	{"items", "items", "take a subset of `M` items per split"},
	{"seed", "seed", "the random seed `N`"},
	{"queue", "queue.url", "distribute the rollouts through the queue at `URL`: memory (none), embedded, " +
		"embedded:PORT, nats://HOST:PORT or tls://HOST:PORT"},
	{"max-rollouts", "sampling.max_rollouts", "stop once all calls for the run have begun `N` rollouts, or graded as " +
		"many outputs"},
	{"max-tokens", "sampling.max_tokens", "stop once the run has used `N` tokens"},
	{"max-usd", "sampling.max_usd", "stop once the run has cost `X` US dollars, by the prices and the tokens that " +
		"servers report; a burst starts nothing that is estimated to cost more"},
	{"deadline", "sampling.deadline", "stop this call by `TIME`: 2h from now, 17:30, or of a date"},
	{"group-size", "training.group_size", "`G`, the rollouts that the trainer compares with each other"},
	{"pass-threshold", "pass_threshold", "rewards at or above `X` count as passed"},
	{"reward-range", "reward_range", "bottom and top of the grader's rewards, as `LO,HI`"},
	{"labels", "audit.labels", "compare with human scores in `FILE`, CSV or JSONL"},
	{"rollouts", "burst.rollouts", "start `N` rollouts at once; by default batch size × group size"},
	{"lang", "report.lang", "write the report in `LANG`: " + strings.Join(message.Tags(), " or ")},
	{"paper", "report.paper", "`SIZE` of report.pdf's pages: " + strings.Join(report.Papers(), " or ")},
	{"font", "report.font", "a font `FILE` for text in report.pdf and the pictures beyond Latin, Greek and " +
		"Cyrillic; none: use no font of the machine"},
}

// keyed returns the keyFlags with these names.
func keyed(names ...string) []cli.Flag {
	return ui.Names(names, func(name string) cli.Flag {
		f := keyFlags[slices.IndexFunc(keyFlags, func(f keyFlag) bool { return f.name == name })]
		return &cli.StringFlag{Name: name, Usage: fmt.Sprintf("%s (key %s)", f.usage, f.key)}
	})
}

// typedFlags lists the keyFlags given on the command line. For an audit, --items sets audit.items.
func typedFlags(c *cli.Context) []project.TypedFlag {
	var out []project.TypedFlag
	for _, f := range keyFlags {
		if f.name == "items" && c.Command.Name == "audit" {
			f.key = "audit.items"
		}
		if c.IsSet(f.name) {
			out = append(out, project.TypedFlag{Name: f.name, Key: f.key, Value: c.String(f.name)})
		}
	}
	return out
}

// projectFlags are the flags of every command that starts from a configuration.
func projectFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{
			Name: "config", Aliases: []string{"c"}, Value: "gonogo.yaml",
			Usage: "read the configuration `FILE`",
		},
		&cli.StringSliceFlag{Name: "set", Usage: "`KEY=VALUE` sets a key of the configuration; may be repeated"},
	}
}

// readConfig loads the configuration given on the command line.
func readConfig(c *cli.Context) (*config.Config, error) {
	call := invocationOf(c)
	cfg, err := config.Load(call.Config, os.LookupEnv, call.Overrides...)
	if err != nil {
		return nil, exit.AsUsage(call.ByFlag(err))
	}
	return cfg, nil
}

// readProject loads the configuration with its files and endpoints.
func readProject(c *cli.Context) (*project.Project, error) {
	cfg, err := readConfig(c)
	if err != nil {
		return nil, err
	}
	return wired(c, cfg)
}

// wired returns the project of a configuration. What it waits for is said on standard error.
func wired(c *cli.Context, cfg *config.Config) (*project.Project, error) {
	p := project.NewUnwired(cfg)
	p.MCP.Notes = c.App.ErrWriter
	return project.Wire(c.Context, p)
}

// analysisFlags are the settings of an analysis.
func analysisFlags() []cli.Flag {
	return append(keyed("group-size", "reward-range", "pass-threshold"), settingsFlag(),
		&cli.StringSliceFlag{Name: "set", Usage: "`NAME=VALUE` for a threshold or any other key; may be repeated"},
		conflictFlag(),
	)
}

func settingsFlag() cli.Flag {
	return &cli.StringFlag{Name: "config", Aliases: []string{"c"}, Usage: "take settings from `FILE`"}
}

// recordedFlags are the flags of commands that work on a run with the given configuration, else
// with the run's own.
func recordedFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{
			Name: "config", Aliases: []string{"c"},
			Usage: "read the configuration `FILE` (default gonogo.yaml, if there is one)",
		},
		trustFlag(),
		&cli.StringSliceFlag{Name: "set", Usage: "`KEY=VALUE` sets a key of the configuration; may be repeated"},
	}
}

func trustFlag() cli.Flag {
	return &cli.BoolFlag{
		Name:  "trust-run",
		Usage: "use the configuration stored in RUN: run its commands and send requests to its addresses",
	}
}

// budgetRule explains the budget, for the help of commands.
const budgetRule = `The budget (--max-rollouts, --max-tokens, --max-usd) counts what all calls used
for the run: its rollouts, its variants and the audit together. --deadline is
for one call. A rollout's usage is known when it ends; until then it counts as
the mean of those that have ended. Spending can therefore exceed the cap by the
rollouts in flight (a few, before the first has ended). No rollout begins that
would, on average, end after the deadline. Rollouts in flight end and are kept;
the exit code is 5; a higher cap continues.`

// spendingFlags limit what a command uses.
func spendingFlags() []cli.Flag { return keyed("max-tokens", "max-usd", "deadline") }

// logFormatFlag is the flag of commands that call endpoints.
func logFormatFlag() cli.Flag {
	return &cli.StringFlag{
		Name: "log-format", Value: "text",
		Usage: "the format of standard error: `text|json`; json is one event per line, for machines",
	}
}

// applyLogFormat turns the command's output on standard error into events, if requested.
func applyLogFormat(c *cli.Context) error {
	switch format := c.String("log-format"); format {
	case "", "text":
	case "json":
		c.App.ErrWriter = console.NewEvents(c.App.ErrWriter)
	default:
		return exit.Usagef("--log-format %q: must be text or json", format)
	}
	return nil
}
