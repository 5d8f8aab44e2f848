package endpoint

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"time"
)

// Plain returns a transport that makes requests over plain HTTP/1.1 itself and leaves to t those
// over TLS, those through a proxy and those that ask for another protocol. net/http has two
// goroutines and two buffers per connection, even an idle one; with thousands of requests in flight
// to servers nearby these take half of the memory, and passing each request between the goroutines
// takes a good part of the time. Here the goroutine of the caller writes and reads, and an idle
// connection has neither goroutine nor buffer.
//
// It dials as t does and keeps as many idle connections to a host, for as long; t's other bounds
// apply only to the requests that are left to t. As in net/http, answers are unzipped, and the
// error of a request whose context has ended is the context's cause. A connection that the server
// has closed is not reused; on systems that cannot detect this, Plain returns t.
func Plain(t *http.Transport) http.RoundTripper {
	if !canTell {
		return t
	}
	return &plain{Transport: t, idle: make(map[string][]*plainConn)}
}

type plain struct {
	*http.Transport // for all other requests

	mu      sync.Mutex // guards the fields below
	idle    map[string][]*plainConn
	sweeper *time.Timer
	closing bool // connections in use are closed afterwards
}

// mostBody bounds the body of a request. A server may answer a long one before it has read all of
// it; net/http writes and reads at the same time.
const mostBody = 64 << 10

// plainConn is a connection to a host.
type plainConn struct {
	net.Conn
	host string
	used bool      // it has had a request before
	idle time.Time // since when it is idle
}

// RoundTrip makes a request.
func (p *plain) RoundTrip(req *http.Request) (*http.Response, error) {
	if !p.serves(req) {
		return p.Transport.RoundTrip(req)
	}
	ctx := req.Context()
	for {
		var c *plainConn
		err := ctx.Err()
		if err == nil {
			c, err = p.connect(ctx, hostOf(req))
		}
		if err != nil {
			closeBody(req)
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return nil, err
		}
		resp, err := p.exchange(c, req)
		if err == nil {
			return resp, nil
		}
		_ = c.Close()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if lost, ok := errors.AsType[*lostError](err); !ok || !c.used || lost.sent && !repeatable(req.Method) {
			return nil, err
		}
		// The connection broke before an answer began, as an idle one may.
		if req, err = again(req, err); err != nil {
			return nil, err
		}
	}
}

// serves reports whether a request is made here.
func (p *plain) serves(req *http.Request) bool {
	if req.URL == nil || req.URL.Scheme != "http" || req.URL.Host == "" || req.Method == http.MethodConnect ||
		req.Header == nil || req.Header.Get("Upgrade") != "" || req.Header.Get("Expect") != "" {
		return false
	}
	if req.Body != nil && req.Body != http.NoBody && (req.ContentLength <= 0 || req.ContentLength > mostBody) ||
		req.Trailer != nil || !valid(req) {
		return false
	}
	for i := range len(req.URL.Host) {
		if req.URL.Host[i] >= 0x80 { // must be converted to ASCII first
			return false
		}
	}
	if p.Proxy == nil {
		return true
	}
	proxy, err := p.Proxy(req)
	return proxy == nil && err == nil
}

// hostOf returns the host and port that a request goes to.
func hostOf(req *http.Request) string {
	if port := req.URL.Port(); port != "" {
		return req.URL.Host
	}
	return net.JoinHostPort(req.URL.Hostname(), "80")
}

// valid reports whether net/http would send a request; net/http refuses the others.
func valid(req *http.Request) bool {
	for name, values := range req.Header {
		if !validName(name) || slices.ContainsFunc(values, func(v string) bool { return !validValue(v) }) {
			return false
		}
	}
	return !strings.ContainsFunc(req.Method, func(r rune) bool { return r < 'A' || r > 'Z' })
}

// repeatable reports whether a method has no effect on the server.
func repeatable(method string) bool {
	return method == "" || method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions ||
		method == http.MethodTrace
}

// lostError reports a connection that broke before an answer began.
type lostError struct {
	error
	sent bool // part of the request had been written
}

func (e *lostError) Unwrap() error { return e.error }

// again returns the request to send once more; err is the reason, returned if that is impossible.
func again(req *http.Request, err error) (*http.Request, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return req, nil
	}
	if req.GetBody == nil {
		return nil, err
	}
	body, fails := req.GetBody()
	if fails != nil {
		return nil, fails
	}
	next := *req
	next.Body = body
	return &next, nil
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close() // the request was not sent
	}
}

