package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"gonogo/analysis/archive"
	"gonogo/analysis/history"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/rollout"
)

// begunNight leaves a night as a kill does: a run without a line.
func begunNight(t *testing.T, h *nightRun, p *project.Project, name string, began time.Time) {
	t.Helper()
	m := p.Manifest(h.Run(name))
	m.Started = began
	w, err := rollout.Create(h.Run(name), m, p.Inputs.Items, rollout.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestANightThatWasBrokenOff(t *testing.T) {
	now := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		what  string
		began time.Time
		with  func(*project.Project) // what the next call changes
		name  string
		said  string
	}{
		{"an hour ago: goes on", now.Add(-time.Hour), nil, "2026-11-19T2345Z", "continuing it"},
		{"a day ago: another night", now.Add(-24 * time.Hour), nil, "2026-11-20T0200Z", "more than 12 hours away"},
		{"tomorrow, by a clock that went backwards", now.Add(24 * time.Hour), nil, "2026-11-20T0200Z", "more than 12 hours away"},
		{
			"an hour ago, with another model", now.Add(-time.Hour), func(p *project.Project) { p.Config.Model.Name = "another" },
			"2026-11-20T0200Z", "made with other settings",
		},
	} {
		p := tinyProject(t)
		h := &nightRun{History: &archive.History{Dir: t.TempDir()}}
		begunNight(t, h, p, "2026-11-19T2345Z", c.began)
		begunNight(t, h, p, "tryout", c.began) // somebody's own, and newer by its name
		if c.with != nil {
			c.with(p)
		}
		if name, said := h.tonight(p, now); name != c.name || !strings.Contains(said, c.said) {
			t.Errorf("%s: night %s, %q; want %s, %q", c.what, name, said, c.name, c.said)
		}
	}
}

// A night that replays another one tests nothing; one of other items cannot be compared.
func TestANightHasANewSeedAndTheSameItems(t *testing.T) {
	p := tinyProject(t)
	p.Config.Seed, p.Config.Items = nil, 4
	h := &nightRun{History: &archive.History{Dir: t.TempDir()}}
	var items [][]rollout.Item
	seeds := make(map[uint64]bool)
	for range 3 {
		h.tonight(p, time.Now())
		items, seeds[p.Inputs.Seed] = append(items, p.Inputs.Items), true
		h.Nights = append(h.Nights, history.Night{Good: true, Seed: p.Inputs.Seed, ItemsSeed: p.Inputs.DrawnBy}, history.Night{Seed: 1})
	}
	if len(seeds) != 3 || !reflect.DeepEqual(items[0], items[1]) || !reflect.DeepEqual(items[0], items[2]) {
		t.Errorf("%d seeds in 3 nights; items %v", len(seeds), items)
	}
	zero := uint64(0) // a seed as any other
	h.Nights = append(h.Nights, history.Night{Good: true, Seed: 5, ItemsSeed: &zero})
	if h.tonight(p, time.Now()); *p.Inputs.DrawnBy != 0 {
		t.Errorf("the items of a night whose items seed is 0 are drawn with %d", *p.Inputs.DrawnBy)
	}
	h.Nights = h.Nights[:len(h.Nights)-1]
	again := uint64(7)
	p.Config.Seed = &again
	h.tonight(p, time.Now())
	if p.Inputs.Seed != 7 || !reflect.DeepEqual(items[0], p.Inputs.Items) {
		t.Errorf("a night that is made again has seed %d and items %v", p.Inputs.Seed, p.Inputs.Items)
	}
}

func TestANightThatIsDamagedIsGone(t *testing.T) {
	p := tinyProject(t)
	for _, c := range []struct {
		what, file, text string
		said             string // "" where the night is at hand
	}{
		{"whole", rollout.RolloutsFile, `{"item":"a","split":"eval","sample":0,"reward":0}` + "\n", ""},
		{"its manifest is damaged", rollout.ManifestFile, "{", "cannot be read, and is treated as missing"},
		{"its rollouts contradict each other", rollout.RolloutsFile, strings.Repeat(`{"item":"a","split":"eval","sample":0,"reward":%d}`+"\n", 2), "cannot be read, and is treated as missing"},
	} {
		h := &nightRun{History: &archive.History{Dir: t.TempDir(), Nights: []history.Night{{Name: "2026-11-19T0200Z", Good: true}}}}
		begunNight(t, h, p, "2026-11-19T0200Z", time.Now())
		text := strings.Replace(strings.Replace(c.text, "%d", "0", 1), "%d", "1", 1)
		if err := os.WriteFile(filepath.Join(h.Run("2026-11-19T0200Z"), c.file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var told strings.Builder
		h.warnDamaged(t.Context(), &project.Invocation{Err: &told})
		if (told.Len() > 0) != (c.said != "") || !strings.Contains(told.String(), c.said) {
			t.Errorf("%s: told %q, want %q", c.what, told.String(), c.said)
		}
		if there := h.There(t.Context())(&h.Nights[0]); there != (c.said == "") {
			t.Errorf("%s: at hand %v", c.what, there)
		}
	}
}

func TestWhatFailsBesideANightHidesNoRegression(t *testing.T) {
	failed := errors.Join(errors.New("variant a: no answer"), errors.New("variant b: no answer"))
	for _, c := range []struct {
		what   string
		answer int
		failed []error
		code   int
		told   int
	}{
		{"no worse", exit.OK, []error{nil, nil}, exit.OK, 0},
		{"no worse, and variants failed", exit.OK, []error{failed, nil}, exit.Tool, 2},
		{"regressed", exit.NoGo, []error{nil, nil}, exit.NoGo, 0},
		{"regressed, and variants failed", exit.NoGo, []error{failed, nil}, exit.NoGo, 2},
		{"regressed, variants failed and standard output is closed", exit.NoGo, []error{failed, os.ErrClosed}, exit.NoGo, 3},
	} {
		var told, note strings.Builder
		night := history.Night{Name: "2026-11-20T0200Z", ExitCode: c.answer}
		answer := withAnswer(&project.Invocation{Err: &note}, night, c.failed...)
		// the note tells an exit code of 1 from that of a night that was not recorded
		want := fmt.Sprintf("night 2026-11-20T0200Z is recorded (its own exit code is %d)", c.answer)
		if strings.Contains(note.String(), want) != (c.told > 0) {
			t.Errorf("%s: the note is %q", c.what, note.String())
		}
		if code := ui.ExitCode(&told, answer); code != c.code || strings.Count(told.String(), "\n") != c.told {
			t.Errorf("%s: exit code %d, want %d; told %q", c.what, code, c.code, told.String())
		}
	}
}
