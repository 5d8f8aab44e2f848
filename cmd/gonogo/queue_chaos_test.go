package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/fixtures"
	"gonogo/sampler/queue"
	"gonogo/sampler/rollout"
)

// TestLongDeepKillsOfARunOnManyMachines kills workers, the planner and the server of
// a run, all of them processes, at random moments and starts them again: every
// rollout is recorded once, nothing is lost, what is paid again was in flight at
// a worker that was killed, and the result is that of a run on one machine. 100
// kills where GONOGO_DEEP is set, a few else.
func TestLongDeepKillsOfARunOnManyMachines(t *testing.T) {
	long(t)
	kills, most, samples, calm := 5, 5, 8, 200*time.Millisecond
	if os.Getenv("GONOGO_DEEP") != "" {
		kills, most, samples, calm = 100, 25, 40, 400*time.Millisecond
	}
	world, dir := tinyWorld(t)
	server, err := world.Serve(fixtures.ServeOptions{Latency: 5 * time.Millisecond, Jitter: 5 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	bill := &bill{next: server.Handler(), asked: map[string]int{}}
	endpoints := httptest.NewServer(bill)
	t.Cleanup(endpoints.Close)
	args := []string{
		"sample", "-c", filepath.Join(dir, "gonogo.yaml"), "--samples", strconv.Itoa(samples), "--yes", "--seed", "9", "--concurrency", strconv.Itoa(chaosWorkers * chaosSlots),
		"--set", "sampling.address_map." + fixtures.Origin + "=" + endpoints.URL, "--set", "queue.deliveries=1000",
	}
	alone := filepath.Join(t.TempDir(), "alone")
	if c := startChild(t, alone, append(args, "-o", alone)...); c.wait(t) != exit.OK {
		t.Fatal(c.stderr.String())
	}
	want, wantRewards := analyzed(t, alone), readRewards(t, alone)
	rng := rand.New(rand.NewPCG(11, 13))
	f := newFleet(t)
	f.hire(chaosWorkers, chaosSlots, dir)
	for round := 0; kills > 0; round++ {
		bill.clear()
		run := filepath.Join(t.TempDir(), fmt.Sprintf("run%d", round))
		killed := f.chaos(rng, run, append(args, "-o", run, "--queue", f.url), min(most, kills), calm)
		all := 0
		for _, n := range killed {
			all += n
		}
		kills -= max(all, 1)
		whole := crashKind{run: run, file: rollout.RolloutsFile}
		whole.whole(t, readCrashed(t, filepath.Join(run, rollout.RolloutsFile)))
		rollouts, again := bill.sum()
		t.Logf("killed %v; %d rollouts, %d of them asked for again", killed, rollouts, again)
		if rollouts != len(wantRewards) {
			t.Errorf("%d rollouts were asked for, want %d", rollouts, len(wantRewards))
		}
		if most := killed["worker"] * chaosSlots; again > most {
			t.Errorf("%d rollouts were asked for again, and %d at most were in flight at workers that were killed", again, most)
		}
		if !maps.Equal(readRewards(t, run), wantRewards) {
			t.Error("the rewards are not those of the run on one machine")
		}
		if d := cmp.Diff(want, analyzed(t, run)); d != "" {
			t.Errorf("the result is not that of the run on one machine:\n%s", d)
		}
		if left, err := filepath.Glob(filepath.Join(f.store, "jetstream", "*", "streams", "GONOGO-*")); err != nil || len(left) > 0 {
			t.Errorf("the server keeps %v of a complete run (%v)", left, err)
		}
		if t.Failed() {
			return
		}
	}
}

const (
	chaosWorkers = 3
	chaosSlots   = 8
	chaosToken   = "planted-token-1"
)

// analyzed is the result of a run, but for when and where it was made: the times of
// its rollouts, of which no two runs have the same, are made equal first.
func analyzed(t *testing.T, run string) map[string]any {
	t.Helper()
	path := filepath.Join(run, rollout.RolloutsFile)
	var out bytes.Buffer
	for line := range bytes.Lines(must(os.ReadFile(path))(t)) {
		var rec any
		if err := json.Unmarshal(line, &rec); err != nil {
			t.Fatal(err)
		}
		timeless(rec)
		out.Write(append(must(json.Marshal(rec))(t), '\n'))
	}
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	if c := startChild(t, run, "analyze", run); c.wait(t) == exit.Tool {
		t.Fatal(c.stderr.String())
	}
	var result map[string]any
	if err := json.Unmarshal(must(os.ReadFile(filepath.Join(run, "result.json")))(t), &result); err != nil {
		t.Fatal(err)
	}
	delete(result, "timing")
	delete(result, "run")
	return result
}

// timeless sets all times of a record to the same.
func timeless(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			timeless(e)
		}
	case map[string]any:
		for k, e := range v {
			switch {
			case strings.HasSuffix(k, "_s"):
				v[k] = 0.5
			case strings.HasSuffix(k, "_at"):
				v[k] = "2026-01-01T00:00:00Z"
			default:
				timeless(e)
			}
		}
	}
}

// bill is a server's own count of the rollouts that were begun.
type bill struct {
	next http.Handler

	mu    sync.Mutex // guards asked
	asked map[string]int
}

// ServeHTTP counts the first turn of each rollout.
func (b *bill) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if trace, first := strings.CutSuffix(r.Header.Get("X-Client-Request-Id"), "/0"); first {
		b.mu.Lock()
		b.asked[trace]++
		b.mu.Unlock()
	}
	b.next.ServeHTTP(w, r)
}

