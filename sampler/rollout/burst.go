package rollout

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout/disk"
)

// The files of a burst. They belong together: burst.json says how many lines calls.jsonl has.
const (
	BurstFile = "burst.json"
	CallsFile = "calls.jsonl"
)

// BurstSchema names the shape of burst.json and calls.jsonl.
const BurstSchema = "gonogo/burst/1"

// Burst is the rehearsal of a training step's load on tools and grader, or on a service that makes
// the rollouts. None of its requests is part of a mean.
type Burst struct {
	Schema      string    `json:"schema"`
	ID          string    `json:"id"` // new for each burst; trace ids are derived from it
	ToolVersion string    `json:"tool_version,omitempty"`
	Started     time.Time `json:"started_at"`
	Elapsed     Seconds   `json:"elapsed_s"`

	Rollouts  int   `json:"rollouts"`             // rollouts that start at once
	BatchSize int   `json:"batch_size,omitempty"` // items per step; 0 if the number of rollouts was given instead
	GroupSize int   `json:"group_size"`           // rollouts per item
	Split     Split `json:"split"`
	Gaps      bool  `json:"gaps"`       // whether the recorded time between calls was kept
	Retries   int   `json:"retries"`    // retries of a failed request, after which its rollout is discarded
	MaxFlight int   `json:"max_flight"` // requests in flight that the limit on open files allows; 0 is any number

	Endpoints []BurstEndpoint `json:"endpoints"`
	Waves     []Wave          `json:"waves"` // in the order they were made
	Calls     int             `json:"calls"` // lines of calls.jsonl
	Notes     []string        `json:"notes"`
}

// BurstEndpoint describes the load that a burst puts on one endpoint.
type BurstEndpoint struct {
	Name string `json:"name"` // "tool NAME", "agent", "grader" or "session"
	// calls per burst that the run recorded, gradings, or rollouts of an agent
	Recorded  int  `json:"recorded"`
	Generated int  `json:"generated,omitempty"` // calls per burst with arguments generated from the schema
	Safe      bool `json:"safe,omitempty"`      // marked as having no side effects
	Judged    bool `json:"judged,omitempty"`    // a grader that uses a judge: it grades only in the bursts
}

// Wave is one pass over rollouts, Size of them in parallel.
type Wave struct {
	Purpose   Purpose `json:"purpose"`
	Size      int     `json:"size"`      // rollouts in parallel
	Rollouts  int     `json:"rollouts"`  // rollouts made
	Discarded int     `json:"discarded"` // of those, rollouts that a trainer's rules discard
	Elapsed   Seconds `json:"elapsed_s"`
}

// Purpose says what a wave is for.
type Purpose string

// The purposes of a wave.
const (
	RepeatWave Purpose = "repeat" // every call is made twice
	RampWave   Purpose = "ramp"   // fewer in parallel than in a training step
	BurstWave  Purpose = "burst"  // a training step: all start at once
)

// BurstCall is one request of a burst: one line of calls.jsonl.
type BurstCall struct {
	Wave     int     `json:"wave"`    // index of Burst.Waves
	Rollout  int     `json:"rollout"` // within its wave
	Endpoint string  `json:"endpoint"`
	Item     string  `json:"item"`
	TraceID  string  `json:"trace_id"`
	CallID   string  `json:"call_id,omitempty"` // of a tool
	Request  string  `json:"request"`           // equal for requests with the same content
	Try      int     `json:"try,omitempty"`     // 0 for the first; retries count from 1
	At       Seconds `json:"at_s"`              // since the start of its wave
	Elapsed  Seconds `json:"elapsed_s"`
	Flight   int     `json:"in_flight"` // requests in flight to this endpoint when it was sent, itself included

	Status       int    `json:"status,omitempty"` // HTTP status; 0 if there was no response
	Kind         string `json:"kind,omitempty"`   // what went wrong; "" if nothing did
	Error        string `json:"error,omitempty"`
	Failed       bool   `json:"failed,omitempty"`   // no answer that a rollout could continue with
	Discards     bool   `json:"discards,omitempty"` // the failure is final: a trainer would discard the rollout
	RequestBytes int64  `json:"request_bytes,omitempty"`
	ReplyBytes   int64  `json:"reply_bytes,omitempty"`

	Odd   []string     `json:"odd,omitempty"`    // violations of the wire contract
	Leak  string       `json:"leak,omitempty"`   // the id of another rollout in the answer
	Again RepeatAnswer `json:"repeat,omitempty"` // set for the second of two equal calls
}

