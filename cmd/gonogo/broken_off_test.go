package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// The ways in which an endpoint stops working.
const (
	dead   = "dead"   // connections are refused
	silent = "silent" // requests hang
)

const (
	brokenItems    = 20
	brokenSamples  = 2
	brokenRollouts = brokenItems * brokenSamples
	brokenWorkers  = 4
)

// ending is how a command ends after the fault has begun: by signals, one after the other.
type ending struct {
	name    string
	signals []os.Signal
	after   time.Duration // from the fault to the first signal
}

// TestLongEveryStateThatACommandLeavesIsResumed breaks off `gonogo sample` in every state that it
// can leave behind: an endpoint dies or hangs, mid-way or when nothing else is left to do, and the
// command ends by itself, by Ctrl-C, by two, or by a kill. What it leaves can be analyzed, and the
// same command resumes it to the end: no answer that is recorded is sampled again.
func TestLongEveryStateThatACommandLeavesIsResumed(t *testing.T) {
	long(t)
	t.Parallel()
	const soon = 300 * time.Millisecond
	const held = 11 * time.Second // after it, answers that wait for their grade are recorded
	var all []*brokenOff
	for _, end := range []ending{ // those that take longest begin first
		{"ends by itself", nil, 0},
		{"one Ctrl-C", []os.Signal{os.Interrupt}, soon},
		{"two", []os.Signal{os.Interrupt, os.Interrupt}, soon},
		{"a kill", []os.Signal{syscall.SIGKILL}, soon},
		{"two, answers wait for a grade", []os.Signal{os.Interrupt, os.Interrupt}, held},
		{"a kill, answers wait for a grade", []os.Signal{syscall.SIGKILL}, held},
	} {
		for _, boundary := range []string{endpoint.Model, "tool", endpoint.Grader} {
			if end.after == held && boundary != endpoint.Grader {
				continue
			}
			for _, fault := range []string{dead, silent} {
				for _, at := range []int{brokenRollouts / 2, brokenRollouts} {
					all = append(all, newBrokenOff(t, boundary, fault, at, end))
				}
			}
		}
	}
	var processes errgroup.Group
	processes.SetLimit(24) // they mostly wait
	for _, b := range all {
		processes.Go(func() error {
			if b.breakOff(t.Context()); b.problems == nil {
				b.resume(t.Context())
			}
			return nil
		})
	}
	_ = processes.Wait()
	for _, b := range all {
		for _, problem := range b.problems {
			t.Errorf("%s %s, rollout %d, %s: %s", b.on, b.fault, b.at, b.end.name, problem)
		}
	}
}

// brokenOff is a run whose endpoint stops working.
type brokenOff struct {
	run, config string
	addresses   map[string]string // of the endpoints, by boundary
	end         ending
	problems    []string

	mu      sync.Mutex // guards what follows
	servers map[string]*http.Server
	on      string                     // the boundary that fails
	fault   string                     // how
	at      int                        // the rollout with which it begins, counted at that boundary
	fixed   bool                       // nothing fails any more
	seen    map[string]map[string]bool // trace ids, by boundary
	begun   chan struct{}              // closed when the fault begins
	over    chan struct{}              // closed when requests need not hang any more
}

func newBrokenOff(t *testing.T, on, fault string, at int, end ending) *brokenOff {
	t.Helper()
	dir := t.TempDir()
	b := &brokenOff{
		run: filepath.Join(dir, "run"), config: filepath.Join(dir, "gonogo.yaml"), on: on, fault: fault, at: at, end: end,
		addresses: map[string]string{}, servers: map[string]*http.Server{}, seen: map[string]map[string]bool{},
		begun: make(chan struct{}), over: make(chan struct{}),
	}
	for _, boundary := range []string{endpoint.Model, "tool", endpoint.Grader} {
		b.seen[boundary] = map[string]bool{}
		if err := b.serve(boundary); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, s := range b.servers {
			_ = s.Close()
		}
	})
	var rows bytes.Buffer
	for i := range brokenItems {
		fmt.Fprintf(&rows, "{\"id\":\"q%d\",\"messages\":[{\"role\":\"user\",\"content\":\"Question %d?\"}],\"answer\":\"%d\"}\n", i, i, 40+i%3)
	}
	config := fmt.Sprintf(`target: none
data: {train: train.jsonl}
model: {name: m, base_url: "http://%s/v1", api_key_env: none, api: chat, timeout: 4s}
sampling: {samples: %d, concurrency: %d, retries: 1, retry_wait: 50ms, tool_timeout: 4s, grader_timeout: 12s}
job: {method: {type: reinforcement, reinforcement: {
  tools: [{name: look, server_url: "http://%s/look"}],
  grader: {type: endpoint, name: ours, url: "http://%s/grade"}}}}
`, b.addresses[endpoint.Model], brokenSamples, brokenWorkers, b.addresses["tool"], b.addresses[endpoint.Grader])
	for file, text := range map[string]string{"train.jsonl": rows.String(), "gonogo.yaml": config} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// serve starts the server of a boundary, again at the address that it had.
