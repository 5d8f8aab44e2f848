package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"gonogo/analysis/archive"
	"gonogo/analysis/history"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/sampler/logs/importer"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

func nightlyCommand() *cli.Command {
	return &cli.Command{
		Name:  "nightly",
		Usage: "run, compare with the last good night, record the night; the exit code says whether it regressed",
		Description: `Makes a run of the evaluation set in DIR/runs, as gonogo run does, with a new seed
unless one is given (--seed repeats a night). Compares it item by item with the
last good night, as gonogo compare does, and its mean reward with the last 7 good
nights and with the trend. Appends the night to DIR/nights.jsonl and writes the
page of all nights to DIR/report, in the formats of the run's report. In fewer
than 5 % of months without a change, a night is called a regression.

Exit codes: 0 no sign of a drop, or the first night; 3 regressed, or not better:
more hacks, cut-off answers or failures, or the grader is NO-GO; 4 cannot tell, or
a drop of --detect could have been missed; 5 stopped by the budget; 2
configuration; 1 the tool failed; 130 interrupted. With 2, 5 and 130 the night is
not recorded, and with 1 only if a note says that it is. The rest of the run's own
verdict does not count here.

A night is good if its own exit code is 0. Later nights are never compared with one that
regressed or could not tell: the exit code stays the same until the reward
recovers, or until --accept makes a night the new normal. A night can be compared
with those that share at least half of its items, with equal rows, and have the
same reward range; if no good night can be compared, or their rollouts are gone,
the answer is cannot tell. A slow decline in the mean reward that the change-point
search finds is a regression too.

Nights with a different model, grader or job can be compared: the answer says
first what differs. The same command resumes an interrupted night within 12 hours;
later, or with other settings, it begins a new one. If it was killed before it
wrote the page of a recorded night, the same command writes that page.

With --from nothing is sampled and no configuration is needed: the night is what
gonogo import reads from LOG, with the same flags, into DIR/runs. Rollouts of a
log that names no split count as eval. Each call is a new night.

Examples:
   gonogo nightly -c gonogo.yaml --history nights --keep 14 --yes
   gonogo nightly --from logs/tonight.eval --history nights`,
		Flags: append(slices.Concat(nightFlags(), []cli.Flag{
			&cli.StringSliceFlag{Name: "from", Usage: "record the rollouts of `LOG`, a file or a folder that gonogo import " +
				"reads, in place of sampling; may be repeated"},
		}, logFlags(), []cli.Flag{conflictFlag()}, keyed("reward-range")),
			&cli.StringFlag{Name: "history", Value: "gonogo-nights", Usage: "the history directory `DIR`"},
			&cli.IntFlag{Name: "keep", Usage: "remove the rollouts of all but the last `N` good nights, never those " +
				"needed to compare the next night; 0 keeps all"},
			&cli.Float64Flag{Name: "detect", Value: history.DefaultDetect, Usage: "the fall of the mean reward, as " +
				"a `SHARE` of the reward range, that a night must be able to detect in 80 % of cases; otherwise " +
				"it cannot tell"},
			&cli.BoolFlag{Name: "accept", Usage: "make this night the new normal, whatever it shows"},
			&cli.BoolFlag{Name: "all-splits", Usage: "sample train and production too, not only the evaluation set"},
			&cli.BoolFlag{Name: "no-audit", Usage: "skip the audit of the grader (key audit.enabled)"},
			langFlag(), allFlag(),
			&cli.BoolFlag{Name: "json", Usage: "print night, comparison and history as one JSON object to standard " +
				"output"},
		),
		Action: nightly,
	}
}

// nightFlags are the sampling flags, except for the output directory and for making only a part of
// a run.
func nightFlags() []cli.Flag {
	return slices.DeleteFunc(samplingFlags(), func(f cli.Flag) bool {
		return slices.Contains([]string{"output", "variant", "rehearse"}, f.Names()[0])
	})
}

// nightProject returns the configured project, limited to the evaluation set if there is one and
// --all-splits is not set.
func nightProject(c *cli.Context) (*project.Project, error) {
	cfg, err := readConfig(c)
	if err != nil {
		return nil, err
	}
	if cfg.Data.Eval != "" && cfg.Sampling.EvalSamples > 0 && !c.Bool("all-splits") {
		cfg.Data.Train, cfg.Data.Production = "", ""
	}
	return wired(c, cfg)
}

func nightly(c *cli.Context) (err error) {
	if c.Int("keep") < 0 {
		return exit.Usagef("--keep %d: it takes the number of good nights to keep, or 0 for all", c.Int("keep"))
	}
	dir := c.String("history")
	if detect := c.Float64("detect"); !(detect > 0 && detect <= 1) {
		return exit.Usagef("--detect %g: it takes a share of the reward range, such as 0.1", detect)
	}
	if _, err := archive.ReadHistory(dir); err != nil { // nothing is written into a directory of another kind
		return exit.AsUsage(err)
	}
	call := invocationOf(c)
	var p *project.Project
	var opt importer.Options
	logs := c.StringSlice("from")
	if len(logs) > 0 {
		if opt, err = logOptions(c, rollout.Eval); err == nil {
			p, err = logProject(c, call)
		}
	} else if set := setLogFlags(c); len(set) > 0 {
		err = exit.Usagef("%s goes with --from", set[0])
	} else {
		p, err = nightProject(c)
	}
	if err != nil {
		return err
	}
	defer p.Close()
	release, err := disk.Lock(dir, archive.HistoryLock)
	if err != nil {
		return exit.AsUsage(fmt.Errorf("history %s: %w", dir, err))
	}
	defer func() { err = errors.Join(err, release()) }()
	h, err := archive.ReadHistory(dir) // read again under the lock: another process may just have added a night
	if err != nil {
		return exit.AsUsage(err)
	}
	if h.Torn {
		fmt.Fprintf(c.App.ErrWriter, "note: the last line of %s was incomplete and has been removed\n", archive.NightsFile)
	}
	n := nightRun{History: h, Accept: c.Bool("accept"), Keep: c.Int("keep"), Detect: c.Float64("detect")}
	if len(logs) == 0 {
		return n.Make(c.Context, call, p, time.Now())
	}
	return n.Read(c.Context, call, p, time.Now(), func(dir string) error {
		run := importer.Directory{Dir: dir}
		_, format, err := readLog(c, importer.Paths(opt, logs...), &run)
		if err != nil {
			return unreadable("--from", strings.Join(logs, ", "), err)
		}
		fmt.Fprintf(c.App.ErrWriter, "Read %s from %s (%s) into %s.\n", console.Count(run.Rollouts, "rollout"),
			strings.Join(logs, ", "), format, dir)
		noteLog(c, &run)
		return nil
	})
}

// logProject returns the project of a night that is read from logs: the settings of the configuration
// that the command names, or the defaults. Flags that only concern sampling are refused.
func logProject(c *cli.Context, call *project.Invocation) (*project.Project, error) {
	for _, f := range nightFlags() {
		name := f.Names()[0]
		if c.IsSet(name) && !slices.Contains([]string{"config", "set", "yes", "log-format"}, name) {
			return nil, exit.Usagef("--%s is about sampling, and --from samples nothing", name)
		}
	}
	if !c.IsSet("config") {
		call.Config = ""
	}
	cfg, err := project.ConfigFor(call, nil)
	if err != nil {
		return nil, err
	}
	p := project.NewUnwired(cfg)
	p.Redact = rollout.NewRedactor(cfg.Secrets()...)
	return p, nil
}
