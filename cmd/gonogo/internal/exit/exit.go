package exit

import (
	"context"
	"errors"
	"fmt"
	"syscall"
)

// The exit codes, the same in every command.
const (
	OK          = 0
	Tool        = 1
	Usage       = 2
	NoGo        = 3
	Undecided   = 4
	Budget      = 5
	Interrupted = 130
)

// Error carries an exit code; its error is nil if there is no message, as for a verdict.
type Error struct {
	Code int
	Err  error
}

// Error returns the text of the cause, or the exit code if there is none.
func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Usagef returns an error of usage or configuration: exit code 2.
func Usagef(format string, args ...any) error {
	return &Error{Usage, fmt.Errorf(format, args...)}
}

// Answer returns a verdict as an error: nil if the code is OK.
func Answer(code int) error {
	if code == OK {
		return nil
	}
	return &Error{Code: code}
}

// AsUsage marks an error as one of usage or configuration, unless the context ended, it already
// carries a code, or the disk is full, which is always the tool's failure.
func AsUsage(err error) error {
	var coded *Error
	if err == nil || errors.As(err, &coded) || errors.Is(err, context.Canceled) || full(err) {
		return err
	}
	return &Error{Usage, err}
}

// full reports whether a disk, a quota or a file size limit was exceeded.
func full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// Split returns the errors that errors.Join joined.
func Split(err error) []error {
	many, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var out []error
	for _, one := range many.Unwrap() {
		out = append(out, Split(one)...)
	}
	return out
}

// Meaning says what an exit code means.
func Meaning(code int) string {
	switch code {
	case OK:
		return "GO, GO so far or done"
	case Usage:
		return "usage or configuration error"
	case NoGo:
		return "NO-GO, or regressed"
	case Undecided:
		return "UNDECIDED, or cannot tell"
	case Budget:
		return "stopped by a budget; run again to resume"
	case Interrupted:
		return "interrupted; run again to resume"
	}
	return "gonogo failed"
}
