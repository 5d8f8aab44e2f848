package endpoint

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// spoken answers each connection with what a function writes, after it has read a request.
func spoken(t *testing.T, talk func(c net.Conn, r *bufio.Reader, nth int)) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	var n atomic.Int64
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			nth := int(n.Add(1))
			all.Go(func() {
				defer c.Close()
				talk(c, bufio.NewReader(c), nth)
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		all.Wait()
	})
	return "http://" + l.Addr().String()
}

// heardRequest reads one request.
func heardRequest(r *bufio.Reader) bool {
	req, err := http.ReadRequest(r)
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, req.Body)
	return err == nil
}

// outcome is what a client made of an answer.
type outcome struct {
	Status int
	Body   string
	Length int64
	Header http.Header
	Failed bool
}

func ask(ctx context.Context, client *http.Client, method, address string) (o outcome, err error) {
	var body io.Reader
	if method == http.MethodPost {
		body = strings.NewReader(`{"q":1}`)
	}
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return o, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return outcome{Failed: true}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return outcome{resp.StatusCode, string(text), resp.ContentLength, resp.Header, err != nil}, err
}

func zipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.String()
}

// What a server says is understood as net/http does.
func TestPlainReadsWhatNetHTTPReads(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	for _, c := range []struct{ why, method, says string }{
		{"an answer of known length", "POST", ok + "Content-Length: 2\r\n\r\n{}"},
		{"chunks", "POST", ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"},
		{"chunks with a trailer", "POST", ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-A: b\r\n\r\n"},
		{"up to the end of the connection", "GET", "HTTP/1.0 200 OK\r\n\r\nall of it"},
		{"no content", "POST", "HTTP/1.1 204 No Content\r\n\r\n"},
		{"not modified", "GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"},
		{"an empty body", "GET", ok + "Content-Length: 0\r\n\r\n"},
		{"a HEAD", "HEAD", ok + "Content-Length: 9\r\n\r\n"},
		{"a status of error", "POST", "HTTP/1.1 500 Oops\r\nContent-Length: 4\r\n\r\noops"},
		{"a processing before the answer", "POST", "HTTP/1.1 102 Processing\r\n\r\n" + ok + "Content-Length: 2\r\n\r\n{}"},
		{"many that are not final", "POST", strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 20) + ok + "Content-Length: 2\r\n\r\n{}"},
		{"early hints", "GET", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + ok + "Content-Length: 2\r\n\r\n{}"},
		{"zipped", "POST", ok + fmt.Sprintf("Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", len(zipped("unzipped text")), zipped("unzipped text"))},
		{"zipped, in capitals", "POST", ok + fmt.Sprintf("Content-Encoding: GZIP\r\nContent-Length: %d\r\n\r\n%s", len(zipped("text")), zipped("text"))},
		{"zipped, in chunks", "POST", ok + fmt.Sprintf("Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(zipped("text")), zipped("text"))},
		{"zipped, and broken", "POST", ok + "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd"},
		{"another encoding", "POST", ok + "Content-Encoding: br\r\nContent-Length: 4\r\n\r\nabcd"},
		{"cut off", "POST", ok + "Content-Length: 20\r\n\r\nabc"},
		{"cut off within a chunk", "POST", ok + "Transfer-Encoding: chunked\r\n\r\nff\r\nabc"},
		{"cut off within the headers", "POST", "HTTP/1.1 200 OK\r\nContent-Le"},
		{"nothing", "POST", ""},
		{"another protocol", "POST", "SSH-2.0-OpenSSH_9.6\r\n"},
		{"a broken header", "POST", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n"},
		{"two lengths", "POST", ok + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"},
		{"a length that is none", "POST", ok + "Content-Length: x\r\n\r\n{}"},
		{"headers without an end", "GET", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("a", 11<<20)},
	} {
		t.Run(c.why, func(t *testing.T) {
			address := spoken(t, func(c2 net.Conn, r *bufio.Reader, _ int) {
				if heardRequest(r) {
					_, _ = io.WriteString(c2, c.says)
				}
			})
			direct, plain := &http.Client{Transport: &http.Transport{}}, &http.Client{Transport: Plain(&http.Transport{})}
			defer direct.CloseIdleConnections()
			defer plain.CloseIdleConnections()
			want, werr := ask(t.Context(), direct, c.method, address)
			got, err := ask(t.Context(), plain, c.method, address)
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-net/http +here):\n%s\nerrors %v, %v", d, werr, err)
			}
		})
	}
}

// A server's requests are the same, and come over as few connections.
func TestPlainConnectionsAreUsedAgain(t *testing.T) {
	var heads sync.Map
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		heads.Store(r.Header.Get("Who"), fmt.Sprint(r.Method, r.URL, r.Host, r.ContentLength, r.TransferEncoding, r.Header["Accept-Encoding"], r.UserAgent(), string(body)))
		_, _ = w.Write(bytes.Repeat([]byte("x"), 9000))
	}))
	defer server.Close()
	var dials atomic.Int64
	tr := &http.Transport{MaxIdleConnsPerHost: 4, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		dials.Add(1)
		return new(net.Dialer).DialContext(ctx, network, address)
	}}
	plain, direct := &http.Client{Transport: Plain(tr)}, &http.Client{Transport: &http.Transport{}}
	defer plain.CloseIdleConnections()
	defer direct.CloseIdleConnections()
	for _, body := range []func() io.Reader{
		func() io.Reader { return nil },
		func() io.Reader { return strings.NewReader("short") },
		func() io.Reader { return strings.NewReader(strings.Repeat("long", 30<<10)) },
		func() io.Reader { return io.MultiReader(strings.NewReader("of unknown "), strings.NewReader("length")) },
	} {
		for who, client := range map[string]*http.Client{"plain": plain, "direct": direct} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/a b?c=d", body())
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Who", who)
			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			if n, err := io.Copy(io.Discard, resp.Body); err != nil || n != 9000 {
				t.Errorf("%s: %d bytes, %v", who, n, err)
			}
			_ = resp.Body.Close()
			if req.Header.Get("Accept-Encoding") != "" {
				t.Errorf("%s: the caller's headers were changed", who)
			}
		}
		a, _ := heads.Load("plain")
		b, _ := heads.Load("direct")
		if a != b {
			t.Errorf("sent %v\nnet/http sends %v", a, b)
		}
	}
	if n := dials.Load(); n != 2 { // the long ones are net/http's
		t.Errorf("%d connections for requests one after the other", n)
	}
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			for range 20 {
				if o, err := ask(t.Context(), plain, http.MethodPost, server.URL); err != nil || len(o.Body) != 9000 {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n := kept(plain.Transport, strings.TrimPrefix(server.URL, "http://")); n == 0 || n > 4 {
		t.Errorf("%d idle connections are kept", n)
	}
}

// kept is how many idle connections to a host there are.
func kept(t http.RoundTripper, host string) int {
	p := t.(*plain)
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.idle[host])
}

