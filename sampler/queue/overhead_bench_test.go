package queue_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/queue"
)

// BenchmarkOverhead makes the same rollouts, of one model call and one grading that
// answer at once, in this process without a queue, over one embedded in it, and over
// loopback by three members. All that they need is in this process, the server too,
// and shares its processors. Each iteration runs all; figures are medians.
func BenchmarkOverhead(b *testing.B) {
	const rollouts = 2000
	jobs := makeJobs(rollouts)
	embedded, loopback := embed(b, b.TempDir(), 0), embed(b, b.TempDir(), -1)
	sites := []*site{
		newSite(b, 0, nil),
		newSite(b, 1, func() *queue.Conn { return check(embedded.Dial(context.Background(), nil))(b) }),
		newSite(b, 3, func() *queue.Conn { return dialTCP(b, loopback.URL()) }),
	}
	for _, s := range sites {
		s.cfg.Concurrency, s.cfg.Rollouts, s.slots = 64, 128, 64
	}
	wall, cpu := make([][]float64, len(sites)), make([][]float64, len(sites))
	for b.Loop() {
		for i, s := range sites {
			used, begun := cpuTime(b), time.Now()
			stats := check(s.sample(b.Context(), nil, jobs, new(sink)))(b)
			if stats.Recorded != rollouts {
				b.Fatalf("%d rollouts are recorded", stats.Recorded)
			}
			wall[i] = append(wall[i], micros(time.Since(begun))/rollouts)
			cpu[i] = append(cpu[i], micros(cpuTime(b)-used)/rollouts)
		}
	}
	for i, name := range []string{"memory", "embedded", "loopback"} {
		b.ReportMetric(middle(wall[i]), name+"-µs/rollout")
		b.ReportMetric(middle(cpu[i]), name+"-cpu-µs/rollout")
		if i > 0 {
			b.ReportMetric(middle(less(wall[i], wall[0])), name+"-overhead-µs")
			b.ReportMetric(middle(less(cpu[i], cpu[0])), name+"-overhead-cpu-µs")
		}
	}
}

// BenchmarkAdmissionsAtOnce has members are in lines of one planner that lets all in at
// once: a round is one request that enters and leaves.
func BenchmarkAdmissionsAtOnce(b *testing.B) {
	for _, members := range []int{1, 4} {
		b.Run(fmt.Sprintf("members=%d", members), func(b *testing.B) {
			server := embed(b, b.TempDir(), -1)
			c := dialTCP(b, server.URL())
			defer c.Close()
			p := check(c.Lead(b.Context(), quick))(b)
			_, shut := p.Open(open{}, make(chan struct{}))
			all := make([]endpoint.Queue, members)
			for i := range all {
				c := dialTCP(b, server.URL())
				defer c.Close()
				m := check(c.Join(b.Context(), quick.Run, queue.WorkerInfo{Host: "host" + strconv.Itoa(i), Slots: 64}))(b)
				defer m.Leave()
				all[i] = m.Queue()
			}
			used, rounds := cpuTime(b), 0
			const each = 2000
			for b.Loop() {
				var crew sync.WaitGroup
				for i := range 64 * members {
					crew.Go(func() {
						for range each / 64 {
							leave, err := all[i%members].Enter(b.Context(), "model")
							if err != nil {
								b.Error(err)
								return
							}
							leave(endpoint.Outcome{})
						}
					})
				}
				crew.Wait()
				rounds += each / 64 * 64 * members
			}
			b.ReportMetric(float64(rounds)/b.Elapsed().Seconds(), "rounds/s")
			b.ReportMetric(micros(cpuTime(b)-used)/float64(rounds), "cpu-µs/round")
			shut()
			if err := p.Close(true); err != nil {
				b.Error(err)
			}
		})
	}
}

// open are lines that let everybody in.
type open struct{}

// Enter lets in.
func (open) Enter(context.Context, string) (func(endpoint.Outcome), error) {
	return func(endpoint.Outcome) {}, nil
}

// Rest notes nothing.
func (open) Rest(string) func() { return func() {} }

// Arrived notes nothing.
func (open) Arrived(string) {}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func middle(all []float64) float64 {
	s := slices.Sorted(slices.Values(all))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

func less(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] - b[i]
	}
	return out
}

// cpuTime is the processor time that this process has used.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
