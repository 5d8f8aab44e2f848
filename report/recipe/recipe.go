package recipe

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/message"
	"gonogo/analysis/pilot"
	"gonogo/analysis/stat"
	"gonogo/sampler/input/job"
	"gonogo/sampler/rollout"
)

// Given is what is already decided, and what the result does not contain. A number of 0 is not
// decided.
type Given struct {
	Run         string // as named on the command line
	Model       string
	GroupSize   int
	BatchSize   int // items per step
	Epochs      int
	EvalEvery   int               // steps between evaluations
	EvalSamples int               // rollouts per eval item at each evaluation
	Sampling    *rollout.Sampling // the sampling parameters of the run
	Normalize   string            // analysis.NormalizeStd or NormalizeNone
	PromptBytes int               // size of the longest prompt in the training rows; 0: unknown
	Job         *job.Job          // with the grader; nil without one
	Pilot       *Pilot            // nil: the whole training
}

// number is a whole number with the reason for it. The zero number means that nothing supports a
// value.
type number struct {
	n   int
	why string
}

// recipe holds the values that the measurements support, for any trainer.
type recipe struct {
	given Given
	r     *analysis.Result
	train *analysis.SplitResult
	eval  *analysis.SplitResult // nil without an eval split

	group, batch, epochs, steps number
	evalEvery, evalSamples      number
	tokens                      number // maximum that the model writes in a rollout
	response                    number // tokens plus the outputs of tools
	prompt                      number // tokens of the longest prompt
	calls                       number // maximum tool calls in a rollout
	share                       *stat.Estimate
}

// Assumptions where no measurement decides.
const (
	leastGroup     = 4    // the mean of fewer rewards is a noisy baseline
	wantedGroups   = 32   // informative groups per step
	firstEpochs    = 2    // until evaluations show more
	evaluations    = 10   // per training run
	evalShare      = 0.2  // evaluation rollouts as a share of training rollouts, at most
	tokenRoom      = 1.25 // answers grow in training
	roundTokens    = 256
	leastTokens    = 16
	bytesPerToken  = 3 // conservative; English text has about four
	mostEvalRepeat = 16
)

// newRecipe derives the numbers. It returns an error if the run has no measured train split.
func newRecipe(r *analysis.Result, g Given) (*recipe, error) {
	c := &recipe{given: g, r: r, train: r.Splits[rollout.Train], eval: r.Splits[rollout.Eval]}
	if c.train == nil || c.train.Items.Measured == 0 || r.Plan == nil {
		return nil, errors.New("the run measured no train item: a training is planned from rollouts of its own " +
			"train rows")
	}
	if c.eval != nil && c.eval.Items.Measured == 0 {
		c.eval = nil
	}
	c.group = c.groupSize()
	if s, _ := c.train.SignalAt(c.group.n); s != nil {
		share := s.Teaches()
		c.share = &share
	}
	c.batch = c.batchSize()
	c.epochs, c.steps = c.length()
	if c.eval != nil {
		c.evalSamples = c.samplesOfEval()
		c.evalEvery = c.interval().within(c.steps.n)
	}
	c.calls = c.callLimit()
	c.tokens, c.response, c.prompt = c.tokenLimits()
	return c, nil
}

func (c *recipe) groupSize() number {
	if g := c.given.GroupSize; g > 0 {
		return number{g, "as given on the command line"}
	}
	smallest, want := c.r.Plan.MinGroupSize, message.Percent(c.r.Plan.WantedShare)
	if smallest == nil {
		return number{c.r.GroupSize, fmt.Sprintf("as configured: no group size up to the samples of this run makes "+
			"%s of the groups informative", want)}
	}
	n := max(leastGroup, *smallest)
	why := fmt.Sprintf("the smallest at which %s of the groups or more are informative", want)
	if n > *smallest {
		why = fmt.Sprintf("groups of %d are informative often enough (%s or more), but %d rewards make a steadier "+
			"baseline", *smallest, want, n)
	}
	if s, _ := c.train.SignalAt(n); s != nil {
		e := s.Teaches()
		why += fmt.Sprintf("; measured %s", message.IntervalIn("share", e.Value, e.Low, e.High))
	}
	if n < c.r.GroupSize {
		why += fmt.Sprintf("; %d, as configured, cost more rollouts", c.r.GroupSize)
	}
	return number{n, why}
}

// itemCount returns the number of items of an epoch or an evaluation.
func itemCount(s *analysis.SplitResult) int {
	if n := s.Items.InFile; n != nil {
		return *n
	}
	return s.Items.Sampled
}

