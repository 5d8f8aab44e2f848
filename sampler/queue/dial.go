package queue

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"

	"gonogo/sampler/endpoint"
)

// Dial connects to a queue. It does not wait for a server that is not listening.
func Dial(ctx context.Context, a Address, log *slog.Logger) (*Conn, error) {
	c, _, err := a.dial(ctx, log)
	return c, err
}

// Await is like Dial, but waits until ctx ends for a server that is not listening yet,
// and logs that once. If none appears, it returns the error of the last attempt.
func Await(ctx context.Context, a Address, log *slog.Logger) (*Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for n := 0; ; n++ {
		c, absent, err := a.dial(context.WithoutCancel(ctx), log) // otherwise ctx may end before the cause is known
		if !absent {
			return c, err
		}
		if n == 0 && log != nil {
			longest := "without limit"
			if end, ok := ctx.Deadline(); ok {
				longest = "up to " + time.Until(end).Round(100*time.Millisecond).String()
			}
			log.Warn("queue server not reachable yet", slog.String("error", endpoint.Brief(err.Error())),
				slog.String("waiting", longest))
		}
		if !pause(ctx, backoff(n)) {
			return nil, err
		}
	}
}

// dial connects. absent reports whether it failed because the server does not listen or
// respond, and may still be starting.
func (a Address) dial(ctx context.Context, log *slog.Logger) (c *Conn, absent bool, err error) {
	opts, p, err := a.options()
	if err != nil {
		return nil, false, err
	}
	d := &dialler{Dialer: net.Dialer{Timeout: dialTimeout}}
	c, err = dial(ctx, a.URL, log, p, append(opts, nats.SetCustomDialer(d))...)
	switch {
	case err == nil, p.remedy(err) != "":
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		absent = true // a port forwarder does this while nothing listens behind it
	case errors.Is(err, nats.ErrNoServers), endpoint.Unreachable(err):
		absent = d.absent.Load()
	}
	return c, absent, err
}

// dialler notes whether a server does not listen. A failed name lookup does not count.
type dialler struct {
	net.Dialer
	absent atomic.Bool
}

// Dial connects to one address.
func (d *dialler) Dial(network, address string) (net.Conn, error) {
	conn, err := d.Dialer.Dial(network, address)
	if _, unknown := errors.AsType[*net.DNSError](err); err != nil && !unknown {
		d.absent.Store(true)
	}
	return conn, err
}
