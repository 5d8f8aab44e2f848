package night

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"gonogo/analysis/history"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/rollout"
)

// tellDamaged says, before anything is paid for, which good nights are there but cannot
// be compared with: those newer than the newest one that can.
func (h *Dir) tellDamaged(ctx context.Context, c *project.Call) {
	for _, n := range slices.Backward(h.List) {
		if !n.Good {
			continue
		}
		err := h.open(ctx, n.Name)
		if err == nil || ctx.Err() != nil {
			return
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, rollout.ErrNoRecords) {
			fmt.Fprintf(c.Err, "note: night %s cannot be read, and counts as gone: %s\n", ui.Visible(n.Name), ui.Visible(err.Error()))
		}
	}
}

// thereBy returns a function that reports whether the rollouts of a night are still there, and complete.
func (h *Dir) thereBy(ctx context.Context) func(*history.Night) bool {
	return func(n *history.Night) bool { return h.open(ctx, n.Name) == nil }
}

// open reads the rollouts of a night once, for comparisons. A name that leads out of the directory is not one of ours.
func (h *Dir) open(ctx context.Context, name string) error {
	if name != filepath.Base(name) {
		return fs.ErrNotExist
	}
	if err, known := h.opened[name]; known {
		return err
	}
	r, err := rollout.Open(h.run(name))
	if err == nil {
		_, err = r.Records(ctx, rollout.ReadOptions{}, func(*rollout.Record) error { return nil })
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if h.opened == nil {
		h.opened = make(map[string]error)
	}
	h.opened[name] = err
	return err
}
