package sampler

import (
	"fmt"
	"testing"

	"gonogo/sampler/rollout"
)

// BenchmarkLine is what passing an endpoint costs a request: with room for all
// of 256 goroutines, and with room for a quarter of them.
func BenchmarkLine(b *testing.B) {
	for _, room := range []int{256, 64} {
		b.Run(fmt.Sprintf("room=%d", room), func(b *testing.B) {
			cfg := DefaultConfig()
			cfg.Concurrency = room
			s := newSession(cfg, 1, Boundaries{})
			ctx := s.clock(b.Context(), &rollout.Item{ID: "q"}, "")
			defer ctx.stop()
			b.SetParallelism(128) // times two processors
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					pass, err := Admit(ctx, ModelBoundary)
					if err != nil {
						b.Error(err)
						return
					}
					pass.Done(rollout.Usage{}, nil)
				}
			})
		})
	}
}
