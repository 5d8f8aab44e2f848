package endpoint

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func TestReachGoesWhereRequestsGo(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for _, c := range []struct {
		why, address, proxy string
		says                string // part of the error; "" for none
	}{
		{"a server that only the proxy knows", "https://model.invalid/v1", server.URL, ""},
		{"a proxy that is gone, before a server that is there", server.URL, strings.Replace(gone.URL, "//", "//user:planted@", 1), "the proxy " + gone.URL + " does not answer"},
		{"no proxy for this one", server.URL, "", ""},
		{"a socks proxy", "https://model.invalid/v1", strings.Replace(server.URL, "http", "socks5", 1), ""},
		{"a proxy whose certificate nobody knows", server.URL, secure.URL, "certificate"},
		{"a setting that is not a URL", server.URL, "planted", "not a URL: correct HTTP_PROXY"},
	} {
		err := reach(t.Context(), c.address, func(r *http.Request) (*url.URL, error) {
			switch {
			case r.URL.String() != c.address:
				t.Errorf("asked for the proxy of %s", r.URL)
			case c.proxy == "":
				return nil, nil
			case c.proxy == "planted":
				return nil, errors.New("invalid proxy address planted")
			}
			return url.Parse(c.proxy)
		})
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) || err != nil && strings.Contains(err.Error(), "planted") {
			t.Errorf("%s: error %v, want %q", c.why, err, c.says)
		}
	}
	if err := Reach(t.Context(), "http://user:planted@host:x/"); err == nil || strings.Contains(err.Error(), "planted") {
		t.Errorf("no URL: error %v", err)
	}
}
