package collect_test

import (
	"fmt"
	"hash/maphash"
	"os"
	"path/filepath"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Of calls known by number alone, the number and what failed are measured;
// nothing is said of tools, repeats, parallel turns or equal outputs.
func TestCallsKnownByNumberAlone(t *testing.T) {
	dir := t.TempDir()
	lines := ""
	for i := range 10 {
		for j := range 4 {
			calls := ""
			for k := range 3 {
				status := rollout.CallOK
				if k == 2 && j == 0 {
					status = rollout.CallMalformed
				}
				calls += fmt.Sprintf(`,{"turn":%d,"name":%q,"arguments":"{\"call\":%d}","status":%q}`, k, rollout.UnnamedCall, k, status)
			}
			lines += fmt.Sprintf(`{"item":"q%d","sample":%d,"outcome":"graded","reward":%d,"calls":[%s]}`+"\n", i, j, j%2, calls[1:])
		}
	}
	if err := os.WriteFile(filepath.Join(dir, rollout.RolloutsFile), []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	run, err := rollout.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := judge.Analyze(t.Context(), run, rollout.ReadOptions{}, analysis.DefaultSettings(), gate.All())
	if err != nil {
		t.Fatal(err)
	}
	train := r.Splits[rollout.Train]
	use := train.Tools
	if v := use.Calls.Value; v == nil || *v != 3 {
		t.Errorf("calls per rollout: %v, want 3", v)
	}
	if v := use.Malformed.Value; v == nil || *v != 10.0/120 {
		t.Errorf("malformed calls: %v, want 1 of 12", v)
	}
	for name, e := range map[string]stat.Estimate{"repeated calls": use.Repeats, "parallel turns": use.Parallel, "equal outputs": train.Identical} {
		if e.Value != nil {
			t.Errorf("%s: %v, want unknown", name, *e.Value)
		}
	}
	if len(use.Bigrams) > 0 {
		t.Errorf("pairs of calls: %v, want none", use.Bigrams)
	}

	items, err := collect.ReadItems(t.Context(), run, rollout.ReadOptions{}, analysis.DefaultSettings(), maphash.MakeSeed())
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items.Items[rollout.Train] {
		if n, bad := it.Of[collect.ToolCalls].Mean(), it.Of[collect.MalformedCalls].Sum; n != 3 || bad != 1 {
			t.Errorf("an item compares %g calls, %g malformed; want 3, 1", n, bad)
		}
		if n := it.Of[collect.RepeatedCalls].N + it.Of[collect.ParallelTurns].N + len(it.Tools) + len(it.Pairs); n > 0 {
			t.Errorf("an item compares repeats, turns, tools or pairs of calls that nothing tells: %+v", it)
		}
	}
}
