package archive

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"gonogo/analysis/history"
	"gonogo/sampler/rollout"
)

func TestANightsNameIsNeverTakenTwice(t *testing.T) {
	h := &History{Dir: t.TempDir(), Nights: []history.Night{{Name: "2026-11-20T0200Z"}}} // its rollouts are gone
	if name := h.NewName(time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)); name != "2026-11-20T0200Z-2" {
		t.Errorf("the night is called %s", name)
	}
}

func TestNamesOfNights(t *testing.T) {
	for name, want := range map[string]bool{
		"2026-11-20T0200Z": true, "2026-11-20T0200Z-2": true, "2026-11-20T0200Z-12": true,
		"": false, "tryout": false, "2026-11-20": false, "2026-11-20T0200Z-": false, "2026-11-20T0200Z-mine": false,
		"2026-11-20T0200Z2": false, "2026-13-20T0200Z": false, "mine-2026-11-20T0200Z": false,
	} {
		if got := ofNight(name); got != want {
			t.Errorf("%q is the name of a night: %v, want %v", name, got, want)
		}
	}
}

func TestPruneKeepsWhatLaterNightsNeed(t *testing.T) {
	const n1, n2, n3, n4, n5 = "2026-11-01T0200Z", "2026-11-02T0200Z", "2026-11-03T0200Z", "2026-11-03T0200Z-2", "2026-11-05T0200Z"
	h := &History{Dir: t.TempDir()}
	for _, name := range []string{n1, n2, n3, n4, n5, "tryout", "mine", "../outside"} {
		if err := os.MkdirAll(h.Run(name), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{rollout.ManifestFile, rollout.RolloutsFile} {
			if name == "mine" {
				file = "notes.txt"
			}
			if err := os.WriteFile(filepath.Join(h.Run(name), file), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	night := func(name string, good bool, base string) history.Night {
		return history.Night{Name: name, Good: good, Base: base, Split: "eval", Made: map[string]string{}}
	}
	h.Nights = []history.Night{
		night(n1, true, ""), night(n2, true, n1), night(n3, true, n2), night(n4, false, n3),
		night("../outside", false, ""), night(n5, false, n3),
	}
	removed, err := h.Prune(t.Context(), 1)
	if err != nil || removed != 3 {
		t.Errorf("%d removed, %v; want n1, n2 and n4", removed, err)
	}
	for name, want := range map[string]bool{n1: false, n2: false, n3: true, n4: false, n5: true, "tryout": true, "mine": true, "../outside": true} {
		if _, err := os.Stat(h.Run(name)); (err == nil) != want {
			t.Errorf("%s: there %v, want %v", name, err == nil, want)
		}
	}
	if outside := h.Nights[4]; h.There(t.Context())(&outside) {
		t.Error("a name that leads out of the directory is taken for a night at hand")
	}
}
