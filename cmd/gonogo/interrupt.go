package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// interruptible listens for Ctrl-C and SIGTERM. The first closes drain: no
// rollout, or what else is made, begins any more, and those in flight finish.
// The second ends the context. release stops listening.
func interruptible(parent context.Context, stderr io.Writer, what string) (ctx context.Context, drain <-chan struct{}, release func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	closed := make(chan struct{})
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-signals:
		case <-stop:
			return
		}
		fmt.Fprintf(stderr, "\nFinishing the %s in flight; press Ctrl-C again to leave at once.\n", what)
		close(closed)
		select {
		case <-signals:
			cancel()
		case <-stop:
		}
	}()
	return ctx, closed, func() {
		signal.Stop(signals)
		close(stop)
		<-done
		cancel()
	}
}
