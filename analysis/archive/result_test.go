package archive

import (
	"os"
	"path/filepath"
	"testing"

	"gonogo/analysis"
)

// A run that may only be read could not be reported: its result was written again though
// nothing of it had changed.
func TestAResultIsWrittenWhenItChanged(t *testing.T) {
	dir := t.TempDir()
	look := func(r *analysis.Result) os.FileInfo {
		t.Helper()
		if err := WriteResult(dir, r); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(dir, ResultFile))
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	r := &analysis.Result{RewardRange: [2]float64{0, 1}, GroupSize: 8, Confidence: 0.95}
	first := look(r)
	if again := look(r); !os.SameFile(first, again) {
		t.Error("a result that did not change replaced the file")
	}
	r.GroupSize = 4
	if other := look(r); os.SameFile(first, other) {
		t.Error("another result did not replace the file")
	}
}
