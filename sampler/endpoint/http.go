package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout/credential"
)

// ManyInFlight is the number of rollouts in flight from which memory matters: each needs a
// connection or two, a conversation and stacks.
const ManyInFlight = 512

// HTTPTransport returns a transport that keeps as many idle connections to a host as there may be
// requests in flight: with fewer, all further requests would have to reconnect. With many
// connections each has smaller buffers.
func HTTPTransport(conns int) *http.Transport {
	conns = max(conns, 1)
	read, write := 4<<10, 16<<10 // most requests go out in one write
	if conns >= ManyInFlight {
		read, write = 2<<10, 2<<10
	}
	return &http.Transport{
		ReadBufferSize:        read,
		WriteBufferSize:       write,
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   15 * time.Second,
		ExpectContinueTimeout: time.Second,
		ForceAttemptHTTP2:     true,
		HTTP2:                 &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
		IdleConnTimeout:       90 * time.Second,
		MaxIdleConns:          0,
		MaxIdleConnsPerHost:   conns,
	}
}

// HTTPClient returns a client over a transport (nil: one for conns connections) that never follows
// a redirect to another host, which must not get headers with keys, nor one that would turn a POST
// into a GET. It has no timeout of its own: the context of each call has one.
func HTTPClient(transport http.RoundTripper, conns int) *http.Client {
	if transport == nil {
		transport = Plain(HTTPTransport(conns))
	}
	return &http.Client{Transport: transport, CheckRedirect: checkRedirect}
}

func checkRedirect(req *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case len(via) > 3:
		return &redirectError{"more than 3 redirects"}
	case req.URL.Host != first.URL.Host || req.URL.Scheme != first.URL.Scheme && req.URL.Scheme != "https":
		return &redirectError{"redirected to another server, " + credential.BareURL(req.URL.String()) +
			": set the URL to where it leads"}
	case req.Method != first.Method:
		return &redirectError{"redirected to " + credential.BareURL(req.URL.String()) +
			" in a way that drops the request body: set the URL to where it leads"}
	}
	return nil
}

// redirectError reports a redirect that was not followed.
type redirectError struct{ why string }

func (e *redirectError) Error() string { return e.why }

// Answer is an endpoint's answer of any status.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	Over   bool // the body is longer than the limit; Body is empty
}

// Post sends body as JSON and reads up to limit bytes of the answer. An answer of any status is not
// an error; an error is a *Failure of the transport.
func (t *Try) Post(ctx context.Context, client *http.Client, address string, header http.Header, body []byte,
	limit int64,
) (Answer, error) {
	return t.exchange(ctx, client, http.MethodPost, address, header, bytes.NewReader(body), limit)
}

// Get is Post for a GET request.
func (t *Try) Get(ctx context.Context, client *http.Client, address string, header http.Header,
	limit int64,
) (Answer, error) {
	return t.exchange(ctx, client, http.MethodGet, address, header, nil, limit)
}

func (t *Try) exchange(ctx context.Context, client *http.Client, method, address string, header http.Header,
	body io.Reader, limit int64,
) (Answer, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return Answer{}, &Failure{URL: credential.BareURL(address), Err: err}
	}
	for k, v := range header {
		req.Header[k] = v
	}
	resp, err := client.Do(req)
	if err == nil {
		err = t.Watch(resp)
	}
	if err != nil {
		return Answer{}, TransportFailure(address, err)
	}
	defer resp.Body.Close()
	text, err := readUpTo(resp.ContentLength, resp.Body, limit+1)
	if err != nil {
		return Answer{}, TransportFailure(address, fmt.Errorf("read the answer: %w", err))
	}
	a := Answer{Status: resp.StatusCode, Header: resp.Header, Body: text}
	if int64(len(text)) > limit {
		a.Body, a.Over = nil, true
	}
	return a, nil
}

// Watch notes the rate limits of a response and every byte read from its body: a connection hangs
// if no bytes arrive, no matter how long the whole answer takes. It rejects and closes a response
// that is not final: after status 101 the server continues in another protocol, on a connection
// that our contexts no longer end.
func (t *Try) Watch(resp *http.Response) error {
	if resp.StatusCode < http.StatusOK {
		_ = resp.Body.Close() // its body is of no use
		return fmt.Errorf("the server switches to another protocol, with status %d", resp.StatusCode)
	}
	if t != nil {
		quotas := quotasOf(resp.Header, time.Now())
		t.quotas.Store(&quotas)
		t.clock.progress() // the headers have arrived
		resp.Body = &watched{resp.Body, t.clock}
	}
	return nil
}

type watched struct {
	io.ReadCloser
	clock *clock
}

// Read reads from the body.
func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if n > 0 {
		w.clock.progress()
	}
	return n, err
}

// MaxReply is how many bytes of a model's answer are read at most, uncompressed: far more than a
// model writes, and few enough for many answers at a time.
const MaxReply = 16 << 20

// ErrLongReply is the error for an answer that is longer than MaxReply.
var ErrLongReply = fmt.Errorf("the answer is longer than %d MB, unpacked", MaxReply>>20)

// BoundedReply returns a body that fails after MaxReply bytes.
func BoundedReply(body io.ReadCloser) io.ReadCloser {
	return &boundedReply{body, MaxReply}
}

