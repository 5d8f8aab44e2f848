package python

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"gonogo/sampler/boundary/internal/process"
)

// worker is one interpreter. One goroutine uses it at a time.
type worker struct {
	cmd    *exec.Cmd
	in     *os.File
	out    *os.File
	lines  *bufio.Reader
	stderr *tail
	loaded map[int]bool
	buffer []byte
	ready  ready
	mark   string        // in the environment of all that the worker starts
	own    bool          // it has a namespace of processes
	gone   chan struct{} // closed when the process has been waited for
	ended  bool

	overuse atomic.Pointer[string] // why the watch has killed it; nil when it has not
}

// ready is what a worker says when it has set itself up.
type ready struct {
	Failed []string `json:"failed"` // limits that this system does not have
	User   bool     `json:"user"`   // it runs as its own user
}

// spawn starts cmd and hands it its set-up.
func spawn(ctx context.Context, cmd *exec.Cmd, mark string, own bool, setup []byte,
	timeout time.Duration,
) (*worker, error) {
	w := &worker{cmd: cmd, stderr: &tail{}, loaded: make(map[int]bool), mark: mark, own: own, gone: make(chan struct{})}
	cmd.Stderr = w.stderr
	cmd.WaitDelay = time.Second // for a process that got away and holds standard error
	in, out, err := process.StartPiped(cmd)
	if err != nil {
		return nil, err
	}
	w.in, w.out, w.lines = in, out, bufio.NewReaderSize(out, 1<<16)
	go func() {
		defer close(w.gone)
		_ = cmd.Wait() // how it ended is in cmd.ProcessState
	}()
	word, payload, err := w.exchange(ctx, timeout, 0, setup)
	if err == nil && word != "ready" {
		err = fmt.Errorf("its first word was %q", word)
	}
	if err == nil {
		err = json.Unmarshal(payload, &w.ready)
	}
	if err != nil {
		w.kill()
		return nil, err
	}
	return w, nil
}

// load loads a module, if that has not been done.
func (w *worker) load(ctx context.Context, timeout time.Duration, m *module) error {
	if w.loaded[m.index] {
		return nil
	}
	source, err := json.Marshal(m)
	if err != nil {
		return err
	}
	id, b := w.frame(m)
	b = append(append(append(b, ",null,"...), source...), "]\n"...)
	if _, err := w.do(ctx, timeout, id, b); err != nil {
		return err
	}
	w.loaded[m.index] = true
	return nil
}

// call calls a function of a module that has been loaded.
func (w *worker) call(ctx context.Context, timeout time.Duration, m *module,
	args []json.RawMessage,
) (json.RawMessage, error) {
	id, b := w.frame(m)
	b = append(b, ",["...)
	for i, arg := range args {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, arg...)
	}
	for rest := b; ; { // a line break in JSON is but a space
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			break
		}
		rest[i] = ' '
		rest = rest[i+1:]
	}
	w.buffer = append(b, "],null]\n"...)
	return w.do(ctx, timeout, id, w.buffer)
}

// frame begins a line with an id that a function cannot guess.
func (w *worker) frame(m *module) (id uint64, b []byte) {
	id = rand.Uint64()
	b = append(strconv.AppendUint(w.buffer[:0], id, 10), " ["...)
	return id, strconv.AppendInt(b, int64(m.index), 10)
}

// do makes one call and reads its result.
func (w *worker) do(ctx context.Context, timeout time.Duration, id uint64, call []byte) (json.RawMessage, error) {
	w.stderr.reset()
	word, payload, err := w.exchange(ctx, timeout, id, call)
	if err != nil {
		return nil, err
	}
	return w.result(word, payload)
}

// end lets a worker that has closed its output come to its end and says how.
func (w *worker) end() error {
	select {
	case <-w.gone:
	case <-time.After(time.Second):
	}
	w.kill()
	if s := w.cmd.ProcessState; s.ExitCode() < 0 {
		return w.endedBy(s.String())
	}
	return w.endedBy(exitText(w.cmd.ProcessState.ExitCode()))
}

// endedBy is the end of an interpreter, with all that is known about it.
func (w *worker) endedBy(how string) error {
	if why := w.overuse.Load(); why != nil {
		return fmt.Errorf("it was ended: %s%s", *why, w.stderr.said())
	}
	return fmt.Errorf("the interpreter ended in the call: %s%s", how, w.stderr.said())
}

// alive reports whether an idle worker can go on, as far as is known.
func (w *worker) alive() bool {
	select {
	case <-w.gone:
		return false
	default:
		return w.lines.Buffered() == 0
	}
}

// kill ends the worker with all that it has started, and waits for it.
func (w *worker) kill() {
	if w.ended {
		return
	}
	w.ended = true
	process.KillTree(w.cmd.Process.Pid, w.own)
	<-w.gone
	process.KillMarked(w.mark)
	_, _ = w.in.Close(), w.out.Close()
}

// exitText says how a process ended. Its parent reports a signal as 128 plus
// its number.
func exitText(code int) string {
	if code > 128 && code < 160 {
		return fmt.Sprintf("signal: %v", syscall.Signal(code-128))
	}
	return fmt.Sprintf("exit status %d", code)
}
