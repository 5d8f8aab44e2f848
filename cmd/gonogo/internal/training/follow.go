package training

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Follower looks at a log again as it grows.
type Follower struct {
	Every time.Duration // how often it looks whether the log has grown
	Idle  time.Duration // how long a log may not grow before it ends
	State func() string // changes when the log grows
	// Look judges the log; done ends the following. An ErrEarly is not the end: the log may still grow.
	Look func(context.Context) (done bool, err error)
}

// Follow looks until a look is done or fails, the log has not grown for Idle, or ctx ends. It returns
// the last error, which may be ErrEarly.
func (f Follower) Follow(ctx context.Context) error {
	var last error
	state, grown := f.State(), time.Now()
	for {
		done, err := f.Look(ctx)
		if last = err; done || err != nil && !errors.Is(err, ErrEarly) {
			return err
		}
		for {
			select {
			case <-ctx.Done():
				return errors.Join(ctx.Err(), last)
			case <-time.After(f.Every):
			}
			if now := f.State(); now != state {
				state, grown = now, time.Now()
				break
			}
			if time.Since(grown) >= f.Idle {
				return last
			}
		}
	}
}

// StateOf describes the files at paths, and in them if they are folders, by size and time.
func StateOf(paths ...string) string {
	var state strings.Builder
	for _, path := range paths {
		_ = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil // it may appear later
			}
			if info, err := os.Stat(name); err == nil {
				fmt.Fprintf(&state, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
			}
			return nil
		})
	}
	return state.String()
}
