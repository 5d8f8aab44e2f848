package training

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gonogo/analysis"
	"gonogo/analysis/pilot"
	"gonogo/sampler/rollout/disk"
)

// A pilot waits for the moment in which another process writes pilot.json, and names the file if that
// does not end. Looks that the other one fixed meanwhile replace its own.
func TestPilotJSONIsSharedByProcesses(t *testing.T) {
	p := &Pilot{dir: filepath.Join(t.TempDir(), "run", pilotDir), judged: &analysis.Result{}}
	if err := p.plan(); err != nil {
		t.Fatal(err)
	}
	result := &pilot.Result{Schema: pilot.Schema, Planned: p.looks}
	synctest.Test(t, func(t *testing.T) {
		release, err := disk.Lock(p.dir, pilotLock)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.write(t.Context(), result); err == nil ||
			!strings.Contains(err.Error(), filepath.Join(p.dir, PilotFile)+": another process (pid ") {
			t.Errorf("while another process has the file: %v", err)
		}
		time.AfterFunc(time.Second, func() { _ = release() })
		if written, err := p.write(t.Context(), result); !written || err != nil {
			t.Errorf("written %t, %v", written, err)
		}
	})
	text, err := os.ReadFile(filepath.Join(p.dir, PilotFile))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(p.dir, PilotFile), strings.Replace(string(text), `"step": 10`, `"step": 15`, 1))
	if written, err := p.write(t.Context(), result); written || err != nil || p.looks[0].Step != 15 {
		t.Errorf("other looks were fixed: written %t, %v, looks %v", written, err, p.looks)
	}
}
