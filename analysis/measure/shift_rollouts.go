package measure

import (
	"iter"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/message"
	"gonogo/analysis/shift"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// The features by which rollouts are compared.
const (
	featureReward = "reward"
	featureCalls  = "tool calls"
	featureTurns  = "turns"
	featureInput  = "input tokens"
	featureOutput = "output tokens"
	callsTo       = "share of calls to "
)

var (
	features = map[string]message.Def{
		featureReward: message.New("measure.reward", featureReward),
		featureCalls:  message.New("measure.tool_calls", featureCalls),
		featureTurns:  message.New("measure.turns", featureTurns),
		featureInput:  message.New("measure.input_tokens", featureInput),
		featureOutput: message.New("measure.output_tokens", featureOutput),
	}
	shareOfCalls = message.New("measure.share_of_calls", callsTo+"{tool}")
)

// featureWords returns the words for the features of rollouts.
func (c *evidence) featureWords() map[string]message.Text {
	words := make(map[string]message.Text)
	for name, def := range features {
		words[name] = def.Text()
	}
	for _, tool := range c.Tools {
		words[callsTo+tool] = shareOfCalls.With(message.Args{"tool": message.Name(tool)})
	}
	return words
}

// shiftSamples returns the measured items of two splits, for each comparison that needs rollouts.
// Of each item only the first n rollouts count; n is the smaller of the two splits' median number
// of rollouts per item: a mean of more rollouts scatters less, which would look like a difference.
// Means are tested; the size of the difference is reported for single rollouts. Of items whose rows
// repeat each other only one counts.
func (c *evidence) shiftSamples(a, b rollout.Split, copies origins) iter.Seq2[string, [2]shift.Sample] {
	return func(yield func(string, [2]shift.Sample) bool) {
		x, y := once(c.Items(a, nil), (*collect.Item).Key, copies), once(c.Items(b, nil), (*collect.Item).Key, copies)
		if len(x) == 0 || len(y) == 0 {
			return
		}
		n := min(samplesOf(x), samplesOf(y))
		reward := [2]shift.Sample{rewardSample(a, x, n), rewardSample(b, y, n)}
		if len(reward[0].Rows) > 0 && len(reward[1].Rows) > 0 && !yield(analysis.OnReward, reward) {
			return
		}
		tools := [2]shift.Sample{c.toolSample(a, x, n), c.toolSample(b, y, n)}
		if len(tools[0].Rows) > 0 && len(tools[1].Rows) > 0 {
			yield(analysis.OnTools, tools)
		}
	}
}

// samplesOf returns the median number of rollouts per item, at least 1.
func samplesOf(items []*collect.Item) int {
	var counts []float64
	for _, it := range items {
		counts = append(counts, float64(len(it.Rows)))
	}
	return max(1, int(stat.Quantile(counts, 0.5)))
}

// mostDraws is the number of rollouts of an item that a classifier uses.
const mostDraws = 4

func rewardSample(split rollout.Split, items []*collect.Item, n int) shift.Sample {
	sample := shift.Sample{Name: string(split)}
	for _, it := range items {
		row := shift.Row{ID: it.ID}
		var sum, k float64
		for _, r := range it.Rows {
			if r.Valid && int(k) < n {
				sum += r.Reward
				k++
				if len(row.Draws) < mostDraws {
					row.Draws = append(row.Draws, map[string]float64{featureReward: r.Reward})
				}
			}
		}
		if k > 0 {
			row.Numbers = map[string]float64{featureReward: sum / k}
			sample.Rows = append(sample.Rows, row)
		}
	}
	return sample
}

// toolSample returns what the rollouts of items did: calls, turns and tokens of a rollout, and the
// share of calls to each tool.
func (c *evidence) toolSample(split rollout.Split, items []*collect.Item, n int) shift.Sample {
	sample := shift.Sample{Name: string(split)}
	for _, it := range items {
		rows := slices.DeleteFunc(slices.Clone(it.Rows),
			func(r *collect.Row) bool { return !r.Observed || r.Outcome().Missing() })
		if len(rows) == 0 {
			continue
		}
		rows = rows[:min(n, len(rows))]
		row := shift.Row{ID: it.ID, Numbers: c.behaviour(rows)}
		for i := range rows[:min(mostDraws, len(rows))] {
			row.Draws = append(row.Draws, c.behaviour(rows[i:i+1]))
		}
		sample.Rows = append(sample.Rows, row)
	}
	return sample
}

func (c *evidence) behaviour(rows []*collect.Row) map[string]float64 {
	var calls, turns, in, out, known float64
	byTool := make([]float64, len(c.Tools))
	for _, r := range rows {
		calls += float64(len(r.Calls))
		turns += float64(r.Turns)
		for _, k := range r.Calls {
			byTool[k.Tool]++
		}
		if i, o, some := inAndOut(r); some {
			in += i
			out += o
			known++
		}
	}
	n := float64(len(rows))
	numbers := map[string]float64{featureCalls: calls / n, featureTurns: turns / n}
	if known > 0 {
		numbers[featureInput], numbers[featureOutput] = in/known, out/known
	}
	if calls > 0 {
		for i, name := range c.Tools {
			numbers[callsTo+name] = byTool[i] / calls
		}
	}
	return numbers
}
