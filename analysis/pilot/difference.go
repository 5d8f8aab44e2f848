package pilot

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

// Difference is a mean difference to the base run, paired by item.
type Difference struct {
	stat.Estimate // two-sided 95 % interval, in units of reward

	// Share, Above and Below are shares of the reward range. Above is the one-sided lower bound at
	// 0.025/K that a GO needs, Below the upper bound at 0.05/K that a NO-GO needs, for K planned looks.
	// Rises is the one-sided lower bound at 0.05: a NO-GO needs that it is not above zero.
	Share *float64 `json:"share"`
	Above *float64 `json:"lower_bound"`
	Below *float64 `json:"upper_bound"`
	Rises *float64 `json:"rises_by_at_least"`
	// Step is that of the checkpoint, or the last of the ten.
	Step int `json:"step"`
	// Withheld says why there is no difference; empty if there is one.
	Withheld message.Text `json:"withheld,omitzero"`
}

const (
	confidence     = 0.95
	leastItems     = 20   // items under which d is withheld
	leastMatched   = 0.90 // share of groups, or of eval items, under which a difference is withheld
	mostMissing    = 0.02 // share of rollouts without a reward above which it is withheld
	leastCalls     = 0.5  // calls a rollout of the base run from which a checkpoint that makes none is withheld
	leastAgreement = 0.95 // share of rewards that must agree with the base run's grader
	goError        = 0.025
	stopError      = 0.05
)

// ChosenItems is the id of Difference.Withheld where the shown items look chosen by the base run's own
// rewards.
const ChosenItems = "pilot.withheld.chosen"

// Zero is the difference over the first rollouts, which the untrained weights made.
type Zero struct {
	stat.Estimate
	Allowed float64 `json:"allowed"` // the largest difference that counts as none, in units of reward
	Holds   bool    `json:"holds"`
}

const (
	zeroRollouts   = 128
	zeroSteps      = 3
	zeroShare      = 0.05   // of the range
	zeroConfidence = 0.9973 // of the t interval that must hold 0: three standard errors for many items
)

// zeroCheck compares the first 128 rollouts, or the whole first step if that has more, with the base
// run. It is nil, with the reason, if the two cannot be compared, if the log begins later in the
// training, or if fewer than two of their items match. Rollouts after the third step do not count.
func (j *judgement) zeroCheck() (*Zero, message.Text) {
	switch {
	case j.unfair.ID != "":
		return nil, j.unfair
	case len(j.steps) == 0 || j.steps[0] > 1:
		return nil, zeroLate.Text()
	}
	rollouts, groups := 0, 0
	for groups < len(j.Groups) && (j.Groups[groups].Step == j.steps[0] ||
		rollouts < zeroRollouts && j.elapsed(j.Groups[groups].Step) <= zeroSteps) {
		rollouts += j.Groups[groups].rollouts()
		groups++
	}
	e := j.difference(j.Groups[:groups], 1).Estimate
	if e.Value == nil || e.Low == nil {
		return nil, zeroFew.Text()
	}
	z := &Zero{Estimate: e, Allowed: zeroShare * j.Range.Width()}
	if e.SE != nil {
		t := distuv.StudentsT{Sigma: 1, Nu: float64(e.Items - 1)}.Quantile((1 + zeroConfidence) / 2)
		z.Allowed = max(z.Allowed, t**e.SE)
	}
	z.Holds = math.Abs(*e.Value) <= z.Allowed
	return z, message.Text{}
}

// difference compares groups with the base run: d = Σ w_i (y_i − b_i) over their items, where w_i is
// the item's share of the rollouts, y_i the mean of its rollouts and b_i that of the base run. The
// variance is n/(n−1) Σ w_i² (D_i − d)² for n items, with n − 1 degrees of freedom; the base run's
// own sampling error is part of it. With equal weights this is the t interval of stat.PairedMean.
func (j *judgement) difference(groups []Group, looks int) Difference {
	type sum struct {
		reward float64
		n      int
	}
	sums := make(map[string]*sum)
	var items []string
	total := 0
	for i := range groups {
		g := &groups[i]
		if _, ok := j.base[g.Item]; !ok || len(g.Rewards) == 0 {
			continue
		}
		s := sums[g.Item]
		if s == nil {
			s = new(sum)
			sums[g.Item] = s
			items = append(items, g.Item)
		}
		for _, y := range g.Rewards {
			s.reward += y
		}
		s.n += len(g.Rewards)
		total += len(g.Rewards)
	}
	slices.Sort(items)
	d, weights := make([]float64, len(items)), make([]float64, len(items))
	for i, item := range items {
		s := sums[item]
		base, _ := stat.MeanVariance(j.base[item])
		d[i], weights[i] = s.reward/float64(s.n)-base, float64(s.n)/float64(total)
	}
	return j.bounded(d, weights, total, looks)
}

