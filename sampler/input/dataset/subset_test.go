package dataset

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gonogo/sampler/rollout"
)

func ids(items []rollout.Item) []string {
	out := make([]string, len(items))
	for i, it := range items {
		out[i] = it.ID
	}
	return out
}

func TestSubsetProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "n")
		items := make([]rollout.Item, n)
		size := map[string]int{}
		for i := range items {
			items[i] = rollout.Item{ID: fmt.Sprint(i), Category: rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "category")}
			size[items[i].Category]++
		}
		before := ids(items)
		k := rapid.IntRange(1, 70).Draw(t, "k")
		seed := rapid.Uint64().Draw(t, "seed")
		got := Subset(items, k, seed)
		if len(got) != min(k, n) {
			t.Fatalf("%d items, want %d", len(got), min(k, n))
		}
		if longer := Subset(items, k+1, seed); !slices.Equal(ids(got), ids(longer)[:len(got)]) {
			t.Fatal("Subset(k) is no prefix of Subset(k+1)")
		}
		taken, distinct := map[string]int{}, map[string]bool{}
		for _, it := range got {
			taken[it.Category]++
			distinct[it.ID] = true
		}
		if len(distinct) != len(got) {
			t.Fatal("an item was taken twice")
		}
		// With four categories Sainte-Laguë stays within two seats of the quota.
		for category, m := range size {
			quota := float64(len(got)) * float64(m) / float64(n)
			if math.Abs(float64(taken[category])-quota) >= 2 {
				t.Fatalf("category %q has %d of %d, quota %g", category, taken[category], len(got), quota)
			}
		}
		if !slices.Equal(before, ids(items)) {
			t.Fatal("the caller's slice was changed")
		}
	})
}

func TestSubsetDependsOnTheSeed(t *testing.T) {
	items := make([]rollout.Item, 100)
	for i := range items {
		items[i].ID = fmt.Sprint(i)
	}
	if slices.Equal(ids(Subset(items, 20, 1)), ids(Subset(items, 20, 2))) {
		t.Error("two seeds take the same items")
	}
	if diff := cmp.Diff(ids(Subset(items, 20, 1)), ids(Subset(items, 20, 1))); diff != "" {
		t.Errorf("one seed takes different items: %s", diff)
	}
}

func TestSubsetOfZeroTakesAllInOrder(t *testing.T) {
	items := []rollout.Item{{ID: "b"}, {ID: "a"}, {ID: "c"}}
	if diff := cmp.Diff([]string{"b", "a", "c"}, ids(Subset(items, 0, 7))); diff != "" {
		t.Error(diff)
	}
}

func TestSubsetFirstDrawsOnePerLargeCategory(t *testing.T) {
	var items []rollout.Item
	for i := range 30 {
		items = append(items, rollout.Item{ID: fmt.Sprint(i), Category: []string{"a", "b", "c"}[i/10]})
	}
	seen := map[string]int{}
	for _, it := range Subset(items, 6, 3) {
		seen[it.Category]++
	}
	if diff := cmp.Diff(map[string]int{"a": 2, "b": 2, "c": 2}, seen); diff != "" {
		t.Error(diff)
	}
}
