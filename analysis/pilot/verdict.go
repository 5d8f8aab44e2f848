package pilot

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

// LeastGain is the difference, as a share of the reward range, from which a GO may come.
const LeastGain = 0.03

// The decision's other constants, as shares of the reward range.
const (
	noGain      = 0.02 // a difference on eval under which a NO-GO may come
	littleGain  = 0.05 // what the upper bound must exclude for a NO-GO
	heartGain   = 0.05 // a training reward that rises by this while eval does not is learned by heart
	leastGroups = 3    // informative groups that the base run must have promised for eval to say something
	soonest     = 40   // elapsed steps before which eval stops nothing: slow trainings have not moved by 20
	soonestLast = 20   // the same of the last planned look

	leastInTraining = 20 // informative groups that a training needs, as before it (gate signal.informative)
)

// The claims of a verdict: what to do with the training.
const (
	ClaimGoOn      = "go_on"
	ClaimStop      = "stop"
	ClaimLook      = "look_again"
	ClaimUndecided = "undecided" // after the last look: nothing more is planned
)

// decide gives the verdict of a look by the table in docs/pilot.md.
func (j *judgement) decide(i int, at moment, l Look) Verdict {
	v := Verdict{Answer: analysis.Undecided, Claim: ClaimLook, Step: l.Step, NotChecked: j.unchecked(l)}
	d, e := l.Reward, l.Eval
	withE := e != nil && e.Share != nil
	last := i == len(j.Looks)-1
	hole := j.learned()
	switch {
	case hole != nil:
		return v.stop(holeLearned.With(message.Args{
			"kind": message.Name(hole.Kind), "share": message.Share(hole.Top), "base": message.Share(hole.Base),
		}))
	case j.zero != nil && !j.zero.Holds:
		v.Reason = zeroFails.With(message.Args{
			"value": message.Change(*j.zero.Value), "allowed": message.Number(j.zero.Allowed),
		})
		return v
	case unmoved(e) && j.late(i, at, e) && (d.Share == nil || *d.Share < LeastGain):
		if j.promised(at) {
			if stays(e) {
				return v.stop(evalStays.With(message.Args{"value": message.Change(*e.Value), "step": message.Int(e.Step)}))
			}
		} else if groups, rest, ok := j.barren(at); ok && rest < leastInTraining {
			return v.stop(noneTaught.With(message.Args{
				"groups": message.Int(groups), "rest": message.Number(rest), "steps": message.Int(j.Steps),
			}))
		}
	}
	heart := withE && *e.Share < noGain && d.Share != nil && *d.Share >= heartGain && *d.Above > 0
	switch {
	case heart && last && stays(e) && j.elapsed(e.Step) >= soonestLast:
		return v.stop(byHeart.With(message.Args{"reward": message.Number(*d.Value), "eval": message.Change(*e.Value)}))
	case heart:
		v.Reason = rewardOnly.With(message.Args{"reward": message.Number(*d.Value), "eval": message.Change(*e.Value)})
	case withE && *e.Share >= LeastGain && *e.Above > 0:
		return j.goOn(v, evalRises.With(message.Args{"value": message.Number(*e.Value), "step": message.Int(e.Step)}))
	case e != nil && e.Withheld.ID != "":
		v.Reason = e.Withheld
	case withE:
		v.Reason = evalUnclear.With(message.Args{"value": message.Change(*e.Value)})
	case d.Share == nil && d.Withheld.ID != "":
		v.Reason = nothingMeasured.With(message.Args{"why": message.Nested(d.Withheld)})
	case d.Share == nil:
		v.Reason = nothingShown.Text()
	case j.zero == nil:
		v.Reason = zeroUnchecked.With(message.Args{"why": message.Nested(j.noZero)})
	case *d.Share >= LeastGain && *d.Above > 0 && !j.roseSinceZero(d):
		v.Reason = sinceZero.With(message.Args{"value": message.Change(*d.Value), "zero": message.Change(*j.zero.Value)})
	case *d.Share >= LeastGain && *d.Above > 0:
		v = j.goOn(v, rewardRises.With(message.Args{"value": message.Number(*d.Value)}))
		v.ByReward = v.Answer == analysis.Go
	case d.High != nil && *d.High < 0:
		v.Reason = rewardFalls.With(message.Args{"value": message.Number(-*d.Value)})
	default:
		v.Reason = rewardUnclear.With(message.Args{"value": message.Change(*d.Value)})
	}
	return v
}

