package queue

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout/disk"
)

const (
	// TraceFile is the file in a run directory that names the queue that makes the run. It is
	// there as long as the queue may still hold something of the run.
	TraceFile = "queue.json"
	// filesDir is the folder in a run directory with the files of a queue in the planner's process.
	filesDir = "queue"
	// settle is how long the planner has to end after the worker in its process has failed.
	settle = 5 * time.Second
)

// Trace names the queue that makes a run.
type Trace struct {
	Queue string `json:"queue"` // its address without credentials, or embedded
	Run   string `json:"run"`
}

// ReadTrace reads the trace in a run directory, if there is one.
func ReadTrace(dir string) (t Trace, ok bool) {
	path := filepath.Join(dir, TraceFile)
	if info, err := os.Stat(path); err != nil || info.Size() > 1<<16 { // missing, or not written by gonogo
		return t, false
	}
	b, err := disk.ReadFile(path)
	return t, err == nil && jsontext.Unmarshal(b, &t) == nil && t.Queue != ""
}

// Write writes the trace to a run directory.
func (t Trace) Write(dir string) error {
	b, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return disk.WriteFile(filepath.Join(dir, TraceFile), append(b, '\n'))
}

// EmbedIn starts a server like Embed, with its files in a run directory.
func EmbedIn(dir string, port int, token string) (*Server, error) {
	files := filepath.Join(dir, filesDir)
	if err := disk.CheckRegularDir(files); err != nil {
		return nil, err
	}
	return Embed(files, port, token)
}

// HasFiles reports whether a queue in the planner's process left its files in a run
// directory.
func HasFiles(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, filesDir))
	return err == nil
}

// RemoveTrace removes what a queue leaves in a run directory: its trace and its files.
func RemoveTrace(dir string) error {
	return errors.Join(os.RemoveAll(filepath.Join(dir, filesDir)), os.RemoveAll(filepath.Join(dir, TraceFile)))
}

// ThisWorker describes this process as a worker; version is the version of gonogo.
func ThisWorker(slots int, version string) WorkerInfo {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return WorkerInfo{Host: host, PID: os.Getpid(), Slots: slots, Version: version}
}

// WorkHere runs work, which makes rollouts, in the planner's process until end is called with
// the error that the planner ended with. The context that it returns is for the planner. It
// is canceled with work's error if work failed and the planner did not end by itself within
// a few seconds.
func WorkHere(ctx context.Context,
	work func(ctx context.Context, drain <-chan struct{}) error,
) (planner context.Context, end func(error)) {
	ctx, stop := context.WithCancelCause(ctx)
	done, drain := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		err := work(ctx, drain)
		if err == nil {
			return
		}
		select { // the planner learns of the error, and ends as in a local run
		case <-time.After(settle):
			stop(err)
		case <-drain:
		}
	}()
	return ctx, func(err error) {
		close(drain)
		if err != nil {
			stop(err)
		}
		<-done
		stop(nil)
	}
}
