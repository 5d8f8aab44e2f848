package endpoint

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"gonogo/sampler/rollout/credential"
)

// reachTimeout is how long Reach waits for a connection.
const reachTimeout = 5 * time.Second

// Reach opens a connection to the endpoint's server, or to the proxy that the environment sets for
// it, and closes it without sending a request: it costs nothing and has no effect. The error names
// the URL and what to do.
func Reach(ctx context.Context, address string) error {
	return reach(ctx, address, http.ProxyFromEnvironment)
}

func reach(ctx context.Context, address string, proxyFor func(*http.Request) (*url.URL, error)) error {
	u, err := url.Parse(address)
	if err != nil {
		return fmt.Errorf("%s is not a URL: %w", credential.BareURL(address), cause(err))
	}
	proxy, err := proxyFor(&http.Request{URL: u})
	if err != nil { // its text contains the proxy's URL, and so perhaps a password
		return fmt.Errorf("%s: the environment's proxy for it is not a URL: correct HTTP_PROXY or HTTPS_PROXY",
			credential.BareURL(address))
	}
	if proxy != nil {
		if err := dial(ctx, proxy); err != nil {
			return fmt.Errorf("%s: the proxy %s does not answer: %w: is it running, and is HTTP_PROXY, HTTPS_PROXY or "+
				"NO_PROXY correct?", credential.BareURL(address), credential.BareURL(proxy.String()), err)
		}
		return nil
	}
	if err := dial(ctx, u); err != nil {
		return fmt.Errorf("%s does not answer: %w: is the server running, and is the URL correct?",
			credential.BareURL(address), err)
	}
	return nil
}

// dial connects to a URL's server and closes the connection.
func dial(ctx context.Context, u *url.URL) error {
	ctx, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	connect, port := new(net.Dialer).DialContext, "80"
	switch u.Scheme {
	case "https":
		connect, port = new(tls.Dialer).DialContext, "443"
	case "socks5", "socks5h":
		port = "1080"
	}
	conn, err := connect(ctx, "tcp", net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port)))
	if err != nil {
		return err
	}
	return conn.Close()
}

// cause returns what is wrong with a URL without the URL, which may contain a secret.
func cause(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