func (b *brokenOff) serve(boundary string) error {
	address := b.addresses[boundary]
	if address == "" {
		address = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { b.answer(boundary, w, r) })}
	b.addresses[boundary], b.servers[boundary] = l.Addr().String(), s
	go func() { _ = s.Serve(l) }()
	return nil
}

// answer gives a request what it asks for, or makes it meet the fault.
func (b *brokenOff) answer(boundary string, w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Trace    string `json:"trace_id"`
		CallID   string `json:"call_id"`
		Messages []struct{ Role string }
		Item     struct{ Answer string }
		Sample   struct {
			Text string `json:"output_text"`
		}
	}
	if r.Method == http.MethodPost {
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			return // the process ended while it asked
		}
	}
	trace, _, _ := strings.Cut(r.Header.Get("X-Client-Request-Id"), "/")
	if boundary != endpoint.Model {
		trace = asked.Trace
	}
	if b.meetsFault(boundary, trace) {
		select {
		case <-r.Context().Done():
		case <-b.over:
		}
		return
	}
	time.Sleep(5 * time.Millisecond)
	switch {
	case r.Method == http.MethodGet:
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"m","object":"model"}]}`)
	case boundary == "tool":
		_, _ = fmt.Fprintf(w, `{"type":"function_call_output","call_id":%q,"output":"seen"}`, asked.CallID)
	case boundary == endpoint.Grader:
		score := 0
		if asked.Sample.Text == asked.Item.Answer {
			score = 1
		}
		_, _ = fmt.Fprintf(w, `{"score":%d}`, score)
	case slices.ContainsFunc(asked.Messages, func(m struct{ Role string }) bool { return m.Role == "tool" }):
		chat(w, fmt.Sprintf(`{"role":"assistant","content":"%d"}`, 40+len(trace)%3), "stop")
	default:
		chat(w, `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"look","arguments":"{}"}}]}`, "tool_calls")
	}
}

func chat(w io.Writer, message, finish string) {
	_, _ = fmt.Fprintf(w, `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":%s,"finish_reason":%q}],"usage":{"prompt_tokens":20,"completion_tokens":5,"total_tokens":25}}`, message, finish)
}

// meetsFault books a request. The server of a dead boundary closes with the request that begins it.
func (b *brokenOff) meetsFault(boundary, trace string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if boundary == endpoint.Model || b.seen[endpoint.Model][trace] { // else the grader's trial
		b.seen[boundary][trace] = trace != ""
	}
	delete(b.seen[boundary], "")
	if boundary != b.on || b.fixed || len(b.seen[boundary]) < b.at {
		return false
	}
	select {
	case <-b.begun:
	default:
		close(b.begun)
		if b.fault == dead {
			go func(s *http.Server) { _ = s.Close() }(b.servers[boundary])
		}
	}
	return true
}

// failf notes what is wrong.
func (b *brokenOff) failf(format string, args ...any) {
	b.problems = append(b.problems, fmt.Sprintf(format, args...))
}

// start runs the one command that is broken off, and run again.
func (b *brokenOff) start() (process *exec.Cmd, stderr *bytes.Buffer, ended chan int) {
	exe, err := os.Executable()
	if err != nil {
		b.failf("%v", err)
	}
	process, stderr, ended = exec.Command(exe), new(bytes.Buffer), make(chan int, 1)
	process.Args = []string{"gonogo", "sample", "-c", b.config, "-o", b.run, "--seed", "3", "--yes"}
	process.Stderr = stderr
	if err := process.Start(); err != nil {
		b.failf("%v", err)
		ended <- exit.Tool
		return process, stderr, ended
	}
	go func() {
		_ = process.Wait() // the exit code tells
		ended <- process.ProcessState.ExitCode()
	}()
	return process, stderr, ended
}