// A connection that the server closed while it was idle is not used again, nor one that
// brought what no one asked for.
func TestPlainNoticesConnectionsThatEnded(t *testing.T) {
	for _, c := range []struct {
		why string
		say string // after the first answer
	}{{"closed", ""}, {"an answer too many", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nalien"}} {
		t.Run(c.why, func(t *testing.T) {
			ready := make(chan bool, 10)
			address := spoken(t, func(conn net.Conn, r *bufio.Reader, nth int) {
				if !heardRequest(r) {
					return
				}
				fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n%d", nth)
				time.Sleep(10 * time.Millisecond) // a packet of its own
				if _, _ = io.WriteString(conn, c.say); c.say == "" {
					_ = conn.Close()
				}
				ready <- true
				_, _ = io.Copy(io.Discard, conn)
			})
			client := &http.Client{Transport: Plain(&http.Transport{})}
			defer client.CloseIdleConnections()
			for nth := range 3 {
				o, err := ask(t.Context(), client, http.MethodPost, address)
				if err != nil || o.Body != fmt.Sprint(nth+1) {
					t.Fatalf("request %d: %+v, %v", nth+1, o, err)
				}
				<-ready
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
}

// A request ends with its context, whatever it waits for, with the cause as its error.
func TestPlainRequestsEndWithTheirContext(t *testing.T) {
	why := errors.New("the time is up")
	for _, c := range []struct{ where, says string }{
		{"before the answer", ""}, {"within the headers", "HTTP/1.1 200 OK\r\n"}, {"within the body", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab"},
	} {
		t.Run(c.where, func(t *testing.T) {
			address := spoken(t, func(conn net.Conn, r *bufio.Reader, _ int) {
				if heardRequest(r) {
					_, _ = io.WriteString(conn, c.says)
					_, _ = io.Copy(io.Discard, conn)
				}
			})
			client := &http.Client{Transport: Plain(&http.Transport{})}
			defer client.CloseIdleConnections()
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(30*time.Millisecond, func() { cancel(why) })
			if _, err := ask(ctx, client, http.MethodPost, address); !errors.Is(err, why) {
				t.Errorf("it ended with %v", err)
			}
		})
	}
}

func TestPlainBodiesMayBeClosedWhileTheyAreRead(t *testing.T) {
	address := spoken(t, func(conn net.Conn, r *bufio.Reader, _ int) {
		if heardRequest(r) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab")
			_, _ = io.Copy(io.Discard, conn)
		}
	})
	client := &http.Client{Transport: Plain(&http.Transport{})}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, func() { _ = resp.Body.Close() })
	if text, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("a body that was closed ended as a whole: %q", text)
	}
	if _, err := resp.Body.Read(make([]byte, 1)); err == nil || resp.Body.Close() != nil {
		t.Errorf("read after that: %v", err)
	}
}

// A server that refuses a long request and does not read it is heard.
func TestPlainHearsAnEarlyAnswer(t *testing.T) {
	over := make(chan bool)
	address := spoken(t, func(conn net.Conn, r *bufio.Reader, _ int) {
		if _, err := http.ReadRequest(r); err == nil {
			_, _ = io.WriteString(conn, "HTTP/1.1 429 Slow Down\r\nContent-Length: 4\r\n\r\nlong")
			<-over
		}
	})
	defer close(over)
	client := &http.Client{Transport: Plain(&http.Transport{})}
	defer client.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(strings.Repeat("x", 20<<20)))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusTooManyRequests || string(text) != "long" {
		t.Errorf("status %d, %q", resp.StatusCode, text)
	}
}

// A request whose time is over is not sent, and one that is over while a connection is
// made has the cause as its error.
func TestPlainRequestsThatAreOver(t *testing.T) {
	var heard atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { heard.Add(1) }))
	defer server.Close()
	client := &http.Client{Transport: Plain(&http.Transport{})}
	defer client.CloseIdleConnections()
	why := errors.New("the time is up")
	for range 20 {
		if _, err := ask(t.Context(), client, http.MethodPost, server.URL); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(why)
		if _, err := ask(ctx, client, http.MethodPost, server.URL); !errors.Is(err, why) {
			t.Errorf("it ended with %v", err)
		}
	}
	if n := heard.Load(); n != 20 {
		t.Errorf("%d requests came, want the 20 whose time was not over", n)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	slow := &http.Client{Transport: Plain(&http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		cancel(why)
		<-ctx.Done()
		return nil, &net.OpError{Op: "dial", Err: ctx.Err()}
	}})}
	if _, err := ask(ctx, slow, http.MethodPost, server.URL); !errors.Is(err, why) || Unreachable(err) {
		t.Errorf("it ended with %v", err)
	}
}

