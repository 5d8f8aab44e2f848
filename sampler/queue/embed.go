//go:build !noserver

package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// HasServer reports whether this build can run a queue in its own process.
const HasServer = true

// Server is a NATS server inside this process.
type Server struct {
	ns    *server.Server
	token string
	open  bool // it listens on a socket
}

// readyIn is how long a server may take to start: it reads its stored data.
const readyIn = time.Minute

// Embed starts a server that keeps its files in dir. With port 0 it opens no socket; with
// any other it listens on loopback and requires the token; -1 lets the system choose the
// port.
func Embed(dir string, port int, token string) (*Server, error) {
	if port != 0 && token == "" {
		return nil, errors.New("a queue that listens needs a token: set GONOGO_QUEUE_TOKEN")
	}
	ns, err := server.NewServer(&server.Options{
		ServerName: "gonogo", Host: "127.0.0.1", Port: port, DontListen: port == 0, Authorization: token,
		JetStream: true, StoreDir: dir, SyncAlways: true, // it confirms a message only when it is on disk
		NoSigs: true,
	})
	if err != nil {
		return nil, fmt.Errorf("start a queue in %s: %w", dir, err)
	}
	logged := words{text: fmt.Sprintf("it was not ready within %v", readyIn)}
	ns.SetLoggerV2(&logged, false, false, false)
	ns.Start()
	for begun := time.Now(); !ns.ReadyForConnections(100 * time.Millisecond); {
		if logged.over() || time.Since(begun) > readyIn {
			ns.Shutdown()
			ns.WaitForShutdown()
			err := fmt.Errorf("start a queue in %s: %s", dir, logged.last())
			if port > 0 && strings.Contains(err.Error(), "listen") {
				err = fmt.Errorf("%w: choose another port", err)
			}
			return nil, err
		}
	}
	return &Server{ns: ns, token: token, open: port != 0}, nil
}

// Dial connects to the server without a socket.
func (s *Server) Dial(ctx context.Context, log *slog.Logger) (*Conn, error) {
	opts := []nats.Option{nats.InProcessServer(s.ns)}
	if s.token != "" {
		opts = append(opts, nats.Token(s.token))
	}
	c, err := dial(ctx, "", log, tlsFiles{}, opts...)
	if err == nil {
		c.server = "embedded"
	}
	return c, err
}

// URL returns the address on which the server listens; "" without a socket.
func (s *Server) URL() string {
	if !s.open {
		return ""
	}
	return s.ns.ClientURL()
}

// Close stops the server. Its files stay.
func (s *Server) Close() {
	s.ns.Shutdown()
	s.ns.WaitForShutdown()
}

// words keeps the last error of a server, which reports errors only to its log.
type words struct {
	mu    sync.Mutex // guards what follows
	text  string
	ended bool
}

func (w *words) last() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text
}

// over reports whether the server logged a fatal error.
func (w *words) over() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}

// Errorf keeps the text, unless a fatal error came before.
func (w *words) Errorf(format string, v ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ended {
		w.text = strings.TrimSpace(fmt.Sprintf(format, v...))
	}
}

// Fatalf keeps the text too. It does not end the process.
func (w *words) Fatalf(format string, v ...any) {
	w.Errorf(format, v...)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
}

// Noticef does nothing.
func (*words) Noticef(string, ...any) {}

// Warnf does nothing.
func (*words) Warnf(string, ...any) {}

// Debugf does nothing.
func (*words) Debugf(string, ...any) {}

// Tracef does nothing.
func (*words) Tracef(string, ...any) {}
