package chart

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"gonogo/analysis"
)

// Chart is one picture of a Result.
type Chart = Of[*analysis.Result]

// Of is one picture of what R is.
type Of[R any] struct {
	Name string // lower_snake; also the name of its file
	Doc  string // what it shows, for somebody who has never seen it

	// Draw plots the R on axes that carry no title and no legend. It
	// returns *NoData when the R holds nothing that the chart could show.
	Draw func(R) (*plot.Plot, error)

	// Caption words what the plot shows. It is called only when Draw returned
	// a plot. A nil Caption leaves the plot's own title and legend in charge.
	Caption func(R) Caption

	// Table is the plot in rows. It is called only when Draw returned a plot.
	Table func(R) Table

	// Only says whether a report has a place for the chart. A nil Only is every
	// report: one that has nothing to show then says so.
	Only func(R) bool

	// Height is how high the figure stands at Width. A nil Height is the
	// usual one, Height.
	Height func(R) vg.Length
}

// Caption is what stands above a plot.
type Caption struct {
	Title    string // the finding, in words
	Subtitle string // n, interval and method
	Legend   []Entry
}

// Entry is one mark of the legend row. Its thumbnails are drawn over each
// other.
type Entry struct {
	Label  string
	Thumbs []plot.Thumbnailer
}

// NoData is the error of a Draw that has nothing to show.
type NoData struct {
	Why string // what is missing, and what would supply it
}

// Error returns why there is nothing to show.
func (e *NoData) Error() string { return "no data: " + e.Why }

func noData(format string, args ...any) *NoData {
	return &NoData{Why: fmt.Sprintf(format, args...)}
}

// Charts lists the charts in the order they are shown.
func Charts() []Chart {
	return []Chart{
		{
			Name: "variance",
			Doc: "Every item by its mean reward, lowest first: light bar = mean, thin line = ± 1 standard deviation, " +
				"red cross = best sample. Long lines and high crosses are what training can use.",
			Draw: drawVariance, Caption: captionVariance, Table: tableVariance,
		},
		{
			Name: "best_of_k",
			Doc: "The reward to expect when the best, and when the worst, of k samples counts. " +
				"The gap at the group size is what choosing the better samples can gain.",
			Draw: drawBestOfK, Caption: captionBestOfK, Table: tableBestOfK,
		},
		{
			Name: "informative",
			Doc: "The share of groups whose rewards differ, against group size. A group whose rewards are all equal teaches " +
				"nothing and is paid for all the same.",
			Draw: drawInformative, Caption: captionInformative, Table: tableInformative,
		},
		{
			Name: "rewards",
			Doc:  "How often each reward was given. Piles at one end mean the grader, or the task, hardly tells samples apart.",
			Draw: drawRewards, Caption: captionRewards, Table: tableRewards,
		},
		{
			Name: "item_classes",
			Doc: "What the rewards of each item look like, by split: dead (all at the bottom), saturated (all at the top), " +
				"flat (all equal in between), mixed (they differ).",
			Draw: drawItemClasses, Caption: captionItemClasses, Table: tableItemClasses,
		},
		callCost.chart("reward_tool_calls",
			"What rollouts earn that make few, and many, tool calls. "+
				"Where more calls earn less, long rollouts are lost ones: a smaller budget of calls would cost nothing. Compare within items: hard items may simply take longer."),
		tokenCost.chart("reward_tokens",
			"What rollouts earn that take few, and many, tokens. Where more tokens earn no more, training need not pay for them."),
		latencyCost.chart("reward_latency",
			"What rollouts earn that take a short, and a long, time by the clock, waiting for endpoints included. "+
				"Where slow rollouts earn less, look whether a slow endpoint, and not the model, is what they suffer from."),
		{
			Name: "tool_calls",
			Doc:  "How many tool calls a rollout makes, with the 95th percentile and the budget.",
			Draw: drawToolCalls, Caption: captionToolCalls, Table: tableToolCalls,
		},
		{
			Name: "calls_by_tool",
			Doc: "Which tools are called, how often, what became of the calls, and within how many seconds 95 % of them were answered. " +
				"A tool that is never called, or often refuses, is one that the model does not know how to use.",
			Draw: drawCallsByTool, Caption: captionCallsByTool, Table: tableCallsByTool, Height: callsByToolHeight,
		},
		{
			Name: "tool_bigrams",
			Doc: "Which tool's call comes next after which: row = a call, column = the next one of the same rollout. " +
				"Framed, on the diagonal, the same tool again: dark cells there are an agent that tries, and tries again.",
			Draw: drawToolBigrams, Caption: captionToolBigrams, Table: tableToolBigrams, Height: toolBigramsHeight,
		},
		{
			Name: "shift",
			Doc: "How well the splits can be told apart: by what is asked, by the fields of their rows, by rewards, and by what the model does with its tools. " +
				"Training on items unlike those that count is training for something else.",
			Draw: drawShift, Caption: captionShift, Table: tableShift, Height: shiftHeight,
		},
		{
			Name: "failures",
			Doc: "Rollouts that did not end in a grade: by the model's own doing (counted at the bottom of the reward range), " +
				"or by an endpoint that failed (missing data, left out of every mean).",
			Draw: drawFailures, Caption: captionFailures, Table: tableFailures,
		},
		{
			Name: "variants",
			Doc: "What each variant of prompt, tools or model changes in the mean reward, item by item against the run itself, with its interval. " +
				"Right of the line without touching it: a gain without any training. Within the band: no difference that matters.",
			Draw: drawVariants, Caption: captionVariants, Table: tableVariants, Height: variantsHeight,
			Only: func(r *analysis.Result) bool { return r.Variants != nil },
		},
		{
			Name: "endpoint_load",
			Doc: "How long tools and grader take as more rollouts run at once, up to a whole training step: 95 % of answers came within the line. " +
				"A line that rises is an endpoint that makes a training step wait.",
			Draw: drawEndpointLoad, Caption: captionEndpointLoad, Table: tableEndpointLoad,
			Only: func(r *analysis.Result) bool { return r.Burst != nil },
		},
		{
			Name: "grader_audit",
			Doc: "What the grader did with answers that deserve nothing, with right ones, and with ones that only look different: " +
				"the share of items on which each probe was scored so, with its interval. A diamond away from the broad line is a hole that training would find.",
			Draw: drawGraderAudit, Caption: captionGraderAudit, Table: tableGraderAudit, Height: auditHeight,
		},
	}
}
