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

// Conn is a connection to a cluster. It reconnects when the cluster goes away.
type Conn struct {
	nc     *nats.Conn
	js     jetstream.JetStream
	log    *slog.Logger
	server string // for people: no credentials
	papers tlsFiles
	closed chan struct{}

	mu     sync.Mutex // guards what follows
	away   time.Time  // since then there is no server; zero when there is
	told   bool       // why it does not come back
	denied error      // what we may not do, as the server said last
	ended  error      // that our credentials are no longer valid, as it said last
	since  time.Time  // it has said so
	onNews map[*func()]bool
}

const (
	dialTimeout = 10 * time.Second
	apiTimeout  = 5 * time.Second
	pingEvery   = 5 * time.Second // two without an answer are a connection that broke
	longestWait = 5 * time.Second // between tries to come back
)

// dial connects with options.
func dial(ctx context.Context, url string, log *slog.Logger, p tlsFiles, opts ...nats.Option) (*Conn, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	c := &Conn{log: log, server: credential.BareURLs(url), papers: p, closed: make(chan struct{})}
	opts = append(
		opts,
		nats.Name("gonogo"), nats.Timeout(dialTimeout), nats.PingInterval(pingEvery),
		nats.MaxReconnects(-1), nats.CustomReconnectDelay(c.again),
		nats.DisconnectErrHandler(c.left), nats.ReconnectHandler(c.back), nats.ErrorHandler(c.heard),
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
	_ = c.nc.FlushTimeout(time.Second) // what is not out by now is lost, as by a broken connection
	c.nc.Close()
	<-c.closed
}

// Away returns since when there has been no server; the zero time when there is
// one.
func (c *Conn) Away() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.away
}

// last is why the connection ended. Who comes back with credentials that ran out is
// refused without a reason.
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

// backoff is how long to wait before the next try to come back.
func backoff(attempts int) time.Duration {
	d := min(50*time.Millisecond<<min(attempts, 10), longestWait)
	return d/2 + rand.N(d/2)
}

// again is backoff, and tells once of a server that is there, but that we do not
// trust any more, or that does not trust us.
func (c *Conn) again(attempts int) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.nc == nil || c.told {
		return backoff(attempts)
	}
	if err := c.nc.LastError(); c.papers.remedy(err) != "" {
		c.told = true
		c.log.Warn("queue server refused", slog.String("server", c.server),
			slog.String("error", endpoint.Brief(err.Error()+": "+c.papers.remedy(err))))
	}
	return backoff(attempts)
}

func (c *Conn) left(_ *nats.Conn, err error) {
	c.mu.Lock()
	c.away = time.Now()
	c.mu.Unlock()
	if err != nil {
		c.log.Warn("queue server away", slog.String("server", c.server),
			slog.String("error", endpoint.Brief(err.Error())))
	}
}

func (c *Conn) back(*nats.Conn) {
	c.mu.Lock()
	away := time.Since(c.away)
	c.away, c.told, c.denied, c.ended = time.Time{}, false, nil, nil
	c.news()
	c.mu.Unlock()
	c.log.Warn("queue server back", slog.String("server", c.server),
		slog.Float64("away_s", away.Round(100*time.Millisecond).Seconds()))
}

// hearNews has something done, quickly, each time that the server is back or has
// refused something: then what is waited for does not come. forget ends it.
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

// news has it done. mu is held.
func (c *Conn) news() {
	for do := range c.onNews {
		(*do)()
	}
}

// heard takes note of an error that answers nothing in particular.
func (c *Conn) heard(_ *nats.Conn, _ *nats.Subscription, err error) {
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

// invalid reports whether credentials were valid and are not.
func invalid(err error) bool {
	return errors.Is(err, nats.ErrAuthExpired) || errors.Is(err, nats.ErrAuthRevoked) ||
		errors.Is(err, nats.ErrAccountAuthExpired)
}

// explain names the server, what was being done, and how to fix it.
func (c *Conn) explain(doing string, err error) error {
	if closed := errors.Is(err, nats.ErrConnectionClosed) || errors.Is(err, jetstream.ErrConnectionClosed); closed &&
		c.nc.IsClosed() {
		<-c.closed // why is heard last
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
	case c.papers.remedy(err) != "":
		remedy = c.papers.remedy(err)
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

// apiCode is JetStream's number of an error; 0 when it is none of JetStream's.
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

// JetStream's numbers that the client has no names for.
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

// leaderless reports whether the server may have none to ask: it does not answer, or
// says so.
func leaderless(err error) bool {
	code := apiCode(err)
	return code == codeNoLeader || code == codeNotLeader || code == codeNoPeers || code == 0 &&
		errors.Is(err, context.DeadlineExceeded)
}

// fatal reports whether to do the same again is of no use: the server has said
// no. That it does not answer is something else.
func fatal(err error) bool {
	switch apiCode(err) {
	case 0:
	case codeNoLeader, codeNotLeader, jetstream.JSErrCodeJetStreamNotEnabled: // a server that begins says so for a while
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

// persist does something until it is done or refused, however long the server is
// away. The error is ctx's, or says why it is refused.
func (c *Conn) persist(ctx context.Context, doing string, do func(context.Context) error) error {
	return c.persistFor(ctx, apiTimeout, doing, do)
}

// persistFor is persist with so much time for each try.
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
			c.log.Warn("queue waits", slog.String("server", c.server), slog.String("for", doing),
				slog.String("error", c.hint(err)))
		}
		if !pause(ctx, backoff(n)) {
			return context.Cause(ctx)
		}
	}
}

// once does something that ends early when it cannot come to its end.
func (c *Conn) once(ctx context.Context, limit time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	defer c.hearNews(cancel)()
	return do(ctx)
}

// hint is an error that is waited for to pass. A server whose disk was full when it
// wrote answers no more, and not before it is started again.
func (c *Conn) hint(err error) string {
	if errors.Is(err, context.DeadlineExceeded) && c.Away().IsZero() {
		return "the server is running but does not answer: check its log; if its disk is full, make room and start " +
			"it again; nothing is lost"
	}
	return endpoint.Brief(err.Error())
}

// refused reports whether the server said since then that we may not do something.
func (c *Conn) refused(since time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.denied != nil && c.since.After(since)
}

// pause waits, and reports whether ctx lasted as long.
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
