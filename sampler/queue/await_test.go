package queue_test

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"gonogo/sampler/queue"
)

// notes are what is logged.
type notes struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (n *notes) Write(b []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(b)
}

// count is how often something was said.
func (n *notes) count(what string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Count(n.text.String(), what)
}

// waits is how often it was said that a server is waited for.
func (n *notes) waits() int { return n.count("queue server not reachable yet") }

// unused is a port where no one listens.
func unused(t *testing.T) (address string, port int) {
	t.Helper()
	l := check(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	return l.Addr().String(), l.Addr().(*net.TCPAddr).Port
}

func TestAServerThatDoesNotListenYetIsWaitedFor(t *testing.T) {
	t.Parallel()
	at, port := unused(t)
	said, there := new(notes), make(chan error)
	go func() {
		c, err := queue.Await(t.Context(), queue.Address{URL: "nats://nats.invalid:4222,nats://" + at, Token: token}, slog.New(slog.NewTextHandler(said, nil)))
		if err == nil {
			c.Close()
		}
		there <- err
	}()
	until(t, func() bool { return said.waits() > 0 })
	time.Sleep(200 * time.Millisecond) // some tries
	embed(t, t.TempDir(), port)
	if err := <-there; err != nil {
		t.Error(err)
	}
	if n := said.waits(); n != 1 {
		t.Errorf("it was told %d times", n)
	}
}

func TestWhatIsWaitedFor(t *testing.T) {
	t.Parallel()
	nobody, _ := unused(t)
	hasty := check(net.Listen("tcp", "127.0.0.1:0"))(t) // as who passes on a port does while no one listens behind it
	var closing sync.WaitGroup
	closing.Go(func() {
		for {
			c, err := hasty.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	})
	t.Cleanup(func() {
		hasty.Close()
		closing.Wait()
	})
	locked := embed(t, t.TempDir(), -1).URL()
	for name, c := range map[string]struct {
		a     queue.Address
		waits int
		want  string
	}{
		"nobody listens":                 {queue.Address{URL: "nats://" + nobody}, 1, "start the server or correct the address"},
		"who listens hangs up":           {queue.Address{URL: "nats://" + hasty.Addr().String()}, 1, hasty.Addr().String()},
		"the name is not known":          {queue.Address{URL: "nats://nats.invalid:4222"}, 0, "nats.invalid"},
		"the token is another":           {queue.Address{URL: locked, Token: "planted-other"}, 0, "it refuses the connection"},
		"the credentials are not a file": {queue.Address{URL: "nats://" + nobody, Creds: "nowhere.creds"}, 0, "queue.creds"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			said := new(notes)
			conn, err := queue.Await(ctx, c.a, slog.New(slog.NewTextHandler(said, nil)))
			if err == nil {
				conn.Close()
			}
			says(t, err, c.want)
			if n := said.waits(); n != c.waits {
				t.Errorf("waited for: told %d times, want %d", n, c.waits)
			}
		})
	}
}
