package isolation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// plant writes the canary of a session's rollout into its file, when the place is
// there. A canary that is there already was not cleared away: both go to Found. Nothing
// but a canary is ever written over.
func (k *Keeper) plant(ctx context.Context, e *sampler.RolloutSession) error {
	if k.cfg.Canary == "" {
		return nil
	}
	path, err := e.Fill(k.cfg.Canary)
	if err == nil {
		err = plantAt(ctx, path, e)
	}
	switch {
	case err == nil:
		k.planted.Store(true)
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	// It could be written before: then it is this one place that is wrong.
	f := &endpoint.Failure{Err: fmt.Errorf("session.canary: %w", err)}
	f.Temporary = k.planted.Load()
	f.Fatal = !f.Temporary
	return f
}

// Another writer of a canary needs less than this from making the file to
// filling it; and so often it may be another's turn.
const (
	writing = 10 * time.Millisecond
	turns   = 50
)

// plantAt writes the canary to path.
func plantAt(ctx context.Context, path string, e *sampler.RolloutSession) error {
	own := rollout.Canary(e.TraceID)
	for range turns {
		err := writeCanary(path, own)
		if err == nil {
			e.Found = append(e.Found, own)
			return nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		there, err := readCanaries(path)
		switch {
		case errors.Is(err, fs.ErrNotExist): // taken away meanwhile
		case err != nil:
			return err
		case slices.Contains(there, own): // the start has written it
			e.Found = append(e.Found, there...)
			return nil
		case len(there) > 0:
			e.Found = append(e.Found, there...)
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		default:
			select {
			case <-time.After(writing):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
	return fmt.Errorf("%s already exists and has no canary: delete the workspace when its session stops, or name a "+
		"file that nothing else writes", endpoint.Brief(path))
}

// writeCanary makes a file that is not there yet.
func writeCanary(path, canary string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(canary + "\n")
	return errors.Join(err, f.Close())
}

// largestFile bounds what is read of a file: anything that ran in the
// workspace may have written it.
const largestFile = 4 << 10

// readCanaries returns the canaries in a file. One that is not a plain file is refused, and no
// link is followed.
func readCanaries(path string) (canaries []string, err error) {
	before, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a plain file (%v)", endpoint.Brief(path), before.Mode().Type())
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may have become a pipe
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !os.SameFile(before, now) {
		return nil, fmt.Errorf("%s was replaced while it was read", endpoint.Brief(path))
	}
	text, err := io.ReadAll(io.LimitReader(f, largestFile))
	rollout.Canaries(string(text), func(canary string) bool {
		canaries = append(canaries, canary)
		return true
	})
	return canaries, err
}

// Inspect adds the canaries now in the session's file to Found. A missing or
// changed canary is not a leak: the rollout may write there.
func (k *Keeper) Inspect(_ context.Context, e *sampler.RolloutSession) {
	path, err := e.Fill(k.cfg.Canary)
	if k.cfg.Canary == "" || err != nil {
		return
	}
	there, _ := readCanaries(path) // what cannot be read shows nothing
	e.Found = append(e.Found, there...)
}
