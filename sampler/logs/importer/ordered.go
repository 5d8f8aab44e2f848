package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
)

// inOrder calls work for each value of next on all processors, and yield for the results in the
// order of the values. next, which returns io.EOF after the last value, and yield are called on the
// caller's goroutine. Few values are in memory at a time.
func inOrder[In, Out any](next func() (In, error), work func(In) Out, yield func(In, Out) error) error {
	type job struct {
		in   In
		out  Out
		done chan struct{}
	}
	workers := runtime.GOMAXPROCS(0)
	most := 2 * workers
	jobs := make(chan *job, most)
	var running sync.WaitGroup
	defer running.Wait()
	defer close(jobs)
	for range workers {
		running.Go(func() {
			for j := range jobs {
				j.out = work(j.in)
				close(j.done)
			}
		})
	}
	var pending []*job
	var ended error
	for {
		for ended == nil && len(pending) < most {
			var in In
			if in, ended = next(); ended == nil {
				j := &job{in: in, done: make(chan struct{})}
				pending = append(pending, j)
				jobs <- j
			}
		}
		if len(pending) == 0 {
			if errors.Is(ended, io.EOF) {
				return nil
			}
			return ended
		}
		j := pending[0]
		pending = pending[1:]
		<-j.done
		if err := yield(j.in, j.out); err != nil {
			return err
		}
	}
}

// eachOne is inOrder for a list. An error of work or yield ends it.
func eachOne[In, Out any](ctx context.Context, list []In, name func(In) string, work func(In) (Out, error),
	yield func(In, Out) error,
) error {
	type result struct {
		out Out
		err error
	}
	return inOrder(func() (in In, err error) {
		if len(list) == 0 {
			return in, io.EOF
		}
		in, list = list[0], list[1:]
		return in, nil
	}, func(in In) (r result) {
		r.out, r.err = work(in)
		return r
	}, func(in In, r result) error {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("read %s: %w", name(in), err)
		}
		if r.err != nil {
			return r.err
		}
		return yield(in, r.out)
	})
}

// eachFile reads files on all processors and yields them in order.
func eachFile[T any](ctx context.Context, files []File, read func(File) (T, error), yield func(File, T) error) error {
	return eachOne(ctx, files, func(f File) string { return f.Name }, read, yield)
}