func (c *recipe) batchSize() number {
	share := 0.0
	if c.share != nil {
		share = stat.ValueOr(c.share.Value, 0)
	}
	if b := c.given.BatchSize; b > 0 {
		why := "as configured"
		if share > 0 {
			why += fmt.Sprintf("; about %s of %s teach", message.Digits(share*float64(b)), count(b, "group"))
		}
		return number{b, why}
	}
	if share == 0 {
		return number{
			min(wantedGroups, itemCount(c.train)),
			"no share of informative groups is known, or it is 0; a common size",
		}
	}
	n := int(math.Ceil(wantedGroups/share/8)) * 8
	if most := itemCount(c.train); n > most {
		return number{most, fmt.Sprintf("all items: %d groups that teach would need a batch of %d", wantedGroups, n)}
	}
	return number{n, fmt.Sprintf("%s of the groups teach: this many give about %d of them a step",
		message.Percent(share), wantedGroups)}
}

// length returns the number of epochs and of steps.
func (c *recipe) length() (epochs, steps number) {
	per := (itemCount(c.train) + c.batch.n - 1) / c.batch.n
	epochs = number{c.given.Epochs, "as configured"}
	if epochs.n == 0 {
		epochs = number{firstEpochs, "no measurement determines the number of passes: stop when the evaluations " +
			"no longer rise"}
		if n := c.toLastLook(per); c.given.Pilot != nil && n > firstEpochs {
			epochs = number{n, "up to the last look of gonogo pilot: stop when the evaluations no longer rise"}
		}
	}
	return epochs, stepsOf(epochs.n, itemCount(c.train), c.batch.n)
}

// stepsOf returns the number of steps of a training in batches.
func stepsOf(epochs, items, batch int) number {
	per := (items + batch - 1) / batch
	return number{epochs * per, fmt.Sprintf("%d x %s of %s each", epochs, count(per, "step"), count(batch, "item"))}
}

// toLastLook returns the number of epochs, of per steps each, to the last look of gonogo pilot.
func (c *recipe) toLastLook(per int) int {
	looks := pilot.DefaultLooks(0, 0)
	return (looks[len(looks)-1].StepOf(c.batch.n*c.group.n) + per - 1) / per
}

func (c *recipe) samplesOfEval() number {
	if n := c.given.EvalSamples; n > 0 {
		return number{n, "as configured"}
	}
	n, enough, ok := gate.EvalSamples(c.r)
	gain := message.Digits(c.r.Thresholds.ByName().At(gate.HopedGain) * c.r.Range().Width())
	switch {
	case !ok:
		return number{}
	case n > mostEvalRepeat:
		return number{mostEvalRepeat, fmt.Sprintf("%d would be needed to show a gain of %s: more items would be "+
			"better", n, gain)}
	case enough:
		return number{n, fmt.Sprintf("the fewest with which %s of eval show a gain of %s (threshold eval.power)",
			count(c.eval.Items.Measured, "item"), gain)}
	}
	return number{n, fmt.Sprintf("%s of eval are too few to show a gain of %s, however often each is sampled; "+
		"more samples than these gain little", count(c.eval.Items.Measured, "item"), gain)}
}

func (c *recipe) interval() number {
	if n := c.given.EvalEvery; n > 0 {
		return number{n, "as configured"}
	}
	often := (c.steps.n + evaluations - 1) / evaluations
	one := float64(itemCount(c.eval) * max(1, c.evalSamples.n))
	seldom := int(math.Ceil(one / (evalShare * float64(c.batch.n*c.group.n))))
	if seldom > often {
		return number{seldom, fmt.Sprintf("an evaluation takes %s, so that evaluations take at most %s of training's "+
			"rollouts", count(int(one), "rollout"), message.Percent(evalShare))}
	}
	return number{often, fmt.Sprintf("about %d evaluations, of %s each", evaluations, count(int(one), "rollout"))}
}

// within returns an interval that is no longer than a training of that many steps, so that there is
// at least one evaluation.
func (n number) within(steps int) number {
	if steps == 0 || n.n <= steps {
		return n
	}
	return number{steps, fmt.Sprintf("one evaluation, after the last of %s; every %d steps there would be none (%s)",
		count(steps, "step"), n.n, n.why)}
}

func (c *recipe) callLimit() number {
	u := &c.train.Tools
	if u.Max == 0 {
		return number{}
	}
	reached := ""
	if u.Budget != nil && stat.ValueOr(u.OverBudget, 0) > 0 {
		reached = fmt.Sprintf("; %s of the rollouts reached the limit of this run, %d",
			message.Percent(*u.OverBudget), *u.Budget)
	}
	if w := c.train.WhatIfOf(analysis.CostCalls); w != nil {
		if limit, ok := w.Tightest(c.r.Range()); ok && limit.At >= 1 {
			return number{int(limit.At), fmt.Sprintf("the tightest limit that costs the measured reward next to "+
				"nothing (%s); %s of the rollouts make more calls%s",
				message.DigitsOf(limit.Change.Value), message.Percent(stat.ValueOr(limit.Cut.Value, 0)), reached)}
		}
	}
	n := int(math.Ceil(stat.ValueOr(u.P99.Value, float64(u.Max))))
	return number{max(1, n), fmt.Sprintf("99 %% of the rollouts make no more; the maximum is %d%s", u.Max, reached)}
}