// evalDifference is e, the change of the eval items at a checkpoint. at is what the rollouts of the log
// are like at the look.
func (j *judgement) evalDifference(e *Eval, at Window) Difference {
	var d []float64
	n := 0
	for _, it := range e.Items {
		base, ok := j.eval[it.ID]
		if !ok || len(it.Rewards) == 0 {
			continue
		}
		was, _ := stat.MeanVariance(base)
		is, _ := stat.MeanVariance(it.Rewards)
		d = append(d, is-was)
		n += len(it.Rewards)
	}
	out := j.bounded(d, nil, n, len(j.Looks))
	out.Step = e.Step
	switch {
	case float64(len(d)) < leastMatched*float64(len(e.Items)) || len(d) < leastItems:
		out.Withheld = evalMatched.With(message.Args{
			"matched": message.Int(len(d)), "items": message.Count(len(e.Items), "item"), "step": message.Int(e.Step),
		})
	case float64(e.Missing) > mostMissing*float64(n+e.Missing):
		out.Withheld = evalMissing.With(message.Args{
			"missing": message.Int(e.Missing), "rollouts": message.Count(n+e.Missing, "rollout"), "step": message.Int(e.Step),
		})
	case e.Calls == 0 && j.EvalCalls >= leastCalls && (at.Calls == nil || *at.Calls > 0):
		out.Withheld = evalCalls.With(message.Args{
			"calls": message.Number(j.EvalCalls), "step": message.Int(e.Step),
		})
	default:
		return out
	}
	return out.withheld()
}

// withheld returns d without its numbers.
func (d Difference) withheld() Difference {
	return Difference{
		Estimate: stat.Estimate{Method: d.Method, N: d.N, Items: d.Items, Warnings: []message.Text{}},
		Step:     d.Step, Withheld: d.Withheld,
	}
}

// bounded returns the weighted mean of differences with its interval and the two bounds; nil weights
// are equal.
func (j *judgement) bounded(d, weights []float64, n, looks int) Difference {
	width := j.Range.Width()
	r := stat.Range{Lo: -width, Hi: width}
	at := func(conf float64) stat.Estimate {
		e := stat.PairedMean(d, nil, n, &r, conf)
		if weights == nil || e.SE == nil {
			return e
		}
		return weighted(e, d, weights, conf)
	}
	out := Difference{Estimate: at(confidence)}
	if out.Value == nil || out.Low == nil {
		return out
	}
	k := float64(max(looks, 1))
	share := *out.Value / width
	above, below := *at(1 - 2*goError/k).Low/width, *at(1 - 2*stopError/k).High/width
	rises := *at(1 - 2*stopError).Low / width
	out.Share, out.Above, out.Below, out.Rises = &share, &above, &below, &rises
	return out
}

// weighted replaces the mean of an estimate by the weighted one.
func weighted(e stat.Estimate, d, weights []float64, conf float64) stat.Estimate {
	n := float64(len(d))
	var mean, variance float64
	for i := range d {
		mean += weights[i] * d[i]
	}
	for i := range d {
		variance += weights[i] * weights[i] * (d[i] - mean) * (d[i] - mean)
	}
	se := math.Sqrt(n / (n - 1) * variance)
	half := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile((1+conf)/2) * se
	low, high := mean-half, mean+half
	e.Value, e.SE, e.Low, e.High, e.FixedSE = &mean, &se, &low, &high, nil
	e.Method = "mean over items of the difference, weighted by rollouts, paired"
	return e
}

