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

// largestRefusal is how much is read of an answer with an error status, in bytes.
const largestRefusal = 64 << 10

// versionHeader is the header with the negotiated protocol version.
const versionHeader = "Mcp-Protocol-Version"

// errLong reports an answer or a line that is too long.
var errLong = errors.New("the answer is too long to be read")

// carrier sends a session's requests over HTTP. It adds the headers, limits the length of answers,
// and records them in the outcome of the request's context.
type carrier struct {
	next   http.RoundTripper
	header map[string]string
	tap    *tap
}

// RoundTrip makes one request.
func (c *carrier) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	sent := req.Clone(ctx)
	sent.Header.Set("User-Agent", "gonogo")
	for name, value := range c.header {
		sent.Header.Set(name, value)
	}
	if v := c.tap.version.Load(); v != nil && sent.Header.Get(versionHeader) == "" {
		sent.Header.Set(versionHeader, *v)
	}
	resp, err := c.next.RoundTrip(sent)
	o := outcomeOf(ctx)
	if err == nil {
		err = o.watch(resp)
	}
	o.update(func(o *outcome) { o.broken = err })
	if err != nil {
		return nil, err
	}
	answer := endpoint.Answer{Status: resp.StatusCode, Header: resp.Header}
	body := resp.Body
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case resp.StatusCode >= http.StatusBadRequest:
		answer.Body, err = io.ReadAll(io.LimitReader(body, largestRefusal))
		resp.Body = replay(body, answer.Body, err)
	case kind == "application/json":
		text, err := io.ReadAll(io.LimitReader(body, largestMessage+1))
		if len(text) > largestMessage {
			o.update(func(o *outcome) { o.over = true })
			text = tooLongReply(req)
		}
		resp.Body = replay(body, text, err)
	default:
		resp.Body = &bounded{body, largestMessage, o}
	}
	o.update(func(o *outcome) { o.answer = answer })
	return resp, nil
}

// replay returns a body that yields text, which was read from body, and then the read error, if any.
func replay(body io.Closer, text []byte, err error) io.ReadCloser {
	r := io.Reader(bytes.NewReader(text))
	if err != nil {
		r = io.MultiReader(r, failing{err})
	}
	return struct {
		io.Reader
		io.Closer
	}{r, body}
}

// failing is a reader that always fails.
type failing struct{ err error }

// Read fails.
func (f failing) Read([]byte) (int, error) { return 0, f.err }

// tooLongReply returns an error reply that replaces an answer that is too long, so that the session
// continues.
func tooLongReply(req *http.Request) []byte {
	var request struct {
		ID json.RawMessage `json:"id"`
	}
	if body, err := req.GetBody(); err == nil {
		_ = json.NewDecoder(body).Decode(&request) // the SDK writes valid JSON
		_ = body.Close()
	}
	id := cmp.Or(string(request.ID), "null")
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, errTooLong.Code,
		errTooLong.Message)
}

// bounded is the body of an event stream, of which at most remaining bytes are read.
type bounded struct {
	io.ReadCloser
	remaining int
	outcome   *outcome
}

// Read reads from the body. It fails with errLong at the limit.
func (b *bounded) Read(p []byte) (int, error) {
	if b.remaining <= 0 {
		b.outcome.update(func(o *outcome) { o.over = true })
		return 0, errLong
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.remaining)])
	b.remaining -= n
	return n, err
}
