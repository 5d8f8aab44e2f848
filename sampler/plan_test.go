package sampler_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// drawItems draws items of some splits, and how many samples of each are wanted.
func drawItems(t *rapid.T) ([]rollout.Item, map[rollout.Split]int) {
	var items []rollout.Item
	samples := map[rollout.Split]int{}
	for _, split := range rollout.Splits() {
		samples[split] = rapid.IntRange(0, 4).Draw(t, "samples of "+string(split))
		for i := range rapid.IntRange(0, 40).Draw(t, "items of "+string(split)) {
			items = append(items, rollout.Item{ID: fmt.Sprintf("q%d", i), Split: split})
		}
	}
	return items, samples
}

// named is the order of the blocks, by name.
func named(blocks [][]*rollout.Item) [][]string {
	out := make([][]string, len(blocks))
	for i, block := range blocks {
		for _, it := range block {
			out[i] = append(out[i], string(it.Split)+"/"+it.ID)
		}
	}
	return out
}

func TestPlanIsWhatIsMissing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items, samples := drawItems(t)
		type recorded struct {
			attempt int
			outcome rollout.Outcome
			output  bool
		}
		state := map[rollout.Key]recorded{}
		luck := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "what is recorded"), 1))
		for _, it := range items {
			for s := range 5 {
				if luck.IntN(2) == 0 {
					outcomes := rollout.Outcomes()
					state[rollout.Key{Split: it.Split, Item: it.ID, Sample: s}] = recorded{luck.IntN(4), outcomes[luck.IntN(len(outcomes))], luck.IntN(2) == 0}
				}
			}
		}
		blocks := sampler.Blocks(items, rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 50).Draw(t, "block"))
		wanted := func(it *rollout.Item) int { return samples[it.Split] }
		jobs := sampler.PlanBlocks(blocks, wanted, func(k rollout.Key) (rollout.RolloutState, bool) {
			r, ok := state[k]
			return rollout.RolloutState{Attempt: r.attempt, Outcome: r.outcome, Output: r.output}, ok
		})
		planned := map[rollout.Key]int{}
		for _, j := range jobs {
			k := rollout.Key{Split: j.Item.Split, Item: j.Item.ID, Sample: j.Sample}
			if _, twice := planned[k]; twice {
				t.Fatalf("%v is planned twice", k)
			}
			planned[k] = j.Attempt
		}
		for _, it := range items {
			for s := range 5 {
				k := rollout.Key{Split: it.Split, Item: it.ID, Sample: s}
				r, done := state[k]
				attempt, ok := planned[k]
				if want := s < samples[it.Split] && (!done || r.outcome.Missing() && !(r.output && r.outcome == rollout.GraderFailed)); ok != want {
					t.Fatalf("%v, recorded as %+v: planned %v, want %v", k, r, ok, want)
				}
				if ok && done && attempt != r.attempt+1 || ok && !done && attempt != 0 {
					t.Fatalf("%v, recorded as %+v, comes as attempt %d", k, r, attempt)
				}
			}
		}
		// What is recorded is left out of the order of a run without records, and
		// changes nothing else of it.
		i := 0
		for _, j := range sampler.PlanBlocks(blocks, wanted, nil) {
			if i < len(jobs) && jobs[i].Item == j.Item && jobs[i].Sample == j.Sample {
				i++
			}
		}
		if i != len(jobs) {
			t.Fatal("a run that goes on goes on in another order")
		}
	})
}

// The samples of an item lie within one block, the blocks come one after the
// other, and each goes round its items.
func TestPlanGoesByBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items, samples := drawItems(t)
		size := rapid.IntRange(0, 50).Draw(t, "block")
		blocks := sampler.Blocks(items, rapid.Uint64().Draw(t, "seed"), size)
		at := map[*rollout.Item]int{}
		small, large := math.MaxInt, 0
		for i, block := range blocks {
			small, large = min(small, len(block)), max(large, len(block))
			for _, it := range block {
				if _, twice := at[it]; twice {
					t.Fatalf("item %s/%s comes twice", it.Split, it.ID)
				}
				at[it] = i
			}
		}
		if len(at) != len(items) || size > 0 && large > size || large-small > 1 && len(items) > 0 || size == 0 && len(blocks) > 1 {
			t.Fatalf("%d of %d items in %d blocks of %d to %d, of at most %d", len(at), len(items), len(blocks), small, large, size)
		}
		jobs := sampler.PlanBlocks(blocks, func(it *rollout.Item) int { return samples[it.Split] }, nil)
		if !slices.IsSortedFunc(jobs, func(a, b sampler.Rollout) int {
			return cmp.Or(at[a.Item]-at[b.Item], a.Sample-b.Sample)
		}) {
			t.Fatal("a block begins before the one before it is through, or a second sample before all have a first")
		}
	})
}

