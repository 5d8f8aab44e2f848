package endpoint

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestStatusFailure(t *testing.T) {
	for _, c := range []struct {
		why        string
		status     int
		header     http.Header
		body       string
		temporary  bool
		fatal      bool
		text       string
		retryAfter time.Duration
	}{
		{"an OpenAI error", 400, nil, `{"error":{"message":"bad","type":"invalid_request_error","code":"unknown_parameter"}}`, false, false, "unknown_parameter: bad", 0},
		{"a type stands for a missing code", 400, nil, `{"error":{"message":"bad","type":"oops","code":null}}`, false, false, "oops: bad", 0},
		{"a number as code", 500, nil, `{"error":{"message":"bad","code":500}}`, true, false, "500: bad", 0},
		{"an error that is a plain string", 500, nil, `{"error":"out of memory"}`, true, false, "out of memory", 0},
		{"FastAPI's detail", 422, nil, `{"detail":"no such field"}`, false, false, "no such field", 0},
		{"FastAPI's list of details", 422, nil, `{"detail":[{"loc":["body"]}]}`, false, false, `[{"loc":["body"]}]`, 0},
		{"a web page", 502, nil, "<html><body>Bad Gateway</body></html>", true, false, "the answer is a web page, not JSON: is this the right URL?", 0},
		{"plain text", 503, nil, "Loading model", true, false, "Loading model", 0},
		{"nothing", 504, nil, "", true, false, "no text", 0},
		{"unauthorized", 401, nil, "{}", false, true, "{}", 0},
		{"forbidden", 403, nil, "{}", false, true, "{}", 0},
		{"not found", 404, nil, "{}", false, true, "{}", 0},
		{"too large", 413, nil, "{}", false, false, "{}", 0},
		{"conflict", 409, nil, "{}", true, false, "{}", 0},
		{"too early", 425, nil, "{}", true, false, "{}", 0},
		{"too many", 429, http.Header{"Retry-After": {"1.5"}}, "{}", true, false, "{}", 1500 * time.Millisecond},
		{"a forbidden that says to retry is not fatal", 403, http.Header{"X-Should-Retry": {"true"}}, "{}", true, false, "{}", 0},
	} {
		t.Run(c.why, func(t *testing.T) {
			f := StatusFailure("http://u:p@host/path?key=secret", Answer{Status: c.status, Header: c.header, Body: []byte(c.body)})
			if f.Temporary != c.temporary || f.Fatal != c.fatal || f.Err.Error() != c.text || f.RetryAfter != c.retryAfter {
				t.Errorf("got temporary %v, fatal %v, %q, %v", f.Temporary, f.Fatal, f.Err, f.RetryAfter)
			}
			if f.URL != "http://host/path" {
				t.Errorf("URL %q holds more than it should", f.URL)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		why  string
		h    http.Header
		want time.Duration
	}{
		{"nothing said", http.Header{}, 0},
		{"seconds", http.Header{"Retry-After": {"7"}}, 7 * time.Second},
		{"milliseconds come first", http.Header{"Retry-After": {"7"}, "Retry-After-Ms": {"40"}}, 40 * time.Millisecond},
		{"a date", http.Header{"Retry-After": {"Fri, 20 Nov 2026 12:01:00 GMT"}}, time.Minute},
		{"a date, by a clock that is a day ahead of ours", http.Header{"Retry-After": {"Sat, 21 Nov 2026 12:01:00 GMT"}, "Date": {"Sat, 21 Nov 2026 12:00:00 GMT"}}, time.Minute},
		{"a date, by a clock that is a year behind", http.Header{"Retry-After": {"Thu, 20 Nov 2025 12:01:00 GMT"}, "Date": {"Thu, 20 Nov 2025 12:00:00 GMT"}}, time.Minute},
		{"a date, and nonsense for that of the answer", http.Header{"Retry-After": {"Fri, 20 Nov 2026 12:01:00 GMT"}, "Date": {"now"}}, time.Minute},
		{"a date that has passed", http.Header{"Retry-After": {"Fri, 20 Nov 2026 11:00:00 GMT"}}, 0},
		{"nonsense", http.Header{"Retry-After": {"soon"}}, 0},
		{"negative", http.Header{"Retry-After": {"-5"}}, 0},
		{"not a number", http.Header{"Retry-After": {"NaN"}}, 0},
		{"more than a duration holds", http.Header{"Retry-After": {"1e300"}}, 100 * 365 * 24 * time.Hour},
	} {
		if got := RetryAfter(c.h, now); got != c.want {
			t.Errorf("%s: %v, want %v", c.why, got, c.want)
		}
	}
}

// A clock of ours that is off made a limit that comes back in a minute one that
// comes back tomorrow, or had come back.
func TestAResetIsByTheServersClock(t *testing.T) {
	h := http.Header{
		"Date": {"Sat, 21 Nov 2026 12:00:00 GMT"}, "X-Ratelimit-Remaining-Requests": {"0"}, "X-Ratelimit-Reset-Requests": {"2026-11-21T12:01:00Z"},
		"X-Ratelimit-Remaining-Tokens": {"0"}, "X-Ratelimit-Reset-Tokens": {"1795262520"}, // date -ud "2026-11-21 12:02" +%s
	}
	for _, now := range []time.Time{time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), time.Date(2027, 11, 20, 12, 0, 0, 0, time.UTC)} {
		if q := quotasOf(h, now); q.Requests.Reset != time.Minute || q.Tokens.Reset != 2*time.Minute {
			t.Errorf("at %v: %+v", now, q)
		}
	}
}

func TestRedirectsDoNotCarryKeysAway(t *testing.T) {
	var leaked http.Header
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { leaked = r.Header }))
	defer other.Close()
	mux := http.NewServeMux()
	mux.Handle("/away", http.RedirectHandler(other.URL+"/x?key=secret", http.StatusTemporaryRedirect))
	mux.Handle("/get", http.RedirectHandler("/ok", http.StatusFound))
	mux.Handle("/same", http.RedirectHandler("/ok", http.StatusPermanentRedirect))
	mux.Handle("/loop", http.RedirectHandler("/loop", http.StatusTemporaryRedirect))
	mux.HandleFunc("POST /ok", func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	server := httptest.NewServer(mux)
	defer server.Close()
	client := HTTPClient(nil, 1)
	defer client.CloseIdleConnections()
	for _, c := range []struct{ path, err string }{
		{"/away", "another server"}, {"/get", "drops the request body"}, {"/loop", "more than 3"}, {"/same", ""},
	} {
		a, err := (*Try)(nil).Post(t.Context(), client, server.URL+c.path, JSONHeader(map[string]string{"api-key": "planted"}), []byte("{}"), 100)
		if c.err == "" {
			if err != nil || string(a.Body) != "{}" {
				t.Errorf("%s: %v, %q", c.path, err, a.Body)
			}
			continue
		}
		f, ok := AsFailure(err)
		if !ok || !f.Fatal || f.Temporary || !strings.Contains(f.Error(), c.err) || strings.Contains(f.Error(), "secret") {
			t.Errorf("%s: %v", c.path, err)
		}
	}
	if leaked != nil {
		t.Errorf("the other server was sent %v", leaked)
	}
}

func TestPostBoundsTheAnswer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/chunked" {
			w.(http.Flusher).Flush()
		}
		_, _ = w.Write(body)
	}))
	defer server.Close()
	client := HTTPClient(nil, 1)
	defer client.CloseIdleConnections()
	for _, path := range []string{"/sized", "/chunked"} {
		for n, over := range map[int]bool{0: false, 9: false, 10: false, 11: true, 5000: true} {
			a, err := (*Try)(nil).Post(t.Context(), client, server.URL+path, JSONHeader(nil), []byte(strings.Repeat("x", n)), 10)
			if err != nil || a.Over != over || !over && len(a.Body) != n || over && a.Body != nil {
				t.Errorf("%s: %d bytes under a limit of 10: over %v, %d bytes, %v", path, n, a.Over, len(a.Body), err)
			}
		}
	}
}

