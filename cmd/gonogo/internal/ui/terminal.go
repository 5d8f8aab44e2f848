package ui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
)

// Confirm asks whether to begin.
func Confirm(in io.Reader, out io.Writer) error {
	fmt.Fprint(out, "Begin? [y/N] ")
	answer, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return &exit.Error{Code: exit.Interrupted, Err: errors.New("stopped by your answer; nothing was sampled")}
}

// ExitCode prints the errors and returns the exit code: that of the first error, or 1 if the tool
// itself also failed.
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
			fmt.Fprintf(stderr, "gonogo: %s\n", console.Visible(one.Error()))
		}
		if code == exit.OK || now == exit.Tool {
			code = now
		}
	}
	return code
}
