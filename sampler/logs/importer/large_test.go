package importer

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"gonogo/sampler/rollout"
)

// made is a file system with one file, which is made while it is read: begin,
// n parts, end.
type made struct {
	begin, end string
	n          int
	part       func(i int) string
}

func (m made) Open(name string) (fs.File, error) {
	if name != "log" {
		return nil, fs.ErrNotExist
	}
	return &madeFile{made: m, rest: m.begin}, nil
}

type madeFile struct {
	made
	rest string
	next int
}

// Read hands on what is there, at most one part.
func (f *madeFile) Read(p []byte) (int, error) {
	for f.rest == "" {
		switch {
		case f.next < f.n:
			f.rest = f.part(f.next)
		case f.next == f.n:
			f.rest = f.end
		default:
			return 0, io.EOF
		}
		f.next++
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

func (f *madeFile) Close() error               { return nil }
func (f *madeFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *madeFile) Name() string               { return "log" }
func (f *madeFile) Size() int64                { return 0 }
func (f *madeFile) Mode() fs.FileMode          { return 0 }
func (f *madeFile) ModTime() time.Time         { return time.Time{} }
func (f *madeFile) IsDir() bool                { return false }
func (f *madeFile) Sys() any                   { return nil }

// agentTalk is a conversation of about 20 KB in JSON: ten calls and answers.
func agentTalk(toolCall string) string {
	words := strings.Repeat(`the quick \"brown\" fox, said the café; `, 45)
	var b strings.Builder
	b.WriteString(`[{"role":"user","content":"look"}`)
	for i := range 10 {
		fmt.Fprintf(&b, `,{"role":"assistant","content":"I look","tool_calls":[%s]},{"role":"tool","tool_call_id":"c%d","content":"%s"}`, fmt.Sprintf(toolCall, i), i, words)
	}
	return b.String() + `,{"role":"assistant","content":"done"}]`
}

const (
	chatCall    = `{"id":"c%d","type":"function","function":{"name":"search","arguments":"{\"q\":\"fox\"}"}}`
	inspectCall = `{"id":"c%d","type":"function","function":"search","arguments":{"q":"fox"}}`
)

// largeLogs are logs of n rollouts of some 20 KB each, four to an item.
func largeLogs(n int) map[string]Source {
	chat, inspect := agentTalk(chatCall), agentTalk(inspectCall)
	of := func(begin, end, separator string, part func(i int) string) Source {
		return Source{Files: []File{{Name: "log", Path: "log", FS: made{begin, end, n, func(i int) string {
			if i == 0 {
				return part(i)
			}
			return separator + part(i)
		}}}}}
	}
	logs := map[string]Source{
		"verifiers": of("", "\n", "\n", func(i int) string {
			return fmt.Sprintf(`{"example_id":%d,"prompt":"look","completion":%s,"reward":0.5,"metrics":{"a":0.5},"is_completed":true,"timing":{"start_time":%d,"total":3}}`, i/4, chat, i)
		}),
		"eval-protocol": of("", "\n", "\n", func(i int) string {
			return fmt.Sprintf(`{"messages":%s,"input_metadata":{"row_id":"r%d"},"evaluation_result":{"score":0.5},"execution_metadata":{"run_id":"run%d"}}`, chat, i/4, i%4)
		}),
		"promptfoo": of(`{"evalId":"e","results":{"version":3,"results":[`, `]}}`, ",\n", func(i int) string {
			return fmt.Sprintf(`{"promptIdx":0,"testIdx":%d,"provider":{"id":"p"},"vars":{"i":%d},"score":0.5,"failureReason":0,"response":{"output":"x","raw":{"talk":%s}}}`, i, i/4, chat)
		}),
		"inspect": of(strings.TrimSuffix(inspectHead, "}")+`,"samples":[`, `]}`, ",\n", func(i int) string {
			return fmt.Sprintf(`{"id":%d,"epoch":%d,"messages":%s,"events":%s,"scores":{"s":{"value":"C"}}}`, i/4, i%4+1, inspect, inspect)
		}),
	}
	for format, l := range largeLogsOfLines() {
		logs[format] = of(l.begin, l.end, l.separator, l.part)
	}
	return logs
}

// peak imports a source and returns how many records it had and how much
// memory it took at most.
func peak(t *testing.T, format string, src Source) (records int, megabytes uint64) {
	t.Helper()
	runtime.GC()
	var m runtime.MemStats
	_, err := Import(context.Background(), Formats(), format, src, Sink{
		Item: func(rollout.Item) error { return nil },
		Record: func(*rollout.Record) error {
			if records++; records%100 == 0 {
				runtime.ReadMemStats(&m)
				megabytes = max(megabytes, (m.HeapInuse+m.StackInuse)>>20)
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return records, megabytes
}

// A log of 2 GB takes at most 200 MB; of 4 MB where GONOGO_DEEP is not set.
func TestDeepLargeLogs(t *testing.T) {
	rollouts := 200
	if os.Getenv("GONOGO_DEEP") != "" {
		rollouts = 100_000
	}
	logs := largeLogs(rollouts)
	logs["inspect, an archive"] = largeArchive(t, rollouts)
	for name, src := range logs {
		t.Run(name, func(t *testing.T) {
			format, _, _ := strings.Cut(name, ",")
			begin := time.Now()
			records, megabytes := peak(t, format, src)
			t.Logf("%d rollouts in %v, %d MB at most", records, time.Since(begin).Round(time.Millisecond), megabytes)
			if records != rollouts || megabytes > 200 {
				t.Errorf("%d rollouts and %d MB: want %d and at most 200", records, megabytes, rollouts)
			}
		})
	}
}

// largeArchive is an .eval on disk of n samples.
func largeArchive(t testing.TB, n int) Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), "large.eval")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := zip.NewWriter(f)
	member := func(name, text string) {
		m, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(m, text); err != nil {
			t.Fatal(err)
		}
	}
	talk := agentTalk(inspectCall)
	for i := range n {
		member(fmt.Sprintf("samples/%d_epoch_%d.json", i/4, i%4+1), fmt.Sprintf(`{"id":%d,"epoch":%d,"messages":%s,"scores":{"s":{"value":"C"}}}`, i/4, i%4+1, talk))
	}
	member("header.json", inspectHead)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return Paths(Options{}, path)
}

// BenchmarkImport reads logs of 2,000 rollouts of some 20 KB each, without
// writing them.
func BenchmarkImport(b *testing.B) {
	benchmarkImport(b, func() Sink { return Sink{} })
}

// BenchmarkImportDirectory writes the run directory, too.
func BenchmarkImportDirectory(b *testing.B) {
	benchmarkImport(b, func() Sink {
		run := Directory{Dir: b.TempDir()}
		b.Cleanup(func() {
			if err := run.TakeBack(); err != nil {
				b.Error(err)
			}
		})
		return run.Sink()
	})
}

func benchmarkImport(b *testing.B, sink func() Sink) {
	const rollouts = 2000
	logs := largeLogs(rollouts)
	logs["inspect,eval"] = Source{}
	for name, src := range logs {
		b.Run(name, func(b *testing.B) {
			format, _, archive := strings.Cut(name, ",")
			size := rollouts * int64(len(agentTalk(inspectCall))) // unpacked, without a hundred bytes of each sample
			if archive {
				src = largeArchive(b, rollouts)
			} else {
				f, err := src.Files[0].Open()
				if err != nil {
					b.Fatal(err)
				}
				if size, err = io.Copy(io.Discard, f); err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Import(context.Background(), Formats(), format, src, sink()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What remembers the items of a table does not remember the text of their rows.
func TestTableRowsAreForgotten(t *testing.T) {
	const rows, long = 300, 100_000
	text := strings.Repeat("x", long)
	src := Source{Files: []File{{Name: "log", Path: "log", FS: made{"item,reward,note\n", "", rows, func(i int) string { return fmt.Sprintf("q%d,1,%s\n", i, text) }}}}}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	n := 0
	_, err := Import(context.Background(), Formats(), "csv", src, Sink{Record: func(*rollout.Record) error {
		if n++; n == rows {
			runtime.GC()
			runtime.ReadMemStats(&after)
		}
		return nil
	}})
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); err != nil || n != rows || grown > rows*long/4 {
		t.Errorf("%d rows, %v: %d MB of %d are kept", n, err, grown>>20, rows*long>>20)
	}
}
