package reporttest

import (
	"embed"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"gonogo/analysis"
	"gonogo/sampler/rollout"
)

//go:embed results/*.json comparisons/*.json pilots/*.json
var frozen embed.FS

// read returns a fresh copy of the contents of a frozen file.
func read[T any](t testing.TB, file string) *T {
	t.Helper()
	b, err := frozen.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	v := new(T)
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return v
}

// Names lists the names of the Results that Load returns, in a fixed order.
func Names() []string {
	return []string{
		"go", "cautious", "dead", "tiny", "one_item", "all_missing", "negative", "hostile", "eval_only",
		"beyond", "audited", "large",
	}
}

// Load returns a fresh copy of the named Result.
func Load(t testing.TB, name string) *analysis.Result {
	t.Helper()
	if name == "large" {
		return large(Load(t, "go"), 5000)
	}
	return read[analysis.Result](t, "results/"+name+".json")
}

// large repeats the items of r's train split, with variations, up to n items.
func large(r *analysis.Result, n int) *analysis.Result {
	s := r.Splits[rollout.Train]
	items := s.Classes.Items
	s.Classes.Items = make([]analysis.ItemResult, n)
	for i := range s.Classes.Items {
		it := items[i%len(items)]
		it.Item = fmt.Sprintf("item-%05d", i)
		shift := 0.04 * math.Sin(float64(i))
		it.Mean = moved(it.Mean, shift)
		s.Classes.Items[i] = it
	}
	clear(s.Classes.Counts)
	for _, it := range s.Classes.Items {
		s.Classes.Counts[it.Class]++
	}
	s.Items.Measured, s.Items.Sampled = n, n
	s.Reward.Items, s.Reward.N = n, n*8
	return r
}

func moved(p *float64, by float64) *float64 {
	if p == nil {
		return nil
	}
	x := math.Max(0, math.Min(1, *p+by))
	return &x
}
