package report

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"gonogo/sampler/rollout"
)

// meter counts what is written, and looks now and then at how much memory the
// process holds.
type meter struct{ writes, bytes, peak int }

func (m *meter) Write(b []byte) (int, error) {
	if m.writes%32 == 0 {
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		m.peak = max(m.peak, int(s.HeapInuse+s.StackInuse))
	}
	m.writes++
	m.bytes += len(b)
	return len(b), nil
}

// The tables are made as the run is read: of 100,000 rollouts within 300 MB
// under GONOGO_DEEP=1, of a few hundred without it.
func TestDeepTablesAreStreamed(t *testing.T) {
	sizes := [][2]int{{500, 4 << 10}}
	if os.Getenv("GONOGO_DEEP") != "" {
		sizes = [][2]int{{20_000, 20 << 10}, {100_000, 1 << 10}}
	}
	for _, size := range sizes {
		dir := t.TempDir()
		longRun(t, dir, size[0], size[1])
		p := &RunPage{common: common{Options: Options{Rollouts: rolloutsOf(dir)}}, Result: page(t, "tiny").Result}
		for _, f := range Formats() {
			if !f.Rollouts {
				continue
			}
			runtime.GC()
			p.survey = nil
			m, begin := new(meter), time.Now()
			if err := f.Write(m, p); err != nil {
				t.Fatal(err)
			}
			t.Logf("%d rollouts of %d KB to %s: %.1f s, %.1f MB, at most %d MB of memory", size[0], size[1]>>10, f.File, time.Since(begin).Seconds(), float64(m.bytes)/1e6, m.peak>>20)
			if m.peak > 300<<20 {
				t.Errorf("%s of %d rollouts took %d MB", f.File, size[0], m.peak>>20)
			}
		}
	}
}

// longRun writes a run of n rollouts with a text of so many bytes each.
func longRun(t testing.TB, dir string, n, size int) {
	t.Helper()
	file, err := os.Create(filepath.Join(dir, rollout.RolloutsFile))
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(file, 1<<20)
	said := strings.Repeat("lorem ipsum dolor ", size/18)
	for i := range n {
		fmt.Fprintf(w, `{"item":"item-%05d","split":"train","sample":%d,"source":"live","outcome":"graded","reward":%.4f,"parts":{"correct":%d,"style":%.3f},"answer":"%d","turns":3,"messages":[{"role":"assistant","content":"%s"}],"calls":[{"turn":0,"name":"search","arguments":"{\"q\":\"x\"}","output":"found","status":"ok","elapsed_s":0.25}],"usage":{"input_tokens":%d,"output_tokens":%d},"trace_id":"%032x","started_at":"2026-11-20T09:00:%02d.%06dZ","elapsed_s":%d.5}`+"\n",
			i/8, i%8, float64(i*7919%10007)/10007, i%2, float64(i%17)/17, i, said, 1000+i%977, 100+i%89, i, i%60, i%1_000_000, i%40)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