// breakOff runs the command, sends it the signals after the fault has begun, and looks at what it leaves.
func (b *brokenOff) breakOff(ctx context.Context) {
	process, stderr, ended := b.start()
	defer func() { _ = process.Process.Kill() }()
	code := -2
	select {
	case <-b.begun:
	case code = <-ended:
		b.failf("it ended before the fault, with exit code %d\n%s", code, stderr.String())
		return
	}
	wait := b.end.after
	for _, signal := range b.end.signals {
		if code != -2 {
			break
		}
		select {
		case code = <-ended:
		case <-time.After(wait):
			_ = process.Process.Signal(signal)
		}
		wait = 100 * time.Millisecond // signals sent at once may merge into one
	}
	if code == -2 {
		select {
		case code = <-ended:
		case <-time.After(3 * time.Minute):
			b.failf("the process does not end\n%s", stderr.String())
			return
		}
	}
	if code == exit.OK && b.at < brokenRollouts {
		b.failf("exit code 0, and rollouts are missing\n%s", stderr.String())
	}
	b.analyze(ctx)
}

// analyze expects that the run can be read.
func (b *brokenOff) analyze(ctx context.Context) {
	var told bytes.Buffer
	if code := run(ctx, []string{"gonogo", "analyze", b.run}, nil, io.Discard, &told); code == exit.Tool || code == exit.Usage {
		b.failf("analyze ends with exit code %d: %s", code, told.String())
	}
}

// resume runs the same command again, when everything works.
func (b *brokenOff) resume(ctx context.Context) {
	kept, lines := b.answers()
	close(b.over)
	b.mu.Lock()
	first := b.seen[endpoint.Model]
	b.seen = map[string]map[string]bool{endpoint.Model: {}, "tool": {}, endpoint.Grader: {}}
	b.fixed = true
	if b.fault == dead {
		if err := b.serve(b.on); err != nil {
			b.failf("%v", err)
		}
	}
	b.mu.Unlock()

	_, stderr, ended := b.start()
	if code := <-ended; code != exit.OK {
		b.failf("the same command ends with exit code %d\n%s", code, stderr.String())
		return
	}
	b.analyze(ctx)
	b.mu.Lock()
	again := b.seen[endpoint.Model]
	b.mu.Unlock()
	for trace := range again {
		if kept[trace] {
			b.failf("rollout %s has a recorded answer and is sampled again", trace)
		}
	}
	lost := 0
	for trace := range first {
		if !lines[trace] {
			lost++
		}
	}
	if lost > brokenWorkers {
		b.failf("%d rollouts were begun and are not recorded: at most %d were in flight", lost, brokenWorkers)
	}
	b.whole(ctx, len(kept)+len(again))
}

// whole expects that every rollout is graded, and that so many answers were enough.
func (b *brokenOff) whole(ctx context.Context, answers int) {
	opened, err := rollout.Open(b.run)
	if err != nil {
		b.failf("%v", err)
		return
	}
	state, _, err := opened.State(ctx)
	if err != nil {
		b.failf("%v", err)
	}
	for key, is := range state {
		if is.Outcome != rollout.Graded {
			b.failf("%v ends as %s", key, is.Outcome)
		}
	}
	if len(state) != brokenRollouts || answers != brokenRollouts {
		b.failf("%d rollouts are recorded, for %d answers; want %d of both", len(state), answers, brokenRollouts)
	}
}

// answers are the trace ids of the rollouts that are recorded with an answer, and of all
// that are recorded.
func (b *brokenOff) answers() (kept, lines map[string]bool) {
	kept, lines = map[string]bool{}, map[string]bool{}
	text, err := os.ReadFile(filepath.Join(b.run, rollout.RolloutsFile))
	if err != nil {
		b.failf("%v", err)
	}
	for line := range bytes.Lines(text) {
		var r rollout.Record
		if err := r.UnmarshalJSON(bytes.TrimSpace(line)); err != nil {
			continue // a kill cut it off
		}
		lines[r.TraceID] = true
		if r.Answer != "" {
			kept[r.TraceID] = true
		}
	}
	return kept, lines
}
