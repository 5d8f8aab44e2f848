package ui

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// Interruptible listens for Ctrl-C, SIGTERM and, but below nohup, SIGHUP. The
// first closes drain: no rollout, or what else is made, begins any more, and
// those in flight finish. A second Ctrl-C or SIGTERM ends the context, and a third
// the process, whatever it waits for. release stops listening.
// That no one reads any more what is printed ends nothing that is paid for, from
// here on: a Ctrl-C ends the tee behind us as well.
func Interruptible(parent context.Context, stderr io.Writer,
	what string,
) (ctx context.Context, drain <-chan struct{}, release func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, endings()...)
	outliveWrites()
	closed := make(chan struct{})
	stop := make(chan struct{})
	var tasks sync.WaitGroup
	say := func(format string, args ...any) { // who reads may have stopped to
		tasks.Go(func() { fmt.Fprintf(stderr, format, args...) })
	}
	tasks.Go(func() {
		select {
		case <-signals:
		case <-stop:
			return
		}
		close(closed)
		say("\nFinishing the %s in flight; press Ctrl-C again to leave at once.\n", what)
		for {
			select {
			case s := <-signals:
				if s == syscall.SIGHUP {
					continue // a terminal that closes says so twice: by its shell and by the kernel
				}
				cancel()
				signal.Stop(signals)
				say("Leaving, when what was started is stopped; Ctrl-C once more ends the process as it is.\n")
			case <-stop:
			}
			return
		}
	})
	return ctx, closed, func() {
		signal.Stop(signals)
		close(stop)
		tasks.Wait()
		cancel()
	}
}

// Cancellable returns a context that ends with Ctrl-C, SIGTERM and, but below nohup,
// SIGHUP. A second signal ends the process as it is. stop stops listening.
func Cancellable(parent context.Context) (ctx context.Context, stop context.CancelFunc) {
	ctx, stop = signal.NotifyContext(parent, endings()...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// endings are the signals that end a command; below nohup SIGHUP is none.
func endings() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return []os.Signal{os.Interrupt, syscall.SIGTERM}
	}
	return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
}

// outliveWrites has a write that cannot be made fail instead of ending the
// process. Note: ignoring the signals would do so too, and for the programs that
// are started as well.
var outliveWrites = sync.OnceFunc(func() {
	if len(deadlySignals) > 0 { // none would be all
		signal.Notify(make(chan os.Signal, 1), deadlySignals...)
	}
})
