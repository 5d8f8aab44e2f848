package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"gonogo/sampler/rollout"
)

// workerDir is the folder in which workers keep what they started.
const workerDir = ".gonogo-worker"

// mostWorkplaces bounds the workers of one folder.
const mostWorkplaces = 1000

// workplace is a folder that one worker has to itself: which sessions it started,
// and what an agent says. The first that is free is taken, so that the next worker
// finds what one that was killed left there.
type workplace struct {
	dir     string
	release func() error
}

// openWorkplace takes a free one in dir, or a temporary one where nothing can be
// written there.
func openWorkplace(dir string) (*workplace, error) {
	at := filepath.Join(dir, workerDir)
	if err := os.MkdirAll(at, 0o755); err != nil {
		temporary, err := os.MkdirTemp("", "gonogo-worker-")
		if err != nil {
			return nil, fmt.Errorf("a folder for what the worker starts: %w", err)
		}
		return &workplace{temporary, func() error { return os.RemoveAll(temporary) }}, nil
	}
	var last error
	for i := 1; i <= mostWorkplaces; i++ {
		place := filepath.Join(at, strconv.Itoa(i))
		release, err := rollout.Lock(place, "worker.lock")
		if err == nil {
			return &workplace{place, release}, nil
		}
		last = err
	}
	return nil, fmt.Errorf("a folder in %s: %w", at, last)
}

func (w *workplace) close() error { return w.release() }
