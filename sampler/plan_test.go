package sampler_test

import (
	"testing"

	"pgregory.net/rapid"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

func TestPlanIsWhatIsMissing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := makeItems(rapid.IntRange(0, 6).Draw(t, "items"))
		for i := range items {
			items[i].Split = rapid.SampledFrom(rollout.Splits()).Draw(t, "split")
		}
		samples := map[rollout.Split]int{rollout.Train: rapid.IntRange(0, 4).Draw(t, "train"), rollout.Eval: rapid.IntRange(0, 4).Draw(t, "eval")}
		type recorded struct {
			attempt int
			outcome rollout.Outcome
		}
		state := map[rollout.Key]recorded{}
		for _, it := range items {
			for s := range 5 {
				if rapid.Bool().Draw(t, "recorded") {
					state[rollout.Key{Split: it.Split, Item: it.ID, Sample: s}] = recorded{rapid.IntRange(0, 3).Draw(t, "attempt"), rapid.SampledFrom(rollout.Outcomes()).Draw(t, "outcome")}
				}
			}
		}
		jobs := sampler.Plan(items, samples, func(k rollout.Key) (int, rollout.Outcome, bool) {
			r, ok := state[k]
			return r.attempt, r.outcome, ok
		})
		planned := map[rollout.Key]int{}
		last := 0
		for _, j := range jobs {
			k := rollout.Key{Split: j.Item.Split, Item: j.Item.ID, Sample: j.Sample}
			if _, twice := planned[k]; twice {
				t.Fatalf("%v is planned twice", k)
			}
			planned[k] = j.Attempt
			if j.Sample < last {
				t.Fatalf("sample %d comes after sample %d: a run that is stopped early would know some items only", j.Sample, last)
			}
			last = j.Sample
		}
		for _, it := range items {
			for s := range 5 {
				k := rollout.Key{Split: it.Split, Item: it.ID, Sample: s}
				r, done := state[k]
				attempt, ok := planned[k]
				if want := s < samples[it.Split] && (!done || r.outcome.Missing()); ok != want {
					t.Fatalf("%v, recorded as %+v: planned %v, want %v", k, r, ok, want)
				}
				if ok && done && attempt != r.attempt+1 || ok && !done && attempt != 0 {
					t.Fatalf("%v, recorded as %+v, comes as attempt %d", k, r, attempt)
				}
			}
		}
	})
}
