package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"gonogo/analysis/compare"
	"gonogo/analysis/history"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/report"
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
			langFlag(),
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
	if _, err := readNights(dir); err != nil { // nothing is put into a directory of something else
		return exit.AsUsage(err)
	}
	p, err := readProject(c)
	if err != nil {
		return err
	}
	defer p.shut()
	release, err := rollout.Lock(dir, nightsLock)
	if err != nil {
		return exit.AsUsage(fmt.Errorf("history %s: %w", dir, err))
	}
	defer func() { err = errors.Join(err, release()) }()
	h, err := readNights(dir) // once it is ours: another process may just have added one
	if err != nil {
		return exit.AsUsage(err)
	}
	if h.torn {
		fmt.Fprintf(c.App.ErrWriter, "note: the last line of %s was broken off and is cut off\n", nightsFile)
	}
	return h.night(c.Context, callOf(c), p, time.Now())
}

// night makes a night, keeps it and returns its answer as an exit code.
func (h *nights) night(ctx context.Context, c *call, p *project, now time.Time) error {
	name, said := h.tonight(p, now)
	if said != "" {
		fmt.Fprintf(c.Err, "note: %s\n", said)
	}
	dir := h.run(name)
	h.tellDamaged(ctx, c)
	stopped, failed, err := makeRun(ctx, c, p, dir)
	if err != nil {
		return err
	}
	if stopped != nil {
		fmt.Fprintf(c.Err, "note: night %s is not whole and not kept\n", name)
		return errors.Join(failed, stopped)
	}
	opened, result, to, err := judged(ctx, c, p, dir)
	if err != nil {
		return err
	}
	if err := errors.Join(writeResult(dir, result), writeReport(ctx, c, dir, result, to)); err != nil {
		return err
	}
	began := now
	if opened.Manifest != nil && !opened.Manifest.Started.IsZero() {
		began = opened.Manifest.Started
	}
	n := history.NewNight(name, began, opened, result)
	compared, trend, err := h.judge(ctx, c, p, opened, result, &n)
	if err != nil {
		return err
	}
	if err := h.add(n); err != nil {
		return err
	}
	return withAnswer(n.ExitCode, failed, h.show(c, p.cfg.Report, n, compared, trend), h.pruneTo(ctx, c))
}

// withAnswer joins the answer of a night that is kept with what failed beside it: a
// variant, the printing, the removal of old nights. What failed is told, and is
// the exit code where the answer is none.
func withAnswer(code int, failed ...error) error {
	err := errors.Join(failed...)
	if code == exit.Done {
		return err
	}
	answer := error(&exit.Error{Code: code})
	if err == nil {
		return answer
	}
	for _, one := range exit.Each(err) {
		answer = errors.Join(answer, &exit.Error{Code: code, Err: one})
	}
	return answer
}

// pruneTo removes old nights as --keep says.
func (h *nights) pruneTo(ctx context.Context, c *call) error {
	keep := c.Keep
	if keep == 0 {
		return nil
	}
	removed, err := h.prune(ctx, keep)
	if removed > 0 {
		fmt.Fprintf(c.Err, "note: removed the rollouts of %s; %s holds their numbers\n", ui.Counted(removed, "night"), nightsFile)
	}
	return err
}

// nightAnswer is what --json prints.
type nightAnswer struct {
	Night      history.Night       `json:"night"`
	Comparison *compare.Comparison `json:"comparison"` // null where there was nothing to compare with
	History    *history.History    `json:"history"`
}

// show prints the comparison, the nights and, last, the answer.
func (h *nights) show(c *call, look config.ReportValues, n history.Night, compared *compare.Comparison, trend *history.History) error {
	if c.JSON {
		n.Items = nil // they are in nights.jsonl
		b, err := json.MarshalIndent(nightAnswer{Night: n, Comparison: compared, History: trend}, "", "  ")
		if err == nil {
			_, err = fmt.Fprintf(c.Out, "%s\n", b)
		}
		return err
	}
	opt := pageOptions(c, h.run(n.Name))
	if compared != nil {
		if err := newComparison(look, compared, opt).WriteText(c.Out); err != nil {
			return err
		}
	}
	trend.Lang = look.Language()
	if err := report.NewHistory(trend, opt).WriteText(c.Out); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.Out, "%s  %s\n", trend.Lang.Text(nightWord(n)), ui.Visible(n.Sentence.In(trend.Lang)))
	return err
}

// nightWord is the answer of a night in a word.
func nightWord(n history.Night) string {
	switch {
	case n.Accepted:
		return "ACCEPTED"
	case n.ExitCode == exit.NoGo && n.Answer == compare.NotBetter:
		return "NOT BETTER"
	case n.ExitCode == exit.NoGo:
		return "REGRESSED"
	case n.ExitCode == exit.Undecided:
		return "CANNOT TELL"
	case n.Base == "":
		return "FIRST NIGHT"
	}
	return "NO WORSE"
}
