package importer

import (
	"bytes"
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// compressedAs returns a text in two gzip members or two zstd frames.
func compressedAs(t *testing.T, kind, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, half := range []string{text[:len(text)/2], text[len(text)/2:]} {
		var w io.WriteCloser
		if w = gzip.NewWriter(&b); kind == "zstd" {
			var err error
			if w, err = zstd.NewWriter(&b); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := io.WriteString(w, half); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func TestCompressedLogsAreReadAsTheyAreUnpacked(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(samples)) {
		for _, kind := range []string{"gzip", "zstd"} {
			packed := sample(name)
			packed.Files[0].FS = fstest.MapFS{"log.json": {Data: compressedAs(t, kind, samples[name])}}
			f, got, err := importSource(t, "", packed)
			if strings.HasPrefix(samples[name], "PAR1") {
				want := "open log.json: the file is a Parquet file, compressed with " + kind + ": unpack it first"
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s with %s: %v", name, kind, err)
				}
				continue
			}
			_, want, wantErr := importSource(t, "", sample(name))
			if err != nil || wantErr != nil || f.Name != name {
				t.Errorf("%s with %s: read as %q, %v, %v", name, kind, f.Name, err, wantErr)
				continue
			}
			if diff := cmp.Diff(want.records, got.records); diff != "" {
				t.Errorf("%s with %s:\n%s", name, kind, diff)
			}
		}
	}
}

func TestCompressedFilesInDirectories(t *testing.T) {
	line := `{"item":"q1","reward":1}` + "\n"
	src := func(files fstest.MapFS) Source {
		return Source{Files: []File{{Name: "runs", FS: files, Path: "runs"}}}
	}
	_, g, err := importSource(t, "", src(fstest.MapFS{
		"runs/a/rollouts.jsonl.gz":  {Data: compressedAs(t, "gzip", line)},
		"runs/b/rollouts.jsonl.zst": {Data: compressedAs(t, "zstd", line)},
		"runs/c/rollouts.jsonl":     {Data: []byte(line)},
	}))
	if err != nil || len(g.records) != 3 {
		t.Errorf("%d records, %v", len(g.records), err)
	}
	_, err = Import(context.Background(), Formats(), "", src(fstest.MapFS{
		"runs/a/rollouts.jsonl":    {Data: []byte(line)},
		"runs/b/rollouts.jsonl.xz": {Data: []byte("\xfd7zXZ\x00\x00\x04")},
	}), Sink{})
	if want := "open runs/b/rollouts.jsonl.xz: the file is compressed with xz: unpack it first (xz -dk FILE)"; err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
}

// The name of a log may say the task; the ending of a compression is no part of it.
func TestNamesOfCompressedFiles(t *testing.T) {
	if got := lmEvalTask("out/samples_gsm8k_2026-01-31T10-00-00.000000.jsonl.gz"); got != "gsm8k" {
		t.Errorf("the task is %q", got)
	}
	if got := RunName("/runs/a/rollouts.jsonl.zst"); got != "rollouts" {
		t.Errorf("the name is %q", got)
	}
}