// Distrust lists the blocking gates that failed in a base run and say that its rewards cannot be
// trusted: all but those that find nothing to learn from.
func Distrust(r *analysis.Result) []string {
	return slices.DeleteFunc(analysis.Blockers(r.Findings, analysis.Fail), func(name string) bool {
		gate := r.Gates.Named(name)
		return gate != nil && gate.Claim == analysis.NothingToLearn
	})
}

// stays reports whether eval is shown not to rise: a gain worth waiting for is excluded.
func stays(e *Difference) bool { return unmoved(e) && *e.Below < littleGain }

// unmoved reports whether eval shows no rise, not even a small one that is certain, as a slow training
// has.
func unmoved(e *Difference) bool {
	return e != nil && e.Share != nil && *e.Share < noGain && *e.Rises <= 0
}

// goOn makes v a GO, unless the base run's rewards cannot be trusted.
func (j *judgement) goOn(v Verdict, why message.Text) Verdict {
	if len(j.Distrust) > 0 {
		v.Reason = distrusted.With(message.Args{"gates": message.Names(j.Distrust)})
		return v
	}
	v.Answer, v.Claim, v.Reason = analysis.Go, ClaimGoOn, why
	return v
}

func (v Verdict) stop(why message.Text) Verdict {
	v.Answer, v.Claim, v.Reason = analysis.NoGo, ClaimStop, why
	return v
}

// roseSinceZero reports whether d exceeds the difference that was there before any update by 0.03 of the
// range and two standard errors. The zero check alone, on 128 rollouts, misses a trainer that samples at
// another temperature in a third of cases, and d would be that difference.
func (j *judgement) roseSinceZero(d Difference) bool {
	rise := *d.Value - *j.zero.Value
	se := math.Hypot(stat.ValueOr(d.SE, 0), stat.ValueOr(j.zero.SE, 0))
	const twoErrors = 0.9772 // one-sided, of the normal distribution
	t := distuv.StudentsT{Sigma: 1, Nu: float64(j.zero.Items - 1)}.Quantile(twoErrors)
	return rise >= LeastGain*j.Range.Width() && rise > t*se
}

// late reports whether a look is late enough to stop a training because eval does not rise: after 40
// steps, or 20 if no later look is planned. Of the recorded trainings of the design half that would
// have been stopped after 20 steps, three of nine gained later.
func (j *judgement) late(i int, at moment, e *Difference) bool {
	least := soonest
	if i == len(j.Looks)-1 {
		least = soonestLast
	}
	return min(j.elapsed(at.step), j.elapsed(e.Step)) >= least
}

// promised reports whether the training has had at least three groups to learn from, by the base run.
// If it has not, an eval split that stays says little: a first success may come late.
func (j *judgement) promised(at moment) bool {
	share := j.baseInformative(j.Groups[:at.groups])
	if share == nil {
		share = j.shown.Informative
	}
	return share != nil && *share*float64(at.groups) >= leastGroups
}

// barren reports whether the rewards of no group of the log differ, after 40 of its steps or more: such
// a training has had no gradient of the reward. groups is how many groups up to the look show it, rest
// how many informative ones are expected at most in the rest of the plan: by the upper bound of their
// share (Clopper and Pearson, one-sided at 0.05/K). Nothing follows for a training of unknown length, if
// the trainer pays something else than the grader, or from groups that are incomplete or have one rollout.
func (j *judgement) barren(at moment) (groups int, rest float64, ok bool) {
	done := at.step - j.steps[0] + 1 // steps of the log
	left := j.Steps - j.elapsed(at.step)
	if done < soonest || left <= 0 || j.Paid.Regraded || j.Paid.Differs() || j.groupSize < 2 {
		return 0, 0, false
	}
	for i := range j.Groups {
		g := &j.Groups[i]
		if p, _ := j.informative(slices.Sorted(slices.Values(g.Rewards)), j.groupSize); p > 0 {
			return 0, 0, false
		}
		if i < at.groups && g.Missing == 0 && len(g.Rewards) >= j.groupSize {
			groups++
		}
	}
	if groups == 0 {
		return 0, 0, false
	}
	_, most := stat.ClopperPearson(0, float64(groups), 1-2*stopError/float64(len(j.Looks)))
	return groups, most * float64(at.groups) / float64(done) * float64(left), true
}

// unchecked lists the conditions of a GO that could not be checked.
func (j *judgement) unchecked(l Look) []message.Text {
	list := []message.Text{}
	switch {
	case l.Eval == nil:
		list = append(list, noEval.Text())
	case l.Eval.Withheld.ID != "":
		list = append(list, l.Eval.Withheld)
	}
	if j.zero == nil && j.unfair.ID == "" {
		list = append(list, noZero.With(message.Args{"why": message.Nested(j.noZero)}))
	}
	if j.Paid.Checked == 0 {
		list = append(list, noPaid.Text())
	}
	if !j.AllGroups && j.shown.Expected < leastExpected {
		list = append(list, noFilter.Text())
	}
	return list
}