// RepeatAnswer compares the answers to two equal calls.
type RepeatAnswer string

// The answers to a repeated call.
const (
	SameAnswer  RepeatAnswer = "same"
	OtherAnswer RepeatAnswer = "differs"
)

// departures lists the violations of the wire contract that an endpoint's answer, or a request to
// it, can have.
func departures() []string {
	return []string{NoOutput, OutputNoString, ReplyTooLarge, RequestTooLarge, NoCallID, WrongCallID, NoScore}
}

// The violations of the wire contract.
const (
	NoOutput        = "no_output"         // a success without "output", or no JSON object at all
	OutputNoString  = "output_no_string"  // an output that is not a string
	ReplyTooLarge   = "reply_too_large"   // above 1 MB: the model sees an error instead
	RequestTooLarge = "request_too_large" // above 1 MB: a trainer may not send it
	NoCallID        = "no_call_id"        // an answer without the id of its call
	WrongCallID     = "wrong_call_id"     // an answer with the id of another call
	NoScore         = "no_score"          // a grader's success without a finite score
)

// BurstWriter writes a burst to a run.
type BurstWriter struct {
	dir     string
	redact  *Redactor
	release func() error // unlocks the run directory
}

// OpenBurst locks the run in dir against other writers until Close.
func OpenBurst(dir string, redact *Redactor) (*BurstWriter, error) {
	run, release, err := openLocked(dir)
	if err != nil {
		return nil, err
	}
	return &BurstWriter{run.Dir, redact, release}, nil
}

// Close unlocks the run directory.
func (w *BurstWriter) Close() error { return w.release() }

// Write replaces the run's burst. burst.json is written last: a kill leaves the old burst, no
// burst, or the new one.
func (w *BurstWriter) Write(b *Burst, calls []BurstCall) error {
	head := filepath.Join(w.dir, BurstFile)
	if err := os.Remove(head); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("replace %s: %w", head, err)
	}
	err := disk.ReplaceFile(filepath.Join(w.dir, CallsFile), func(write func([]byte) error) error {
		for i := range calls {
			line, err := json.Marshal(&calls[i])
			if err != nil {
				return err
			}
			if err := write(append(w.redact.JSON(line), '\n')); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	b.Schema, b.Calls = BurstSchema, len(calls)
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", head, err)
	}
	return disk.WriteFile(head, append(w.redact.JSON(text), '\n'))
}

// ReadBurst reads the burst of a run and yields its requests in the order of the
// file. A run without burst.json has none, which is not an error.
func ReadBurst(ctx context.Context, r *Run, yield func(*BurstCall) error) (*Burst, error) {
	path, ok := r.neighbour(BurstFile)
	text, err := disk.ReadFile(path)
	switch {
	case !ok || errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the burst: %w", err)
	}
	b := new(Burst)
	if err := jsontext.Unmarshal(text, b); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if b.Schema != BurstSchema {
		return nil, fmt.Errorf("read %s: its schema is %q, this version of gonogo reads %q", path, b.Schema, BurstSchema)
	}
	calls, _ := r.neighbour(CallsFile)
	return b, readBurstCalls(ctx, calls, b, yield)
}

func readBurstCalls(ctx context.Context, path string, b *Burst, yield func(*BurstCall) error) error {
	f, err := disk.Open(path)
	if err != nil {
		return fmt.Errorf("read the burst: %w", err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(make([]byte, 64<<10), 16<<20)
	n := 0
	for in.Scan() {
		if len(bytes.TrimSpace(in.Bytes())) == 0 {
			continue
		}
		if n++; n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var c BurstCall
		if err := jsontext.Unmarshal(in.Bytes(), &c); err != nil {
			return &LineError{File: path, Line: n, Err: err}
		}
		if c.Wave < 0 || c.Wave >= len(b.Waves) {
			return &LineError{File: path, Line: n, Err: fmt.Errorf("wave %d: %s knows %d", c.Wave, BurstFile,
				len(b.Waves))}
		}
		if err := yield(&c); err != nil {
			return err
		}
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if n != b.Calls {
		return fmt.Errorf("read %s: it holds %d requests where %s has %d: run gonogo burst again", path, n, BurstFile,
			b.Calls)
	}
	return nil
}
