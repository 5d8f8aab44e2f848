package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/night"
	"gonogo/sampler/rollout"
)

func nightlyCommand() *cli.Command {
	return &cli.Command{
		Name:  "nightly",
		Usage: "run, compare with the last good night, keep the night; the exit code says whether it regressed",
		Description: `Makes a run in DIR/runs, as gonogo run does, compares it item by item with that
of the last good night, as gonogo compare does, and with the trend, and appends
the night to DIR/nights.jsonl. gonogo history DIR shows the nights.

Exit codes: 0 no worse, or the first night; 3 regressed; 4 cannot tell; 5 stopped
by the budget; 2 configuration; 1 the tool failed; 130 interrupted. The verdict of
the run by itself decides nothing here, and is told.

A night is good when it exits with 0. One that regressed, or could not tell, is
never what later nights are compared with: the exit code stays until the reward
is back, or until --accept takes a night for the new normal. A night can be
compared with those that hold at least half of its items, row by row the same, and
have the same reward range; where earlier nights are good and none of them can be,
or their rollouts are gone, it cannot be told. Beyond the last good night, a creep
that the search for changes finds in the mean reward is a regression too.

Another model, grader or job is no hindrance: what differs is named before the
answer. A night that was broken off is gone on with by the same command within 12
hours; later, or with other settings, a new one begins.

Example:
   gonogo nightly -c gonogo.yaml --history nights --keep 14 --yes`,
		Flags: append(nightFlags(),
			&cli.StringFlag{Name: "history", Value: "gonogo-nights", Usage: "the history directory `DIR`"},
			&cli.IntFlag{Name: "keep", Usage: "remove the rollouts of all but the last `N` good nights, never those that the next night is compared with; 0 keeps all"},
			&cli.BoolFlag{Name: "accept", Usage: "take this night for the new normal, whatever it shows"},
			&cli.BoolFlag{Name: "no-audit", Usage: "leave the audit of the grader out (key audit.enabled)"},
			langFlag(), allFlag(),
			&cli.BoolFlag{Name: "json", Usage: "print night, comparison and history as one JSON object to standard output"},
		),
		Action: nightly,
	}
}

// nightFlags are the sampling flags but those that say where a run lies and what
// is made of it by halves.
func nightFlags() []cli.Flag {
	return slices.DeleteFunc(samplingFlags(), func(f cli.Flag) bool {
		return slices.Contains([]string{"output", "variant", "rehearse"}, f.Names()[0])
	})
}

func nightly(c *cli.Context) (err error) {
	if c.Int("keep") < 0 {
		return exit.Usagef("--keep %d: it takes the number of good nights to keep, or 0 for all", c.Int("keep"))
	}
	dir := c.String("history")
	if _, err := night.Read(dir); err != nil { // nothing is put into a directory of something else
		return exit.AsUsage(err)
	}
	p, err := readProject(c)
	if err != nil {
		return err
	}
	defer p.Close()
	release, err := rollout.Lock(dir, night.LockFile)
	if err != nil {
		return exit.AsUsage(fmt.Errorf("history %s: %w", dir, err))
	}
	defer func() { err = errors.Join(err, release()) }()
	h, err := night.Read(dir) // once it is ours: another process may just have added one
	if err != nil {
		return exit.AsUsage(err)
	}
	if h.Torn {
		fmt.Fprintf(c.App.ErrWriter, "note: the last line of %s was broken off and is cut off\n", night.File)
	}
	return h.Make(c.Context, callOf(c), p, time.Now())
}
