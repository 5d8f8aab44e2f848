package measure

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/sampler/rollout"
)

// BenchmarkNumbers is everything that is computed of 100,000 rollouts already
// decoded, 12,500 items of 8, with 2,000 bootstraps: rewards of two values and
// of five, with pass rates. Memory is what is allocated on the way.
func BenchmarkNumbers(b *testing.B) {
	for _, values := range []int{2, 5} {
		b.Run(strconv.Itoa(values)+"_values", func(b *testing.B) {
			s := analysis.DefaultSettings()
			half := 0.5
			s.Boot, s.GroupSize, s.PassThreshold, s.BatchSize = 2000, 16, &half, 32
			c := decoded(12_500, 8, values)
			r := &analysis.Result{RewardRange: [2]float64{0, 1}, Splits: map[rollout.Split]*analysis.SplitResult{}}
			b.ReportAllocs()
			for b.Loop() {
				items := c.Items(rollout.Train, nil)
				m := Split{s: s, c: c, Items: items}
				r.Splits[rollout.Train] = m.split()
				r.Plan = plan(r.Splits[rollout.Train], items, nil, c, s)
			}
		})
	}
}

// decoded is a collector that holds items x samples rollouts with tool calls
// and tokens.
func decoded(items, samples, values int) *evidence {
	c := &evidence{Collector: collect.New(analysis.DefaultSettings().RewardRange)}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range items {
		p := rng.Float64() * rng.Float64()
		id := "q" + strconv.Itoa(i)
		for j := range samples {
			reward := 0.0
			if rng.Float64() < p {
				reward = 1 - float64(rng.IntN(values-1))/float64(values-1)
			}
			in, out := int64(2000+rng.IntN(500)), int64(200+rng.IntN(90))
			err := c.Add(&rollout.Record{
				Split: rollout.Train, Item: id, Sample: j, Outcome: rollout.Graded, Reward: &reward, Turns: 2,
				Calls: []rollout.Call{{Name: "search", Status: rollout.CallOK, Elapsed: rollout.Seconds(100 * time.Millisecond)}}, Usage: rollout.Usage{Input: &in, Output: &out}, Elapsed: rollout.Seconds(rng.ExpFloat64() * 1e9),
			})
			if err != nil {
				panic(err) // no reward is outside the range
			}
		}
	}
	return c
}
