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

// Interruptible listens for Ctrl-C, SIGTERM and, except under nohup, SIGHUP. The first signal
// closes drain: no rollout, or other work, starts any more, and those in flight finish. A second
// Ctrl-C or SIGTERM cancels the context, and a third ends the process. release stops listening.
// From now on a failed write, such as to a tee that Ctrl-C also ended, no longer ends the process,
// so that paid work is not lost.
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
	say := func(format string, args ...any) { // the reader may have ended
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
					continue // a closing terminal signals twice: from its shell and from the kernel
				}
				cancel()
				signal.Stop(signals)
				say("Stopping what was started, then leaving; press Ctrl-C again to end the process at once.\n")
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

// Cancellable returns a context that Ctrl-C, SIGTERM and, except under nohup, SIGHUP cancel. A
// second signal ends the process. stop stops listening.
func Cancellable(parent context.Context) (ctx context.Context, stop context.CancelFunc) {
	ctx, stop = signal.NotifyContext(parent, endings()...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// endings lists the signals that end a command; under nohup SIGHUP is not one.
func endings() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return []os.Signal{os.Interrupt, syscall.SIGTERM}
	}
	return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
}

// outliveWrites makes failed writes return errors instead of ending the process.
//
// Note: ignoring the signals would do the same, but also for the programs that are started.
var outliveWrites = sync.OnceFunc(func() {
	if len(deadlySignals) > 0 { // an empty list would mean all signals
		signal.Notify(make(chan os.Signal, 1), deadlySignals...)
	}
})
