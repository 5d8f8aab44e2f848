package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"gonogo/sampler/endpoint"
)

// largestRefusal bounds what is read of an answer whose status is not a success.
const largestRefusal = 64 << 10

// versionHeader names the version of the protocol that a session has settled on.
const versionHeader = "Mcp-Protocol-Version"

// errLong ends the reading of an answer.
var errLong = errors.New("the answer is too long to be read")

// carrier carries a session's requests over HTTP: with its headers, bounded, and
// noted for who asked.
type carrier struct {
	next   http.RoundTripper
	header map[string]string
	tap    *tap
}

// RoundTrip makes one request.
func (c *carrier) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	ours := req.Clone(ctx)
	ours.Header.Set("User-Agent", "gonogo")
	for name, value := range c.header {
		ours.Header.Set(name, value)
	}
	if v := c.tap.version.Load(); v != nil && ours.Header.Get(versionHeader) == "" {
		ours.Header.Set(versionHeader, *v)
	}
	resp, err := c.next.RoundTrip(ours)
	h := heardOf(ctx)
	if err == nil {
		err = h.watch(resp)
	}
	if err != nil {
		return nil, err
	}
	answer := endpoint.Answer{Status: resp.StatusCode, Header: resp.Header}
	body := resp.Body
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case resp.StatusCode >= http.StatusBadRequest:
		answer.Body, err = io.ReadAll(io.LimitReader(body, largestRefusal))
		resp.Body = again(body, answer.Body, err)
	case kind == "application/json":
		text, err := io.ReadAll(io.LimitReader(body, largestMessage+1))
		if len(text) > largestMessage {
			h.note(func(h *heard) { h.over = true })
			text = refused(req)
		}
		resp.Body = again(body, text, err)
	default:
		resp.Body = &bounded{body, largestMessage, h}
	}
	h.note(func(h *heard) { h.answer = answer })
	return resp, nil
}

// again is a body that was read; err is how that ended.
func again(body io.Closer, text []byte, err error) io.ReadCloser {
	r := io.Reader(bytes.NewReader(text))
	if err != nil {
		r = io.MultiReader(r, failing{err})
	}
	return struct {
		io.Reader
		io.Closer
	}{r, body}
}

// failing is a reader that fails.
type failing struct{ err error }

// Read fails.
func (f failing) Read([]byte) (int, error) { return 0, f.err }

// refused answers a request in the place of an answer that is too long: the
// session goes on.
func refused(req *http.Request) []byte {
	var asked struct {
		ID json.RawMessage `json:"id"`
	}
	if body, err := req.GetBody(); err == nil {
		_ = json.NewDecoder(body).Decode(&asked) // it was written as JSON
		_ = body.Close()
	}
	id := cmp.Or(string(asked.ID), "null")
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, errTooLong.Code,
		errTooLong.Message)
}

// bounded is the body of a stream of events of which no more than left is read.
type bounded struct {
	io.ReadCloser
	left  int
	heard *heard
}

// Read reads from the body.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		b.heard.note(func(h *heard) { h.over = true })
		return 0, errLong
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