// tokenLimits returns the token limits of what the model writes in a rollout, of the whole
// response, and of the prompt.
func (c *recipe) tokenLimits() (wrote, response, prompt number) {
	if b := c.given.PromptBytes; b > 0 {
		n := roundUp(float64(b) / bytesPerToken)
		prompt = number{n, fmt.Sprintf("the longest prompt has %s bytes, at %d bytes a token", message.Whole(b),
			bytesPerToken)}
	}
	p99 := c.train.Ends.FinishedTokens
	if p99 == nil {
		return number{}, number{}, prompt
	}
	why := fmt.Sprintf("99 %% of the finished rollouts wrote %s tokens or fewer, plus a margin of a quarter",
		message.Whole(int(*p99)))
	if cut := c.train.Ends.CutOff; cut != nil && stat.ValueOr(cut.Value, 0) > 0 {
		why += fmt.Sprintf("; %s of the rollouts of this run were cut off", message.Percent(*cut.Value))
	}
	wrote = number{limitOf(*p99 * tokenRoom), why}
	response = wrote
	var most float64
	var slowest string
	for name, t := range c.train.Tools.ByTool {
		if out := stat.ValueOr(t.OutputTokensP95, 0); out > most || out == most && name < slowest {
			most, slowest = out, name
		}
	}
	if c.calls.n > 0 && most > 0 {
		response = number{
			limitOf(*p99*tokenRoom + float64(c.calls.n)*most),
			why + fmt.Sprintf("; and %s of at most about %s tokens each (%s, P95)", count(c.calls.n, "tool output"),
				message.Whole(int(math.Ceil(most))), slowest),
		}
	}
	return wrote, response, prompt
}

// orDefault returns the number, or the trainer's own limit if nothing was measured: a limit that
// the trainer applies is written, so that a user sees it.
func (n number) orDefault(trainers int, measured string) number {
	if n.n > 0 {
		return n
	}
	return number{trainers, "the trainer's own default, because this run does not record " + measured +
		": set it to what the longest needs"}
}

// What a trainer's default is used instead of.
const (
	tokensOfRollouts = "the tokens of its rollouts"
	textOfPrompts    = "the text of its prompts"
)

// limitOf rounds a limit of what the model writes: up to a power of two for short answers, because a
// rollout that misses its end goes on to the limit.
func limitOf(tokens float64) int {
	for short := leastTokens; short < roundTokens; short *= 2 {
		if tokens <= float64(short) {
			return short
		}
	}
	return roundUp(tokens)
}

func roundUp(tokens float64) int { return int(math.Ceil(tokens/roundTokens)) * roundTokens }

// difficulty says how many items teach nothing, for the setting that filters them.
func (c *recipe) difficulty() string {
	var parts []string
	for _, class := range []struct {
		items  int
		earned string
	}{
		{c.train.Classes.Counts[analysis.Dead], "the bottom"},
		{c.train.Classes.Counts[analysis.Saturated], "the top"},
		{c.train.Classes.Counts[analysis.Flat], "one reward in between"},
	} {
		if class.items > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", class.items, class.earned))
		}
	}
	of := count(c.train.Items.Measured, "item")
	if parts == nil {
		return "of " + of + ", 0 always earned the same reward"
	}
	return fmt.Sprintf("of %s, these always earned the same reward, so that their groups teach nothing: %s", of,
		strings.Join(parts, ", "))
}

// head returns the first comment lines of a configuration.
func (c *recipe) head(what string) []string {
	lines := []string{
		what,
		fmt.Sprintf("Written by gonogo from what the run %s measured; each line has its reason.",
			cmp.Or(c.given.Run, c.r.Run.Name)),
		"Settings that no measurement supports, such as the learning rate, are left to the trainer.",
	}
	if c.r.Verdict != analysis.Go {
		lines = append(lines, fmt.Sprintf("The verdict on the run is %s: resolve its reasons before you pay for "+
			"this training.", c.r.Verdict))
	}
	return lines
}

// count returns a number with its noun.
func count(n int, noun string) string { return message.Language{}.Count(n, noun) }

// oneLine keeps names from a run inside a comment: line breaks and control characters become
// spaces.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, text)
}