// connect returns an idle connection that is still open, or a new one.
func (p *plain) connect(ctx context.Context, host string) (*plainConn, error) {
	p.mu.Lock()
	p.closing = false
	p.mu.Unlock()
	for {
		c := p.take(host)
		if c == nil {
			break
		}
		if p.stale(c) {
			_ = c.Close()
			continue
		}
		return c, nil
	}
	dial := p.DialContext
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	conn, err := dial(ctx, "tcp", host)
	if err != nil {
		return nil, err
	}
	return &plainConn{Conn: conn, host: host}, nil
}

// stale reports whether an idle connection can no longer be used.
func (p *plain) stale(c *plainConn) bool {
	return p.IdleConnTimeout > 0 && time.Since(c.idle) > p.IdleConnTimeout || ended(c.Conn)
}

// take removes and returns the idle connection that was used last.
func (p *plain) take(host string) *plainConn {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.idle[host]
	if len(all) == 0 {
		return nil
	}
	c := all[len(all)-1]
	all[len(all)-1] = nil
	p.idle[host] = all[:len(all)-1]
	return c
}

// put makes a connection idle, or closes it if there are enough idle ones.
func (p *plain) put(c *plainConn) {
	c.used, c.idle = true, time.Now()
	limit := cmp.Or(p.MaxIdleConnsPerHost, http.DefaultMaxIdleConnsPerHost)
	p.mu.Lock()
	if p.closing || len(p.idle[c.host]) >= limit {
		p.mu.Unlock()
		_ = c.Close()
		return
	}
	defer p.mu.Unlock()
	p.idle[c.host] = append(p.idle[c.host], c)
	if p.sweeper == nil && p.IdleConnTimeout > 0 {
		p.sweeper = time.AfterFunc(p.IdleConnTimeout, p.sweep)
	}
}

// sweep closes connections that can no longer be used, and repeats while there are idle ones.
func (p *plain) sweep() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sweeper = nil
	for host, all := range p.idle {
		all = slices.DeleteFunc(all, func(c *plainConn) bool {
			stale := p.stale(c)
			if stale {
				_ = c.Close()
			}
			return stale
		})
		if p.idle[host] = all; len(all) == 0 {
			delete(p.idle, host)
		}
	}
	if len(p.idle) > 0 {
		p.sweeper = time.AfterFunc(p.IdleConnTimeout, p.sweep)
	}
}

// CloseIdleConnections closes the connections that no request uses.
func (p *plain) CloseIdleConnections() {
	p.mu.Lock()
	all := p.idle
	p.idle, p.closing = make(map[string][]*plainConn), true
	if p.sweeper != nil {
		p.sweeper.Stop()
		p.sweeper = nil
	}
	p.mu.Unlock()
	for _, host := range all {
		for _, c := range host {
			_ = c.Close()
		}
	}
	p.Transport.CloseIdleConnections()
}

// Buffers are held only while a connection is written to or read from.
var (
	plainWriters = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, 16<<10) }}
	plainReaders = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 4<<10) }}
)

// mostHeader bounds the headers of an answer, as net/http does.
const mostHeader = 10 << 20

// exchange writes a request and reads the head of its answer. After an error the connection must
// not be used again.
func (p *plain) exchange(c *plainConn, req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	broken := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	unzip := !p.DisableCompression && req.Header.Get("Accept-Encoding") == "" && req.Header.Get("Range") == "" &&
		req.Method != http.MethodHead
	out, wrote := p.write(c, req, unzip)
	switch {
	case wrote != nil && out.err == nil: // its body cannot be read
		broken()
		return nil, wrote
	case wrote != nil && out.n == 0:
		broken()
		return nil, &lostError{wrote, false}
	}
	in := &io.LimitedReader{R: c, N: mostHeader}
	r := plainReaders.Get().(*bufio.Reader)
	r.Reset(in)
	free := func() {
		r.Reset(nil)
		plainReaders.Put(r)
	}
	resp, begun, err := p.read(r, req, in)
	if err != nil {
		free()
		broken()
		if wrote != nil {
			err = wrote // a server that has answered may stop reading
		}
		if !begun {
			err = &lostError{err, true}
		}
		return nil, err
	}
	in.N = math.MaxInt64
	done := func(complete bool) {
		if r.Buffered() > 0 {
			complete = false // it sent more than it was asked for
		}
		free()
		if !broken() || !complete || wrote != nil || resp.Close || req.Close || p.DisableKeepAlives ||
			resp.StatusCode < http.StatusOK {
			_ = c.Close()
			return
		}
		p.put(c)
	}
	if resp.Body == http.NoBody {
		done(true)
		return resp, nil
	}
	resp.Body = &plainBody{from: resp.Body, ctx: ctx, stop: func() { _ = c.SetDeadline(time.Unix(1, 0)) }, done: done}
	if unzip && strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") {
		resp.Body = &unzipped{from: resp.Body}
		resp.Header.Del("Content-Encoding")
		resp.Header.Del("Content-Length")
		resp.ContentLength, resp.Uncompressed = -1, true
	}
	return resp, nil
}

