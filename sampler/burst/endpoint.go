package burst

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// largest is the longest request that the documented trainer sends, and the longest answer that it
// reads, in bytes. One byte more of an answer is read, which shows that it is longer.
const largest = 1_000_000

const (
	graderEndpoint  = endpoint.Grader
	sessionEndpoint = endpoint.Session
)

func toolEndpoint(name string) string { return endpoint.Tool(name) }

// Watch returns the transport of an HTTP client whose requests a burst records: what was
// sent and received, byte for byte. It changes nothing, and ignores requests that are not
// part of a burst.
func Watch(inner http.RoundTripper) http.RoundTripper { return watcher{inner} }

type watcher struct{ inner http.RoundTripper }

// RoundTrip makes the request.
func (w watcher) RoundTrip(req *http.Request) (*http.Response, error) {
	x, _ := req.Context().Value(seenKey{}).(*seen)
	if x == nil {
		return w.inner.RoundTrip(req)
	}
	resp, err := w.inner.RoundTrip(req)
	if err != nil {
		x.add(&exchange{sent: req.ContentLength})
		return nil, err
	}
	e := &exchange{sent: req.ContentLength, status: resp.StatusCode}
	x.add(e)
	resp.Body = &tee{resp.Body, e}
	return resp, nil
}

// CloseIdleConnections closes those of the inner transport.
func (w watcher) CloseIdleConnections() {
	if c, ok := w.inner.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

type seenKey struct{}

// seen is what was exchanged for one request of a burst: several exchanges if the grader uses
// several servers.
type seen struct {
	mu   sync.Mutex
	list []*exchange
}

func (s *seen) add(e *exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, e)
}

// all returns the exchanges. Their bodies have been read by then: the client has returned.
func (s *seen) all() []*exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list)
}

// exchange is one HTTP request. The goroutine that reads the answer writes it.
type exchange struct {
	sent   int64
	status int
	body   bytes.Buffer // up to one byte more than largest
}

type tee struct {
	io.ReadCloser
	to *exchange
}

// Read reads from the answer.
func (t *tee) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.to.body.Write(p[:min(n, largest+1-t.to.body.Len())])
	return n, err
}

// The kinds of failures of a request, in addition to those of package sampler for gradings.
const (
	kindTimeout     = "timeout"     // no answer in time
	kindUnreachable = "unreachable" // no connection was made
	kindBroken      = "broken"      // the connection broke
	kindUnusable    = "unusable"    // a success status with an unusable body
)

// kindOfFailure returns why a request got no answer that a rollout could continue with.
func kindOfFailure(err error) string {
	if g, ok := errors.AsType[*sampler.GradeError](err); ok {
		return g.Kind
	}
	if kind := kindOfAgents(err); kind != "" {
		return kind
	}
	f, ok := endpoint.AsFailure(err)
	switch {
	case !ok:
		return sampler.KindOther
	case f.Status >= 300:
		return fmt.Sprintf("status %d", cmp.Or(f.Hidden, f.Status))
	case f.Status != 0:
		return kindUnusable
	case late(err):
		return kindTimeout
	case endpoint.Unreachable(err):
		return kindUnreachable
	}
	return kindBroken
}

// refused returns the kind of a call that the tool refused, which the model sees.
func refused(status int) string { return fmt.Sprintf("refused %d", status) }

// late reports whether err is a timeout.
func late(err error) bool {
	t, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	return ok && t.Timeout() || errors.Is(err, context.DeadlineExceeded)
}

// again reports whether the documented trainer would retry a failed request, and after which delay:
// it retries any failure of an endpoint, Max times.
func again(r limit.Retry, err error, made int, u float64) (time.Duration, bool) {
	f, ok := endpoint.AsFailure(err)
	if !ok || f.Fatal || made >= r.Max {
		return 0, false
	}
	return r.Delay(made, min(f.RetryAfter, r.Cap), u), true
}

// noted records what an answered or failed request shows.
func noted(c *rollout.BurstCall, x *seen, ids *canaries, serial int) {
	for _, e := range x.all() {
		c.Status = cmp.Or(e.status, c.Status)
		c.RequestBytes, c.ReplyBytes = max(c.RequestBytes, e.sent), max(c.ReplyBytes, int64(e.body.Len()))
		if c.Endpoint == agentEndpoint { // its contract is not a tool's
			c.Leak = cmp.Or(c.Leak, ids.leak(e.body.Bytes(), serial))
			continue
		}
		if e.sent > largest {
			c.Odd = append(c.Odd, rollout.RequestTooLarge)
		}
		if e.body.Len() > largest {
			c.Odd = append(c.Odd, rollout.ReplyTooLarge)
		}
		c.Odd = append(c.Odd, departures(e, c)...)
		c.Leak = cmp.Or(c.Leak, ids.leak(e.body.Bytes(), serial))
	}
	slices.Sort(c.Odd)
	c.Odd = slices.Compact(c.Odd)
}
