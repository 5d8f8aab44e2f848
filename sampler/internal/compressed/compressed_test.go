package compressed

import (
	"archive/tar"
	"bytes"
	"encoding/base64"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const text = `{"item":"q1","reward":1}` + "\n"

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zstandard(t *testing.T, text string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return string(w.EncodeAll([]byte(text), nil))
}

// bzip2Text is text compressed by bzip2 1.0.8, in base64.
const bzip2Text = "QlpoOTFBWSZTWYkmscMAAAvZgAAQEAQgECYiNIogACKaepo9QPKFMABNHfZZJ6LUacBQoYa+LuSKcKEhEk1jhg=="

func bzipped(t *testing.T) string {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(bzip2Text)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func unpacked(file string, limit int64) (string, error) {
	rd, err := NewReader(strings.NewReader(file), limit)
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(rd)
	return string(b), err
}

func TestWhatIsCompressedIsUnpacked(t *testing.T) {
	skippable := "\x50\x2a\x4d\x18\x02\x00\x00\x00hi" // RFC 8878, 3.1.2: a frame of two bytes that are no content
	for name, file := range map[string]string{
		"plain text":                   text + text,
		"one gzip member":              gzipped(t, text+text),
		"two gzip members":             gzipped(t, text) + gzipped(t, text),
		"many small gzip members":      strings.Repeat(gzipped(t, text[:len(text)/2])+gzipped(t, text[len(text)/2:]), 2),
		"a gzip member, then zeros":    gzipped(t, text+text) + strings.Repeat("\x00", 512),
		"one zstd frame":               zstandard(t, text+text),
		"two zstd frames":              zstandard(t, text) + zstandard(t, text),
		"zstd after a skippable frame": skippable + zstandard(t, text+text),
		"two bzip2 streams":            bzipped(t) + bzipped(t),
	} {
		got, err := unpacked(file, 0)
		if err != nil || got != text+text {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if got, err := unpacked("", 0); got != "" || err != nil {
		t.Errorf("an empty file: %q, %v", got, err)
	}
	if got, err := unpacked("BZh is how this text begins", 0); got != "BZh is how this text begins" || err != nil {
		t.Errorf("a text that begins as bzip2 does: %q, %v", got, err)
	}
}

func TestWhatIsNotReadIsNamed(t *testing.T) {
	tape := new(bytes.Buffer)
	w := tar.NewWriter(tape)
	if err := w.WriteHeader(&tar.Header{Name: "a", Size: 0, Format: tar.FormatUSTAR}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ file, want string }{
		"xz":                 {"\xfd7zXZ\x00\x00\x04", "compressed with xz: unpack it first (xz -dk FILE)"},
		"an LZ4 frame":       {"\x04\x22\x4d\x18\x64", "compressed with LZ4: unpack it first (lz4 -d FILE)"},
		"compress":           {"\x1f\x9d\x90", "compressed with compress: unpack it first (uncompress FILE)"},
		"Parquet in gzip":    {gzipped(t, "PAR1abc"), "the file is a Parquet file, compressed with gzip: unpack it first (gzip -dk FILE)"},
		"tar in gzip":        {gzipped(t, tape.String()), "the file is a tar archive, compressed with gzip"},
		"zip in zstd":        {zstandard(t, "PK\x03\x04"), "the file is a zip archive, compressed with zstd: unpack it first (zstd -d FILE)"},
		"gzip in gzip":       {gzipped(t, gzipped(t, text)), "the file is a gzip file, compressed with gzip"},
		"a gzip file cut":    {gzipped(t, text)[:20], "compressed with gzip, and it was cut off"},
		"a zstd file cut":    {zstandard(t, text)[:20], "compressed with zstd, and it was cut off"},
		"gzip with no text":  {"\x1f\x8bhello, world", "compressed with gzip, and it is broken"},
		"more than is taken": {gzipped(t, strings.Repeat(text, 1<<17)), "unpacked it has more than 2 MB: split it"},
	} {
		if _, err := unpacked(c.file, 2<<20); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// A file of zeros unpacks to a thousand times its size (gzip) and far more (zstd).
func TestBombsEnd(t *testing.T) {
	zeros := strings.Repeat("\x00", 1<<20)
	var gz bytes.Buffer
	w := gzip.NewWriter(&gz)
	z := new(bytes.Buffer)
	zw, err := zstd.NewWriter(z)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 * free >> 20 {
		for _, to := range []io.Writer{w, zw} {
			if _, err := io.WriteString(to, zeros); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []io.Closer{w, zw} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for name, file := range map[string]string{"gzip": gz.String(), "zstd": z.String()} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		rd, err := NewReader(strings.NewReader(file), 0)
		if err == nil {
			_, err = io.Copy(io.Discard, rd)
		}
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "more than 500 times its size") {
			t.Errorf("%s: %v", name, err)
		}
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 24 {
			t.Errorf("%s: reading %d bytes took %d MB", name, len(file), took)
		}
	}
}