func (b *bill) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.asked)
}

// sum returns the rollouts, and how often one was begun again.
func (b *bill) sum() (rollouts, again int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range b.asked {
		again += n - 1
	}
	return len(b.asked), again
}

// fleet is a server and the workers at it, each a process.
type fleet struct {
	t          *testing.T
	store, url string
	posts      []*post
}

// newFleet starts a server.
func newFleet(t *testing.T) *fleet {
	t.Helper()
	port := freePort(t)
	f := &fleet{t: t, store: t.TempDir(), url: "nats://127.0.0.1:" + port}
	f.posts = append(f.posts, f.post("server", "queueprocess", f.store, port))
	return f
}

// hire starts workers that have the world's files.
func (f *fleet) hire(workers, slots int, files string) {
	f.t.Helper()
	for range workers {
		dir := f.t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(files)); err != nil {
			f.t.Fatal(err)
		}
		f.posts = append(f.posts, f.post("worker", "gonogo", "worker", "--queue", f.url, "--slots", strconv.Itoa(slots), "--dir", dir))
	}
}

// chaos makes a run and kills so often meanwhile. It returns how often whom.
func (f *fleet) chaos(rng *rand.Rand, run string, args []string, kills int, calm time.Duration) map[string]int {
	f.t.Helper()
	killed, made := map[string]int{}, 0
	planner := f.post("planner", "gonogo", args...)
	everybody := append(slices.Clone(f.posts), planner)
	var deck []int
	for {
		var next <-chan time.Time // never, when there were enough
		if made < kills {
			next = time.After(calm/4 + time.Duration(rng.Int64N(int64(calm)))) // a moment of their lives is what is drawn
		}
		select {
		case <-planner.whole:
			return killed
		case <-time.After(time.Minute):
			f.t.Fatalf("the run does not end\n%s", f.said(everybody))
		case <-next:
			if len(deck) == 0 {
				deck = rng.Perm(len(everybody))
			}
			if victim := everybody[deck[0]]; victim.kill() {
				killed[victim.role]++
				made++
			}
			deck = deck[1:]
		}
	}
}

// post is a process of a fleet, which is started again when it ends: killed, or
// because there was no server when it began. One that is done is not.
type post struct {
	role  string
	whole chan struct{} // closed when it is done
	gone  chan struct{} // closed when there will be no other

	mu   sync.Mutex // guards what follows
	now  *child     // nil between two
	over bool
	said bytes.Buffer // by those before
}

func (f *fleet) post(role, program string, args ...string) *post {
	p := &post{role: role, whole: make(chan struct{}), gone: make(chan struct{})}
	go func() {
		defer close(p.gone)
		for p.start(f.t, program, args) {
			code := p.now.wait(f.t)
			p.mu.Lock()
			fmt.Fprintf(&p.said, "%sended with %d\n", p.now.stderr.Bytes(), code)
			p.now = nil
			p.mu.Unlock()
			if code == exit.OK {
				close(p.whole)
				return
			}
		}
	}()
	f.t.Cleanup(p.dismiss)
	return p
}

// dismiss ends the process, and starts no other.
func (p *post) dismiss() {
	p.mu.Lock()
	p.over = true
	p.mu.Unlock()
	p.kill()
	<-p.gone
}

// start starts the next one, which knows the token and is impatient, unless there is
// to be none.
func (p *post) start(t *testing.T, program string, args []string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := newChild(t, "", args...)
	c.cmd.Args[0] = program
	c.cmd.Env = append(os.Environ(), queue.TokenEnv+"="+chaosToken, impatientEnv+"=1")
	if _, err := c.cmd.StdinPipe(); err != nil {
		t.Error(err)
		return false
	}
	if p.over {
		return false
	}
	if err := c.cmd.Start(); err != nil {
		t.Error(err)
		return false
	}
	p.now = c
	return true
}

// kill kills the process, if there is one.
func (p *post) kill() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now != nil && p.now.cmd.Process.Kill() == nil
}

// said is what the processes have printed. It ends them.
func (f *fleet) said(all []*post) string {
	var text bytes.Buffer
	for _, p := range slices.Backward(all) {
		p.mu.Lock()
		p.over = true
		c := p.now
		p.mu.Unlock()
		if c != nil {
			_ = c.cmd.Process.Signal(syscall.SIGQUIT)
			time.Sleep(time.Second)
		}
		p.mu.Lock()
		fmt.Fprintf(&text, "%s: %s\n", p.role, p.said.String())
		p.mu.Unlock()
	}
	return text.String()
}

func freePort(t *testing.T) string {
	t.Helper()
	l := must(net.Listen("tcp4", "127.0.0.1:0"))(t)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// impatientEnv makes a child process of these tests give up what is silent after
// seconds.
const impatientEnv = "GONOGO_TEST_IMPATIENT"

// hasten does that.
func hasten() {
	if os.Getenv(impatientEnv) != "" {
		project.Patience.AckWait, project.Patience.Lease = 3*time.Second, 2*time.Second
	}
}

// queueProcess is a server as a process of its own, which ends with its input:
// queueprocess DIR PORT.
func queueProcess() {
	port, err := strconv.Atoi(os.Args[2])
	if err == nil {
		_, err = queue.Embed(os.Args[1], port, os.Getenv(queue.TokenEnv))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
}
