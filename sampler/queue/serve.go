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
	// mostLeft bounds the runs that a worker remembers because it could not work for them.
	mostLeft = 100
	// askAgain is how long a worker pauses after a run that it cannot work for.
	askAgain = 30 * time.Second
)

// The errors of a worker that was asked to stop: after finishing its rollouts, and at once.
var (
	ErrDrained = errors.New("the worker was interrupted after finishing its rollouts")
	ErrLeft    = errors.New("the worker was interrupted; other workers make its unfinished rollouts")
)

// Service is a worker that serves one run after the other.
type Service struct {
	Run    string // the run to serve; "" serves any
	Once   bool   // stop after the first run
	Me     WorkerInfo
	Work   func(context.Context, *Member) error // works until the run is over; the error is why it cannot be served
	Say    func(format string, args ...any)
	Redact *rollout.Redactor // of the worker's credentials for the queue
}

// Serve waits for the queue's server and for runs, and serves them until drain is closed
// (ErrDrained) or ctx ends (ErrLeft). If a run cannot be served, Serve reports that to its
// planner and pauses for a while.
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

// all serves runs until the worker leaves or, with Once, until the first run has ended or failed.
func (s Service) all(ctx, waiting context.Context, conn *Conn, leaves func() error) error {
	var unserved []string // the latest runs that it could not work for
	for {
		run, err := s.one(ctx, waiting, conn, unserved)
		if s.Once || ctx.Err() != nil || leaves() != nil {
			return err
		}
		if err == nil {
			continue
		}
		if run != "" {
			unserved = append(unserved[max(0, len(unserved)-mostLeft+1):], run)
		}
		s.Say("%v", err)
		pause(waiting, askAgain)
	}
}

// one waits for a run and serves it until it is over.
func (s Service) one(ctx, waiting context.Context, conn *Conn, unserved []string) (run string, err error) {
	s.Say("Waiting for a run.")
	m, err := conn.Join(waiting, s.Run, s.Me, unserved...)
	if err != nil {
		return "", errors.New(s.Redact.String(err.Error()))
	}
	defer m.Leave()
	if err = s.Work(ctx, m); err == nil || ctx.Err() != nil {
		return m.Run(), err
	}
	_ = m.Lacks(ctx, err.Error()) // if that fails, the planner sees the worker fall silent
	return m.Run(), fmt.Errorf("this worker takes no jobs of the run %s: %w", m.Run(), err)
}

// WorkerDir is the folder in which workers note what they started.
const WorkerDir = ".gonogo-worker"

// mostWorkplaces bounds the number of workers per folder.
const mostWorkplaces = 1000

// Workplace locks a folder below dir for one worker, which keeps there what sessions it
// started and what an agent prints. It takes the first free folder, so that the next worker
// finds what a killed one left. If dir is not writable, the folder is a temporary one.
func Workplace(dir string) (place string, release func() error, err error) {
	root := filepath.Join(dir, WorkerDir)
	if os.MkdirAll(root, 0o755) != nil {
		if place, err = os.MkdirTemp("", "gonogo-worker-"); err != nil {
			return "", nil, fmt.Errorf("create a work folder: %w", err)
		}
		return place, func() error { return os.RemoveAll(place) }, nil
	}
	for i := 1; i <= mostWorkplaces; i++ {
		place = filepath.Join(root, strconv.Itoa(i))
		if release, err = disk.Lock(place, "worker.lock"); err == nil {
			return place, release, nil
		}
	}
	return "", nil, fmt.Errorf("lock a work folder in %s: %w", root, err)
}
