package main

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"
)

// The race detector finds what calls of run share.
func TestRunMayBeCalledConcurrently(t *testing.T) {
	var calls errgroup.Group
	for range 4 {
		calls.Go(func() error {
			for _, args := range [][]string{{"gonogo", "analyze", "--help"}, {"gonogo", "help", "gates"}} {
				if code := run(t.Context(), args, strings.NewReader(""), io.Discard, io.Discard); code != 0 {
					return fmt.Errorf("%q: exit code %d", args, code)
				}
			}
			return nil
		})
	}
	if err := calls.Wait(); err != nil {
		t.Error(err)
	}
}
