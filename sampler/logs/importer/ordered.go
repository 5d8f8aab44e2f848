package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
)

// mostInFlight is the size of the values that are in memory at a time, in bytes, before the last one.
const mostInFlight = 32 << 20

// inOrder calls work for each value of next on all processors, and yield for the results in the
// order of the values. next, which returns io.EOF after the last value, and yield are called on the
// caller's goroutine. Few values are in memory at a time, and fewer if their size, in bytes, is large.
func inOrder[In, Out any](next func() (In, error), size func(In) int64, work func(In) Out,
	yield func(In, Out) error,
) error {
	type job struct {
		in   In
		size int64
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
	inFlight := int64(0) // bytes
	var ended error
	for {
		for ended == nil && len(pending) < most && inFlight < mostInFlight {
			var in In
			if in, ended = next(); ended == nil {
				j := &job{in: in, size: size(in), done: make(chan struct{})}
				pending = append(pending, j)
				inFlight += j.size
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
		inFlight -= j.size
		*j = job{} // a worker, and the list's array, point to it for some time
	}
}

// eachOne is inOrder for a list. An error of work or yield ends it.
func eachOne[In, Out any](ctx context.Context, list []In, name func(In) string, size func(In) int64,
	work func(In) (Out, error), yield func(In, Out) error,
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
	}, size, func(in In) (r result) {
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
	size := func(f File) int64 {
		info, err := f.stat()
		if err != nil {
			return 0 // reported when it is read
		}
		return info.Size()
	}
	return eachOne(ctx, files, func(f File) string { return f.Name }, size, read, yield)
}