// A request that does nothing but ask is repeated on a new connection if the server closed
// the old one when it came; another is not.
func TestPlainRepeatsWhatOnlyAsks(t *testing.T) {
	address := spoken(t, func(conn net.Conn, r *bufio.Reader, nth int) {
		if heardRequest(r) {
			fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n%d", nth)
			_ = heardRequest(r) // and closes
		}
	})
	client := &http.Client{Transport: Plain(&http.Transport{})}
	defer client.CloseIdleConnections()
	for nth, want := range []string{"1", "2", "3"} {
		if o, err := ask(t.Context(), client, http.MethodGet, address); err != nil || o.Body != want {
			t.Errorf("request %d: %+v, %v", nth, o, err)
		}
	}
	if o, err := ask(t.Context(), client, http.MethodPost, address); err == nil {
		t.Errorf("a request that may do more was repeated: %+v", o)
	}
}

func TestPlainClosesIdleConnections(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "x") }))
	defer server.Close()
	p := Plain(&http.Transport{IdleConnTimeout: 50 * time.Millisecond})
	client := &http.Client{Transport: p}
	defer client.CloseIdleConnections()
	host := strings.TrimPrefix(server.URL, "http://")
	if _, err := ask(t.Context(), client, http.MethodGet, server.URL); err != nil || kept(p, host) != 1 {
		t.Fatalf("%d connections are kept, %v", kept(p, host), err)
	}
	for begun := time.Now(); kept(p, host) > 0; time.Sleep(5 * time.Millisecond) {
		if time.Since(begun) > 10*time.Second {
			t.Fatal("an idle connection is kept for ever")
		}
	}
}

