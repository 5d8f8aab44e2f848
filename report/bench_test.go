//go:build unix

package report

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/sampler/rollout"
)

// BenchmarkReport writes the usual files of a run of 1,000 items with 8 rollouts of 4 KB
// each, which was analyzed before: cpu-ms is user and system time, of a report.
func BenchmarkReport(b *testing.B) {
	dir := b.TempDir()
	longRun(b, dir, 8000, 3200)
	run, err := rollout.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	r, err := judge.Analyze(b.Context(), run, rollout.ReadOptions{}, analysis.DefaultSettings(), gate.All())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	before := cpuTime(b)
	for b.Loop() {
		p := NewRunPage(r, Options{Dir: dir, Rollouts: rolloutsOf(dir)})
		if err := Write(filepath.Join(dir, "report"), p, Usual()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((cpuTime(b)-before).Milliseconds())/float64(b.N), "cpu-ms/op")
}

// cpuTime is what this process has used so far, in user and system.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
