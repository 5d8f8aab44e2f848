package training

import (
	"context"
	"errors"
	"iter"

	"gonogo/analysis/message"
	"gonogo/analysis/pilot"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/stage"
	"gonogo/sampler/logs/importer"
	"gonogo/sampler/rollout"
)

// startGrader wires the grader of the base run, if it grades here. Where it cannot be used, a note says
// why.
func (p *Pilot) startGrader(ctx context.Context) {
	if p.opened.Manifest == nil || len(p.opened.Manifest.Config) == 0 || p.opened.Manifest.Grader == nil {
		return
	}
	run, err := rollout.Open(p.Run)
	for _, own := range []bool{false, true} {
		if err != nil {
			break
		}
		var g *project.Project
		if g, err = project.ForGrading(ctx, p.Call, run, own); err != nil {
			break
		}
		if err = g.SameGrader(p.Call, run); err == nil && stage.GradesHere(g) {
			p.grader = g
			return
		}
		g.Close()
		if err == nil || p.Call.Config != "" {
			break
		}
	}
	if err != nil {
		p.notes = append(p.notes, graderNote.With(message.Args{"why": message.Foreign(err.Error())}))
	}
}

func (p *Pilot) close() {
	if p.grader != nil {
		p.grader.Close()
	}
}

// judgeLog adds the groups of the log, what its answers are like, and whether the trainer pays what
// the base run's grader pays.
func (p *Pilot) judgeLog(ctx context.Context, in *pilot.Input, log *Log, src importer.Source,
	grade bool,
) error {
	in.Fresh = len(p.base.Fresh) > 0 && log.AllFresh(p.base.Fresh)
	in.Groups, p.shown = log.Groups(p.Lag), log.Shown()
	in.AllGroups = log.Format == "trl" // which has no filter of groups
	if p.grader != nil {
		reached := 0
		if r, err := pilot.Judge(*in); err == nil {
			reached = len(r.Looks)
		}
		if grade || reached > p.graded {
			if err := p.gradeAgain(ctx, log, src); err != nil {
				return err
			}
			p.graded = reached
		}
		if p.paid.Regraded {
			log.SetRewards(p.rewards)
			in.Groups = log.Groups(p.Lag)
		}
		in.Paid = p.paid
	}
	in.Holes = log.Holes(p.judged.Grader)
	return nil
}

// sameReward is the share of the range by which two rewards may differ and agree.
const sameReward = 1e-6

// gradeAgain grades some logged answers by the base run's grader and, if it pays something else than
// the trainer, all of them.
func (p *Pilot) gradeAgain(ctx context.Context, log *Log, src importer.Source) error {
	var items []rollout.Item
	for _, it := range p.base.Items {
		items = append(items, *it)
	}
	some, err := stage.GradeLogged(ctx, p.grader, p.Call, items, len(log.Sample),
		func(context.Context) iter.Seq2[*rollout.Record, error] {
			return func(yield func(*rollout.Record, error) bool) {
				for _, r := range log.Sample {
					if !yield(r, nil) {
						return
					}
				}
			}
		})
	if err != nil {
		return err
	}
	p.paid = pilot.Agreement{}
	for _, r := range log.Sample {
		if y, ok := some[r.Sample]; ok {
			p.paid.Checked++
			if diff := y - *r.Reward; max(diff, -diff) <= sameReward*p.settings.RewardRange.Width() {
				p.paid.Agree++
			}
		}
	}
	if !p.paid.Differs() {
		return nil
	}
	all, err := stage.GradeLogged(ctx, p.grader, p.Call, items, log.Len(),
		func(ctx context.Context) iter.Seq2[*rollout.Record, error] {
			return func(yield func(*rollout.Record, error) bool) {
				enough := errors.New("enough")
				if err := log.Gradable(ctx, src, func(r *rollout.Record) error {
					if !yield(r, nil) {
						return enough
					}
					return nil
				}); err != nil && !errors.Is(err, enough) {
					yield(nil, err)
				}
			}
		})
	if err == nil {
		p.rewards, p.paid.Regraded = log.ByRollout(all), true
	}
	return err
}
