package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/fixtures"
	"gonogo/sampler/rollout"
)

// TestLongDeepKillsAtAnyMoment kills processes that make rollouts, go round until
// the verdict is decided, or audit, at random moments, and reconciles their file
// with the server's own count after each: what was recorded is there and is
// never asked for again, and what was asked for and is not recorded was in
// flight. 200 kills where GONOGO_DEEP is set, a few else.
func TestLongDeepKillsAtAnyMoment(t *testing.T) {
	long(t)
	deep := os.Getenv("GONOGO_DEEP") != ""
	samples, looks, items := "6", "5", "audit.items=3"
	if deep {
		samples, looks, items = "12", "8", "audit.items=8"
	}
	world, dir := tinyWorld(t)
	server, err := world.Serve(fixtures.ServeOptions{Jitter: 2 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	config := filepath.Join(dir, "gonogo.yaml")
	count := &ledger{next: server.Handler()}
	for _, kind := range []crashKind{
		{name: "sample", few: 4, file: rollout.RolloutsFile, args: []string{"sample", "-c", config, "--samples", samples, "--yes"}, into: "-o"},
		{
			name: "until decided", few: 1, file: rollout.RolloutsFile, into: "-o",
			args: []string{"sample", "-c", config, "--until", "decided", "--max-samples", looks, "--yes"},
		},
		{name: "audit", few: 1, file: rollout.ProbesFile, args: []string{"audit", "-c", config, "--set", items}, before: "sample"},
	} {
		t.Run(kind.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, uint64(len(kind.name))))
			var sum crashes
			k, kills, most := kind, kind.few, kind.few // in all, and of one run directory
			if deep {
				kills, most = 67, 11
			}
			for sum.kills < kills {
				k.run = filepath.Join(t.TempDir(), fmt.Sprintf("run%d", sum.kills))
				k.kill(t, count, rng, min(most, kills-sum.kills), &sum)
				if t.Failed() {
					return
				}
			}
			k.undisturbed(t, count)
			t.Logf("%s: %d kills of %d processes, %d of them within a write; %d rollouts or payloads recorded, %d asked for and lost by kills, at most %d at once; nothing else was asked for twice",
				kind.name, sum.kills, sum.processes, sum.torn, sum.recorded, sum.lost, sum.worst)
		})
	}
}

// crashKind is one command that is killed.
type crashKind struct {
	name, file, run string
	args            []string
	into            string // the flag of the run directory; "" = it is the argument
	before          string // what has to be made first
	few             int    // kills, where there are not many
}

// crashes counts the outcome of the kills.
type crashes struct{ processes, kills, torn, recorded, lost, worst int }

const crashWorkers = 32

func (k *crashKind) start(t *testing.T, address string) *child {
	t.Helper()
	args := slices.Concat(k.args, []string{"--concurrency", fmt.Sprint(crashWorkers), "--set", "sampling.address_map." + fixtures.Origin + "=" + address})
	if k.into != "" {
		args = append(args, k.into, k.run, "--seed", "9")
	} else {
		args = append(args, k.run)
	}
	return startChild(t, k.run, args...)
}

// kill starts the command and kills it, so often or until it ends by itself, and
// lets the last one end.
func (k *crashKind) kill(t *testing.T, count *ledger, rng *rand.Rand, kills int, sum *crashes) {
	t.Helper()
	want := k.prepare(t, count)
	count.audits = k.file == rollout.ProbesFile
	path := filepath.Join(k.run, k.file)
	traces, lostHere := 0, 0
	for left := kills; ; left-- {
		before := readCrashed(t, path)
		mark := 0
		if rng.IntN(3) > 0 {
			mark = 1 + rng.IntN(100)
		}
		now, address, settle := count.serve(mark)
		c := k.start(t, address)
		ended := make(chan int, 1)
		go func() { ended <- c.wait(t) }()
		code, killed := 0, false
		if left > 0 {
			code, killed = killSometime(c, ended, now, mark, rng)
		} else {
			code = <-ended
		}
		settle()
		after := readCrashed(t, path)
		sum.processes++
		k.reconcile(t, before, after, now, want)
		lost := after.lost(now)
		traces, lostHere = traces+len(now.traces), lostHere+lost
		sum.lost, sum.worst = sum.lost+lost, max(sum.worst, lost)
		if most := crashWorkers; killed && lost > most || !killed && lost > 0 {
			t.Errorf("%d rollouts were asked for and are not recorded; killed is %v, and %d at most were in flight", lost, killed, most)
		}
		if t.Failed() {
			return
		}
		if killed {
			sum.kills++
			if after.torn {
				sum.torn++
			}
			continue
		}
		if code != exit.OK && (k.file != rollout.ProbesFile || code != exit.Undecided && code != exit.NoGo) {
			t.Fatalf("it ended with exit code %d\n%s", code, c.stderr.String())
		}
		sum.recorded += after.records
		k.whole(t, after)
		if k.file == rollout.RolloutsFile && traces != after.records+lostHere {
			t.Errorf("%d rollouts were asked for in all processes, %d are recorded and %d were lost: they do not add up", traces, after.records, lostHere)
		}
		return
	}
}

// killSometime kills the child at a random moment: by the clock, or when it has
// just had that many outputs graded, whose records it then writes. A child that
// ends before is not killed.
func killSometime(c *child, ended <-chan int, now *epoch, mark int, rng *rand.Rand) (code int, killed bool) {
	wait := time.Duration(rng.Int64N(int64(600 * time.Millisecond)))
	if mark > 0 {
		select {
		case <-now.reached:
		case code := <-ended:
			return code, false
		}
		wait = time.Duration(rng.Int64N(int64(3 * time.Millisecond)))
	}
	select {
	case <-time.After(wait): // a moment of the process's life is what is drawn
	case code := <-ended:
		return code, false
	}
	_ = c.cmd.Process.Kill()
	return <-ended, true
}

