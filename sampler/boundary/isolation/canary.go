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

// plant writes the rollout's canary into the session's canary file and adds it to Found. If the file
// already has another rollout's canary, which was not deleted, it is added to Found as well. Only a
// file with a canary is replaced.
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
	// If a canary could be written before, only this session is wrong.
	f := &endpoint.Failure{Err: fmt.Errorf("session.canary: %w", err)}
	f.Temporary = k.planted.Load()
	f.Fatal = !f.Temporary
	return f
}

// Another rollout may be writing to the same file. writeTime is how long plantAt waits for it to fill a
// file that it has just created; attempts is how often plantAt tries.
const (
	writeTime = 10 * time.Millisecond
	attempts  = 50
)

// plantAt writes the canary to path.
func plantAt(ctx context.Context, path string, e *sampler.RolloutSession) error {
	canary := rollout.Canary(e.TraceID)
	for range attempts {
		err := writeCanary(path, canary)
		if err == nil {
			e.Found = append(e.Found, canary)
			return nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		found, err := readCanaries(path)
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed in the meantime
		case err != nil:
			return err
		case slices.Contains(found, canary): // the start wrote it
			e.Found = append(e.Found, found...)
			return nil
		case len(found) > 0:
			e.Found = append(e.Found, found...)
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		default:
			select {
			case <-time.After(writeTime):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
	return fmt.Errorf("%s already exists and has no canary: delete the workspace when its session stops, or name a "+
		"file that nothing else writes", endpoint.Brief(path))
}

// writeCanary creates a file with the canary. It fails if the file exists.
func writeCanary(path, canary string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(canary + "\n")
	return errors.Join(err, f.Close())
}

// largestFile is how much of a file is read, in bytes: anything that ran in the workspace may have
// written it.
const largestFile = 4 << 10

// readCanaries returns the canaries in a file. It refuses anything but a regular file and follows no
// symbolic link.
func readCanaries(path string) (canaries []string, err error) {
	before, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a plain file (%v)", endpoint.Brief(path), before.Mode().Type())
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may be a pipe by now
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

// Inspect adds the canaries that are now in the session's file to Found. A missing or changed canary
// is not a leak: the rollout may write there.
func (k *Keeper) Inspect(_ context.Context, e *sampler.RolloutSession) {
	path, err := e.Fill(k.cfg.Canary)
	if k.cfg.Canary == "" || err != nil {
		return
	}
	found, _ := readCanaries(path) // an unreadable file has none
	e.Found = append(e.Found, found...)
}
