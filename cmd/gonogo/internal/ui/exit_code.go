package ui

import (
	"context"
	"errors"
	"fmt"
	"io"

	"gonogo/cmd/gonogo/internal/exit"
)

// ExitCode prints what there is to say and returns the exit code: that of the
// first error, or 1 when the tool itself failed as well.
func ExitCode(stderr io.Writer, err error) int {
	if err == nil {
		return exit.OK
	}
	code := exit.OK
	for _, one := range exit.Split(err) {
		now := exit.Tool
		var coded *exit.Error
		switch {
		case errors.As(one, &coded):
			now = coded.Code
		case errors.Is(one, context.Canceled):
			now = exit.Interrupted
		}
		if coded == nil || coded.Err != nil {
			fmt.Fprintf(stderr, "gonogo: %s\n", Visible(one.Error()))
		}
		if code == exit.OK || now == exit.Tool {
			code = now
		}
	}
	return code
}
