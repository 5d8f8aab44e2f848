package queue

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
)

func TestTheTraceOfAQueue(t *testing.T) {
	dir := t.TempDir()
	if _, ok := ReadTrace(dir); ok || HasFiles(dir) {
		t.Error("a trace is found where none was left")
	}
	want := Trace{Queue: "nats://localhost:4222", Run: "r1"}
	if err := errors.Join(want.Write(dir), os.Mkdir(filepath.Join(dir, filesDir), 0o755)); err != nil {
		t.Fatal(err)
	}
	if got, ok := ReadTrace(dir); !ok || got != want || !HasFiles(dir) {
		t.Errorf("%+v, %t; want %+v", got, ok, want)
	}
	if err := RemoveTrace(dir); err != nil {
		t.Fatal(err)
	}
	if _, ok := ReadTrace(dir); ok || HasFiles(dir) {
		t.Error("it is still there")
	}
	for _, text := range []string{"{", `{"run":"r1"}`, `{"queue":"` + strings.Repeat("x", 1<<17) + `"}`} {
		if err := os.WriteFile(filepath.Join(dir, TraceFile), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, ok := ReadTrace(dir); ok {
			t.Errorf("%.20s is read as %.20v", text, got)
		}
	}
}

func TestAWorkerHereThatFailsEndsThePlanner(t *testing.T) {
	broken := errors.New("no interpreter")
	for what, c := range map[string]struct {
		fails  error
		waits  bool  // the planner, until its context ends
		ended  error // of the planner
		caused error
	}{
		"all is made": {nil, false, nil, context.Canceled},
		"the worker fails, and the planner hangs": {broken, true, nil, broken},
		"the worker fails, and the planner ends":  {broken, false, errors.New("told by the worker"), nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, end := WorkHere(t.Context(), func(_ context.Context, drain <-chan struct{}) error {
				if c.fails == nil {
					<-drain
				}
				return c.fails
			})
			if c.waits {
				<-ctx.Done()
			}
			end(c.ended)
			want := c.caused
			if c.ended != nil {
				want = c.ended
			}
			if got := context.Cause(ctx); !errors.Is(got, want) {
				t.Errorf("%s: %v, want %v", what, got, want)
			}
		})
	}
}
