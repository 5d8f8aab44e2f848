package isolation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strconv"

	"gonogo/sampler"
	"gonogo/sampler/boundary/internal/process"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// marker is the environment variable that identifies the processes of a session.
const marker = "GONOGO_SESSION"

// mark returns the entry in the environment of a session's processes.
func mark(e *sampler.RolloutSession) string { return marker + "=" + e.ID }

// environment returns the environment of a command: this program's and the session's variables.
func environment(e *sampler.RolloutSession) []string {
	env := append(os.Environ(), mark(e), "GONOGO_TRACE_ID="+e.TraceID, "GONOGO_CANARY="+rollout.Canary(e.TraceID))
	if e.Item == nil {
		return env
	}
	return append(env, "GONOGO_ITEM="+e.Item.ID, "GONOGO_SPLIT="+string(e.Item.Split),
		"GONOGO_SAMPLE="+strconv.Itoa(e.Sample), "GONOGO_ATTEMPT="+strconv.Itoa(e.Attempt))
}

// describe returns the body of a POST, which is also the standard input of a command.
func describe(e *sampler.RolloutSession) []byte {
	about := struct {
		ID      string                     `json:"id"`
		TraceID string                     `json:"trace_id"`
		Canary  string                     `json:"canary,omitempty"`
		ItemID  string                     `json:"item_id,omitempty"`
		Split   string                     `json:"split,omitempty"`
		Sample  int                        `json:"sample"`
		Attempt int                        `json:"attempt"`
		Item    json.RawMessage            `json:"item,omitempty"`
		Session map[string]json.RawMessage `json:"session,omitempty"`
	}{
		ID: e.ID, TraceID: e.TraceID, Canary: rollout.Canary(e.TraceID), Sample: e.Sample, Attempt: e.Attempt,
		Session: e.Values,
	}
	if e.Item != nil {
		about.ItemID, about.Split, about.Item = e.Item.ID, string(e.Item.Split), e.Item.Row
	}
	text, err := json.Marshal(about)
	if err != nil { // cannot happen: row and values were read as JSON
		panic("isolation: " + err.Error())
	}
	return text
}

// run runs a shell command and returns its standard output. Processes that it leaves behind keep
// running and block nothing, because the output goes to files. When ctx ends, the command is killed
// with everything that it started.
func run(ctx context.Context, what, command string, input []byte, env []string) ([]byte, error) {
	in, err := scratch(input)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	out, err := scratch(nil)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	stderr, err := scratch(nil)
	if err != nil {
		return nil, err
	}
	defer stderr.Close()

	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env, cmd.SysProcAttr = in, out, stderr, env, process.Detach()
	if err := cmd.Start(); err != nil {
		return nil, &endpoint.Failure{Temporary: true, Err: fmt.Errorf("run the session's %s: %w", what, err)}
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		process.KillTree(cmd.Process.Pid, false)
		<-ended
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, commandFailure(what, err, tail(stderr))
	}
	text, err := io.ReadAll(io.NewSectionReader(out, 0, maxAnswer+1))
	if err == nil && len(text) > maxAnswer {
		err = &endpoint.Failure{Err: fmt.Errorf("the session's %s printed more than %d bytes", what, maxAnswer)}
	}
	return text, err
}

// commandFailure returns the failure of a command. It is fatal if the program cannot be found or run,
// because then it fails for every rollout.
func commandFailure(what string, err error, output string) error {
	if output != "" {
		output = "; it printed: " + output
	}
	exit, ended := errors.AsType[*exec.ExitError](err)
	missing := ended && (exit.ExitCode() == 126 || exit.ExitCode() == 127)
	how := err.Error()
	if !ended {
		how = "did not end in time"
		if !errors.Is(err, context.DeadlineExceeded) {
			how = "was interrupted"
		}
	}
	return &endpoint.Failure{
		Temporary: !missing, Fatal: missing,
		Err: fmt.Errorf("the session's %s command %s%s", what, word(ended, how), output),
	}
}

func word(ended bool, how string) string {
	if ended {
		return "ended with " + how
	}
	return how
}

// scratch returns an unnamed temporary file with a text. Errors name the directory, not the file.
func scratch(text []byte) (*os.File, error) {
	failed := func(err error) error {
		if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
			err = pathErr.Err
		}
		return fmt.Errorf("run a session's command: write in the temporary directory %s (TMPDIR): %w", os.TempDir(),
			err)
	}
	f, err := os.CreateTemp("", "gonogo-session-*")
	if err != nil {
		return nil, failed(err)
	}
	_ = os.Remove(f.Name()) // the open file remains usable
	if _, err := f.WriteAt(text, 0); err != nil {
		return nil, errors.Join(failed(err), f.Close())
	}
	return f, nil
}

// tail returns the end of a command's standard error, at most 2 KiB.
func tail(f *os.File) string {
	const most = 2 << 10
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	text, _ := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-most), most)) // best effort
	return endpoint.Brief(string(bytes.ToValidUTF8(text, []byte("\uFFFD"))))
}
