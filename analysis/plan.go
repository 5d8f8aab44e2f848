package analysis

import (
	"fmt"
	"math"
	"slices"

	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// plan says what a training run of this split would need at the planned group
// size, from measured distributions. Without a batch size only the group size
// can be told.
func plan(sr *SplitResult, items []*item, c *collector, s Settings) *Plan {
	p := &Plan{
		GroupSize: s.GroupSize, WantedShare: s.WantedShare,
		MinGroupSize: minGroupSize(sr.Signal, s.WantedShare),
		Assumptions: []string{
			"group-relative training: one group of rollouts per item and step (GRPO and its relatives)",
			trainersWords(s.GroupSize),
		},
	}
	if p.MinGroupSize == nil {
		p.Assumptions = append(p.Assumptions, fmt.Sprintf("no group size up to the samples per item reaches an informative share of %g", s.WantedShare)+modelledGroupSize(sr, s.WantedShare))
	}
	if s.BatchSize == 0 {
		p.Assumptions = append(p.Assumptions, "no batch size is configured (training.batch_size): cost per step is not told")
		return p
	}
	batch := s.BatchSize
	p.BatchSize = &batch
	costs := costs{sr: sr, s: s, seconds: elapsed(items), judged: judged(items), calls: callsByTool(items, len(c.tools)), money: rolloutMoney(items, c.tools, s)}
	step := costs.of(float64(batch))
	p.PerStep = &step
	p.PeakRPS = costs.load(float64(batch), c)
	total := sr.Items.Sampled
	if sr.Items.InFile != nil {
		total = *sr.Items.InFile
	}
	epoch := costs.of(float64(total))
	steps := math.Ceil(float64(total) / float64(batch))
	epoch.SecondsMin = scale(step.SecondsMin, steps)
	epoch.USD = costs.money.of(float64(total*s.GroupSize), epoch.SecondsMin)
	p.PerEpoch = &epoch
	p.Assumptions = append(p.Assumptions,
		fmt.Sprintf("an epoch is %d items in %.0f steps of %d items", total, steps, batch),
		"all rollouts of a step run at once; a step lasts at least as long as its slowest rollout; training itself is not counted",
		"a trained model's calls and tokens are those of the base model")
	p.Assumptions = append(p.Assumptions, moneyWords(s.Prices)...)
	if s.Epochs > 0 {
		p.Assumptions = append(p.Assumptions, fmt.Sprintf("the job plans %s: the whole run takes so many times the figures per epoch", plain.Count(s.Epochs, "epoch")))
	}
	return p
}

// minGroupSize is the smallest group size at which the measured share, net of
// grader noise where that is known, reaches want; nil when none within the samples does.
func minGroupSize(signal []Signal, want float64) *int {
	for _, s := range signal {
		if s.Bound == "exact" && s.Known() && *s.Teaches().Value >= want {
			size := s.GroupSize
			return &size
		}
	}
	return nil
}

type costs struct {
	sr      *SplitResult
	s       Settings
	seconds []float64 // of rollouts, ascending
	judged  float64   // judge calls per rollout
	calls   []int     // of those rollouts, by tool
	money   money
}

// of is the cost of one group for each of so many items.
func (c costs) of(items float64) PlanCost {
	g := float64(c.s.GroupSize)
	rollouts := items * g
	out := PlanCost{
		Rollouts:     exact(rollouts),
		ToolCalls:    scale(c.sr.Tools.Calls, rollouts),
		JudgeCalls:   exact(c.judged * rollouts),
		InputTokens:  scale(c.sr.Tokens.Input, rollouts),
		OutputTokens: scale(c.sr.Tokens.Output, rollouts),
		SecondsMin:   c.slowest(rollouts),
	}
	out.USD = c.money.of(rollouts, out.SecondsMin)
	out.InformativeGroups = stat.Estimate{Method: "informative share x items", Warnings: []string{"the informative share at the group size is not known"}}
	for _, s := range c.sr.Signal {
		switch {
		case s.GroupSize != c.s.GroupSize:
		case s.Bound == "upper": // comes after the lower one
			out.InformativeGroups.High = scale(s.Teaches(), items).High
		default:
			out.InformativeGroups = scale(s.Teaches(), items)
			if s.Bound == "lower" {
				out.InformativeGroups.Warnings = append(out.InformativeGroups.Warnings, "fewer samples than the group size: the value is the least it can be, the interval reaches to the most")
			}
		}
	}
	return out
}

// slowest is the expected wall time of the slowest of so many rollouts, drawn
// from the measured ones with replacement: E[max] of the empirical
// distribution.
func (c costs) slowest(rollouts float64) stat.Estimate {
	e := stat.Estimate{Method: "expected slowest of the step's rollouts, from the measured wall times", Warnings: []string{}}
	n := float64(len(c.seconds))
	if n == 0 {
		e.Warnings = append(e.Warnings, "the rollouts do not tell how long they took")
		return e
	}
	sum := 0.0
	for i, x := range c.seconds {
		k := float64(i)
		sum += x * (math.Pow((k+1)/n, rollouts) - math.Pow(k/n, rollouts))
	}
	e.Value, e.N = stat.Some(sum), len(c.seconds)
	e.Warnings = append(e.Warnings, "no interval: the largest of a sample says little about larger ones")
	return e
}

// load is the mean request rate while all rollouts of a step run, by Little's
// law: rollouts in flight x calls per rollout / seconds per rollout.
func (c costs) load(batch float64, names *collector) *PlanLoad {
	load := &PlanLoad{Tools: make(map[string]stat.Estimate), Grader: stat.Estimate{Method: "Little's law", Warnings: []string{}}}
	n := len(c.seconds)
	if n == 0 {
		load.Grader.Warnings = append(load.Grader.Warnings, "the rollouts do not tell how long they took")
		return load
	}
	mean := 0.0
	for _, x := range c.seconds {
		mean += x / float64(n)
	}
	inFlight := batch * float64(c.s.GroupSize)
	rate := func(calls float64) stat.Estimate {
		return stat.Estimate{Value: stat.Some(inFlight * calls / mean), N: n, Items: c.sr.Items.Measured, Method: "Little's law", Warnings: []string{"no interval"}}
	}
	for i, name := range names.tools {
		if c.calls[i] > 0 {
			load.Tools[name] = rate(float64(c.calls[i]) / float64(n))
		}
	}
	load.Grader = rate(1)
	return load
}

// callsByTool counts the calls that reached a tool, by the tool's index, in
// rollouts whose time is known.
func callsByTool(items []*item, tools int) []int {
	counts := make([]int, tools)
	for _, it := range items {
		for _, r := range it.rows {
			if !r.valid || r.elapsed <= 0 {
				continue
			}
			for _, c := range r.calls {
				if c.status != rollout.CallMalformed {
					counts[c.tool]++
				}
			}
		}
	}
	return counts
}

func elapsed(items []*item) []float64 {
	var out []float64
	for _, it := range items {
		for _, r := range it.rows {
			if r.valid && r.elapsed > 0 {
				out = append(out, r.elapsed)
			}
		}
	}
	slices.Sort(out)
	return out
}

// judged is the mean number of judge calls of a rollout.
func judged(items []*item) float64 {
	var calls, all float64
	for _, it := range items {
		for _, r := range it.rows {
			if r.valid {
				calls += float64(r.judgeCalls)
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
	return stat.Estimate{Value: stat.Some(x), SE: stat.Some(0), Low: stat.Some(x), High: stat.Some(x), Method: "exact", Warnings: []string{}}
}

// scale multiplies an estimate and its interval by a positive number.
func scale(e stat.Estimate, by float64) stat.Estimate {
	times := func(p *float64) *float64 {
		if p == nil {
			return nil
		}
		return stat.Some(*p * by)
	}
	e.Value, e.SE, e.Low, e.High, e.FixedSE = times(e.Value), times(e.SE), times(e.Low), times(e.High), times(e.FixedSE)
	e.Warnings = slices.Clone(e.Warnings)
	return e
}

// trainersWords names the group size as trainers do.
func trainersWords(g int) string {
	return fmt.Sprintf("a group size of %[1]d is num_generations=%[1]d in TRL, rollout.n=%[1]d in verl and %[1]d rollouts per example in prime-rl; hosted jobs scale it by compute_multiplier, and how many rollouts of an item a multiplier stands for is not published", g)
}

// modelledGroupSize says at what group size the fitted models reach the wanted
// share; it is no basis for a decision.
func modelledGroupSize(sr *SplitResult, want float64) string {
	at := make(map[string]int)
	var models []string
	for _, x := range sr.Extrapolated {
		if x.Quantity != InformativeGroups {
			continue
		}
		if !slices.Contains(models, x.Model) {
			models = append(models, x.Model)
		}
		if at[x.Model] == 0 && x.Value != nil && *x.Value >= want {
			at[x.Model] = x.K
		}
	}
	text := ""
	for _, model := range models {
		if k := at[model]; k > 0 {
			text += "; " + fmt.Sprintf("the %s fit reaches it by %d", modelWords(model), k)
		} else {
			text += "; " + fmt.Sprintf("the %s fit does not reach it", modelWords(model))
		}
	}
	return text
}
