//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gonogo/fixtures"
	"gonogo/sampler/rollout"
)

// TestDeepMoreWorkersMakeMoreRollouts has one, two, three and four workers, each a
// process with 4 rollouts at once, make the rollouts of a model that takes 50 ms.
// The figures are in docs/performance.md.
func TestDeepMoreWorkersMakeMoreRollouts(t *testing.T) {
	deepOnly(t)
	const slots = 4
	world, dir := tinyWorld(t)
	server, err := world.Serve(fixtures.ServeOptions{Latency: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	rates := map[int]float64{}
	for workers := 1; workers <= 4; workers++ {
		f := newFleet(t)
		f.hire(workers, slots, dir)
		run := filepath.Join(t.TempDir(), "run")
		f.chaos(nil, run, []string{
			"sample", "-c", filepath.Join(dir, "gonogo.yaml"), "--samples", strconv.Itoa(8 * workers), "--yes", "--seed", "9", "--concurrency", "256",
			"--set", "sampling.address_map." + fixtures.Origin + "=" + server.URL(), "-o", run, "--queue", f.url,
		}, 0, 0)
		rates[workers] = steadyRate(t, run)
		t.Logf("%d workers: %.0f rollouts/s, %.2f times those of one", workers, rates[workers], rates[workers]/rates[1])
		for _, p := range f.posts {
			p.dismiss()
		}
	}
	if rates[2] < 1.3*rates[1] {
		t.Errorf("two workers make %.0f rollouts/s, one %.0f", rates[2], rates[1])
	}
}

// steadyRate is how many rollouts ended in a second, between the first quarter of them
// and the last.
func steadyRate(t *testing.T, dir string) float64 {
	t.Helper()
	var ends []time.Time
	_, err := must(rollout.Open(dir))(t).Records(t.Context(), rollout.ReadOptions{}, func(r *rollout.Record) error {
		ends = append(ends, r.Started.Add(time.Duration(r.Elapsed)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	n := len(ends)
	return float64(n/2) / ends[3*n/4].Sub(ends[n/4]).Seconds()
}

// TestDeepAMillionRolloutsArePlanned holds the memory of a planner of a million
// rollouts, 10,000 of which are handed out and wait for workers, to 500 MB.
func TestDeepAMillionRolloutsArePlanned(t *testing.T) {
	deepOnly(t)
	if runtime.GOOS != "linux" {
		t.Skip("the memory of another process is read from /proc")
	}
	_, dir := tinyWorld(t)
	f := newFleet(t)
	run := filepath.Join(t.TempDir(), "run")
	p := f.post("planner", "gonogo", "sample", "-c", filepath.Join(dir, "gonogo.yaml"), "--samples", "45455", "--yes", "--seed", "9",
		"--set", "sampling.in_flight=10000", "--set", "sampling.address_map."+fixtures.Origin+"=http://127.0.0.1:1", "-o", run, "--queue", f.url)
	last, since := 0, time.Now()
	for end := since.Add(2 * time.Minute); last < 10_000; time.Sleep(100 * time.Millisecond) {
		if last = f.stored(); time.Now().After(end) {
			t.Fatalf("%d jobs are handed out\n%s", last, f.said([]*post{p}))
		}
	}
	planner, server := f.resident(p), f.resident(f.posts[0])
	t.Logf("%d jobs handed out in %.1f s; at most %d MB resident in the planner, %d MB in the server", last, time.Since(since).Seconds(), planner>>20, server>>20)
	if planner > 500<<20 {
		t.Errorf("the planner needs %d MB", planner>>20)
	}
}

// stored is how many jobs lie on the server.
func (f *fleet) stored() (jobs int) {
	f.t.Helper()
	nc, err := nats.Connect(f.url, nats.Token(chaosToken), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1))
	if err != nil {
		f.t.Fatal(err)
	}
	defer nc.Close()
	js := must(jetstream.New(nc))(f.t)
	for s := range js.ListStreams(f.t.Context()).Info() {
		if strings.HasSuffix(s.Config.Name, "-JOBS") {
			jobs += int(s.State.Msgs)
		}
	}
	return jobs
}

// resident is the most memory that a process has had, in bytes.
func (f *fleet) resident(p *post) int {
	f.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	text := string(must(os.ReadFile(fmt.Sprintf("/proc/%d/status", p.now.cmd.Process.Pid)))(f.t))
	_, text, _ = strings.Cut(text, "VmHWM:")
	text, _, _ = strings.Cut(text, " kB")
	return must(strconv.Atoi(strings.TrimSpace(text)))(f.t) << 10
}

func deepOnly(t *testing.T) {
	t.Helper()
	if os.Getenv("GONOGO_DEEP") == "" {
		t.Skip("a deep test: make deep")
	}
}
