package queue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout/credential"
)

// Conn is a connection to a cluster. It reconnects after an outage.
type Conn struct {
	nc     *nats.Conn
	js     jetstream.JetStream
	log    *slog.Logger
	server string // its address for messages, without credentials
	certs  tlsFiles
	closed chan struct{}

	mu            sync.Mutex // guards what follows
	away          time.Time  // since when the server has been unreachable; zero if it is reachable
	refusalLogged bool       // the log says why it cannot reconnect
	denied        error      // the server's last permission error
	ended         error      // the server's last message that our credentials are no longer valid
	since         time.Time  // when denied was set
	onNews        map[*func()]bool
}

const (
	dialTimeout = 10 * time.Second
	apiTimeout  = 5 * time.Second
	pingEvery   = 5 * time.Second // two unanswered pings mean a broken connection
	longestWait = 5 * time.Second // between attempts to reconnect
)

// dial connects with the options given and its own.
func dial(ctx context.Context, url string, log *slog.Logger, p tlsFiles, opts ...nats.Option) (*Conn, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	c := &Conn{log: log, server: credential.BareURLs(url), certs: p, closed: make(chan struct{})}
	opts = append(
		opts,
		nats.Name("gonogo"), nats.Timeout(dialTimeout), nats.PingInterval(pingEvery),
		nats.MaxReconnects(-1), nats.CustomReconnectDelay(c.again),
		nats.DisconnectErrHandler(c.disconnected), nats.ReconnectHandler(c.reconnected), nats.ErrorHandler(c.onError),
		nats.ClosedHandler(func(*nats.Conn) { close(c.closed) }),
	)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	nc, err := nats.Connect(url, opts...)
	if err != nil {
		return nil, c.explain("connect", err)
	}
	c.mu.Lock()
	c.nc = nc
	c.mu.Unlock()
	if c.js, err = jetstream.New(nc, jetstream.WithDefaultTimeout(apiTimeout)); err != nil {
		c.Close()
		return nil, c.explain("connect", err)
	}
	return c, nil
}

// Close ends the connection.
func (c *Conn) Close() {
	_ = c.nc.FlushTimeout(time.Second) // what is not sent by then is lost, as with a broken connection
	c.nc.Close()
	<-c.closed
}

// Away returns since when the server has been unreachable; the zero time if it is reachable.
func (c *Conn) Away() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.away
}

// last returns why the connection ended. The server gives no reason when it refuses a
// reconnect with expired credentials, so what it said before comes first.
func (c *Conn) last() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended != nil {
		return c.ended
	}
	if err := c.nc.LastError(); err != nil {
		return err
	}
	return nats.ErrConnectionClosed
}

// backoff returns how long to wait before the next attempt.
func backoff(attempts int) time.Duration {
	d := min(50*time.Millisecond<<min(attempts, 10), longestWait)
	return d/2 + rand.N(d/2)
}

// again returns the backoff, and logs once if the server is reachable but one side does not
// trust the other's certificate.
func (c *Conn) again(attempts int) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.nc == nil || c.refusalLogged {
		return backoff(attempts)
	}
	if err := c.nc.LastError(); c.certs.remedy(err) != "" {
		c.refusalLogged = true
		c.log.Warn("queue server refused", slog.String("server", c.server),
			slog.String("error", endpoint.Brief(err.Error()+": "+c.certs.remedy(err))))
	}
	return backoff(attempts)
}

func (c *Conn) disconnected(_ *nats.Conn, err error) {
	c.mu.Lock()
	c.away = time.Now()
	c.mu.Unlock()
	if err != nil {
		c.log.Warn("queue server unreachable", slog.String("server", c.server),
			slog.String("error", endpoint.Brief(err.Error())))
	}
}

func (c *Conn) reconnected(*nats.Conn) {
	c.mu.Lock()
	outage := time.Since(c.away)
	c.away, c.refusalLogged, c.denied, c.ended = time.Time{}, false, nil, nil
	c.news()
	c.mu.Unlock()
	c.log.Warn("queue server reachable again", slog.String("server", c.server),
		slog.Float64("away_s", outage.Round(100*time.Millisecond).Seconds()))
}

// hearNews calls do, which must be quick, each time the server is back or has refused
// something: an answer that is still awaited will not come. forget ends the calls.
func (c *Conn) hearNews(do func()) (forget func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.onNews == nil {
		c.onNews = map[*func()]bool{}
	}
	c.onNews[&do] = true
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.onNews, &do)
	}
}

// news calls the functions of hearNews. mu is held.
func (c *Conn) news() {
	for do := range c.onNews {
		(*do)()
	}
}

// onError handles an asynchronous error of the connection.
func (c *Conn) onError(_ *nats.Conn, _ *nats.Subscription, err error) {
	c.mu.Lock()
	switch {
	case errors.Is(err, nats.ErrPermissionViolation):
		c.denied, c.since = err, time.Now()
		c.news()
	case invalid(err):
		c.ended = err
	}
	c.mu.Unlock()
	c.log.Warn("queue", slog.String("server", c.server), slog.String("error", endpoint.Brief(err.Error())))
}

// invalid reports whether the error says that our credentials are no longer valid.
func invalid(err error) bool {
	return errors.Is(err, nats.ErrAuthExpired) || errors.Is(err, nats.ErrAuthRevoked) ||
		errors.Is(err, nats.ErrAccountAuthExpired)
}

