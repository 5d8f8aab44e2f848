//go:build !noserver

package queue

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"gonogo/sampler"
)

func TestAHandoutLeavesNothingOfACompleteRun(t *testing.T) {
	dir := t.TempDir()
	quiet := func() *slog.Logger { return slog.New(slog.DiscardHandler) }
	for _, c := range []struct {
		what  string
		ends  sampler.Stats
		stays bool
	}{
		{"Ctrl-C ends the first call", sampler.Stats{StoppedBy: sampler.StoppedByDrain}, true},
		{"the second makes the rest", sampler.Stats{}, false},
	} {
		h := &Handout{Dir: dir, Plan: Plan{Run: "r1", Fingerprint: "f"}, Address: Address{URL: Embedded}, Shown: Embedded, Log: quiet, Here: ThisWorker(1, "v1")}
		joined := make(chan string, 1)
		_, planner, ended, err := h.Open(t.Context(), func(_ context.Context, m *Member, drain <-chan struct{}) error {
			joined <- m.Run()
			<-drain
			return nil
		})
		if err != nil || planner == nil || <-joined != "r1" {
			t.Fatalf("%s: %v", c.what, err)
		}
		if at, ok := ReadTrace(dir); !ok || at.Queue != Embedded {
			t.Errorf("%s: trace %+v, %t", c.what, at, ok)
		}
		ended(c.ends, nil)
		if err := h.Close(); err != nil || h.Makers() != 1 || h.PaidTwice() != 0 {
			t.Errorf("%s: %v, %d workers, %d paid twice", c.what, err, h.Makers(), h.PaidTwice())
		}
		if _, stays := ReadTrace(dir); stays != c.stays {
			t.Errorf("%s: the trace stays: %t", c.what, stays)
		}
	}
}

func TestAHandoutWhoseServerCannotBeCalledIsClosed(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h := &Handout{Dir: t.TempDir(), Plan: Plan{Run: "r1"}, Address: Address{URL: Embedded}, Log: func() *slog.Logger { return slog.New(slog.DiscardHandler) }}
	if _, _, _, err := h.Open(ctx, nil); err == nil {
		t.Error("a queue was opened after the end")
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

func TestAHandoutThatIsWholeAlreadyIsClearedAway(t *testing.T) {
	h := &Handout{Dir: t.TempDir(), Address: Address{URL: Embedded}}
	if err := errors.Join(h.Finish(t.Context()), h.Close()); err != nil {
		t.Errorf("with no trace: %v", err)
	}
	if err := (Trace{Queue: Embedded, Run: "r1"}).Write(h.Dir); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(h.Finish(t.Context()), h.Close()); err != nil {
		t.Error(err)
	}
	if _, stays := ReadTrace(h.Dir); stays {
		t.Error("the trace stays")
	}
}

func TestARunThatCannotBeDescribedIsRefused(t *testing.T) {
	secret := errors.New("holds a secret")
	h := &Handout{
		Dir: t.TempDir(), Address: Address{URL: "nats://localhost:1"},
		Describe: func(context.Context) ([]byte, error) { return nil, secret },
	}
	_, _, _, err := h.Open(t.Context(), nil)
	if refused, ok := errors.AsType[*RefusedError](err); !ok || !errors.Is(refused, secret) || refused.Error() != secret.Error() {
		t.Errorf("%v", err)
	}
}
