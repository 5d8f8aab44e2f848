package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"

	"gonogo/sampler/jsontext"
)

// drain holds back the end of the input until each request has its answer: a client that sends its requests and
// closes its side gets all of them.
type drain struct {
	ctx  context.Context
	in   *bufio.Reader
	rest []byte // of the line that is being passed on
	out  io.Writer

	mu    sync.Mutex
	open  map[string]bool // requests without an answer, by id
	ended chan struct{}   // has a value after the last of them got one
}

func newDrain(ctx context.Context, in io.Reader, out io.Writer) *drain {
	return &drain{ctx: ctx, in: bufio.NewReader(in), out: out, open: make(map[string]bool), ended: make(chan struct{}, 1)}
}

// note keeps the requests that are open, by the messages in a text: from the client requests and their
// cancellations, and else answers.
func (d *drain) note(text []byte, fromClient bool) {
	for line := range bytes.Lines(text) {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Request json.RawMessage `json:"requestId"`
			} `json:"params"`
		}
		if jsontext.Unmarshal(line, &m) != nil {
			continue
		}
		d.mu.Lock()
		switch {
		case fromClient && m.Method == "notifications/cancelled":
			d.end(m.Params.Request)
		case fromClient && m.Method != "" && m.ID != nil:
			d.open[string(m.ID)] = true
		case !fromClient && m.Method == "":
			d.end(m.ID)
		}
		d.mu.Unlock()
	}
}

func (d *drain) end(id json.RawMessage) {
	delete(d.open, string(id))
	if len(d.open) == 0 {
		select {
		case d.ended <- struct{}{}:
		default:
		}
	}
}

func (d *drain) Read(p []byte) (int, error) {
	if len(d.rest) == 0 {
		line, err := d.in.ReadBytes('\n')
		if err != nil && len(line) == 0 {
			d.wait()
			return 0, err
		}
		d.note(line, true)
		d.rest = line
	}
	n := copy(p, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

func (d *drain) wait() {
	for {
		d.mu.Lock()
		open := len(d.open)
		d.mu.Unlock()
		if open == 0 {
			return
		}
		select {
		case <-d.ended:
		case <-d.ctx.Done():
			return
		}
	}
}

func (d *drain) Write(p []byte) (int, error) {
	n, err := d.out.Write(p)
	d.note(p[:n], false)
	return n, err
}