// prepare makes what the command needs, and returns how often each output is to
// be graded in all; nil where that is once.
func (k *crashKind) prepare(t *testing.T, count *ledger) map[answered]int {
	t.Helper()
	if k.before == "" {
		return nil
	}
	_, address, settle := count.serve(0)
	defer settle()
	one := crashKind{run: k.run, args: []string{k.before, "-c", k.args[2], "--samples", "2", "--yes"}, into: "-o"}
	if c := one.start(t, address); c.wait(t) != exit.OK {
		t.Fatal(c.stderr.String())
	}
	calm := *k
	calm.run = k.run + "-calm"
	if err := os.CopyFS(calm.run, os.DirFS(k.run)); err != nil {
		t.Fatal(err)
	}
	calm.start(t, address).wait(t)
	return readCrashed(t, filepath.Join(calm.run, k.file)).gradings
}

// reconcile holds what a process found recorded, what it asked for and what is
// recorded after it to each other.
func (k *crashKind) reconcile(t *testing.T, before, after crashed, now *epoch, want map[answered]int) {
	t.Helper()
	if k.file == rollout.RolloutsFile && !bytes.HasPrefix(after.lines, before.lines) {
		t.Errorf("%d bytes of whole lines were there before, and are no longer the beginning of the file", len(before.lines))
	}
	for trace := range before.traces {
		if k.file == rollout.RolloutsFile && now.traces[trace] {
			t.Errorf("rollout %s was recorded, and is asked for again", trace)
		}
	}
	for out, n := range before.gradings {
		if after.gradings[out] < n {
			t.Errorf("%v was graded %d times before, and now %d times", out, n, after.gradings[out])
		}
	}
	for out, n := range now.gradings {
		most := 1
		if want != nil {
			most = want[out]
		}
		if before.gradings[out]+n > most {
			t.Errorf("%v is to be graded %d times, %d are recorded, and %d more were asked for", out, most, before.gradings[out], n)
		}
	}
}

// whole looks at a run that has ended by itself.
func (k *crashKind) whole(t *testing.T, last crashed) {
	t.Helper()
	run, err := rollout.Open(k.run)
	if err != nil {
		t.Fatal(err)
	}
	left := must(filepath.Glob(filepath.Join(k.run, "*.tmp*")))(t)
	if last.torn || len(left) > 0 {
		t.Errorf("the file ends with half a line (%v), and these are left: %v", last.torn, left)
	}
	if k.file != rollout.RolloutsFile {
		return
	}
	planned := 0
	for split, n := range run.Manifest.Planned.Samples {
		planned += n * run.Manifest.Planned.Items[split]
	}
	missing := 0
	in, err := run.Records(t.Context(), rollout.ReadOptions{}, func(r *rollout.Record) error {
		if r.Outcome.Missing() {
			missing++
		}
		return nil
	})
	if err != nil || in.Records != planned || in.Lines != planned || missing > 0 || len(in.Bad) > 0 || run.Manifest.Ended.IsZero() {
		t.Errorf("%d rollouts are planned; read %+v, %d of them missing data, error %v", planned, in, missing, err)
	}
}

// undisturbed holds the rewards to those of the same command that no one kills.
func (k *crashKind) undisturbed(t *testing.T, count *ledger) {
	t.Helper()
	if k.name != "sample" {
		return
	}
	_, address, settle := count.serve(0)
	defer settle()
	calm := *k
	calm.run = k.run + "-calm"
	calm.start(t, address).wait(t)
	want, got := readRewards(t, calm.run), readRewards(t, k.run)
	for key, reward := range want {
		if got[key] != reward {
			t.Errorf("%v earns %g in a run that was killed, %g in one that was not", key, got[key], reward)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d rollouts, and %d undisturbed", len(got), len(want))
	}
}

// crashed is what a file of records holds, half-written or not.
type crashed struct {
	lines    []byte // that are whole
	torn     bool   // something follows them
	records  int
	traces   map[string]bool
	gradings map[answered]int
}

func readCrashed(t *testing.T, path string) crashed {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	end := bytes.LastIndexByte(text, '\n') + 1
	c := crashed{lines: text[:end], torn: end < len(text), traces: map[string]bool{}, gradings: map[answered]int{}}
	for line := range bytes.Lines(c.lines) {
		var r rollout.Record
		if err := r.UnmarshalJSON(bytes.TrimSpace(line)); err != nil {
			t.Fatalf("%s holds a broken line: %v\n%.300s", path, err, line)
		}
		if r.Probe != nil && strings.HasPrefix(r.Probe.Name, rollout.ProbeConsensus) {
			continue // known without asking
		}
		c.records++
		c.traces[r.TraceID] = true
		if n := len(r.Grades); n > 0 {
			c.gradings[answered{r.TraceID, r.Answer}] += n
		} else if r.Reward != nil {
			c.gradings[answered{r.TraceID, r.Answer}]++
		}
	}
	return c
}

// lost counts the rollouts that a process asked for and that are not recorded:
// of an audit, the payloads.
func (c crashed) lost(now *epoch) int {
	lost := maps.Clone(now.traces)
	maps.DeleteFunc(lost, func(trace string, _ bool) bool { return c.traces[trace] })
	return len(lost)
}

// must is for calls whose error ends the test.
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
