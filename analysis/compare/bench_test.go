package compare_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/sampler/rollout"
)

// BenchmarkCompare compares two runs of 10,000 rollouts each, or
// GONOGO_BENCH_ROLLOUTS, with their tool calls.
func BenchmarkCompare(b *testing.B) {
	items := 1250
	if n, err := strconv.Atoi(os.Getenv("GONOGO_BENCH_ROLLOUTS")); err == nil {
		items = n / 8
	}
	rng := rand.New(rand.NewPCG(9, 9))
	draw := func(more float64) *rollout.Run {
		var lines []string
		for i := range items {
			for j := range 8 {
				call := fmt.Sprintf(`{"turn":0,"name":"search","arguments":"%d","output":%q,"status":"ok","elapsed_s":0.1}`, i, strings.Repeat("x", 200))
				lines = append(lines, fmt.Sprintf(`{"item":"q%d","split":"eval","sample":%d,"reward":%d,"category":"c%d","answer":"answer %d %d","turns":2,"elapsed_s":%d,"usage":{"input_tokens":900,"output_tokens":90},"calls":[%s,%s]}`,
					i, j, one(rng.Float64() < float64(i%10)/10+more), i%10, i, j, j+1, call, call))
			}
		}
		return openedIn(b, b.TempDir(), lines)
	}
	base, new := draw(0), draw(0.02)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := compare.Runs(b.Context(), base, new, rollout.ReadOptions{}, analysis.DefaultSettings()); err != nil {
			b.Fatal(err)
		}
	}
}
