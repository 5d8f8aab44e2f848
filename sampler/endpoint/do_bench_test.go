package endpoint

import (
	"context"
	"fmt"
	"testing"

	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// BenchmarkDo is what passing an endpoint costs a request: with room for all
// of 256 goroutines, and with room for a quarter of them.
func BenchmarkDo(b *testing.B) {
	for _, room := range []int{256, 64} {
		b.Run(fmt.Sprintf("room=%d", room), func(b *testing.B) {
			s := New(Config{Limits: func(string) limit.Limits { return limit.Limits{Fixed: room} }, Patience: 1})
			defer s.Close()
			by := s.Caller(b.Context(), &rollout.Item{ID: "q"}, "")
			b.SetParallelism(128) // times two processors
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := by.Do(b.Context(), Request{Endpoint: Model}, func(context.Context, *Try) error { return nil }); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}
