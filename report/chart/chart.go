package chart

import (
	"strings"

	"gonum.org/v1/plot"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Chart is a chart of a Result.
type Chart = Spec[*analysis.Result]

// Spec describes one chart of an R.
type Spec[R any] struct {
	Name string // lower_snake; also the name of its file
	Doc  string // what it shows, for a reader who has never seen one
	Read string // how to read it, in one sentence

	// Draw plots the R on axes without a title or legend, says in words what the plot shows, and
	// lists its data in a table. Render fills in Name, Doc and Lang; without a Title the plot's own
	// is drawn, and without a Height the default is used. Draw returns *NoData if the R has nothing
	// that the chart could show.
	Draw func(R) (Figure, error)

	OnRewards bool // it shows rewards: a report marks it if the grader fails its audit

	// Only reports whether a report includes the chart. If it is nil every report does, even one
	// without data for it, which then says so.
	Only func(R) bool
}

// Caption is the text above a plot.
type Caption struct {
	Title    string // the finding, in words
	Subtitle string // n, interval and method
	Legend   []Entry
	Brief    []Entry // the legend of a Panel; nil: Legend
}

// Entry is one entry of the legend row. Its thumbnails are drawn on top of each other.
type Entry struct {
	Label  string
	Thumbs []plot.Thumbnailer
}

func entry(label string, thumbs ...plot.Thumbnailer) Entry { return Entry{label, thumbs} }

func (c *Caption) addEntry(label string, thumbs ...plot.Thumbnailer) {
	c.Legend = append(c.Legend, entry(label, thumbs...))
}

// NoData is the error of a Draw that has nothing to show.
type NoData struct {
	Why string // what is missing, and what would supply it
}

// Error returns why there is nothing to show.
func (e *NoData) Error() string { return "no data: " + e.Why }

func noData(l message.Language, id, english string) (Figure, error) {
	return Figure{}, &NoData{Why: l.Text(id, english)}
}

// ofSplit returns a Draw of the split that a report shows.
func ofSplit(draw func(*analysis.Result, rollout.Split, *analysis.SplitResult) (Figure,
	error),
) func(*analysis.Result) (Figure, error) {
	return func(r *analysis.Result) (Figure, error) {
		split, s, ok := ShownSplit(r)
		if !ok {
			return noData(r.Lang, "chart.no.rollouts", "the run has no rollouts")
		}
		return draw(r, split, s)
	}
}

// Charts lists the charts in display order.
func Charts() []Chart {
	return []Chart{
		{
			Name:      "variance",
			OnRewards: true,
			Doc: "Every item by its mean reward, lowest first: light bar = mean, thin line = ± 1 standard deviation, " +
				"red cross = best sample. Long lines and high crosses are what training can use.",
			Read: "From left to right the items become easier; where the thin line is long the samples of an item " +
				"differ, and where bar and cross are both at the bottom, or both at the top, there is nothing to " +
				"learn from.",
			Draw: ofSplit(drawVariance),
		},
		{
			Name:      "best_of_k",
			OnRewards: true,
			Doc: "The expected reward if the best, or the worst, of k samples counts. " +
				"The gap at the group size is what choosing the better samples can gain. pass^k is the probability that " +
				"all k are right; with rewards of 0 and 1 it is the worst of k.",
			Read: "Follow the blue line to the group size: its height above its left end is what choosing among " +
				"samples can gain; to the right of the samples taken it is a fitted model, and the two models " +
				"differ by what these samples cannot show.",
			Draw: ofSplit(drawBestOfK),
		},
		{
			Name:      "informative",
			OnRewards: true,
			Doc: "The share of groups whose rewards differ, against group size. A group whose rewards are all equal " +
				"teaches nothing and is paid for all the same. Where grader noise was measured, its share is taken off.",
			Read: "Find the group size on the axis below: the line above it is the share of groups that teach; " +
				"below the caution line training pays for many groups that teach nothing, below the red one " +
				"the verdict is NO-GO.",
			Draw: ofSplit(drawInformative),
		},
		{
			Name:      "rewards",
			OnRewards: true,
			Doc: "How often each reward was given. Piles at one end mean the grader, or the task, hardly " +
				"tells samples apart.",
			Read: "Two tall bars at the ends mean a yes-or-no grader; one tall bar means a grader, or a " +
				"task, that hardly tells samples apart.",
			Draw: ofSplit(drawRewards),
		},
		{
			Name:      "item_classes",
			OnRewards: true,
			Doc: "What the rewards of each item look like, by split: dead (all at the bottom), saturated (all at " +
				"the top), flat (all equal in between), mixed (they differ).",
			Read: "The light blue part is what training can use; the dark part is out of reach for now, the hatched " +
				"one is already solved.",
			Draw: drawItemClasses,
		},
		{
			Name: "noise", OnRewards: true,
			Doc: "Why rewards of the same item differ, by split: the model's answers differ, or the grader gives the " +
				"same answer different rewards.",
			Read: "Only the dark part teaches the task; the hatched part is luck, and training would learn from it " +
				"just the same.",
			Draw: drawNoise,
			Only: func(r *analysis.Result) bool { return r.Grader != nil && r.Grader.NoiseVar.Known() },
		},
		categoryGroups.chart("categories",
			"The mean reward of each category of items, the lowest first, with intervals. A category that earns "+
				"next to nothing, or everything, is one that training learns little from.",
			"A dot far left of the dashed line is a kind of item that the model fails at; on the page a click on "+
				"its row lists its items."),
		familyGroups.chart("families",
			"The mean reward of each family of items, the lowest first, with intervals. Items of one family are "+
				"much alike: a few hard families can carry a mean.",
			"A dot far left of the dashed line is a family that the model fails at; on the page a click on its row "+
				"lists its items."),
		callCost.chart("reward_tool_calls",
			"What rollouts with few and with many tool calls earn. "+
				"Where reward falls steadily with more calls, long rollouts rarely succeed. Where it falls only at "+
				"the budget of calls, the budget cuts rollouts off that may still have succeeded. Compare within "+
				"items: hard items may simply take longer.",
			"Dots that fall to the right are long rollouts that earn less; the two correlations above say whether "+
				"that holds within items, or only because hard items take longer."),
		tokenCost.chart("reward_tokens",
			"What rollouts with few and with many tokens earn. Where more tokens earn no more, training need not "+
				"pay for them.",
			"Dots at one height mean that more tokens buy no more reward; a vertical line is a dot's interval, a "+
				"horizontal one the range of its rollouts."),
		latencyCost.chart("reward_latency",
			"What fast and slow rollouts earn, by wall time, waiting for endpoints included. "+
				"If slow rollouts earn less, check whether a slow endpoint, and not the model, is the cause.",
			"Dots that fall to the right are slow rollouts that earn less, so a time limit would cost little; dots "+
				"at one height mean that speed costs nothing."),
		callCap.limits("what_if_calls",
			"What the recorded rollouts would have earned under a lower call limit, and how many groups "+
				"would still teach. Nothing was sampled for it: a rollout that makes more calls counts at the "+
				"bottom of the range, the others keep their reward. A model that knows the limit may do better.",
			"Go left from the limit in force: as long as the blue line stays level, a lower limit costs nothing and "+
				"saves the longest rollouts."),
		tokenCap.limits("what_if_tokens",
			"The same under a limit on a rollout's output tokens, reasoning included.",
			"Where the blue line begins to fall, a limit costs reward; to the right of that, it only saves tokens."),
		{
			Name: "tool_calls",
			Doc: "How many tool calls a rollout makes, in all and to each of the tools called most, with the 95th " +
				"percentile and the budget.",
			Read: "If the budget's line is among the bars, rollouts are cut short; if it is far to the right of the " +
				"P95 line, it costs nothing; the tool whose line goes as far right as the bars is the one that long " +
				"rollouts call.",
			Draw: ofSplit(drawToolCalls),
		},
		{
			Name: "calls_by_tool",
			Doc: "Which tools are called, how often, how the calls ended, and within how many seconds 95 % of them " +
				"were answered. A tool that is never called, or often refuses, is one that the model does not know how to use.",
			Read: "The longer a bar, the more load on that tool; the hatched or dark part at its end is calls that " +
				"did not get what they asked for.",
			Draw: ofSplit(drawCallsByTool),
		},
		{
			Name: "tool_bigrams",
			Doc: "Which tool is called after which: row = a call, column = the next call of the same rollout. " +
				"Framed, on the diagonal, the same tool again: strong colour there means an agent that keeps " +
				"repeating itself.",
			Read: "Read a row from left to right: after a call to the row's tool, the cell of the strongest colour " +
				"is what comes next.",
			Draw: ofSplit(drawToolBigrams),
		},
		{
			Name: "shift",
			Doc: "How well the splits can be distinguished: by their prompts, by the fields of their rows, by " +
				"rewards, and by what the model does with its tools. " +
				"If the splits differ, a gain on one may not show on the other.",
			Read: "Above, a line that crosses the broad one is a comparison that found nothing, and one wholly to " +
				"the right of a dashed line is a caution or a NO-GO; below is the single feature that differs most.",
			Draw: drawShift,
		},
		{
			Name: "failures",
			Doc: "Rollouts that did not end in a grade: those without an answer, or cut off by a limit (counted at " +
				"the bottom of the reward range unless graded), and failures of an endpoint (missing data, left out of " +
				"every mean).",
			Read: "Hatched bars are endpoints that failed, to be fixed before you believe anything else; plain ones " +
				"have no answer, because the model gave none or a limit of tokens or steps cut it off.",
			Draw: drawFailures,
		},
		{
			Name:      "variants",
			OnRewards: true,
			Doc: "What each variant of prompt, tools or model changes in the mean reward, item by item against the " +
				"run itself, with its interval. " +
				"Right of the line without touching it: a gain without any training. Within the band: no difference " +
				"that matters.",
			Read: "A disc with its whole line right of zero gains without any training, a diamond left of zero " +
				"loses, a ring may be either.",
			Draw: drawVariants,
			Only: func(r *analysis.Result) bool { return r.Variants != nil },
		},
		{
			Name: "endpoint_load",
			Doc: "How long tools and grader take as more rollouts run at once, up to a whole training step: 95 % of " +
				"answers came within the time that the line shows. " +
				"A line that rises is an endpoint that makes a training step wait.",
			Read: "A level line is an endpoint that copes with the load; the point where a line begins to rise is " +
				"how many rollouts it can handle at once.",
			Draw: drawEndpointLoad,
			Only: func(r *analysis.Result) bool { return r.Burst != nil },
		},
		{
			Name: "grader_audit",
			Doc: "How the grader scored answers that deserve nothing, right ones, and ones that only " +
				"look different: for each probe, the share of items, with its interval. A diamond away from the " +
				"broad line is a hole that training would find, or a right answer that is rejected.",
			Read: "Each dot should be on the broad line of its group; a red diamond away from it is a probe that " +
				"the grader fell for.",
			Draw: drawGraderAudit,
		},
	}
}

// ShownSplit returns the split that charts of a single split show: train if the run has it, else
// the first. ok is false if the Result has no split.
func ShownSplit(r *analysis.Result) (split rollout.Split, s *analysis.SplitResult, ok bool) {
	for _, split := range rollout.Splits() {
		if s := r.Splits[split]; s != nil {
			return split, s, true
		}
	}
	return "", nil, false
}

// counted says how much was measured: "train: 120 items × 8 samples, n = 960 rollouts".
func counted(l message.Language, split rollout.Split, s *analysis.SplitResult) string {
	return l.Say("chart.counted", "%s: %s × %s, n = %s", split, l.Count(s.Items.Measured, "item"),
		samples(l, s.Samples), l.Count(s.Reward.N, "rollout"))
}

// samples says how many samples per item there are: "8 samples", "3 to 8 samples".
func samples(l message.Language, n analysis.Spread) string {
	if n.Min == n.Max {
		return l.Count(n.Max, "sample")
	}
	return message.Whole(n.Min) + l.Text("chart.range", " to ") + l.Count(n.Max, "sample")
}

// intervals says what a band is: "95 % Korn–Graubard intervals". If the method names an estimator
// and an interval, the interval is the last.
func intervals(r *analysis.Result, e stat.Estimate) string {
	return intervalsAt(r.Lang, r.Confidence, e)
}

func intervalsAt(l message.Language, confidence float64, e stat.Estimate) string {
	share := message.Percent(confidence)
	method, _, _ := strings.Cut(e.Method[strings.LastIndex(e.Method, "; ")+1:], ", widened")
	if kind, ok := strings.CutSuffix(strings.TrimSpace(method), " interval"); ok {
		return l.Say("chart.intervals.kind", "%s %s intervals", share, kind)
	}
	return l.Say("chart.intervals", "%s intervals", share)
}
