package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

const (
	// mostLeft is how many runs a worker remembers that it could not work for.
	mostLeft = 100
	// askAgain is how long a worker that cannot work for a run leaves it alone.
	askAgain = 30 * time.Second
)

// How a worker that was asked to go ends: in peace, or at once.
var (
	ErrDrained = errors.New("the worker was interrupted, and had finished what it had begun")
	ErrLeft    = errors.New("the worker was interrupted; what it had not finished is made by others")
)

// Service is a worker that serves one run after the other.
type Service struct {
	Run    string // "" serves any
	Once   bool   // end with the first run
	Me     WorkerInfo
	Work   func(context.Context, *Member) error // until its run is over, or why it cannot be served
	Say    func(format string, args ...any)
	Redact *rollout.Redactor // of the worker's credentials for the queue
}

// Serve waits for the queue's server and for runs, and serves them until drain is closed
// (ErrDrained) or ctx ends (ErrLeft). A run that cannot be served is reported to its planner
// and left alone for a while.
func (s Service) Serve(ctx context.Context, drain <-chan struct{}, a Address, log *slog.Logger) error {
	waiting, stop := context.WithCancel(ctx)
	var drained sync.WaitGroup
	drained.Go(func() {
		select {
		case <-drain:
			stop()
		case <-waiting.Done():
		}
	})
	defer drained.Wait()
	defer stop()
	leaves := func() error {
		select {
		case <-drain:
			return ErrDrained
		default:
			return nil
		}
	}
	conn, err := Await(waiting, a, log)
	if err != nil {
		err = errors.New(s.Redact.String(err.Error()))
	} else {
		defer conn.Close()
		err = s.all(ctx, waiting, conn, leaves)
	}
	switch {
	case ctx.Err() != nil:
		return ErrLeft
	case leaves() != nil:
		return ErrDrained
	}
	return err
}

// all serves runs until one fails or ends that is the only one, or the worker leaves.
func (s Service) all(ctx, waiting context.Context, conn *Conn, leaves func() error) error {
	var left []string // runs that it could not work for, the last ones
	for {
		run, err := s.one(ctx, waiting, conn, left)
		if s.Once || ctx.Err() != nil || leaves() != nil {
			return err
		}
		if err == nil {
			continue
		}
		if run != "" {
			left = append(left[max(0, len(left)-mostLeft+1):], run)
		}
		s.Say("%v", err)
		pause(waiting, askAgain)
	}
}

// one waits for a run and serves it until it is over.
func (s Service) one(ctx, waiting context.Context, conn *Conn, left []string) (run string, err error) {
	s.Say("Waiting for a run.")
	m, err := conn.Join(waiting, s.Run, s.Me, left...)
	if err != nil {
		return "", errors.New(s.Redact.String(err.Error()))
	}
	defer m.Leave()
	if err = s.Work(ctx, m); err == nil || ctx.Err() != nil {
		return m.Run(), err
	}
	_ = m.Lacks(ctx, err.Error()) // if that fails, it sees the worker fall silent
	return m.Run(), fmt.Errorf("this worker takes no jobs of the run %s: %w", m.Run(), err)
}

// WorkerDir is the folder in which workers keep what they started.
const WorkerDir = ".gonogo-worker"

// mostWorkplaces bounds the workers of one folder.
const mostWorkplaces = 1000

// Workplace takes a folder below dir that one worker has to itself: which sessions it
// started, and what an agent says. It is the first that is free, so that the next worker
// finds what one that was killed left there; a temporary one where nothing can be written.
func Workplace(dir string) (place string, release func() error, err error) {
	at := filepath.Join(dir, WorkerDir)
	if os.MkdirAll(at, 0o755) != nil {
		if place, err = os.MkdirTemp("", "gonogo-worker-"); err != nil {
			return "", nil, fmt.Errorf("a folder for what the worker starts: %w", err)
		}
		return place, func() error { return os.RemoveAll(place) }, nil
	}
	for i := 1; i <= mostWorkplaces; i++ {
		place = filepath.Join(at, strconv.Itoa(i))
		if release, err = disk.Lock(place, "worker.lock"); err == nil {
			return place, release, nil
		}
	}
	return "", nil, fmt.Errorf("a folder in %s: %w", at, err)
}