// write sends a request.
func (p *plain) write(c *plainConn, req *http.Request, unzip bool) (*counted, error) {
	out := &counted{to: c}
	w := plainWriters.Get().(*bufio.Writer)
	w.Reset(out)
	defer func() {
		w.Reset(nil)
		plainWriters.Put(w)
	}()
	if unzip {
		ours := *req
		ours.Header = maps.Clone(req.Header)
		ours.Header["Accept-Encoding"] = []string{"gzip"}
		req = &ours
	}
	err := req.Write(w) // Write closes the body
	if err == nil {
		err = w.Flush()
	}
	return out, err
}

// read reads the head of the answer from r; in is what r reads from. begun says whether any of it
// arrived.
func (p *plain) read(r *bufio.Reader, req *http.Request,
	in *io.LimitedReader,
) (resp *http.Response, begun bool, err error) {
	_, err = r.Peek(1)
	begun = err == nil
	if trace := httptrace.ContextClientTrace(req.Context()); err == nil && trace != nil &&
		trace.GotFirstResponseByte != nil {
		trace.GotFirstResponseByte()
	}
	for err == nil { // in also bounds the answers that are not final
		if resp, err = http.ReadResponse(r, req); err == nil &&
			(resp.StatusCode >= http.StatusOK || resp.StatusCode == http.StatusSwitchingProtocols) {
			return resp, begun, nil
		}
	}
	if in.N <= 0 {
		err = fmt.Errorf("the headers of the answer are longer than %d bytes", mostHeader)
	}
	return nil, begun, err
}

// counted counts what is written.
type counted struct {
	to  net.Conn
	n   int64
	err error // of the connection
}

// Write writes to the connection.
func (c *counted) Write(b []byte) (n int, err error) {
	n, err = c.to.Write(b)
	c.n, c.err = c.n+int64(n), err
	return n, err
}

// plainBody is the body of an answer. At its end the connection becomes free. It may be closed
// while it is read.
type plainBody struct {
	from io.Reader
	ctx  context.Context
	stop func()              // interrupts a read
	done func(complete bool) // frees the connection; called once

	reads sync.Mutex // one read at a time

	mu      sync.Mutex // guards the fields below
	reading bool
	err     error // how the body ended
}

var errBodyClosed = errors.New("read of a body that was closed")

// Read reads from the body.
func (b *plainBody) Read(p []byte) (int, error) {
	b.reads.Lock()
	defer b.reads.Unlock()
	b.mu.Lock()
	if b.err != nil {
		defer b.mu.Unlock()
		return 0, b.err
	}
	b.reading = true
	b.mu.Unlock()
	n, err := b.from.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reading = false
	switch {
	case b.err != nil: // it was closed in the meantime
		b.done(false)
		return 0, b.err
	case err == nil:
		return n, nil
	case err != io.EOF && b.ctx.Err() != nil:
		err = context.Cause(b.ctx)
	}
	b.err = err
	b.done(err == io.EOF)
	return n, err
}

// Close ends the body. The rest of it is not read.
func (b *plainBody) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return nil
	}
	if b.err = errBodyClosed; b.reading {
		b.stop()
		return nil
	}
	b.done(false)
	return nil
}

// unzipped is a body that was compressed in transit.
type unzipped struct {
	from io.ReadCloser
	to   *gzip.Reader
	err  error // from reading the gzip header
}

// Read reads from the body.
func (u *unzipped) Read(p []byte) (int, error) {
	if u.to == nil && u.err == nil {
		u.to, u.err = gzip.NewReader(u.from)
	}
	if u.err != nil {
		return 0, u.err
	}
	return u.to.Read(p)
}

// Close ends the body.
func (u *unzipped) Close() error { return u.from.Close() }