// explain wraps an error with the server, what was being done, and how to fix it.
func (c *Conn) explain(doing string, err error) error {
	if closed := errors.Is(err, nats.ErrConnectionClosed) || errors.Is(err, jetstream.ErrConnectionClosed); closed &&
		c.nc.IsClosed() {
		<-c.closed // the reason arrives last
		err = c.last()
	}
	c.mu.Lock()
	denied := c.denied
	c.mu.Unlock()
	remedy := ""
	switch api := apiCode(err); {
	case denied != nil && !fatal(err):
		err, remedy = denied, "allow the user gonogo.>, $JS.API.>, $JS.ACK.>, $O.> and _INBOX.>"
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount),
		errors.Is(err, nats.ErrNoResponders):
		remedy = "it runs without JetStream: start nats-server with -js, or let the account use JetStream"
	case invalid(err):
		remedy = "the credentials are no longer valid: get new ones and run again; nothing is lost"
	case errors.Is(err, nats.ErrAuthorization):
		remedy = "it refuses the connection: check queue.creds, or GONOGO_QUEUE_TOKEN, or GONOGO_QUEUE_USER and " +
			"GONOGO_QUEUE_PASSWORD"
	case api == codeReplicas || api == codeNoPeers:
		remedy = "queue.replicas is how many servers keep it: use 1, or no more than the cluster has"
	case leaderless(err) && c.nc != nil && c.nc.IsConnected():
		remedy = "it is running but does not answer: in a cluster more than half of the servers must be running; " +
			"check its log, and whether its disk is full"
	case full(api):
		remedy = "make room on the server's disk, or raise the limits of JetStream, and run again; nothing is lost"
	case c.certs.remedy(err) != "":
		remedy = c.certs.remedy(err)
	case errors.Is(err, io.EOF):
		remedy = "it closes the connection: it is starting up, is not a NATS server, or has handshake_first: true, " +
			"which must be auto"
	case errors.Is(err, nats.ErrNoServers), endpoint.Unreachable(err):
		remedy = "start the server or correct the address (queue.url, --queue)"
	}
	if remedy != "" {
		remedy = ": " + remedy
	}
	return fmt.Errorf("queue %s: %s: %w%s", c.server, doing, err, remedy)
}

// apiCode returns JetStream's code of an error; 0 if it is not an error of JetStream.
func apiCode(err error) jetstream.ErrorCode {
	var api jetstream.JetStreamError
	if errors.As(err, &api) && api.APIError() != nil {
		return api.APIError().ErrorCode
	}
	var plain *jetstream.APIError
	if errors.As(err, &plain) {
		return plain.ErrorCode
	}
	return 0
}

// JetStream's error codes that the client has no names for.
const (
	codeAccountLimit = 10002
	codeNoPeers      = 10005
	codeNoLeader     = 10008
	codeNotLeader    = 10009
	codeInsufficient = 10023
	codeStorageLimit = 10047
	codeReplicas     = 10074
	codeStoreFailed  = 10077
)

// full reports whether the server has no room.
func full(code jetstream.ErrorCode) bool {
	return code == codeAccountLimit || code == codeInsufficient || code == codeStorageLimit || code == codeStoreFailed
}

// leaderless reports whether the cluster may have no leader: the server says so, or does not
// answer.
func leaderless(err error) bool {
	code := apiCode(err)
	return code == codeNoLeader || code == codeNotLeader || code == codeNoPeers || code == 0 &&
		errors.Is(err, context.DeadlineExceeded)
}

// fatal reports whether a retry is useless because the server refused. A server that does
// not answer is not fatal.
func fatal(err error) bool {
	switch apiCode(err) {
	case 0:
	case codeNoLeader, codeNotLeader, jetstream.JSErrCodeJetStreamNotEnabled: // a starting server says so for a while
		return false
	default:
		return true
	}
	for _, end := range []error{
		nats.ErrConnectionClosed, jetstream.ErrConnectionClosed, nats.ErrMaxPayload,
		nats.ErrAuthorization, nats.ErrAuthExpired,
	} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

// persist retries do until it succeeds or is refused, however long the server is away. The
// error is ctx's cause, or says why it was refused.
func (c *Conn) persist(ctx context.Context, doing string, do func(context.Context) error) error {
	return c.persistFor(ctx, apiTimeout, doing, do)
}

// persistFor is persist with a time limit for each attempt.
func (c *Conn) persistFor(ctx context.Context, limit time.Duration, doing string,
	do func(context.Context) error,
) error {
	begun := time.Now()
	for n := 0; ; n++ {
		err := c.once(ctx, limit, do)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case fatal(err) || c.refused(begun):
			return c.explain(doing, err)
		}
		if n == 2 {
			c.log.Warn("waiting for the queue", slog.String("server", c.server), slog.String("for", doing),
				slog.String("error", c.hint(err)))
		}
		if !pause(ctx, backoff(n)) {
			return context.Cause(ctx)
		}
	}
}

// once calls do with a time limit, and cancels it early once its answer cannot come any more.
func (c *Conn) once(ctx context.Context, limit time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	defer c.hearNews(cancel)()
	return do(ctx)
}

// hint describes an error that persist waits out. A server whose disk filled up while it
// wrote stops answering until it is restarted.
func (c *Conn) hint(err error) string {
	if errors.Is(err, context.DeadlineExceeded) && c.Away().IsZero() {
		return "the server is running but does not answer: check its log; if its disk is full, make room and start " +
			"it again; nothing is lost"
	}
	return endpoint.Brief(err.Error())
}

// refused reports whether the server has denied us a permission since the given time.
func (c *Conn) refused(since time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.denied != nil && c.since.After(since)
}

// pause waits for d, and reports whether ctx was still alive at its end.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
