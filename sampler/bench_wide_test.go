package sampler_test

import (
	"runtime/debug"
	"testing"
	"time"

	"gonogo/sampler/rollout"
)

// BenchmarkWide is the load of a sweep: 80,000 rollouts, 2,000 in flight, of a
// model and tools that take 200 ms, lognormal with the standard deviation 0.5 of
// the logarithm. They are written to a run directory. It tells the most memory
// that this process, the client alone, had resident.
func BenchmarkWide(b *testing.B) {
	const workers, samples = 2000, 400
	w := newBenchWorld(b, benchDelay{Wait: 200 * time.Millisecond, Spread: 0.5}, workers, samples)
	for b.Loop() {
		b.StopTimer()
		out, err := rollout.Create(b.TempDir(), rollout.Manifest{}, w.items, rollout.WriterOptions{})
		if err != nil {
			b.Fatal(err)
		}
		debug.FreeOSMemory()
		forgetPeak(b)
		opened, used := connectionsOpened(b, w.url), cpuTime(b)
		b.StartTimer()
		runSampler(b, w, out)
		b.ReportMetric((cpuTime(b)-used).Seconds()/float64(benchItems*samples)*1e6, "sampler-cpu-µs/rollout")
		b.ReportMetric(peak(b), "peak-MB")
		b.ReportMetric(float64(connectionsOpened(b, w.url)-opened)/workers, "connections/concurrency")
		if err := out.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