// However early a run is stopped, it has met each split by its share.
func TestBlocksSpreadTheSplits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items, samples := drawItems(t)
		blocks := sampler.Blocks(items, rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 50).Draw(t, "block"))
		all, met := map[rollout.Split]int{}, map[rollout.Split]int{}
		for _, it := range items {
			all[it.Split]++
		}
		k := 0
		for _, block := range blocks {
			for _, it := range block {
				k++
				met[it.Split]++
				for split, n := range all {
					if fair := float64(k*n) / float64(len(items)); math.Abs(float64(met[split])-fair) > 1 {
						t.Fatalf("of the first %d of %d items %d are of %s, which has %d: want about %.1f", k, len(items), met[split], split, n, fair)
					}
				}
			}
		}
		// Of the rollouts that holds as well, give or take the block under way.
		jobs := sampler.PlanBlocks(blocks, func(it *rollout.Item) int { return samples[it.Split] }, nil)
		total, made := map[rollout.Split]int{}, map[rollout.Split]int{}
		for _, j := range jobs {
			total[j.Item.Split]++
		}
		slack := 0.0
		for _, block := range blocks {
			slack = max(slack, float64(5*(len(block)+2))) // at most 4 samples of an item
		}
		for k, j := range jobs {
			made[j.Item.Split]++
			for split, n := range total {
				if fair := float64((k+1)*n) / float64(len(jobs)); math.Abs(float64(made[split])-fair) > slack {
					t.Fatalf("of the first %d of %d rollouts %d are of %s, which has %d: want about %.1f", k+1, len(jobs), made[split], split, n, fair)
				}
			}
		}
	})
}

// The order depends on the items, the seed and the size of a block: on no item's
// place in its file, and items that are added leave the others in their order.
func TestTheOrderHangsOnTheSeed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items, _ := drawItems(t)
		seed, size := rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 50).Draw(t, "block")
		order := named(sampler.Blocks(items, seed, size))
		luck := rand.New(rand.NewPCG(seed, 2))
		turned := slices.Clone(items)
		luck.Shuffle(len(turned), func(i, j int) { turned[i], turned[j] = turned[j], turned[i] })
		if again := named(sampler.Blocks(turned, seed, size)); fmt.Sprint(again) != fmt.Sprint(order) {
			t.Fatalf("%v, and with another file order %v", order, again)
		}
		few := turned[:luck.IntN(len(turned)+1)]
		for _, split := range rollout.Splits() {
			var was, now []string
			kept := map[string]bool{}
			for _, it := range slices.Concat(sampler.Blocks(few, seed, size)...) {
				if it.Split == split {
					was = append(was, it.ID)
					kept[it.ID] = true
				}
			}
			for _, it := range slices.Concat(sampler.Blocks(items, seed, size)...) {
				if it.Split == split && kept[it.ID] {
					now = append(now, it.ID)
				}
			}
			if !slices.Equal(was, now) {
				t.Fatalf("%v, and after items were added %v", was, now)
			}
		}
	})
}

// The first blocks of a file that is sorted by what its items earn are worth as
// much as all of it.
func TestEarlyItemsAreRepresentative(t *testing.T) {
	const n, first, runs = 400, 64, 60
	items := makeItems(n)
	place := map[string]float64{}
	for i, it := range items {
		place[it.ID] = float64(i) / (n - 1)
	}
	var sum, squares float64
	for seed := range uint64(runs) {
		mean := 0.0
		for _, block := range sampler.Blocks(items, seed, 32)[:first/32] {
			for _, it := range block {
				mean += place[it.ID] / float64(len(block)*first/32)
			}
		}
		sum += mean - 0.5
		squares += (mean - 0.5) * (mean - 0.5)
	}
	// The mean of 64 of 400 drawn without replacement: standard deviation
	// sqrt(1/12/64 * (1-64/400)) = 0.0331; that of 60 such means 0.0043.
	if bias, sd := sum/runs, math.Sqrt(squares/runs); math.Abs(bias) > 4*0.0043 || math.Abs(sd-0.0331) > 0.012 {
		t.Errorf("the first %d items lie %.4f off the mean of all, with a standard deviation of %.4f, want 0 and 0.033", first, bias, sd)
	}
}
