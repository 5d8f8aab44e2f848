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
	mark   string        // in the environment of all processes that the worker starts
	pidns  bool          // it has its own process namespace
	gone   chan struct{} // closed after the process was waited for
	ended  bool

	overuse atomic.Pointer[string] // why the watch killed it; nil if it did not
}

// ready is a worker's report after its set-up.
type ready struct {
	Failed []string `json:"failed"` // limits that this system does not support
	User   bool     `json:"user"`   // the worker runs as its own user
}

// spawn starts cmd and sends it its set-up.
func spawn(ctx context.Context, cmd *exec.Cmd, mark string, pidns bool, setup []byte,
	timeout time.Duration,
) (*worker, error) {
	w := &worker{
		cmd: cmd, stderr: &tail{}, loaded: make(map[int]bool), mark: mark, pidns: pidns, gone: make(chan struct{}),
	}
	cmd.Stderr = w.stderr
	cmd.WaitDelay = time.Second // an escaped process may keep standard error open
	in, out, err := process.StartPiped(cmd)
	if err != nil {
		return nil, err
	}
	w.in, w.out, w.lines = in, out, bufio.NewReaderSize(out, 1<<16)
	go func() {
		defer close(w.gone)
		_ = cmd.Wait() // the exit state is in cmd.ProcessState
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

// load loads a module unless it is already loaded.
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

// call calls the function of a loaded module.
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
	for rest := b; ; { // replace line breaks, which are only white space in JSON
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

// frame returns the start of a line, with an id that a function cannot guess.
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

// end waits up to a second for a worker that has closed its output to exit, and returns an error that
// says how it ended.
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

// endedBy returns the error of an interpreter that ended: why the watch killed it, or else how.
func (w *worker) endedBy(how string) error {
	if why := w.overuse.Load(); why != nil {
		return fmt.Errorf("it was killed: %s%s", *why, w.stderr.suffix())
	}
	return fmt.Errorf("the interpreter ended in the call: %s%s", how, w.stderr.suffix())
}

// alive reports whether an idle worker seems usable: it has not exited, and has written nothing unasked.
func (w *worker) alive() bool {
	select {
	case <-w.gone:
		return false
	default:
		return w.lines.Buffered() == 0
	}
}

// kill kills the worker with everything that it started, and waits for it.
func (w *worker) kill() {
	if w.ended {
		return
	}
	w.ended = true
	process.KillTree(w.cmd.Process.Pid, w.pidns)
	<-w.gone
	process.KillMarked(w.mark)
	_, _ = w.in.Close(), w.out.Close()
}

// exitText says how a process ended. The parent reports a signal as 128 plus its number.
func exitText(code int) string {
	if code > 128 && code < 160 {
		return fmt.Sprintf("signal: %v", syscall.Signal(code-128))
	}
	return fmt.Sprintf("exit status %d", code)
}