type boundedReply struct {
	io.ReadCloser
	remaining int
}

// Read reads from the body.
func (b *boundedReply) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p[:min(len(p), b.remaining+1)])
	if n > b.remaining {
		n, err = b.remaining, ErrLongReply
	}
	b.remaining -= n
	return n, err
}

// ReadReply reads the body of a model's answer, which BoundedReply bounds, and closes it.
func ReadReply(resp *http.Response) ([]byte, error) {
	defer resp.Body.Close()
	return readUpTo(resp.ContentLength, resp.Body, MaxReply+1)
}

// readUpTo reads a body of n bytes, with one allocation; a negative n is an unknown length.
func readUpTo(n int64, body io.Reader, limit int64) ([]byte, error) {
	r := io.LimitReader(body, limit)
	if n >= 0 && n <= limit {
		buf := make([]byte, n)
		_, err := io.ReadFull(r, buf)
		return buf, err
	}
	return io.ReadAll(r)
}

// JSONHeader returns the headers of a JSON request; those in extra override them.
func JSONHeader(extra map[string]string) http.Header {
	h := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}, "User-Agent": {"gonogo"}}
	for k, v := range extra {
		h.Set(k, v)
	}
	return h
}

// validName and validValue report whether HTTP can carry the name and the value of a header.
func validName(name string) bool {
	return name != "" &&
		!strings.ContainsFunc(name, func(r rune) bool {
			return r <= ' ' || r >= 0x7f ||
				strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
		})
}

func validValue(value string) bool {
	return !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// CheckHeaders returns an error for a header that HTTP cannot carry, without its value: the usual
// cause is a key that was copied with a line break.
func CheckHeaders(headers map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if !validName(name) {
			return fmt.Errorf("%q cannot be the name of a header", name)
		}
		if !validValue(headers[name]) {
			return fmt.Errorf("the value of header %s contains a line break or another control character: remove it",
				name)
		}
	}
	return nil
}

// TransportFailure describes a request that got no answer. It is worth a retry unless the answer
// was too long, or was a redirect that is not followed: that is Fatal.
func TransportFailure(address string, err error) *Failure {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // u itself repeats the URL, with its query
	}
	var redirect *redirectError
	refused := errors.As(err, &redirect)
	return &Failure{
		URL: credential.BareURL(address), Temporary: !refused && !errors.Is(err, ErrLongReply),
		Fatal: refused, Err: err,
	}
}

// StatusFailure describes an answer with an error status. 408, 409, 425, 429 and 5xx are worth a
// retry, unless the server says otherwise in x-should-retry; 401, 403 and 404 are Fatal.
func StatusFailure(address string, a Answer) *Failure {
	f := &Failure{
		URL:        credential.BareURL(address),
		Status:     a.Status,
		Temporary:  Temporary(a.Status),
		RetryAfter: RetryAfter(a.Header, time.Now()),
		Err:        errors.New(ErrorText(a)),
	}
	switch a.Header.Get("X-Should-Retry") {
	case "true":
		f.Temporary = true
	case "false":
		f.Temporary = false
	}
	switch a.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		f.Fatal = !f.Temporary
	}
	return f
}

// Temporary reports whether a status means trouble of the server or the network, so that the same
// request may succeed later. limit.Rules is the table.
func Temporary(status int) bool { return limit.ClassOf(status).Rule().Retryable }

// Unreachable reports whether err says that no connection was made at all: refused, no such host,
// no TLS. A connection that broke does not count: there was a server.
func Unreachable(err error) bool {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return true
	}
	var dns *net.DNSError
	return errors.As(err, &dns) || isTLS(err)
}

// ErrorText returns the message in the body of a failed answer: the code and
// message of an OpenAI-style error, a plain error string, or the text itself unless
// it is a web page. It is cut to 500 bytes.
func ErrorText(a Answer) string {
	if a.Over {
		return "the answer is too long to be read"
	}
	if code, message := APIError(a.Body); message != "" || code != "" {
		return Brief(join(code, message))
	}
	body := bytes.TrimSpace(a.Body)
	switch {
	case len(body) == 0:
		return "no text"
	case body[0] == '<':
		return "the answer is a web page, not JSON: is this the right URL?"
	}
	return Brief(string(body))
}

// APIError reads {"error": {"code", "type", "message"}}, {"error": "text"},
// {"message": "text"} and {"detail": …}; code may be a number.
func APIError(body []byte) (code, message string) {
	var b struct {
		Error   json.RawMessage `json:"error"`
		Detail  json.RawMessage `json:"detail"`
		Message json.RawMessage `json:"message"`
	}
	if jsontext.Unmarshal(body, &b) != nil {
		return "", ""
	}
	var e struct {
		Code    json.RawMessage `json:"code"`
		Type    json.RawMessage `json:"type"`
		Message json.RawMessage `json:"message"`
	}
	if jsontext.Unmarshal(b.Error, &e) == nil {
		if code = textOf(e.Code); code == "" {
			code = textOf(e.Type)
		}
		if message = textOf(e.Message); message != "" || code != "" {
			return code, message
		}
	}
	for _, raw := range []json.RawMessage{b.Error, b.Message, b.Detail} {
		if message = textOf(raw); message != "" {
			return "", message
		}
	}
	return "", ""
}
