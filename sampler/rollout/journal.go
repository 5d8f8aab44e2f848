package rollout

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"gonogo/sampler/rollout/disk"
)

// journal is a file of records that are appended, and synced to disk at intervals.
type journal struct {
	file   *disk.Appender
	redact *Redactor
	flush  *flusher // nil if every record is synced to disk
	line   []byte   // reused for the next line
}

// keptLine is the size up to which the memory of a line is kept for the next.
const keptLine = 1 << 20

func openJournal(path string, opt WriterOptions) (*journal, error) {
	if err := disk.CheckRegularFile(path); err != nil {
		return nil, err
	}
	file, err := disk.OpenAppender(path, wholeRecord)
	if err != nil {
		return nil, err
	}
	j := &journal{file: file, redact: opt.Redact}
	if opt.SyncEvery >= 0 {
		every := opt.SyncEvery
		if every == 0 {
			every = time.Second
		}
		j.flush = startFlusher(file, every)
	}
	return j, nil
}

// append writes one record with one write.
func (j *journal) append(rec *Record) error {
	line, err := rec.appendTo(j.line[:0])
	if j.line = line; cap(line) > keptLine {
		j.line = nil
	}
	if err != nil {
		return fmt.Errorf("append item %q, sample %d to %s: %w", rec.Item, rec.Sample, j.file.Path, err)
	}
	line = j.redact.JSON(line)
	if err := TooLarge(len(line), MaxLine); err != nil {
		return fmt.Errorf("append item %q, sample %d to %s: %w", rec.Item, rec.Sample, j.file.Path, err)
	}
	if err := j.file.Append(line); err != nil {
		return err
	}
	if j.flush == nil {
		return cmp.Or(j.file.Sync(), j.file.Check())
	}
	return j.flush.wrote()
}

// TooLargeError reports a record that was not written because it could not be read again.
type TooLargeError struct{ Bytes, Most int }

// TooLarge returns a *TooLargeError unless a record has fewer bytes than most.
func TooLarge(bytes, limit int) error {
	if bytes < limit {
		return nil
	}
	return &TooLargeError{bytes, limit}
}

// Error gives the record's size and the limit.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%.1f MB are more than the %d MB that can be kept", math.Ceil(float64(e.Bytes)/(1<<20)*10)/10,
		e.Most>>20)
}

func (j *journal) close() error {
	var flushed error
	if j.flush != nil {
		flushed = j.flush.stop()
	}
	return cmp.Or(flushed, j.file.Close())
}

// flusher syncs a file to disk at a fixed interval, if there is something new, and checks that the
// file still exists.
type flusher struct {
	file  *disk.Appender
	dirty atomic.Bool
	quit  chan struct{}
	done  sync.WaitGroup

	mu  sync.Mutex // guards err
	err error
}

func startFlusher(file *disk.Appender, every time.Duration) *flusher {
	f := &flusher{file: file, quit: make(chan struct{})}
	f.done.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-f.quit:
				return
			case <-tick.C:
			}
			err := f.file.Check()
			if f.dirty.Swap(false) {
				err = cmp.Or(f.file.Sync(), err)
			}
			if err != nil {
				f.mu.Lock()
				f.err = err
				f.mu.Unlock()
			}
		}
	})
	return f
}

// wrote marks the file as changed and returns the error of a sync or a check that failed since the
// last call.
func (f *flusher) wrote() error {
	f.dirty.Store(true)
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.err
	f.err = nil
	return err
}

func (f *flusher) stop() error {
	close(f.quit)
	f.done.Wait()
	return f.err
}

// wholeRecord reports whether a last line without a newline is complete JSON.
func wholeRecord(line []byte) bool {
	_, err := decodeRecord(line, decoding{lean: true})
	return !errors.As(err, new(brokenError))
}
