package night

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gonogo/analysis/compare"
	"gonogo/analysis/history"
	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/output"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/stage"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/report"
)

// Make makes a night, records it and returns its answer as an exit code.
func (h *Dir) Make(ctx context.Context, c *project.Call, p *project.Project, now time.Time) error {
	name, said := h.tonight(p, now)
	if said != "" {
		fmt.Fprintf(c.Err, "note: %s\n", said)
	}
	dir := h.run(name)
	h.tellDamaged(ctx, c)
	stopped, failed, err := stage.Make(ctx, c, p, dir)
	if err != nil {
		return err
	}
	if stopped != nil {
		fmt.Fprintf(c.Err, "note: night %s is not whole and not kept\n", name)
		return errors.Join(failed, stopped)
	}
	opened, result, to, err := output.Judged(ctx, c, p, dir)
	if err != nil {
		return err
	}
	if err := errors.Join(output.WriteResult(dir, result), output.WriteReport(ctx, c, dir, result, to)); err != nil {
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
	return withAnswer(n.ExitCode, failed, h.show(c, p.Config.Report, n, compared, trend), h.pruneTo(ctx, c))
}

// withAnswer joins the answer of a night that is kept with whatever else failed: a
// variant, the printing, the removal of old nights. What failed is reported, and is the
// exit code where the answer is none.
func withAnswer(code int, failed ...error) error {
	err := errors.Join(failed...)
	if code == exit.OK {
		return err
	}
	answer := error(&exit.Error{Code: code})
	if err == nil {
		return answer
	}
	for _, one := range exit.Split(err) {
		answer = errors.Join(answer, &exit.Error{Code: code, Err: one})
	}
	return answer
}

// pruneTo removes old nights as --keep says.
func (h *Dir) pruneTo(ctx context.Context, c *project.Call) error {
	if h.Keep == 0 {
		return nil
	}
	removed, err := h.prune(ctx, h.Keep)
	if removed > 0 {
		fmt.Fprintf(c.Err, "note: removed the rollouts of %s; %s holds their numbers\n", ui.Count(removed, "night"), File)
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
func (h *Dir) show(c *project.Call, look config.ReportValues, n history.Night, compared *compare.Comparison, trend *history.History) error {
	if c.JSON {
		n.Items = nil // they are in nights.jsonl
		b, err := json.MarshalIndent(nightAnswer{Night: n, Comparison: compared, History: trend}, "", "  ")
		if err == nil {
			_, err = fmt.Fprintf(c.Out, "%s\n", b)
		}
		return err
	}
	opt := output.PageOptions(c, h.run(n.Name))
	if compared != nil {
		if err := report.WriteText(c.Out, output.NewComparison(look, compared, opt)); err != nil {
			return err
		}
	}
	trend.Lang, opt.Dir = look.Language(), h.dir
	if err := report.WriteText(c.Out, report.NewHistory(trend, opt)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.Out, "%s  %s\n", nightWord(n, trend.Lang), ui.Visible(n.Sentence.In(trend.Lang)))
	return err
}

// nightWord is the answer of a night in a word.
func nightWord(n history.Night, l message.Language) string {
	switch {
	case n.Accepted:
		return l.Text("night.accepted", "ACCEPTED")
	case n.ExitCode == exit.NoGo && n.Answer == compare.NotBetter:
		return l.Text("night.not_better", "NOT BETTER")
	case n.ExitCode == exit.NoGo:
		return l.Text("night.regressed", "REGRESSED")
	case n.ExitCode == exit.Undecided:
		return l.Text("night.cannot_tell", "CANNOT TELL")
	case n.Base == "":
		return l.Text("night.first_night", "FIRST NIGHT")
	}
	return l.Text("night.no_worse", "NO WORSE")
}
