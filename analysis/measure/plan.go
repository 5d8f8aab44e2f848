package measure

import (
	"math"
	"slices"
	"strconv"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// The assumptions of a plan, and what is unknown.
var (
	groupRelative = message.New("plan.group_relative",
		"group-relative training: one group of rollouts per item and step (GRPO and its relatives)")
	trainersSay = message.New("plan.trainers_say", "a group size of {size} is num_generations={size} in TRL, "+
		"rollout.n={size} in verl and {rollouts} per example in prime-rl; hosted jobs scale it by "+
		"compute_multiplier, and how many rollouts of an item a multiplier means is not published")
	noGroupSize = message.New("plan.no_group_size",
		"no group size up to the samples per item reaches an informative share of {share}")
	fitReaches  = message.New("plan.fit_reaches", "the {model} fit reaches it by {size}")
	fitMisses   = message.New("plan.fit_misses", "the {model} fit does not reach it")
	noBatchSize = message.New("plan.no_batch_size", "set training.batch_size to see the cost per step")
	epochIs     = message.New("plan.epoch_is", "an epoch is {items} in {steps} of {batch}")
	stepsAtOnce = message.New("plan.steps_at_once",
		"all rollouts of a step run at once; a step lasts at least as long as its slowest rollout")
	callsOfBase = message.New("plan.calls_of_base",
		"a trained model's calls and tokens are those of the base model")
	evaluationsAre = message.New("plan.evaluations_are",
		"an evaluation is {items} of eval with {samples} each, every {every}")
	trainerTime = message.New("plan.trainer_time", "trainer time: 6 FLOP per parameter and trained token "+
		"(Kaplan et al. 2020, arXiv 2001.08361), {parameters} parameters at {flops} FLOP/s")
	trainedTokens = message.New("plan.trained_tokens",
		"trained tokens are at most the input and output tokens: text that later turns send again counts each time")
	trainerUnknown = message.New("plan.trainer_unknown",
		"the trainer's own time is not counted: training.parameters and training.flops are not set")
	jobPlans = message.New("plan.job_plans",
		"the job plans {epochs}: multiply the figures per epoch by that for the whole run")
	shareUnknown   = message.New("plan.share_unknown", "the informative share at the group size is not known")
	fewerThanGroup = message.New("plan.fewer_than_group",
		"fewer samples than the group size: the value is a lower bound, the interval reaches the upper bound")
	timesUnknown     = message.New("plan.times_unknown", "the rollouts do not record how long they took")
	largestUnbounded = message.New("plan.largest_unbounded",
		"no interval: the largest of a sample says little about larger ones")
	noPeakInterval = message.New("plan.no_interval", "no interval")
)

// The training that is assumed where the batch size or the epochs are not set.
const (
	assumedSteps  = 100
	assumedGroups = 8 // a step
)

// plan returns what a training run of this split would need at the planned group size, from
// measured distributions. Without a batch size only the group size is known.
func plan(sr *analysis.SplitResult, items []*collect.Item, eval *evaluated, c *evidence,
	s analysis.Settings,
) *analysis.Plan {
	p := &analysis.Plan{
		GroupSize: s.GroupSize, WantedShare: s.WantedShare,
		MinGroupSize: minGroupSize(sr.Signal, s.WantedShare),
		Assumptions:  []message.Text{groupRelative.Text(), trainersWords(s.GroupSize)},
	}
	if p.MinGroupSize == nil {
		p.Assumptions = append(p.Assumptions, modelledGroupSize(sr, s.WantedShare))
	}
	p.Steps, p.Groups, p.Assumed = assumedSteps, assumedSteps*assumedGroups, true
	if s.BatchSize == 0 {
		p.Assumptions = append(p.Assumptions, noBatchSize.Text())
		return p
	}
	batch := s.BatchSize
	p.BatchSize = &batch
	costs := costs{
		sr: sr, s: s, seconds: elapsed(items), judged: judged(items),
		calls: callsByTool(items, len(c.Tools)), money: rolloutMoney(items, c.Tools, s),
	}
	step := costs.of(float64(batch))
	p.PerStep = &step
	p.PeakRPS = costs.load(float64(batch), c)
	total := sr.Items.Sampled
	if sr.Items.InFile != nil {
		total = *sr.Items.InFile
	}
	epoch := costs.of(float64(total))
	steps := math.Ceil(float64(total) / float64(batch))
	epoch.SecondsMin = stat.Scale(step.SecondsMin, steps)
	epoch.USD = costs.money.of(float64(total*s.GroupSize), epoch.SecondsMin)
	p.PerEpoch = &epoch
	for _, cost := range []*analysis.PlanCost{p.PerStep, p.PerEpoch} {
		trainer(cost, s)
	}
	p.BySize = costs.bySize(batch)
	p.Assumptions = append(p.Assumptions,
		epochIs.With(message.Args{
			"items": message.Count(total, "item"), "steps": message.Count(int(steps), "step"),
			"batch": message.Count(batch, "item"),
		}),
		stepsAtOnce.Text(), callsOfBase.Text())
	p.Assumptions = append(p.Assumptions, trainerWords(p.PerStep, s)...)
	p.Assumptions = append(p.Assumptions, moneyWords(s.Prices)...)
	if eval != nil && s.EvalInterval > 0 && s.EvalSamples > 0 {
		evaluation, rows := eval.cost(c, s)
		p.Evaluation = &evaluation
		p.Assumptions = append(p.Assumptions, evaluationsAre.With(message.Args{
			"items": message.Count(rows, "item"), "samples": message.Count(s.EvalSamples, "rollout"),
			"every": message.Count(s.EvalInterval, "step"),
		}))
	}
	if s.Epochs > 0 {
		p.Steps, p.Groups, p.Assumed = int(steps)*s.Epochs, total*s.Epochs, false
		p.Evaluations, p.Whole = whole(p, s.Epochs, p.Steps, s)
		p.Assumptions = append(p.Assumptions, jobPlans.With(message.Args{"epochs": message.Count(s.Epochs, "epoch")}))
	}
	return p
}

// minGroupSize returns the smallest group size at which the measured share, net of grader noise if
// that is known, reaches want; nil if none within the samples does.
func minGroupSize(signal []analysis.Signal, want float64) *int {
	for _, s := range signal {
		if s.Bound == "exact" && s.Known() && *s.Teaches().Value >= want {
			size := s.GroupSize
			return &size
		}
	}
	return nil
}

type costs struct {
	sr      *analysis.SplitResult
	s       analysis.Settings
	seconds []float64 // of rollouts, ascending
	judged  float64   // judge calls per rollout
	calls   []int     // of these rollouts, by tool
	money   money
}

// of returns the cost of one group for each of the items.
func (c costs) of(items float64) analysis.PlanCost {
	g := float64(c.s.GroupSize)
	rollouts := items * g
	out := analysis.PlanCost{
		Rollouts:     exact(rollouts),
		ToolCalls:    stat.Scale(c.sr.Tools.Calls, rollouts),
		JudgeCalls:   exact(c.judged * rollouts),
		InputTokens:  stat.Scale(c.sr.Tokens.Input, rollouts),
		OutputTokens: stat.Scale(c.sr.Tokens.Output, rollouts),
		SecondsMin:   c.slowest(rollouts),
	}
	out.USD = c.money.of(rollouts, out.SecondsMin)
	out.InformativeGroups = stat.Estimate{
		Method:   "informative share x items",
		Warnings: []message.Text{shareUnknown.Text()},
	}
	for _, s := range c.sr.Signal {
		switch {
		case s.GroupSize != c.s.GroupSize:
		case s.Bound == "upper": // comes after the lower one
			out.InformativeGroups.High = stat.Scale(s.Teaches(), items).High
		default:
			out.InformativeGroups = stat.Scale(s.Teaches(), items)
			if s.Bound == "lower" {
				out.InformativeGroups.Warnings = append(out.InformativeGroups.Warnings, fewerThanGroup.Text())
			}
		}
	}
	return out
}

// slowest returns the expected wall time of the slowest rollout, drawn from the measured ones with
// replacement: E[max] of the empirical distribution.
func (c costs) slowest(rollouts float64) stat.Estimate {
	e := stat.Estimate{
		Method:   "expected slowest of the step's rollouts, from the measured wall times",
		Warnings: []message.Text{},
	}
	n := float64(len(c.seconds))
	if n == 0 {
		e.Warnings = append(e.Warnings, timesUnknown.Text())
		return e
	}
	sum := 0.0
	for i, x := range c.seconds {
		k := float64(i)
		sum += x * (math.Pow((k+1)/n, rollouts) - math.Pow(k/n, rollouts))
	}
	e.Value, e.N = stat.FiniteOrNil(sum), len(c.seconds)
	e.Warnings = append(e.Warnings, largestUnbounded.Text())
	return e
}

// load returns the mean request rate while all rollouts of a step run, by Little's law: rollouts in
// flight x calls per rollout / seconds per rollout.
func (c costs) load(batch float64, names *evidence) *analysis.PlanLoad {
	load := &analysis.PlanLoad{
		Tools:  make(map[string]stat.Estimate),
		Grader: stat.Estimate{Method: "Little's law", Warnings: []message.Text{}},
	}
	n := len(c.seconds)
	if n == 0 {
		load.Grader.Warnings = append(load.Grader.Warnings, timesUnknown.Text())
		return load
	}
	mean := 0.0
	for _, x := range c.seconds {
		mean += x / float64(n)
	}
	inFlight := batch * float64(c.s.GroupSize)
	rate := func(calls float64) stat.Estimate {
		return stat.Estimate{
			Value: stat.FiniteOrNil(inFlight * calls / mean), N: n, Items: c.sr.Items.Measured,
			Method: "Little's law", Warnings: []message.Text{noPeakInterval.Text()},
		}
	}
	for i, name := range names.Tools {
		if c.calls[i] > 0 {
			load.Tools[name] = rate(float64(c.calls[i]) / float64(n))
		}
	}
	load.Grader = rate(1)
	return load
}

// callsByTool counts the calls that reached a tool, by the tool's index, in rollouts whose time is
// known.
func callsByTool(items []*collect.Item, tools int) []int {
	counts := make([]int, tools)
	for _, it := range items {
		for _, r := range it.Rows {
			if !r.Valid || r.Elapsed <= 0 {
				continue
			}
			for _, c := range r.Calls {
				if c.Status() != rollout.CallMalformed {
					counts[c.Tool]++
				}
			}
		}
	}
	return counts
}

func elapsed(items []*collect.Item) []float64 {
	var out []float64
	for _, it := range items {
		for _, r := range it.Rows {
			if r.Valid && r.Elapsed > 0 {
				out = append(out, r.Elapsed)
			}
		}
	}
	slices.Sort(out)
	return out
}

// judged returns the mean number of judge calls per rollout.
func judged(items []*collect.Item) float64 {
	var calls, all float64
	for _, it := range items {
		for _, r := range it.Rows {
			if r.Valid {
				calls += float64(r.JudgeCalls())
				all++
			}
		}
	}
	if all == 0 {
		return 0
	}
	return calls / all
}

// exact is a number that follows from the plan alone.
func exact(x float64) stat.Estimate {
	return stat.Estimate{
		Value: stat.FiniteOrNil(x), SE: stat.FiniteOrNil(0), Low: stat.FiniteOrNil(x), High: stat.FiniteOrNil(x),
		Method: "exact", Warnings: []message.Text{},
	}
}

// trainersWords names the group size in the terms of trainers.
func trainersWords(g int) message.Text {
	return trainersSay.With(message.Args{
		"size":     message.Name(strconv.Itoa(g)),
		"rollouts": message.Count(g, "rollout"),
	})
}

// modelledGroupSize says at what group size the fitted models reach the wanted share if no size
// within the samples does; it is not a basis for a decision.
func modelledGroupSize(sr *analysis.SplitResult, want float64) message.Text {
	sizes := make(map[string]int)
	var models []string
	for _, x := range sr.Fits(analysis.InformativeGroups) {
		if !slices.Contains(models, x.Model) {
			models = append(models, x.Model)
		}
		if sizes[x.Model] == 0 && *x.Value >= want {
			sizes[x.Model] = x.K
		}
	}
	text := []message.Text{noGroupSize.With(message.Args{"share": message.Setting(want)})}
	for _, model := range models {
		def := fitMisses
		if sizes[model] > 0 {
			def = fitReaches
		}
		text = append(text, def.With(message.Args{"model": modelWords(model), "size": message.Int(sizes[model])}))
	}
	return message.Clauses(text...)
}
