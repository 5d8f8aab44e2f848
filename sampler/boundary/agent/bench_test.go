package agent_test

import (
	"sync"
	"testing"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/boundary/agent"
	"gonogo/sampler/rollout"
)

// BenchmarkCommand is what a rollout costs in addition to the agent's own time, of which
// this agent takes next to none: 64 at one time.
func BenchmarkCommand(b *testing.B) {
	const wide = 64
	a := command(b, "prompt", func(c *agent.CommandConfig) { c.Processes = wide })
	item := &rollout.Item{ID: "q1", Split: rollout.Train, Row: []byte(`{"id":"q1","messages":[{"role":"user","content":"6 x 7?"}]}`)}
	play := func(n int) {
		var all sync.WaitGroup
		for w := range wide {
			all.Go(func() {
				for i := range n {
					p := sampler.AgentRequest{Item: item, Sample: i, TraceID: sampler.TraceID(1, item.Split, item.ID, w*n+i, 0), Timeout: time.Minute}
					if got, err := a.Run(b.Context(), p); err != nil || got.Output != "42" {
						b.Errorf("%+v, %v", got, err)
						return
					}
				}
			})
		}
		all.Wait()
	}
	play(1) // the processes start
	n := max(b.N/wide, 1)
	b.ResetTimer()
	play(n)
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(n*wide), "ms/rollout")
}