func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + l.Addr().String()
	hangUp := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer hangUp.Close()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	_ = l.Close() // not before the others have their ports
	client := HTTPClient(nil, 1)
	defer client.CloseIdleConnections()
	for _, c := range []struct {
		why, url string
		want     bool
	}{
		{"connection refused", closed, true},
		{"no such host", "http://nowhere.invalid", true},
		{"an unknown certificate", secure.URL, true},
		{"TLS to a server that speaks none", "https" + strings.TrimPrefix(hangUp.URL, "http"), true},
		{"a server that hangs up", hangUp.URL, false},
	} {
		_, err := (*Try)(nil).Post(t.Context(), client, c.url, nil, nil, 1)
		if err == nil || Unreachable(err) != c.want {
			t.Errorf("%s: Unreachable(%v) = %v", c.why, err, !c.want)
		}
	}
	if Unreachable(context.Canceled) || !Unreachable(&tls.CertificateVerificationError{Err: errors.New("x")}) {
		t.Error("errors that are not of HTTP")
	}
}

func TestSecretsAreMasked(t *testing.T) {
	s := SecretsOf(map[string]string{"Authorization": "Bearer abcdef123", "X-Short": "abc", "X-Env": "production"}, "sk-planted", "")
	got := s.Mask("production abc Bearer abcdef123 abcdef123 sk-planted")
	if want := "production abc ********** ********** **********"; got != want {
		t.Errorf("Mask = %q, want %q", got, want)
	}
}

func TestBriefCutsBetweenCharacters(t *testing.T) {
	if got := Brief("a\n b\t c"); got != "a b c" {
		t.Errorf("Brief = %q", got)
	}
	got := Brief(strings.Repeat("é", 400))
	if len(got) > 503 || !strings.HasSuffix(got, "é…") {
		t.Errorf("Brief kept %d bytes: %q", len(got), got[len(got)-8:])
	}
}
