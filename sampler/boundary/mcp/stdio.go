package mcp

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"gonogo/sampler/boundary/internal/process"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// pipe is a transport to a program: each message is a line of JSON. The SDK's own transport would
// leave processes running that the program started.
type pipe struct {
	child *process.Child
	grace time.Duration // time to exit by itself
	lines *bufio.Reader
	turn  chan struct{} // holds a token while someone writes

	mu  sync.Mutex // guards why
	why error      // why the connection is broken; nil if it is not
}

// start starts the program of a server, for the rollout with that trace id unless it is "".
func start(cfg Config, opts Options, trace string) (*pipe, error) {
	cmd := exec.Command(cfg.Command[0], cfg.Command[1:]...)
	cmd.Dir = opts.Dir
	cmd.Env = process.Environment(opts.Without)
	for _, name := range slices.Sorted(maps.Keys(cfg.Env)) {
		cmd.Env = append(cmd.Env, name+"="+cfg.Env[name])
	}
	if trace != "" {
		cmd.Env = append(cmd.Env, "GONOGO_TRACE_ID="+trace, "GONOGO_CANARY="+rollout.Canary(trace))
	}
	child, err := process.Start(cmd, marker+"="+rand.Text(), opts.Log)
	if err != nil {
		return nil, err
	}
	wait := grace
	if cfg.PerRollout {
		wait = rolloutGrace
	}
	return &pipe{
		child: child, grace: wait, lines: bufio.NewReaderSize(child.Out, 1<<16),
		turn: make(chan struct{}, 1),
	}, nil
}

// Connect returns the connection, which already exists.
func (p *pipe) Connect(context.Context) (sdk.Connection, error) { return p, nil }

// SessionID returns "": the process is the session.
func (p *pipe) SessionID() string { return "" }

// Close closes the program's input, and kills it if it does not exit by itself.
func (p *pipe) Close() error {
	p.child.Finish(p.grace)
	return nil
}

// Read reads the next message. The error says why the connection is broken.
func (p *pipe) Read(context.Context) (jsonrpc.Message, error) {
	for {
		line, err := readLine(p.lines, largestMessage)
		if errors.Is(err, errLong) {
			if id, ok := idOf(line); ok {
				return &jsonrpc.Response{ID: id, Error: errTooLong}, nil
			}
			return nil, p.breaks(func() error {
				return fmt.Errorf("it wrote a message of more than %d bytes", largestMessage)
			})
		}
		if err != nil {
			return nil, p.breaks(func() error { return p.ended(err) })
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		msg, err := jsonrpc.DecodeMessage(line)
		if err != nil {
			return nil, p.breaks(func() error {
				return fmt.Errorf("it wrote %q on standard output, where only messages of the protocol belong; "+
					"everything else belongs on standard error", endpoint.Brief(string(line)))
			})
		}
		return msg, nil
	}
}

// ended returns the error of a program that closed its output.
func (p *pipe) ended(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("it ended: %s", p.child.ExitReason())
	}
	return err
}

// breaks records why the connection is broken, unless a reason is recorded, and returns the reason.
func (p *pipe) breaks(why func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.why == nil {
		p.why = why()
	}
	return p.why
}

// broken returns why the connection is broken; nil if it is not.
func (p *pipe) broken() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.why
}

// Write writes a message. A partial write breaks the connection.
func (p *pipe) Write(ctx context.Context, msg jsonrpc.Message) error {
	line, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	expired := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = p.child.In.SetWriteDeadline(time.Unix(1, 0)) // fails only if the input is closed
		close(expired)
	})
	n, err := p.child.In.Write(append(line, '\n'))
	if !stop() {
		<-expired
		_ = p.child.In.SetWriteDeadline(time.Time{})
	}
	switch {
	case err == nil:
		return nil
	case n == 0 && ctx.Err() != nil:
		return ctx.Err()
	case ctx.Err() != nil:
		err = p.breaks(func() error { return errors.New("it does not read its input") })
		p.child.Kill()
		return err
	}
	return p.breaks(func() error { return p.ended(io.EOF) })
}

// readLine reads a line without its line break. If the line is longer than limit bytes, it returns the
// beginning and errLong.
func readLine(r *bufio.Reader, limit int) (line []byte, err error) {
	over := false
	for {
		b, err := r.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		if !over {
			line = append(line, b...)
		}
		if over = over || len(line) > limit; over && len(line) > headOfLine {
			line = bytes.Clone(line[:headOfLine])
		}
		switch {
		case err == nil && over:
			return line, errLong
		case err == nil:
			return bytes.TrimSuffix(line, []byte("\n")), nil
		}
	}
}

// headOfLine is the number of bytes kept of a line that is too long: they usually include the id.
const headOfLine = 4 << 10

// idOf finds the id in the beginning of an answer.
func idOf(head []byte) (id jsonrpc.ID, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(head))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return id, false
	}
	for {
		name, err := dec.Token()
		if err != nil {
			return id, false
		}
		var value any
		if err := dec.Decode(&value); err != nil {
			return id, false
		}
		switch name {
		case "method": // a request from the server, not an answer
			return id, false
		case "id":
			id, err = jsonrpc.MakeID(value)
			return id, err == nil && id.IsValid()
		}
	}
}
