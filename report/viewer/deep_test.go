package viewer

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"gonogo/sampler/rollout"
)

// TestLongDeepTwentyThousandTranscripts makes an index of 20,000 rollouts of 20 KB
// (with GONOGO_DEEP=1; else of 600), opens it again, and searches it for what
// is often there, seldom, and never.
func TestLongDeepTwentyThousandTranscripts(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	deep(t, 20_000, 600, 20<<10)
}

// TestDeepHundredThousandRollouts does so with 100,000 (else 1,500) short ones.
func TestDeepHundredThousandRollouts(t *testing.T) { deep(t, 100_000, 1_500, 2<<10) }

func deep(t *testing.T, lines, few, size int) {
	full := os.Getenv("GONOGO_DEEP") != ""
	if !full {
		lines = few
	}
	dir := t.TempDir()
	bytes := filled(t, dir, lines, size)
	debug.FreeOSMemory()
	began := time.Now()
	x := opened(t, dir)
	took := time.Since(began)
	t.Logf("%d lines, %d MB: made in %v, %.0f MB/s", lines, bytes>>20, took.Round(time.Millisecond), float64(bytes)/1e6/took.Seconds())
	for _, query := range []string{"kalo", "MIT", "Needle", "never said", "zaroze", "xqz", "答案"} {
		began := time.Now()
		var first time.Duration
		n := 0
		_, _, err := x.Search(context.Background(), query, 0, nil, func(Hit) bool {
			if n++; n == 1 {
				first = time.Since(began)
			}
			return n < 200
		})
		if err != nil {
			t.Fatal(err)
		}
		whole := time.Since(began)
		if query == "Needle" && n != 1 {
			t.Errorf("%d hits for what stands in the last line alone", n)
		}
		t.Logf("search %q: first of %d hits in %v, all in %v", query, n, first.Round(time.Millisecond/10), whole.Round(time.Millisecond))
		if full && first > 300*time.Millisecond {
			t.Errorf("search %q: first hit after %v", query, first)
		}
	}
	ready(t, x, func(s State) bool { return s.Kept })
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, IndexFile)); err == nil {
		t.Logf("kept in %d MB", info.Size()>>20)
	}
	debug.FreeOSMemory()
	began = time.Now()
	x = opened(t, dir)
	took = time.Since(began)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Logf("opened again in %v; heap %d MB, from the system %d MB", took.Round(time.Millisecond), m.HeapAlloc>>20, m.Sys>>20)
	if s, _ := x.State(); s.Note != "" || s.Lines != lines {
		t.Errorf("opened again it is %+v", s)
	}
	if full && took > time.Second {
		t.Errorf("it takes %v to open it again", took)
	}
	if full && m.Sys > 300<<20 {
		t.Errorf("the process takes %d MB", m.Sys>>20)
	}
}

// filled writes lines of rollouts.
func filled(t *testing.T, dir string, lines, size int) (written int64) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, rollout.RolloutsFile))
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	const part = 1000
	for at := 0; at < lines-1; at += part {
		text := corpus(min(part, lines-1-at), size, at)
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
		written += int64(len(text))
	}
	w.WriteString(`{"item":"last","reward":1,"answer":"a NEEDLE"}` + "\n")
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return written
}
