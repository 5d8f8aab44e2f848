package python_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gonogo/sampler/boundary/python"
)

// trivial is the cheapest grader there is: what is measured is the way to it.
const trivial = `
def grade(sample, item):
    return 1.0 if sample["output_text"] == item["answer"] else 0.0
`

// BenchmarkCall grades with all workers busy. The floor is 10,000
// calls a second at 1 KB and 2,000 at 20 KB, on two processors.
func BenchmarkCall(b *testing.B) {
	for _, size := range []int{1 << 10, 20 << 10} {
		for _, sandbox := range []string{python.None, python.Auto} {
			b.Run(fmt.Sprintf("%dKB/%s", size>>10, sandbox), func(b *testing.B) {
				cfg := python.DefaultConfig()
				cfg.Sandbox = sandbox
				p, f := load(b, cfg, trivial)
				text := strings.Repeat("the answer is \"42\"\n", size/19)
				sample, err := json.Marshal(map[string]any{"output_text": text, "output_json": nil, "output_tools": []any{}})
				if err != nil {
					b.Fatal(err)
				}
				item := json.RawMessage(`{"answer":"42"}`)
				b.SetBytes(int64(len(sample)))
				b.SetParallelism(8)
				b.ResetTimer()
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						if _, err := f.Call(b.Context(), nil, sample, item); err != nil {
							b.Error(err)
							return
						}
					}
				})
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
				_ = p
			})
		}
	}
}

func load(tb testing.TB, cfg python.Config, source string) (*python.Pool, *python.Function) {
	tb.Helper()
	p, err := python.NewPool(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := p.Close(); err != nil {
			tb.Error(err)
		}
	})
	f, err := p.Load(tb.Context(), "the grader", source, "grade", 2)
	if err != nil {
		tb.Fatal(err)
	}
	return p, f
}
