package python

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// largestReply is the maximum length of a worker's line, in bytes: the largest result, and room for
// its frame.
const largestReply = 1<<20 + 1<<12

// errTimeout reports a call that did not end in time.
var errTimeout = errors.New("no result in time")

// errForged reports a line that the worker did not write itself.
var errForged = errors.New("the function wrote into the channel of its worker")

// errWorkerGone reports that the worker had died before the call, which another worker can make.
var errWorkerGone = errors.New("the interpreter has ended")

// exchange writes a line and reads the answer to it.
func (w *worker) exchange(ctx context.Context, timeout time.Duration, id uint64,
	line []byte,
) (word string, payload []byte, err error) {
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
		if !stop() { // the deadline that ctx set may take effect at any time
			w.kill()
		}
	}()
	if _, err := w.in.Write(line); err != nil {
		if errors.Is(err, syscall.EPIPE) {
			w.kill()
			return "", nil, errWorkerGone
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

// line reads one line, at most largestReply bytes.
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

// broken ends the worker and returns the error that says why there is no answer.
func (w *worker) broken(timeout time.Duration, err error) error {
	switch {
	case w.overuse.Load() != nil:
		return w.end()
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.kill()
		return fmt.Errorf("%w: it was killed after %v%s", errTimeout, timeout, w.stderr.suffix())
	case errors.Is(err, errForged):
		w.kill()
		return err
	}
	return w.end()
}

// result reads the payload. It kills the worker if it must not be used again.
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