func TestPlainBodiesAreReadByOneAtATime(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1<<16)) }))
	defer server.Close()
	client := &http.Client{Transport: Plain(&http.Transport{})}
	defer client.CloseIdleConnections()
	for range 50 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		var n atomic.Int64
		for range 4 {
			all.Go(func() {
				m, _ := io.Copy(io.Discard, resp.Body)
				n.Add(m)
			})
		}
		all.Wait()
		if _ = resp.Body.Close(); n.Load() != 1<<16 {
			t.Fatalf("%d bytes were read of 65,536", n.Load())
		}
	}
}

// What net/http refuses to send is refused.
func TestPlainSendsNoBrokenRequest(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { t.Error("it was sent") }))
	defer server.Close()
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	p := Plain(&http.Transport{})
	for _, req := range []*http.Request{
		{Method: "GET", URL: at, Header: http.Header{"A": {"b\nc"}}},
		{Method: "GET", URL: at, Header: http.Header{"A": {"b\x00"}}},
		{Method: "GET", URL: at, Header: http.Header{"A b": {"c"}}},
		{Method: "GET /x HTTP/1.1\r\n", URL: at, Header: http.Header{}},
		{Method: "GET", URL: at},
	} {
		if _, err := p.RoundTrip(req); err == nil {
			t.Errorf("%q with %v was made", req.Method, req.Header)
		}
	}
}

// TLS, proxies and other protocols are net/http's.
func TestPlainLeavesTheRestToNetHTTP(t *testing.T) {
	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Proto) }))
	defer secure.Close()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "by proxy to ", r.URL.Host) }))
	defer proxy.Close()
	through, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	safe := secure.Client().Transport.(*http.Transport).Clone()
	for _, c := range []struct {
		why, address, want string
		transport          *http.Transport
	}{
		{"TLS", secure.URL, "HTTP/1.1", safe},
		{"a proxy", "http://nowhere.test/", "by proxy to nowhere.test", &http.Transport{Proxy: http.ProxyURL(through)}},
	} {
		client := &http.Client{Transport: Plain(c.transport)}
		if o, err := ask(t.Context(), client, http.MethodGet, c.address); err != nil || o.Body != c.want {
			t.Errorf("%s: %+v, %v", c.why, o, err)
		}
		client.CloseIdleConnections()
	}
	client := &http.Client{Transport: Plain(&http.Transport{})}
	for _, address := range []string{"http://", "ftp://x/", "http:///x"} {
		if _, err := ask(t.Context(), client, http.MethodGet, address); err == nil {
			t.Errorf("%q was reached", address)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	if _, err := ask(t.Context(), client, http.MethodPost, "http://"+l.Addr().String()); !Unreachable(err) {
		t.Errorf("no server: %v", err)
	}
}

func TestPlainTellsOfTheFirstByte(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "x") }))
	defer server.Close()
	client := &http.Client{Transport: Plain(&http.Transport{})}
	defer client.CloseIdleConnections()
	heard := 0
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotFirstResponseByte: func() { heard++ }})
	if _, err := ask(ctx, client, http.MethodGet, server.URL); err != nil || heard != 1 {
		t.Errorf("told %d times, %v", heard, err)
	}
}
