package mcp_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"gonogo/sampler"
	"gonogo/sampler/boundary/mcp"
)

// BenchmarkCall is what a call takes in addition to the tool's own work, and with a program
// of its own for each.
func BenchmarkCall(b *testing.B) {
	for _, per := range []bool{false, true} {
		b.Run(fmt.Sprint("per rollout ", per), func(b *testing.B) {
			cfg := program("files", "serve")
			cfg.PerRollout, cfg.Only = per, []string{"echo"}
			all, err := mcp.New(b.Context(), []mcp.Config{cfg}, mcp.Options{})
			b.Cleanup(all.Close)
			if err != nil {
				b.Fatal(err)
			}
			echo := all.Tools()[0]
			var n atomic.Int64
			b.SetParallelism(8)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					trace := fmt.Sprint("trace_", n.Add(1))
					if _, err := echo.Call(b.Context(), sampler.Call{Arguments: `{"text":"a"}`, TraceID: trace}); err != nil {
						b.Error(err)
					}
					echo.Release(trace)
				}
			})
		})
	}
}
