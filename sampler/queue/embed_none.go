//go:build noserver

package queue

import (
	"context"
	"errors"
	"log/slog"
)

// HasServer reports whether this build can run a queue in its own process.
const HasServer = false

var errNoServer = errors.New("this build has no embedded queue (build tag noserver)")

// Server is a NATS server inside this process, which this build lacks.
type Server struct{}

// Embed fails.
func Embed(string, int, string) (*Server, error) { return nil, errNoServer }

// Dial fails.
func (*Server) Dial(context.Context, *slog.Logger) (*Conn, error) { return nil, errNoServer }

// URL returns "".
func (*Server) URL() string { return "" }

// Close does nothing.
func (*Server) Close() {}
