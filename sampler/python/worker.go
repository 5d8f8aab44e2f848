package python

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// largestReply bounds a line of a worker: the largest result, and room for its
// frame.
const largestReply = 1<<20 + 1<<12

// errTimeout is a call that did not end in time.
var errTimeout = errors.New("no result in time")

// errForged is a worker whose lines are not its own.
var errForged = errors.New("the function wrote into the channel of its worker")

// errNotBegun is a call to a worker that had died before: another may make it.
var errNotBegun = errors.New("the interpreter has ended")

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
	User   bool     `json:"user"`   // it has become a user of its own
}

// spawn starts cmd and hands it its set-up.
func spawn(ctx context.Context, cmd *exec.Cmd, mark string, own bool, setup []byte, timeout time.Duration) (*worker, error) {
	w := &worker{cmd: cmd, stderr: &tail{}, loaded: make(map[int]bool), mark: mark, own: own, gone: make(chan struct{})}
	cmd.Stderr = w.stderr
	cmd.WaitDelay = time.Second // for a process that got away and holds standard error
	in, out, err := pipes(cmd)
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

// pipes starts cmd with pipes to its standard input and output. Our ends take
// deadlines.
func pipes(cmd *exec.Cmd) (in, out *os.File, err error) {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(err, in.Close())
	}
	defer theirOut.Close()
	cmd.Stdin, cmd.Stdout = theirIn, theirOut
	if err := cmd.Start(); err != nil {
		return nil, nil, errors.Join(err, in.Close(), out.Close())
	}
	return in, out, nil
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
func (w *worker) call(ctx context.Context, timeout time.Duration, m *module, args []json.RawMessage) (json.RawMessage, error) {
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

// exchange writes a line and reads the one that answers it.
func (w *worker) exchange(ctx context.Context, timeout time.Duration, id uint64, line []byte) (word string, payload []byte, err error) {
	if w.lines.Buffered() > 0 {
		return "", nil, w.broken(timeout, errForged)
	}
	deadline := time.Now().Add(timeout)
	if err := errors.Join(w.in.SetDeadline(deadline), w.out.SetDeadline(deadline)); err != nil {
		return "", nil, err
	}
	stop := context.AfterFunc(ctx, func() {
		_, _ = w.in.SetDeadline(time.Unix(1, 0)), w.out.SetDeadline(time.Unix(1, 0))
	})
	defer func() {
		if !stop() { // the deadline that ctx set may come at any time
			w.kill()
		}
	}()
	if _, err := w.in.Write(line); err != nil {
		if errors.Is(err, syscall.EPIPE) {
			w.kill()
			return "", nil, errNotBegun
		}
		return "", nil, w.broken(timeout, err)
	}
	reply, err := w.line()
	if err != nil {
		return "", nil, w.broken(timeout, err)
	}
	head, rest, ok := bytes.Cut(reply, []byte(" "))
	got, err := strconv.ParseUint(string(head), 10, 64)
	if text, ended := bytes.CutPrefix(rest, []byte("ended ")); ended && got == 0 {
		w.kill()
		code, _ := strconv.Atoi(string(text))
		return "", nil, w.endedBy(exitText(code))
	}
	if !ok || err != nil || got != id {
		return "", nil, w.broken(timeout, errForged)
	}
	first, rest, _ := bytes.Cut(rest, []byte(" "))
	return string(first), rest, nil
}

// line reads one line, of largestReply at most.
func (w *worker) line() ([]byte, error) {
	var long []byte
	for {
		b, err := w.lines.ReadSlice('\n')
		switch {
		case err == nil && long == nil:
			return b[:len(b)-1], nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(long)+len(b) > largestReply:
			return nil, errForged
		}
		if long = append(long, b...); err == nil {
			return long[:len(long)-1], nil
		}
	}
}

// broken is why there is no answer.
func (w *worker) broken(timeout time.Duration, err error) error {
	switch {
	case w.overuse.Load() != nil:
		return w.end()
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.kill()
		return fmt.Errorf("%w: it was ended after %v%s", errTimeout, timeout, w.stderr.said())
	case errors.Is(err, errForged):
		w.kill()
		return err
	}
	return w.end()
}

// result reads the payload. The worker is ended where it is not to go on.
func (w *worker) result(word string, payload []byte) (json.RawMessage, error) {
	rest, last := strings.CutPrefix(word, "last-")
	if last {
		defer w.kill()
	}
	switch rest {
	case "result":
		return bytes.Clone(payload), nil
	case "error", "unfit", "refused":
		r := &raised{unfit: rest == "unfit"}
		if err := json.Unmarshal(payload, r); err != nil {
			w.kill()
			return nil, errForged
		}
		if r.Retire {
			w.kill()
		}
		return nil, r
	}
	w.kill()
	return nil, errForged
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

// alive reports whether an idle worker can go on, as far as can be told.
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
	killTree(w.cmd.Process.Pid, w.own)
	<-w.gone
	killMarked(w.mark)
	_, _ = w.in.Close(), w.out.Close()
}

// exitText says how a process ended. Who waited for it tells a signal as 128
// and its number.
func exitText(code int) string {
	if code > 128 && code < 160 {
		return fmt.Sprintf("signal: %v", syscall.Signal(code-128))
	}
	return fmt.Sprintf("exit status %d", code)
}