// headline is the verdict of the whole pilot. A look without eval never overrules one with it, but
// for a hole.
func (j *judgement) headline(looks []Look, next *int) Verdict {
	v := Verdict{Answer: analysis.Undecided, Claim: ClaimLook, NotChecked: []message.Text{}, Reason: beforeFirst.Text()}
	withE := false
	for _, l := range looks {
		switch {
		case l.Eval != nil && l.Eval.Share != nil:
			v, withE = l.Verdict, true
		case l.Verdict.Answer == analysis.NoGo || !withE:
			v = l.Verdict
		case v.Answer == analysis.Undecided:
			v.Reason = evalNotAgain.With(message.Args{"step": message.Int(l.Step)})
			v.Step, v.NotChecked = l.Step, l.Verdict.NotChecked
		}
	}
	if next == nil && v.Claim == ClaimLook {
		v.Claim = ClaimUndecided
	}
	return v
}

var (
	holeLearned = message.New("pilot.reason.hole",
		"the training is learning a hole in the grader: answers of the kind {kind} are {share} of the best-paid "+
			"ones, and were {base} in the base run")
	zeroFails = message.New("pilot.reason.zero",
		"before any update counts, the logged rewards already differ from the base run by {value}, more than "+
			"{allowed}: temperature, chat template, reward or items of the training are not those of the base run")
	evalStays = message.New("pilot.reason.flat",
		"eval has changed by {value} after {step|step}, and a gain worth waiting for is ruled out")
	noneTaught = message.New("pilot.reason.barren",
		"there is nothing to learn from: in none of {groups|group} did rewards differ, and at most {rest} informative "+
			"groups are expected in the rest of the {steps|step} of the plan (95 %)")
	byHeart = message.New("pilot.reason.heart",
		"the training reward has risen by {reward}, and eval has changed by {eval}: the model memorizes items")
	rewardOnly = message.New("pilot.reason.reward_only",
		"the training reward has risen by {reward}, and eval has changed by {eval}: the model may memorize items")
	evalRises   = message.New("pilot.reason.eval", "eval has risen by {value} after {step|step}")
	evalUnclear = message.New("pilot.reason.eval_unclear",
		"eval has changed by {value}, too little or too uncertain to decide")
	rewardRises = message.New("pilot.reason.reward",
		"by training reward alone, which is {value} above the base run on the same items: eval was not sampled, so it may be "+
			"memorization")
	distrusted = message.New("pilot.reason.trust",
		"the base run failed {gates}, so its rewards cannot be trusted: fix that first (gonogo report RUN)")
	evalNotAgain = message.New("pilot.reason.eval_missing",
		"eval was not sampled at step {step}, and did not decide at the look before")
	nothingMeasured = message.New("pilot.reason.withheld", "the training reward cannot be compared: {why}")
	nothingShown    = message.New("pilot.reason.nothing", "no rollout of the last ten steps has a reward and a base run")
	zeroUnchecked   = message.New("pilot.reason.no_zero",
		"{why}, so that nothing shows whether trainer and base run measure the same thing; without eval that decides "+
			"nothing")
	zeroLate  = message.New("pilot.zero.late", "the log does not begin with the training's first step")
	zeroFew   = message.New("pilot.zero.few", "too few of the first rollouts match the base run")
	sinceZero = message.New("pilot.reason.since_zero",
		"the training reward is {value} above the base run on the same items, but was {zero} above it before any update: "+
			"that does not show a rise yet")
	rewardFalls = message.New("pilot.reason.falls",
		"the training reward has fallen by {value} on the same items; without eval this is no reason to stop: "+
			"sample a checkpoint")
	rewardUnclear = message.New("pilot.reason.unclear",
		"the training reward has changed by {value} on the same items, too little or too uncertain to decide; without "+
			"eval it is no reason to stop")
	curvesAlone = message.New("pilot.reason.curves",
		"the log holds only curves: not paired with the base run, they decide nothing; log the rollouts")
	beforeFirst = message.New("pilot.reason.early", "the log has not reached the first look")

	noEval   = message.New("pilot.unchecked.eval", "eval: no checkpoint was sampled")
	noZero   = message.New("pilot.unchecked.zero", "zero check: {why}")
	noPaid   = message.New("pilot.unchecked.paid", "same reward: no logged answer was graded again")
	noFilter = message.New("pilot.unchecked.filter",
		"all groups: the base run predicts too few groups of equal reward to see whether the trainer drops them")
)
