package viewer

import (
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// policy forbids the page all scripts, styles and requests except those of its own server, and
// forbids other pages to frame it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guard only lets through requests that the page makes in its own browser tab: with the name of
// this machine as Host (a rebound DNS name is another Host), from the page itself (so that no other
// page acts for it), and, for everything but the page's own files, with the token in a header. The page
// reads the token from the fragment of its address, which browsers do not send. A cookie would
// reach the servers of all other ports of this machine.
func (s *Server) guard(port int, next http.Handler) http.Handler {
	var hosts []string
	for _, h := range []string{"127.0.0.1", "localhost", "::1"} {
		hosts = append(hosts, net.JoinHostPort(h, strconv.Itoa(port)))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		switch {
		case !slices.Contains(hosts, r.Host):
			fail(w, http.StatusForbidden, errors.New("wrong host: open the address that gonogo view printed"))
		case !ownPage(r):
			fail(w, http.StatusForbidden, errors.New("requests from other pages are refused"))
		case !(r.URL.Path == "/" || strings.HasPrefix(r.URL.Path, "/view/")) && !s.hasToken(r):
			fail(w, http.StatusForbidden,
				errors.New("the token is missing: open the whole address that gonogo view printed in this tab"))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// ownPage reports whether a request comes from the page itself or from a person who opens it.
// Clients other than browsers do not send an origin and are let through.
func ownPage(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return true
	}
	// A link in another page may open this one: the page alone contains no data.
	return r.Method == http.MethodGet && r.URL.Path == "/" && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		r.Header.Get("Sec-Fetch-Dest") == "document"
}

// hasToken reports whether a request carries the token as "Authorization: Bearer TOKEN".
func (s *Server) hasToken(r *http.Request) bool {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) == 1
}