// rewardAt is d at a look, unless something keeps it from being what it seems.
func (j *judgement) rewardAt(at moment) Difference {
	d := j.difference(j.windowAt(at), len(j.Looks))
	d.Step = at.step
	if d.Withheld = j.withheld(at, d.Items); d.Withheld.ID != "" {
		return d.withheld()
	}
	return d
}

// withheld returns why d is not the change of the base run's reward; nothing if it is.
func (j *judgement) withheld(at moment, items int) message.Text {
	matched, window := 0, j.windowAt(at)
	rollouts, missing := 0, 0
	for i := range window {
		if _, ok := j.base[window[i].Item]; ok {
			matched++
			rollouts += window[i].rollouts()
			missing += window[i].Missing
		}
	}
	switch {
	case j.unfair.ID != "":
		return j.unfair
	case float64(matched) < leastMatched*float64(len(window)):
		return fewMatched.With(message.Args{"matched": message.Int(matched), "groups": message.Count(len(window), "group")})
	case float64(missing) > mostMissing*float64(rollouts):
		return manyMissing.With(message.Args{"missing": message.Int(missing), "rollouts": message.Count(rollouts, "rollout")})
	case items < leastItems:
		return fewItems.With(message.Args{"items": message.Count(items, "item")})
	}
	return message.Text{}
}

// unfairness returns why the logged rewards cannot be compared with the base run's, whatever the
// step; nothing if they can.
func (j *judgement) unfairness() message.Text {
	switch {
	case j.outside > 0:
		return paysOutside.With(message.Args{
			"rewards": message.Int(j.outside), "low": message.Number(j.Range.Lo), "high": message.Number(j.Range.Hi),
		})
	case j.Paid.Differs():
		return paysOtherwise.With(message.Args{"agree": message.Int(j.Paid.Agree), "checked": message.Int(j.Paid.Checked)})
	case !j.AllGroups && j.shown.missing():
		return filteredByCount.With(message.Args{
			"found":    message.Count(int(math.Round(j.shown.Equal)), "group"),
			"expected": message.Number(math.Round(j.shown.Expected)),
		})
	case j.mismatched():
		return otherItems.Text()
	case !j.Fresh && j.chosen():
		return chosenItems.Text()
	}
	return message.Text{}
}

var (
	filteredByCount = message.New("pilot.withheld.dropped",
		"the log holds {found} of equal reward where the base run predicts {expected}: the trainer drops such groups, "+
			"or pays something else, and without any learning the difference would be positive")
	paysOutside = message.New("pilot.withheld.outside",
		"the trainer pays something other than the base run's grader: {rewards|logged reward is|logged rewards are} "+
			"outside its range, {low} to {high}; --score selects the grader's own component")
	paysOtherwise = message.New("pilot.withheld.paid",
		"the trainer pays something other than the base run's grader: {agree|logged reward agrees|logged rewards "+
			"agree}, of {checked} checked")
	fewMatched = message.New("pilot.withheld.matched",
		"only {matched} of {groups} match an item of the base run; --base samples the others")
	manyMissing = message.New("pilot.withheld.missing",
		"no reward for {missing} of {rollouts} of the last ten steps: the others may not be representative")
	evalMatched = message.New("pilot.withheld.eval_matched",
		"eval items of the base run among the {items} sampled at step {step}: {matched}; at least 90 % and 20 items "+
			"are needed")
	evalMissing = message.New("pilot.withheld.eval_missing",
		"no reward for {missing} of {rollouts} sampled at step {step}: run the same command again")
	evalCalls = message.New("pilot.withheld.eval_calls",
		"at step {step} no sampled rollout calls a tool (calls of a base rollout: {calls}): does the checkpoint's "+
			"server parse tool calls (vLLM: --enable-auto-tool-choice and --tool-call-parser)? Move the folder of its rollouts "+
			"away, and sample it again")
	fewItems = message.New("pilot.withheld.items",
		"the last ten steps show {items} of the base run, and 20 are needed")
	otherItems = message.New("pilot.withheld.items_differ",
		"items that are easy in the base run are not the easy ones in the log: are they the same items under these ids?")
	chosenItems = message.New(ChosenItems,
		"the training's items seem to be chosen by the base run's own rewards, so their base means are "+
			"biased; --base samples them again")
)
