package archive

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAPilotIsReadFromItsRun(t *testing.T) {
	dir := t.TempDir()
	if r, err := ReadPilot(dir); r != nil || err != nil {
		t.Errorf("without a pilot: %v, %v", r, err)
	}
	file := filepath.Join(dir, PilotFile)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{"schema":"gonogo/pilot/1","verdict":{"answer":"NO-GO"},"exit_code":3,"reward_range":[0,1]}`: "",
		`{"schema":"gonogo/pilot/1","ver`: "pilot.json: decode the pilot: unexpected EOF: run gonogo pilot again",
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := ReadPilot(dir)
		if want == "" && (err != nil || r.ExitCode != 3) || want != "" && (err == nil || !strings.HasSuffix(err.Error(), want)) {
			t.Errorf("%s: %v, %v; want %q", text, r, err, want)
		}
	}
	lonely := filepath.Join(dir, "rollouts.jsonl")
	if err := os.WriteFile(lonely, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if r, err := ReadPilot(lonely); r != nil || err != nil {
		t.Errorf("a run that is a file: %v, %v", r, err)
	}
}
