package sampler

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/url"
	"time"
)

// reachTimeout is how long Reach waits for a connection.
const reachTimeout = 5 * time.Second

// Reach opens a connection to the endpoint's server and closes it again,
// without sending a request: it costs nothing and has no effect. The error
// names the URL and what to do.
func Reach(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return fmt.Errorf("%s is no URL: %w", RedactURL(address), err)
	}
	ctx, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	host, port := u.Hostname(), u.Port()
	var dial func(ctx context.Context, network, addr string) (net.Conn, error)
	switch u.Scheme {
	case "https":
		dial, port = new(tls.Dialer).DialContext, orPort(port, "443")
	default:
		dial, port = new(net.Dialer).DialContext, orPort(port, "80")
	}
	conn, err := dial(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return fmt.Errorf("%s does not answer: %w: is the server running, and is the URL right?", RedactURL(address), err)
	}
	return conn.Close()
}

func orPort(port, otherwise string) string {
	if port == "" {
		return otherwise
	}
	return port
}
